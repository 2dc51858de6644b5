# kcontrol_precompile(TARGET): with KCONTROL_PRECOMPILE the target's files read kcontrol.hpp from one precompiled header, which is
# that of the library. For a build that is made once, like the demonstration's: after a change to a header all files are compiled.
option(KCONTROL_PRECOMPILE "Precompile kcontrol.hpp for the libraries and the training-job monitor" OFF)

function(kcontrol_precompile target)
    if(NOT KCONTROL_PRECOMPILE)
        return()
    endif()
    if(target STREQUAL kcontrol)
        target_precompile_headers(kcontrol PRIVATE <kcontrol/kcontrol.hpp>)
    else()
        target_precompile_headers(${target} REUSE_FROM kcontrol)
    endif()
endfunction()
