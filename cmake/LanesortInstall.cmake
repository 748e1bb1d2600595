# What `cmake --install` puts where, for the library: headers, both libraries, the CMake package and the .pc file.
# The command line and the rivals install themselves. Every path is relative to the prefix, so the tree can be moved.
include(CMakePackageConfigHelpers)

set(lanesort_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/lanesort)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/lanesort DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.cuh")
install(TARGETS lanesort_shared lanesort_static EXPORT lanesortTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(EXPORT lanesortTargets NAMESPACE lanesort:: DESTINATION ${lanesort_package_dir})

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/lanesortConfig.cmake.in ${PROJECT_BINARY_DIR}/lanesortConfig.cmake
                              INSTALL_DESTINATION ${lanesort_package_dir} NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may change the ABI.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/lanesortConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/lanesortConfig.cmake ${PROJECT_BINARY_DIR}/lanesortConfigVersion.cmake
        DESTINATION ${lanesort_package_dir})

# The way back from the .pc file to the prefix; an absolute LIBDIR leaves no relative one.
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
  set(lanesort_pc_prefix ${CMAKE_INSTALL_PREFIX})
else()
  file(RELATIVE_PATH lanesort_pc_up /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  string(REGEX REPLACE "/$" "" lanesort_pc_up ${lanesort_pc_up})
  set(lanesort_pc_prefix "\${pcfiledir}/${lanesort_pc_up}")
endif()
cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_LIBDIR BASE_DIRECTORY "\${prefix}" OUTPUT_VARIABLE lanesort_pc_libdir)
cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_INCLUDEDIR BASE_DIRECTORY "\${prefix}" OUTPUT_VARIABLE lanesort_pc_includedir)
configure_file(${CMAKE_CURRENT_LIST_DIR}/lanesort.pc.in ${PROJECT_BINARY_DIR}/lanesort.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/lanesort.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
