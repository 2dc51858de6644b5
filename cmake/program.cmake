# kcontrol_program(TARGET): a product of examples/apps. Installed if it was built, as component programs.
function(kcontrol_program target)
    if(KCONTROL_INSTALL)
        install(TARGETS ${target} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT programs OPTIONAL)
    endif()
endfunction()
