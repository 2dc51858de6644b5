# For those who work on the library itself; consumers never see these settings.
find_package(doctest REQUIRED)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_library(kcontrol_warnings INTERFACE)
target_compile_options(kcontrol_warnings INTERFACE -Wall -Wextra -Wconversion -Wshadow -Werror)
target_link_libraries(kcontrol PRIVATE $<BUILD_INTERFACE:kcontrol_warnings>)

# What tests and examples link: the compiled library, or the header-only one in its preset.
add_library(kcontrol_under_test INTERFACE)
if(KCONTROL_TEST_HEADER_ONLY)
    target_link_libraries(kcontrol_under_test INTERFACE kcontrol::header_only)
else()
    target_link_libraries(kcontrol_under_test INTERFACE kcontrol::kcontrol)
endif()
