# Makes the target `yaml` (libyaml). Its own CMake package names it so; Debian's package has no CMake files.
# Included by the build and, installed, by kcontrolConfig.cmake.
find_package(yaml QUIET CONFIG)
if(NOT TARGET yaml)
    find_path(KCONTROL_YAML_INCLUDE_DIR yaml.h)
    find_library(KCONTROL_YAML_LIBRARY yaml)
    mark_as_advanced(KCONTROL_YAML_INCLUDE_DIR KCONTROL_YAML_LIBRARY)
    if(KCONTROL_YAML_INCLUDE_DIR AND KCONTROL_YAML_LIBRARY)
        add_library(yaml UNKNOWN IMPORTED)
        set_target_properties(yaml PROPERTIES IMPORTED_LOCATION "${KCONTROL_YAML_LIBRARY}"
            INTERFACE_INCLUDE_DIRECTORIES "${KCONTROL_YAML_INCLUDE_DIR}")
    endif()
endif()
