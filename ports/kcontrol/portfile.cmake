# An overlay port that builds the checkout it lies in: vcpkg install kcontrol --overlay-ports=ports
# A registry's port would take a release instead (vcpkg_from_github).
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)

vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS -DKCONTROL_DEVELOPER_MODE=OFF -DKCONTROL_INSTALL=ON)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME kcontrol CONFIG_PATH lib/cmake/kcontrol)
vcpkg_copy_tools(TOOL_NAMES kcontrol-gen AUTO_CLEAN)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
