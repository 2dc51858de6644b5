# Reads the version from include/kcontrol/version.hpp into KCONTROL_VERSION.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/../include/kcontrol/version.hpp KCONTROL_VERSION
    REGEX "^#define KCONTROL_VERSION_STRING \"[0-9.]+\"$")
string(REGEX REPLACE ".*\"(.*)\"" "\\1" KCONTROL_VERSION "${KCONTROL_VERSION}")
