# libkcontrol_service.so: what a service needs of Kubernetes, in C (include/kcontrol_service.h, docs/service_c.md). It has the library
# inside, so that a program needs neither a C++ compiler nor libkcontrol; libraries of the system stay shared.
file(GLOB KCONTROL_SERVICE_C_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/service_c/*.cpp)
# Its static objects outlive its threads: src/service_c/process_end.cpp.
set(KCONTROL_SERVICE_C_LINK LINKER:--wrap=__cxa_atexit)
set(KCONTROL_SERVICE_C_MAP ${PROJECT_SOURCE_DIR}/src/service_c/kcontrol_service.map)

if(KCONTROL_DEVELOPER_MODE)
    enable_language(C)  # of a test
endif()

# What tests link: the same functions in an archive, in a program that has the library once, with its sanitizers.
if(KCONTROL_DEVELOPER_MODE)
    add_library(kcontrol_service_c_parts STATIC EXCLUDE_FROM_ALL ${KCONTROL_SERVICE_C_SOURCES})
    target_include_directories(kcontrol_service_c_parts PUBLIC ${PROJECT_SOURCE_DIR}/include
                               ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(kcontrol_service_c_parts PUBLIC kcontrol_under_test PRIVATE kcontrol_warnings)
    target_link_options(kcontrol_service_c_parts INTERFACE ${KCONTROL_SERVICE_C_LINK})
endif()

if(NOT KCONTROL_BUILD_SERVICE_C)
    return()
endif()
# The types of the interface, for the check of the binary interface; `strip` takes them out of what is shipped.
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/service_c/api.cpp PROPERTIES COMPILE_OPTIONS -g)
# The archive goes into a shared library.
set_target_properties(kcontrol PROPERTIES POSITION_INDEPENDENT_CODE ON)

add_library(kcontrol_service_c SHARED ${KCONTROL_SERVICE_C_SOURCES})
add_library(kcontrol::service_c ALIAS kcontrol_service_c)
set_target_properties(kcontrol_service_c PROPERTIES OUTPUT_NAME kcontrol_service EXPORT_NAME service_c
    VERSION 0.1.0 SOVERSION 0 CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    PUBLIC_HEADER ${PROJECT_SOURCE_DIR}/include/kcontrol_service.h LINK_DEPENDS ${KCONTROL_SERVICE_C_MAP})
target_include_directories(kcontrol_service_c PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(kcontrol_service_c PRIVATE $<BUILD_INTERFACE:kcontrol>)
# Only what is in the map gets out, also of archives; a library that is needed and not named is an error here, not at run time.
# OpenSSL registers what it does at the end of the process: unloading (dlclose) would leave that behind.
target_link_options(kcontrol_service_c PRIVATE ${KCONTROL_SERVICE_C_LINK} "LINKER:--version-script=${KCONTROL_SERVICE_C_MAP}"
    LINKER:--no-undefined LINKER:--as-needed LINKER:--gc-sections LINKER:-z,relro,-z,now,-z,nodelete)

if(NOT KCONTROL_INSTALL)
    return()
endif()
install(TARGETS kcontrol_service_c
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT service_c NAMELINK_COMPONENT service_c
    PUBLIC_HEADER DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT service_c)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
    OUTPUT_VARIABLE KCONTROL_PC_PREFIX)
configure_file(cmake/kcontrol_service.pc.in ${PROJECT_BINARY_DIR}/kcontrol_service.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/kcontrol_service.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT service_c)
