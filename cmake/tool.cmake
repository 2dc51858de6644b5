# kcontrol_tool(NAME FILES...): the program kcontrol-NAME, and its parts as a library for their tests: kcontrol_NAME_parts
# of these files, which the caller links, and kcontrol_NAME of main.cpp. Installed if it was built.
function(kcontrol_tool name)
    set(program kcontrol_${name})
    kcontrol_batches(sources parts ${program} ${ARGN})
    add_library(${program}_parts STATIC ${sources})
    target_include_directories(${program}_parts PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/..)
    add_executable(${program} main.cpp)
    set_target_properties(${program} PROPERTIES OUTPUT_NAME kcontrol-${name} EXPORT_NAME ${name})
    target_link_libraries(${program} PRIVATE ${program}_parts)
    if(TARGET kcontrol_warnings)
        target_link_libraries(${program}_parts PRIVATE kcontrol_warnings)
        target_link_libraries(${program} PRIVATE kcontrol_warnings)
    endif()
    if(KCONTROL_INSTALL)
        # kcontrolConfig.cmake makes kcontrol::NAME of the program if it was built.
        install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools OPTIONAL)
        kcontrol_install_completion(kcontrol-${name})
    endif()
endfunction()

# kcontrol_install_completion(PROGRAM): shells complete its flags. zsh has one file for all tools.
function(kcontrol_install_completion program)
    set(from ${PROJECT_SOURCE_DIR}/cmake)
    set(to ${CMAKE_INSTALL_DATADIR})
    install(FILES ${from}/completion.bash COMPONENT tools DESTINATION ${to}/bash-completion/completions RENAME ${program})
    cmake_path(ABSOLUTE_PATH to BASE_DIRECTORY [[${CMAKE_INSTALL_PREFIX}]] OUTPUT_VARIABLE share)
    # Debian's zsh finds what packages bring elsewhere than others do, and not where it finds what was installed by hand.
    install(CODE "
        set(zsh site-functions)
        if(CMAKE_INSTALL_PREFIX STREQUAL \"/usr\" AND EXISTS /etc/debian_version)
            set(zsh vendor-completions)
        endif()
        file(INSTALL FILES \"${from}/completion.zsh\" TYPE FILE RENAME _kcontrol
             DESTINATION \"${share}/zsh/\${zsh}\")" COMPONENT tools)
    install(FILES ${from}/completion.fish COMPONENT tools DESTINATION ${to}/fish/vendor_completions.d RENAME ${program}.fish)
endfunction()
