# LANESORT_CUDART: the CUDA runtime as a static library, for tests and benches that compile .cu files of their own (the
# library itself never needs it). Only nvcc knows where its toolkit lies: the program on the PATH may be a link or a wrapper.
# LANESORT_TOOLKIT is that place. A toolkit can come without this library: then LANESORT_CUDART is false.
if(NOT LANESORT_CUDA OR NOT LANESORT_NVCC)
  return()
endif()
if(NOT LANESORT_TOOLKIT)
  execute_process(COMMAND ${LANESORT_NVCC} --dryrun -x cu -c /dev/null -o /dev/null ERROR_VARIABLE words OUTPUT_QUIET)
  string(REGEX MATCH "TOP=([^\n]*)" unused "${words}")
  string(STRIP "${CMAKE_MATCH_1}" top)
  get_filename_component(top "${top}" REALPATH)
  set(LANESORT_TOOLKIT ${top} CACHE INTERNAL "The CUDA toolkit of nvcc")
endif()
find_library(LANESORT_CUDART cudart_static PATHS ${LANESORT_TOOLKIT} PATH_SUFFIXES lib64 lib targets/x86_64-linux/lib targets/sbsa-linux/lib)
if(NOT LANESORT_CUDART)
  message(STATUS "lanesort: the CUDA toolkit in ${LANESORT_TOOLKIT} has no libcudart_static, so lanesort/merge.cuh is not tested and CUB not raced")
endif()
