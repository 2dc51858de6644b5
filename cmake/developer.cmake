# For those who work on the library itself; consumers never see these settings.
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Warnings are errors for developers only: a stranger's newer compiler must not fail over a new warning.
option(KCONTROL_WARNINGS "Compile with strict warnings, as errors" ${KCONTROL_DEVELOPER_MODE})
add_library(kcontrol_warnings INTERFACE)
if(KCONTROL_DEVELOPER_MODE)
    find_package(doctest REQUIRED)
endif()
if(KCONTROL_WARNINGS)
    target_compile_options(kcontrol_warnings INTERFACE -Wall -Wextra -Wconversion -Wshadow -Werror)
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
        # GCC PR 105651: a false alarm on `"text" + std::string` when it is optimised.
        target_compile_options(kcontrol_warnings INTERFACE -Wno-restrict)
    endif()
    target_link_libraries(kcontrol PRIVATE $<BUILD_INTERFACE:kcontrol_warnings>)
    target_link_libraries(kcontrol_testing PRIVATE $<BUILD_INTERFACE:kcontrol_warnings>)
endif()

# What tests and examples link: the compiled library, or the header-only one in its preset; and what is for tests.
add_library(kcontrol_under_test INTERFACE)
add_library(kcontrol_testing_under_test INTERFACE)
target_link_libraries(kcontrol_testing_under_test INTERFACE kcontrol_under_test)
if(KCONTROL_TEST_HEADER_ONLY)
    target_link_libraries(kcontrol_under_test INTERFACE kcontrol::header_only)
else()
    target_link_libraries(kcontrol_under_test INTERFACE kcontrol::kcontrol)
    target_link_libraries(kcontrol_testing_under_test INTERFACE kcontrol::testing)
endif()
