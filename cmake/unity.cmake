# kcontrol_batches(OUT KIND NAME SOURCES...): sets OUT to the files that a target NAME is compiled of. With KCONTROL_UNITY several
# sources are one translation unit (tools/unity.py), which takes less time in all. Without it each file is one: so a missing
# include shows, and after a change one file is compiled. KIND: tests or parts. Of tests only *_test.cpp are put together.
# Presets that users build ask for it, too: where there is no Python, it only takes longer.
option(KCONTROL_UNITY "Compile programs and tests in batches of sources, if Python is there" OFF)
set(KCONTROL_UNITY_LINES 1500 CACHE STRING "With KCONTROL_UNITY: lines of a batch. From 3001 on rooms of the library are put together, too")
if(KCONTROL_UNITY)
    find_package(Python3 COMPONENTS Interpreter)
    if(Python3_FOUND)
        # The interpreter itself: it starts for each target and each batch, and so would a shim like pyenv's.
        execute_process(COMMAND ${Python3_EXECUTABLE} -c "import sys; print(sys.executable)"
                        OUTPUT_VARIABLE KCONTROL_UNITY_PYTHON OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    endif()
endif()

function(kcontrol_batches out kind name)
    if(NOT KCONTROL_UNITY OR NOT Python3_FOUND)
        set(${out} ${ARGN} PARENT_SCOPE)
        return()
    endif()
    set(tool ${PROJECT_SOURCE_DIR}/tools/unity.py)
    set(run ${KCONTROL_UNITY_PYTHON} -I -S ${tool})  # without site packages, which take longer to load than it does
    set(alone "")
    set(together "")
    set(folder ${PROJECT_SOURCE_DIR})
    if(kind STREQUAL tests)
        set(folder ${PROJECT_SOURCE_DIR}/tests)
    endif()
    foreach(source IN LISTS ARGN)
        cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
        if(kind STREQUAL tests AND NOT source MATCHES "_test\\.cpp$")
            list(APPEND alone ${source})
        else()
            list(APPEND together ${source})
        endif()
    endforeach()
    execute_process(COMMAND ${run} ${kind} --plan ${KCONTROL_UNITY_LINES} ${folder} ${together}
                    OUTPUT_VARIABLE plan OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    string(REPLACE ";" "," plan "${plan}")
    string(REPLACE "\n" ";" plan "${plan}")
    set(number 0)
    foreach(batch IN LISTS plan)
        string(REPLACE "," ";" batch "${batch}")
        list(LENGTH batch length)
        if(length EQUAL 1)
            list(APPEND alone ${batch})
            continue()
        endif()
        set(file ${CMAKE_CURRENT_BINARY_DIR}/unity/${name}_${number}.cpp)
        add_custom_command(OUTPUT ${file} COMMAND ${run} ${kind} ${file} ${folder} ${batch}
                           DEPENDS ${batch} ${tool} VERBATIM)
        # g++ takes each source for an included file here: what it declares for itself may have members of unnamed namespaces,
        # and a local name may hide it.
        set_source_files_properties(${file} PROPERTIES
            COMPILE_OPTIONS "-Wno-shadow$<$<CXX_COMPILER_ID:GNU>:;-Wno-subobject-linkage>")
        list(APPEND alone ${file})
        math(EXPR number "${number} + 1")
    endforeach()
    # A source that comes, or goes, makes other batches.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${tool})
    set(${out} ${alone} PARENT_SCOPE)
endfunction()
