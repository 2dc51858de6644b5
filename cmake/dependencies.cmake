# What the library needs. docs/dependencies.md says why.
find_package(Boost 1.81 REQUIRED COMPONENTS json)
find_package(OpenSSL 3 REQUIRED)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(simdjson REQUIRED)
find_package(yaml QUIET CONFIG)
if(NOT TARGET yaml)
    find_path(KCONTROL_YAML_INCLUDE_DIR yaml.h REQUIRED)
    find_library(KCONTROL_YAML_LIBRARY yaml REQUIRED)
    add_library(yaml UNKNOWN IMPORTED)
    set_target_properties(yaml PROPERTIES IMPORTED_LOCATION ${KCONTROL_YAML_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${KCONTROL_YAML_INCLUDE_DIR})
endif()
