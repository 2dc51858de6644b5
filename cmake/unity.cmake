# kcontrol_batches(OUT NAME SOURCES...): sets OUT to what a test program NAME is compiled of. With KCONTROL_UNITY_TESTS several
# *_test.cpp are one translation unit (tools/unity.py), which takes a quarter of the time; without it each file is one, so that
# a missing include shows, and who changes one file compiles that alone.
option(KCONTROL_UNITY_TESTS "Compile tests in batches" OFF)
if(KCONTROL_UNITY_TESTS)
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
endif()

function(kcontrol_batches out name)
    if(NOT KCONTROL_UNITY_TESTS)
        set(${out} ${ARGN} PARENT_SCOPE)
        return()
    endif()
    set(tool ${PROJECT_SOURCE_DIR}/tools/unity.py)
    set(alone ${ARGN})
    set(together ${ARGN})
    list(FILTER alone EXCLUDE REGEX "_test\\.cpp$")
    list(FILTER together INCLUDE REGEX "_test\\.cpp$")
    execute_process(COMMAND ${Python3_EXECUTABLE} ${tool} --plan 1800 ${CMAKE_CURRENT_SOURCE_DIR} ${together}
                    OUTPUT_VARIABLE plan COMMAND_ERROR_IS_FATAL ANY)
    string(STRIP "${plan}" plan)
    string(REPLACE ";" "," plan "${plan}")
    string(REPLACE "\n" ";" plan "${plan}")
    set(number 0)
    foreach(batch IN LISTS plan)
        string(REPLACE "," ";" batch "${batch}")
        set(file ${CMAKE_CURRENT_BINARY_DIR}/unity/${name}_${number}.cpp)
        add_custom_command(OUTPUT ${file} COMMAND ${Python3_EXECUTABLE} ${tool} ${file} --include ${CMAKE_CURRENT_SOURCE_DIR} ${batch}
                           DEPENDS ${batch} ${tool} VERBATIM)
        list(APPEND alone ${file})
        math(EXPR number "${number} + 1")
    endforeach()
    set(${out} ${alone} PARENT_SCOPE)
endfunction()
