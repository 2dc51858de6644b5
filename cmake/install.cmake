# What an installation holds: headers, the compiled libraries, the CMake package `kcontrol` with its targets, and kcontrol.pc.
#
# A build of a single program (scripts/demo.sh) can be installed as well: kcontrol::testing, kcontrol::cel, kcontrol::scheduling, kcontrol::api_beta,
# kcontrol::records and the tools are there if they were built, and the package looks for them (kcontrolConfig.cmake). Components: runtime, dev,
# testing, scheduling, api_beta, records, tools, programs.
option(KCONTROL_INSTALL "Install the library" ${PROJECT_IS_TOP_LEVEL})
set_target_properties(${KCONTROL_LIBRARIES} PROPERTIES VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
if(NOT KCONTROL_INSTALL)
    return()
endif()

include(CMakePackageConfigHelpers)
set(KCONTROL_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/kcontrol)

# kcontrol_install_library(EXPORT LIBRARY-COMPONENT DEV-COMPONENT [OPTIONAL] TARGETS...)
function(kcontrol_install_library export runtime dev)
    cmake_parse_arguments(arg OPTIONAL "" TARGETS ${ARGN})
    set(optional)
    if(arg_OPTIONAL)
        set(optional OPTIONAL)
    endif()
    install(TARGETS ${arg_TARGETS} EXPORT ${export}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${runtime} NAMELINK_COMPONENT ${dev} ${optional}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${dev} ${optional})
    install(EXPORT ${export} NAMESPACE kcontrol:: DESTINATION ${KCONTROL_CMAKE_DIR} COMPONENT ${dev})
endfunction()
kcontrol_install_library(kcontrolTargets runtime dev TARGETS kcontrol kcontrol_header_only)
if(KCONTROL_BUILD_CEL_LIBRARY)
    # With the library itself: those of other components need it.
    kcontrol_install_library(kcontrolCelTargets runtime dev OPTIONAL TARGETS kcontrol_cel)
endif()
if(KCONTROL_BUILD_TESTING_LIBRARY)
    kcontrol_install_library(kcontrolTestingTargets testing testing OPTIONAL TARGETS kcontrol_testing)
endif()
if(KCONTROL_BUILD_SCHEDULING_LIBRARY)
    kcontrol_install_library(kcontrolSchedulingTargets scheduling scheduling OPTIONAL TARGETS kcontrol_scheduling)
endif()
if(KCONTROL_BUILD_API_BETA_LIBRARY)
    kcontrol_install_library(kcontrolApiBetaTargets api_beta api_beta OPTIONAL TARGETS kcontrol_api_beta)
endif()
if(KCONTROL_BUILD_RECORDS_LIBRARY)
    kcontrol_install_library(kcontrolRecordsTargets records records OPTIONAL TARGETS kcontrol_records)
endif()
install(DIRECTORY include/kcontrol DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev
    FILES_MATCHING PATTERN "*.hpp" PATTERN "*.ipp")

configure_package_config_file(cmake/kcontrolConfig.cmake.in ${PROJECT_BINARY_DIR}/kcontrolConfig.cmake
    INSTALL_DESTINATION ${KCONTROL_CMAKE_DIR} PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_LIBDIR)
# While the major version is 0, a minor version may break: 0.1 does not satisfy a wish for 0.2, nor 0.2 one for 0.1.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/kcontrolConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/kcontrolConfig.cmake ${PROJECT_BINARY_DIR}/kcontrolConfigVersion.cmake
    cmake/kcontrolYaml.cmake cmake/kcontrolRe2.cmake cmake/kcontrolCares.cmake cmake/kcontrolNghttp2.cmake
    cmake/kcontrolGenerate.cmake cmake/kcontrolEmbed.cmake DESTINATION ${KCONTROL_CMAKE_DIR} COMPONENT dev)

# For builds without CMake: $(pkg-config --cflags --libs kcontrol-testing kcontrol). The files say where they lie themselves,
# so an installation can be moved. Users of a shared library link nothing but it; its own needs are private then.
set(KCONTROL_PC_PRIVATE "")
if(BUILD_SHARED_LIBS)
    set(KCONTROL_PC_PRIVATE .private)
endif()
set(KCONTROL_PC_PARTS "")
foreach(part_and_module IN ITEMS "YAML yaml-0.1" "RE2 re2" "CARES libcares" "PROMETHEUS prometheus-cpp-core")
    separate_arguments(pair UNIX_COMMAND "${part_and_module}")
    list(POP_FRONT pair part module)
    if(KCONTROL_WITH_${part})
        string(APPEND KCONTROL_PC_PARTS " ${module}")
    endif()
endforeach()
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
    OUTPUT_VARIABLE KCONTROL_PC_PREFIX)
configure_file(cmake/kcontrol.pc.in ${PROJECT_BINARY_DIR}/kcontrol.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/kcontrol.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
if(KCONTROL_BUILD_CEL_LIBRARY)
    configure_file(cmake/kcontrol-cel.pc.in ${PROJECT_BINARY_DIR}/kcontrol-cel.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/kcontrol-cel.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
endif()
if(KCONTROL_BUILD_TESTING_LIBRARY)
    configure_file(cmake/kcontrol-testing.pc.in ${PROJECT_BINARY_DIR}/kcontrol-testing.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/kcontrol-testing.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT testing)
endif()
if(KCONTROL_BUILD_SCHEDULING_LIBRARY)
    configure_file(cmake/kcontrol-scheduling.pc.in ${PROJECT_BINARY_DIR}/kcontrol-scheduling.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/kcontrol-scheduling.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT scheduling)
endif()
if(KCONTROL_BUILD_API_BETA_LIBRARY)
    configure_file(cmake/kcontrol-api-beta.pc.in ${PROJECT_BINARY_DIR}/kcontrol-api-beta.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/kcontrol-api-beta.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT api_beta)
endif()
if(KCONTROL_BUILD_RECORDS_LIBRARY)
    set(KCONTROL_PC_SQLITE ", sqlite3")
    if(BUILD_SHARED_LIBS)
        set(KCONTROL_PC_SQLITE "")
    endif()
    configure_file(cmake/kcontrol-records.pc.in ${PROJECT_BINARY_DIR}/kcontrol-records.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/kcontrol-records.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT records)
endif()
