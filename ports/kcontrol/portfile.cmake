# An overlay port that builds the checkout it lies in: vcpkg install kcontrol --overlay-ports=ports
# A registry's port would take a release instead (vcpkg_from_github).
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS FEATURE_OPTIONS FEATURES testing KCONTROL_BUILD_TESTING_LIBRARY
    records KCONTROL_BUILD_RECORDS_LIBRARY)
vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS -DKCONTROL_INSTALL=ON -DKCONTROL_BUILD_TOOLS=ON ${FEATURE_OPTIONS})
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME kcontrol CONFIG_PATH lib/cmake/kcontrol)
vcpkg_fixup_pkgconfig()
vcpkg_copy_tools(TOOL_NAMES kcontrol-gen kcontrol-new kcontrol-lint kcontrol-transcode AUTO_CLEAN)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
