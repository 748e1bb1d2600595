# Writes OUTPUT, a header with the text of each of the FILES as a constant of the name beside it (NAMES).
set(header "// Made of the files of bench/report by embed.cmake.\n#pragma once\n\nnamespace lanesort::bench {\n")
foreach(file name IN ZIP_LISTS FILES NAMES)
  file(READ ${file} text)
  string(APPEND header "inline constexpr char ${name}[] = R\"~~~~(${text})~~~~\";\n")
endforeach()
file(WRITE ${OUTPUT} "${header}}  // namespace lanesort::bench\n")
