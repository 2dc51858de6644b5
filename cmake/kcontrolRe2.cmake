# Makes the target `re2::re2`. RE2's own CMake package names it so; Debian's package has no CMake files before 13.
# Included by the build and, installed, by kcontrolConfig.cmake.
find_package(re2 QUIET CONFIG)
if(NOT TARGET re2::re2)
    find_path(KCONTROL_RE2_INCLUDE_DIR re2/re2.h)
    find_library(KCONTROL_RE2_LIBRARY re2)
    mark_as_advanced(KCONTROL_RE2_INCLUDE_DIR KCONTROL_RE2_LIBRARY)
    if(KCONTROL_RE2_INCLUDE_DIR AND KCONTROL_RE2_LIBRARY)
        add_library(re2::re2 UNKNOWN IMPORTED)
        set_target_properties(re2::re2 PROPERTIES IMPORTED_LOCATION "${KCONTROL_RE2_LIBRARY}"
            INTERFACE_INCLUDE_DIRECTORIES "${KCONTROL_RE2_INCLUDE_DIR}")
    endif()
endif()
