# kcontrol_generate(TARGET target OUT header NAMESPACE ns INPUTS file-or-directory...)
#
# Runs kcontrol-gen in the build: writes the header OUT (a path such as acme/jobs.hpp, to be included as
# <acme/jobs.hpp>) from CustomResourceDefinitions, again whenever one of them changes, before TARGET is compiled.
# Inputs are relative to the current source directory. Of a directory, files that appear later are noticed when CMake
# runs. Set KCONTROL_GEN_EXECUTABLE to a generator for the build machine where that is not the target's (cross builds).
function(kcontrol_generate)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "TARGET;OUT;NAMESPACE" "INPUTS")
    foreach(name IN ITEMS TARGET OUT NAMESPACE INPUTS)
        if(NOT arg_${name})
            message(FATAL_ERROR "kcontrol_generate: ${name} is missing")
        endif()
    endforeach()
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "kcontrol_generate: unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
    endif()
    if(NOT TARGET ${arg_TARGET})
        message(FATAL_ERROR "kcontrol_generate: ${arg_TARGET} is not a target")
    endif()
    if(IS_ABSOLUTE "${arg_OUT}")
        message(FATAL_ERROR "kcontrol_generate: OUT is how the header is included, such as acme/jobs.hpp, not ${arg_OUT}")
    endif()

    set(inputs)
    set(depends)
    foreach(input IN LISTS arg_INPUTS)
        get_filename_component(input "${input}" ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
        list(APPEND inputs ${input})
        if(IS_DIRECTORY ${input})
            file(GLOB_RECURSE found CONFIGURE_DEPENDS ${input}/*.yaml ${input}/*.yml ${input}/*.json)
            list(APPEND depends ${found})
        else()
            list(APPEND depends ${input})
        endif()
    endforeach()

    if(KCONTROL_GEN_EXECUTABLE)
        set(generator ${KCONTROL_GEN_EXECUTABLE})
    else()
        if(NOT TARGET kcontrol::gen)
            message(FATAL_ERROR "kcontrol_generate: this kcontrol has no kcontrol-gen: build its target kcontrol_gen and install "
                "again, or set KCONTROL_GEN_EXECUTABLE")
        endif()
        set(generator kcontrol::gen)
        list(APPEND depends kcontrol::gen)
    endif()
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/kcontrol_generated)
    add_custom_command(OUTPUT ${folder}/${arg_OUT}
        COMMAND ${generator} --out ${folder}/${arg_OUT} --namespace ${arg_NAMESPACE} ${inputs}
        DEPENDS ${depends}
        COMMENT "Generating ${arg_OUT}"
        VERBATIM)
    get_target_property(type ${arg_TARGET} TYPE)
    if(type STREQUAL INTERFACE_LIBRARY)
        set(scope INTERFACE)
    else()
        set(scope PUBLIC)
    endif()
    # By way of a target of its own, so that the header is made before any file of TARGET is compiled.
    string(MAKE_C_IDENTIFIER "${arg_TARGET}_${arg_OUT}" name)
    add_custom_target(kcontrol_generate_${name} DEPENDS ${folder}/${arg_OUT})
    add_dependencies(${arg_TARGET} kcontrol_generate_${name})
    target_include_directories(${arg_TARGET} ${scope} $<BUILD_INTERFACE:${folder}>)
endfunction()
