# Makes the target `c-ares::cares`. c-ares' own CMake package names it so; Debian's package has no CMake files.
# Included by the build and, installed, by kcontrolConfig.cmake.
find_package(c-ares QUIET CONFIG)
if(NOT TARGET c-ares::cares)
    find_path(KCONTROL_CARES_INCLUDE_DIR ares.h)
    find_library(KCONTROL_CARES_LIBRARY cares)
    mark_as_advanced(KCONTROL_CARES_INCLUDE_DIR KCONTROL_CARES_LIBRARY)
    if(KCONTROL_CARES_INCLUDE_DIR AND KCONTROL_CARES_LIBRARY)
        add_library(c-ares::cares UNKNOWN IMPORTED)
        set_target_properties(c-ares::cares PROPERTIES IMPORTED_LOCATION "${KCONTROL_CARES_LIBRARY}"
            INTERFACE_INCLUDE_DIRECTORIES "${KCONTROL_CARES_INCLUDE_DIR}")
    endif()
endif()
