# Writes OUTPUT, a header with the commit of SOURCE, and leaves it alone where it has not changed.
# Only SOURCE's own .git counts: an unpacked archive may lie inside somebody else's repository.
set(commit unknown)
find_program(git git)
if(git AND EXISTS ${SOURCE}/.git)
  execute_process(COMMAND ${git} -C ${SOURCE} describe --always --dirty --abbrev=12
    OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed)
    set(commit ${described})
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#pragma once\n#define LANESORT_COMMIT \"@commit@\"\n" @ONLY)
