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
  target_compile_options(lanesort_flags INTERFACE -fsanitize=${LANESORT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  target_link_options(lanesort_flags INTERFACE -fsanitize=${LANESORT_SANITIZE})
endif()

# lanesort_unsanitized(<source>...): sources of this directory that the asan preset leaves without a sanitizer. Headers of formatting
# and of options take it half a minute each, and what stands here is looked at elsewhere.
function(lanesort_unsanitized)
  if(LANESORT_SANITIZE STREQUAL "address,undefined")
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "-fno-sanitize=all;-g0")
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
