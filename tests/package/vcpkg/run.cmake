# Runs the steps of the port's portfile without vcpkg: cmake -DPORT=… -DBUILD=… -DPACKAGES=… -P run.cmake
#
# What the portfile calls is here as vcpkg's own scripts do it, as far as it matters to the files of a Release build: options are
# passed on, the CMake package moves to share/kcontrol, programs to tools/kcontrol, and an installed copyright is demanded.
# Dependencies are the system's. vcpkg itself, its Debug build and its checks of the result are not tried.
cmake_minimum_required(VERSION 3.25)
set(CURRENT_PACKAGES_DIR ${PACKAGES})
set(PORT_NAME kcontrol)
file(REMOVE_RECURSE ${PACKAGES})

function(run)
    execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# The features that the port has by default are on, the others that it has are off.
function(vcpkg_check_features)
    cmake_parse_arguments(arg "" OUT_FEATURE_OPTIONS FEATURES ${ARGN})
    file(READ ${PORT}/vcpkg.json manifest)
    set(options "")
    while(arg_FEATURES)
        list(POP_FRONT arg_FEATURES feature option)
        string(JSON described ERROR_VARIABLE missing GET "${manifest}" features ${feature} description)
        if(missing)
            message(FATAL_ERROR "${feature} is not a feature of the port")
        endif()
        string(JSON default GET "${manifest}" default-features 0)
        if(default STREQUAL feature)
            list(APPEND options -D${option}=ON)
        else()
            list(APPEND options -D${option}=OFF)
        endif()
    endwhile()
    set(${arg_OUT_FEATURE_OPTIONS} "${options}" PARENT_SCOPE)
endfunction()

function(vcpkg_cmake_configure)
    cmake_parse_arguments(arg "" SOURCE_PATH OPTIONS ${ARGN})
    run(${CMAKE_COMMAND} -S ${arg_SOURCE_PATH} -B ${BUILD} -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF
        -DCMAKE_INSTALL_PREFIX=${PACKAGES} -DCMAKE_INSTALL_LIBDIR=lib ${arg_OPTIONS})
endfunction()

function(vcpkg_cmake_install)
    run(${CMAKE_COMMAND} --build ${BUILD} --target install)
endfunction()

function(vcpkg_cmake_config_fixup)
    cmake_parse_arguments(arg "" "PACKAGE_NAME;CONFIG_PATH" "" ${ARGN})
    file(COPY ${PACKAGES}/${arg_CONFIG_PATH}/ DESTINATION ${PACKAGES}/share/${arg_PACKAGE_NAME})
    file(REMOVE_RECURSE ${PACKAGES}/${arg_CONFIG_PATH})
    file(GLOB files ${PACKAGES}/share/${arg_PACKAGE_NAME}/*.cmake)
    # One folder less deep than before; programs lie elsewhere.
    foreach(file IN LISTS files)
        file(READ ${file} text)
        string(REPLACE "\${CMAKE_CURRENT_LIST_DIR}/../../../" "\${CMAKE_CURRENT_LIST_DIR}/../../" text "${text}")
        string(REGEX REPLACE "(get_filename_component\\(_IMPORT_PREFIX \"\\\${CMAKE_CURRENT_LIST_FILE}\" PATH\\)\n)get_filename_component\\(_IMPORT_PREFIX \"\\\${_IMPORT_PREFIX}\" PATH\\)\n" "\\1" text "${text}")
        file(WRITE ${file} "${text}")
    endforeach()
endfunction()

function(vcpkg_fixup_pkgconfig)
    file(GLOB_RECURSE files ${PACKAGES}/*.pc)
    foreach(file IN LISTS files)
        file(STRINGS ${file} prefix REGEX "^prefix=\\\${pcfiledir}/../..$")
        if(NOT prefix)
            message(FATAL_ERROR "${file} does not say where it lies by itself")
        endif()
    endforeach()
endfunction()

function(vcpkg_copy_tools)
    cmake_parse_arguments(arg AUTO_CLEAN "" TOOL_NAMES ${ARGN})
    foreach(tool IN LISTS arg_TOOL_NAMES)
        file(COPY ${PACKAGES}/bin/${tool} DESTINATION ${PACKAGES}/tools/kcontrol)
    endforeach()
    if(arg_AUTO_CLEAN)
        file(REMOVE_RECURSE ${PACKAGES}/bin)
    endif()
endfunction()

function(vcpkg_install_copyright)
    cmake_parse_arguments(arg "" "" FILE_LIST ${ARGN})
    file(COPY_FILE ${arg_FILE_LIST} ${PACKAGES}/share/${PORT_NAME}/copyright)
endfunction()

# The portfile finds the checkout by where it lies itself.
include(${PORT}/portfile.cmake)
