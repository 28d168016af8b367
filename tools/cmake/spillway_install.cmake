# Install rules: the library, its headers, a CMake package and a pkg-config file. Everything installed is relocatable.

include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/spillway")
install(TARGETS spillway EXPORT spillway-targets FILE_SET HEADERS)
install(EXPORT spillway-targets NAMESPACE spillway:: DESTINATION "${package_dir}")
configure_package_config_file("${PROJECT_SOURCE_DIR}/tools/cmake/spillway-config.cmake.in"
                              "${PROJECT_BINARY_DIR}/spillway-config.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/spillway-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/spillway-config.cmake" "${PROJECT_BINARY_DIR}/spillway-config-version.cmake"
              "${PROJECT_SOURCE_DIR}/tools/cmake/Findconcurrentqueue.cmake" DESTINATION "${package_dir}")

# pkg-config's prefix is worked out from the place of the file, so that an unpacked or moved tree works.
file(RELATIVE_PATH spillway_pc_to_prefix "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" spillway_pc_to_prefix "${spillway_pc_to_prefix}")
configure_file("${PROJECT_SOURCE_DIR}/tools/cmake/spillway.pc.in" "${PROJECT_BINARY_DIR}/spillway.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/spillway.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

if(TARGET spillway_tool)
  install(TARGETS spillway_tool)
endif()
