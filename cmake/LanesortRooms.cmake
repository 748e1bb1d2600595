# A room is a directory of sources with one CMake target. Its headers are seen as "<room>/<file>" by the targets
# that link to it, and by no others: each room is reached through a link of its own, so an include that the
# table of rooms (docs/architecture.md) does not allow does not compile.

find_package(Threads REQUIRED)
find_program(LANESORT_CCACHE ccache)
if(LANESORT_CCACHE AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${LANESORT_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${LANESORT_CCACHE})
endif()

# The public headers, and the flags that every target of ours is built with.
add_library(lanesort_contracts INTERFACE)
target_include_directories(lanesort_contracts INTERFACE ${CMAKE_CURRENT_SOURCE_DIR}/include)

add_library(lanesort_flags INTERFACE)
target_compile_features(lanesort_flags INTERFACE cxx_std_20)
target_compile_options(lanesort_flags INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -fvisibility=hidden
  # GCC 12 warns of every "literal" + std::string (GCC bug 105651).
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>)
if(LANESORT_SANITIZE)
  # A target's property LANESORT_UNSANITIZED names sanitizers that it does without: what they cost a compiler is most of the
  # tests' time, so they are where memory is touched, and not where texts are put together.
  set(without $<TARGET_PROPERTY:LANESORT_UNSANITIZED>)
  target_compile_options(lanesort_flags INTERFACE -fsanitize=${LANESORT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1
    $<$<BOOL:${without}>:-fno-sanitize=${without}> $<$<STREQUAL:${without},all>:-O0>)
  # Their tables are full of addresses: a program that can lie anywhere writes three quarters of a million at each start.
  target_link_options(lanesort_flags INTERFACE -fsanitize=${LANESORT_SANITIZE} $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
endif()

# lanesort_unsanitized(<source>...), lanesort_sanitized(<source>...): sources of this directory that differ from their target.
function(lanesort_unsanitized)
  if(LANESORT_SANITIZE)
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "-fno-sanitize=all;-g0;-O0")
  endif()
endfunction()
function(lanesort_sanitized)
  if(LANESORT_SANITIZE)
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "-fsanitize=${LANESORT_SANITIZE};-O1")
  endif()
endfunction()

# lanesort_room(<room> DIRECTORY <dir> [KIND OBJECT|STATIC|INTERFACE] [SOURCES ...] [MAY_USE <target>...])
# makes the target lanesort_<room>.
function(lanesort_room room)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DIRECTORY;KIND" "SOURCES;MAY_USE")
  set(door ${PROJECT_BINARY_DIR}/rooms/${room})
  file(MAKE_DIRECTORY ${door})
  file(CREATE_LINK ${arg_DIRECTORY} ${door}/${room} SYMBOLIC)
  if(arg_KIND STREQUAL INTERFACE)
    add_library(lanesort_${room} INTERFACE)
    target_include_directories(lanesort_${room} INTERFACE ${door})
    target_link_libraries(lanesort_${room} INTERFACE ${arg_MAY_USE})
  else()
    add_library(lanesort_${room} ${arg_KIND} ${arg_SOURCES})
    target_include_directories(lanesort_${room} PUBLIC ${door})
    target_link_libraries(lanesort_${room} PUBLIC ${arg_MAY_USE} PRIVATE $<BUILD_INTERFACE:lanesort_flags>)
    set_target_properties(lanesort_${room} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
endfunction()
