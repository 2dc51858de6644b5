# What the library needs. docs/dependencies.md says why. What is missing is named together with what can be done about it.

# Parts that a program may do without. What is left out is refused with the option's name wherever it is asked for.
option(KCONTROL_WITH_YAML "Read YAML (libyaml); without it documents and kubeconfigs are JSON" ON)
option(KCONTROL_WITH_RE2 "Match patterns in client-side validation (RE2)" ON)
option(KCONTROL_WITH_CARES "Ask DNS for host names (c-ares); without it they come from the hosts file" ON)
option(KCONTROL_WITH_PROMETHEUS "Keep counters, gauges and histograms (prometheus-cpp)" ON)
set(KCONTROL_PARTS YAML RE2 CARES PROMETHEUS)
if(KCONTROL_DEVELOPER_MODE OR KCONTROL_BUILD_EXAMPLES OR KCONTROL_BUILD_APPS OR KCONTROL_BUILD_TOOLS)
    foreach(part IN LISTS KCONTROL_PARTS)
        if(NOT KCONTROL_WITH_${part})
            message(FATAL_ERROR "kcontrol's own tests, examples and tools need all of its parts: with "
                "KCONTROL_WITH_${part}=OFF also say -DKCONTROL_DEVELOPER_MODE=OFF -DKCONTROL_BUILD_EXAMPLES=OFF "
                "-DKCONTROL_BUILD_APPS=OFF -DKCONTROL_BUILD_TOOLS=OFF")
        endif()
    endforeach()
endif()

# kcontrol_need(FOUND NAME DEBIAN-PACKAGE [REMEDY]): ends configuring where FOUND is neither a true variable nor a target.
function(kcontrol_need found name package)
    if(NOT ${found} AND NOT TARGET ${found})
        message(FATAL_ERROR "kcontrol needs ${name} (Debian: ${package}), which was not found${ARGN}")
    endif()
endfunction()

# By Boost's own configuration, without CMake 3.30's warning that its FindBoost goes.
if(POLICY CMP0167)
    cmake_policy(SET CMP0167 NEW)
endif()
find_package(Boost 1.81 COMPONENTS json)
kcontrol_need(Boost_FOUND "Boost 1.81 or newer with Boost.JSON"
    "libboost1.81-dev and libboost-json1.81-dev, later libboost-dev and libboost-json-dev")
find_package(OpenSSL 3)
kcontrol_need(OpenSSL_FOUND "OpenSSL 3" libssl-dev)
find_package(Threads REQUIRED)
find_package(ZLIB)
kcontrol_need(ZLIB_FOUND zlib zlib1g-dev)
find_package(fmt CONFIG)
kcontrol_need(fmt_FOUND fmt libfmt-dev)
find_package(simdjson CONFIG)
kcontrol_need(simdjson_FOUND simdjson libsimdjson-dev)
include(${CMAKE_CURRENT_LIST_DIR}/kcontrolNghttp2.cmake)
kcontrol_need(nghttp2::nghttp2 nghttp2 libnghttp2-dev)
if(KCONTROL_WITH_YAML)
    include(${CMAKE_CURRENT_LIST_DIR}/kcontrolYaml.cmake)
    kcontrol_need(yaml libyaml libyaml-dev "; or build without it: -DKCONTROL_WITH_YAML=OFF reads JSON only")
endif()
if(KCONTROL_WITH_RE2)
    include(${CMAKE_CURRENT_LIST_DIR}/kcontrolRe2.cmake)
    kcontrol_need(re2::re2 RE2 libre2-dev
        "; or build without it: with -DKCONTROL_WITH_RE2=OFF client-side validation matches no patterns")
endif()
if(KCONTROL_WITH_CARES)
    include(${CMAKE_CURRENT_LIST_DIR}/kcontrolCares.cmake)
    kcontrol_need(c-ares::cares c-ares libc-ares-dev
        "; or build without it: with -DKCONTROL_WITH_CARES=OFF host names come from the hosts file only")
endif()
if(KCONTROL_BUILD_RECORDS_LIBRARY)
    find_package(SQLite3 3.35)
    kcontrol_need(SQLite3_FOUND "SQLite 3.35 or newer, for kcontrol::records," libsqlite3-dev
        "; or build without it: -DKCONTROL_BUILD_RECORDS_LIBRARY=OFF")
endif()
if(KCONTROL_WITH_PROMETHEUS)
    find_package(prometheus-cpp CONFIG)
    kcontrol_need(prometheus-cpp_FOUND prometheus-cpp prometheus-cpp-dev
        "; or build without it: with -DKCONTROL_WITH_PROMETHEUS=OFF counters, gauges and histograms are not kept")
endif()
