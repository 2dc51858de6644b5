# The two faces of the library: kcontrol::kcontrol (compiled, the default) and kcontrol::header_only. Beside them
# kcontrol::testing, for users' tests: the in-process API server, the simulator and fixtures. Programs link no part of it. It is
# a compiled library, and so are programs that link it: they do not link kcontrol::header_only.
# And libraries of their own: kcontrol::cel, expressions, which kcontrol::testing and kcontrol::scheduling link; kcontrol::scheduling, for
# schedulers; kcontrol::records, clusters from a table of SQLite; and kcontrol::api_beta, the kinds of beta and alpha groups.
if(KCONTROL_DEVELOPER_MODE OR KCONTROL_BUILD_EXAMPLES OR KCONTROL_BUILD_APPS)
    if(NOT KCONTROL_BUILD_TESTING_LIBRARY)
        message(FATAL_ERROR "kcontrol's own tests and examples need KCONTROL_BUILD_TESTING_LIBRARY=ON")
    endif()
endif()
if(KCONTROL_BUILD_TESTING_LIBRARY OR KCONTROL_BUILD_SCHEDULING_LIBRARY)
    set(KCONTROL_BUILD_CEL_LIBRARY ON)
endif()
file(GLOB KCONTROL_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/*.cpp)
file(GLOB KCONTROL_TESTING_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/testing/*.cpp
     ${CMAKE_CURRENT_SOURCE_DIR}/src/testserver/*.cpp)
foreach(own IN ITEMS api_beta cel records scheduling)
    set(KCONTROL_${own}_SOURCES ${KCONTROL_SOURCES})
    list(FILTER KCONTROL_${own}_SOURCES INCLUDE REGEX "/${own}[^/]*$")
    list(FILTER KCONTROL_SOURCES EXCLUDE REGEX "/${own}[^/]*$")
endforeach()
set(KCONTROL_EXCLUDE_ROOMS "" CACHE STRING "Rooms that are not compiled, where one program is built that uses none of them")
foreach(room IN LISTS KCONTROL_EXCLUDE_ROOMS)
    list(FILTER KCONTROL_SOURCES EXCLUDE REGEX "/${room}(_[^/]*)?\\.cpp$")
endforeach()
set(KCONTROL_LINK_LIBRARIES Boost::headers Boost::json OpenSSL::SSL OpenSSL::Crypto Threads::Threads fmt::fmt
    simdjson::simdjson nghttp2::nghttp2 ZLIB::ZLIB)
# The part of dependencies.cmake, the file that knows whether it is there, and its library.
set(KCONTROL_PART_TABLE "YAML documents yaml" "RE2 schema_validate re2::re2" "CARES transport_dns c-ares::cares"
    "PROMETHEUS metrics_registry prometheus-cpp::core")

# A room is one file, so that a program that is linked with it takes only what it uses. What is built once, like the demonstration,
# takes half the time with fewer files; those that know whether a part is there stay alone.
set(library_units ${KCONTROL_SOURCES})
if(KCONTROL_UNITY_LINES GREATER 3000)
    set(knowing ${KCONTROL_SOURCES})
    list(FILTER knowing INCLUDE REGEX "/(documents|schema_validate|transport_dns|metrics_registry)\\.cpp$")
    list(REMOVE_ITEM library_units ${knowing})
    kcontrol_batches(library_units parts kcontrol ${library_units})
    list(APPEND library_units ${knowing})
endif()
add_library(kcontrol ${library_units})
add_library(kcontrol::kcontrol ALIAS kcontrol)
target_compile_definitions(kcontrol PUBLIC KCONTROL_SEPARATE_COMPILATION)
# A room is one file: with sections, a program that links with --gc-sections holds only what it uses of it.
target_compile_options(kcontrol PRIVATE $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU,Clang>>:-ffunction-sections>)
# What runs once in seconds, or once at all, and is in programs that embed us for little: size counts there.
set_source_files_properties(src/auth.cpp src/service_lead.cpp src/service_node.cpp PROPERTIES
    COMPILE_OPTIONS $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU,Clang>>:-Os>)
set_source_files_properties(src/service_endpoints.cpp PROPERTIES
    COMPILE_OPTIONS $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU,Clang>>:-O2>)

set(KCONTROL_LIBRARIES kcontrol)
if(KCONTROL_BUILD_TESTING_LIBRARY)
    kcontrol_batches(testing_units parts kcontrol_testing ${KCONTROL_TESTING_SOURCES})
    add_library(kcontrol_testing ${testing_units})
    add_library(kcontrol::testing ALIAS kcontrol_testing)
    set_target_properties(kcontrol_testing PROPERTIES EXPORT_NAME testing)
    target_include_directories(kcontrol_testing PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)
    target_link_libraries(kcontrol_testing PUBLIC kcontrol)
    list(APPEND KCONTROL_LIBRARIES kcontrol_testing)
endif()
foreach(own IN ITEMS api_beta cel records scheduling)
    string(TOUPPER ${own} option)
    if(KCONTROL_BUILD_${option}_LIBRARY)
        add_library(kcontrol_${own} ${KCONTROL_${own}_SOURCES})
        add_library(kcontrol::${own} ALIAS kcontrol_${own})
        set_target_properties(kcontrol_${own} PROPERTIES EXPORT_NAME ${own})
        target_link_libraries(kcontrol_${own} PUBLIC kcontrol)
        list(APPEND KCONTROL_LIBRARIES kcontrol_${own})
    endif()
endforeach()
foreach(user IN ITEMS kcontrol_testing kcontrol_scheduling)
    if(TARGET ${user})
        target_link_libraries(${user} PUBLIC kcontrol_cel)
    endif()
endforeach()
if(KCONTROL_BUILD_RECORDS_LIBRARY)
    target_link_libraries(kcontrol_records PRIVATE SQLite::SQLite3)
endif()

add_library(kcontrol_header_only INTERFACE)
add_library(kcontrol::header_only ALIAS kcontrol_header_only)
set_target_properties(kcontrol_header_only PROPERTIES EXPORT_NAME header_only)

# Headers are the same with a part and without it, and so are all other files.
foreach(row IN LISTS KCONTROL_PART_TABLE)
    separate_arguments(row UNIX_COMMAND "${row}")
    list(POP_FRONT row part file library)
    if(KCONTROL_WITH_${part})
        list(APPEND KCONTROL_LINK_LIBRARIES ${library})
    else()
        set_property(SOURCE src/${file}.cpp APPEND PROPERTY COMPILE_DEFINITIONS KCONTROL_WITHOUT_${part})
        target_compile_definitions(kcontrol_header_only INTERFACE KCONTROL_WITHOUT_${part})
    endif()
endforeach()

foreach(target_and_scope IN ITEMS "kcontrol PUBLIC" "kcontrol_header_only INTERFACE")
    separate_arguments(pair UNIX_COMMAND "${target_and_scope}")
    list(POP_FRONT pair target scope)
    target_include_directories(${target} ${scope}
        $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_compile_features(${target} ${scope} cxx_std_20)
    target_link_libraries(${target} ${scope} ${KCONTROL_LINK_LIBRARIES})
endforeach()

kcontrol_precompile(kcontrol)
if(KCONTROL_BUILD_TESTING_LIBRARY)
    kcontrol_precompile(kcontrol_testing)
endif()
