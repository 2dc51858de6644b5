# What an installation holds: headers, the compiled libraries, and the CMake package `kcontrol` with its targets.
option(KCONTROL_INSTALL "Install the library" ${PROJECT_IS_TOP_LEVEL})
set_target_properties(${KCONTROL_LIBRARIES} PROPERTIES VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
if(NOT KCONTROL_INSTALL)
    return()
endif()

include(CMakePackageConfigHelpers)
set(KCONTROL_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/kcontrol)
install(TARGETS ${KCONTROL_LIBRARIES} kcontrol_header_only EXPORT kcontrolTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/kcontrol DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.hpp" PATTERN "*.ipp")
install(EXPORT kcontrolTargets NAMESPACE kcontrol:: DESTINATION ${KCONTROL_CMAKE_DIR})
configure_package_config_file(cmake/kcontrolConfig.cmake.in ${PROJECT_BINARY_DIR}/kcontrolConfig.cmake
    INSTALL_DESTINATION ${KCONTROL_CMAKE_DIR})
# While the major version is 0, a minor version may break: 0.1 does not satisfy a wish for 0.2, nor 0.2 one for 0.1.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/kcontrolConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/kcontrolConfig.cmake ${PROJECT_BINARY_DIR}/kcontrolConfigVersion.cmake
    cmake/kcontrolYaml.cmake cmake/kcontrolRe2.cmake cmake/kcontrolCares.cmake cmake/kcontrolGenerate.cmake
    cmake/kcontrolEmbed.cmake DESTINATION ${KCONTROL_CMAKE_DIR})
