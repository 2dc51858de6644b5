# kcontrol_embed_files(TARGET target OUT header NAMESPACE ns FILES [path=]file... [STYLES file...] [SCRIPTS file...])
#
# Makes text files part of the program: TARGET gets the header OUT (a path such as acme/page.hpp, to be included as
# <acme/page.hpp>), which declares `std::span<const kcontrol::http::embedded_file> embedded_files() noexcept` in that
# namespace, and what defines it; kcontrol::http::add_files() serves them. A file is served at /NAME, or at the path
# before its '='. In HTML files the comments /*PAGE_CSS*/ and /*PAGE_JS*/ are replaced by all STYLES and all SCRIPTS; the
# file's Content-Security-Policy lets the scripts and styles run that stand in it, by their hashes.
# Files are relative to the current source directory, and read when CMake runs, which it does when one changes.

# The base64 of a hexadecimal number, which is how the policy wants a SHA-256.
function(_kcontrol_hex_to_base64 hex out)
    string(LENGTH "${hex}" digits)
    math(EXPR padding "(3 - (${digits} / 2) % 3) % 3")
    string(REPEAT "00" ${padding} zeros)
    string(APPEND hex "${zeros}")
    set(alphabet "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    set(text "")
    string(LENGTH "${hex}" digits)
    math(EXPR last "${digits} - 1")
    foreach(at RANGE 0 ${last} 3)
        string(SUBSTRING "${hex}" ${at} 3 twelve_bits)
        math(EXPR high "0x${twelve_bits} >> 6")
        math(EXPR low "0x${twelve_bits} & 63")
        string(SUBSTRING "${alphabet}" ${high} 1 first)
        string(SUBSTRING "${alphabet}" ${low} 1 second)
        string(APPEND text "${first}${second}")
    endforeach()
    string(LENGTH "${text}" length)
    math(EXPR kept "${length} - ${padding}")
    string(SUBSTRING "${text}" 0 ${kept} text)
    string(REPEAT "=" ${padding} equals)
    set(${out} "${text}${equals}" PARENT_SCOPE)
endfunction()

# The sources that a policy allows for <tag>: the hash of each that stands in the page, or the page's own server.
function(_kcontrol_element_sources page tag out)
    set(sources "")
    string(LENGTH "<${tag}>" skip)
    while(TRUE)
        string(FIND "${page}" "<${tag}>" begin)
        if(begin EQUAL -1)
            break()
        endif()
        math(EXPR begin "${begin} + ${skip}")
        string(SUBSTRING "${page}" ${begin} -1 page)
        string(FIND "${page}" "</${tag}>" length)
        if(length EQUAL -1)
            message(FATAL_ERROR "kcontrol_embed_files: <${tag}> without its end")
        endif()
        string(SUBSTRING "${page}" 0 ${length} inside)
        string(SUBSTRING "${page}" ${length} -1 page)
        string(SHA256 hex "${inside}")
        _kcontrol_hex_to_base64(${hex} hash)
        string(APPEND sources " 'sha256-${hash}'")
    endwhile()
    if(NOT sources)
        set(sources " 'self'")
    endif()
    set(${out} "${sources}" PARENT_SCOPE)
endfunction()

# All of the files as one text.
function(_kcontrol_read_all out)
    set(all "")
    foreach(file IN LISTS ARGN)
        get_filename_component(file "${file}" ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
        file(READ ${file} text)
        string(APPEND all "${text}")
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    endforeach()
    set(${out} "${all}" PARENT_SCOPE)
endfunction()

function(_kcontrol_content_type file out)
    get_filename_component(extension "${file}" LAST_EXT)
    if(extension STREQUAL .html)
        set(type "text/html; charset=utf-8")
    elseif(extension STREQUAL .css)
        set(type "text/css; charset=utf-8")
    elseif(extension STREQUAL .js)
        set(type "text/javascript; charset=utf-8")
    elseif(extension STREQUAL .txt)
        set(type "text/plain; charset=utf-8")
    elseif(extension STREQUAL .json)
        set(type "application/json")
    elseif(extension STREQUAL .svg)
        set(type "image/svg+xml")
    else()
        message(FATAL_ERROR "kcontrol_embed_files: ${file}: not one of .html, .css, .js, .txt, .json, .svg")
    endif()
    set(${out} "${type}" PARENT_SCOPE)
endfunction()

function(kcontrol_embed_files)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "TARGET;OUT;NAMESPACE" "FILES;STYLES;SCRIPTS")
    foreach(name IN ITEMS TARGET OUT NAMESPACE FILES)
        if(NOT arg_${name})
            message(FATAL_ERROR "kcontrol_embed_files: ${name} is missing")
        endif()
    endforeach()
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "kcontrol_embed_files: unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
    endif()
    if(IS_ABSOLUTE "${arg_OUT}" OR NOT arg_OUT MATCHES "\\.hpp$")
        message(FATAL_ERROR "kcontrol_embed_files: OUT is how the header is included, such as acme/page.hpp, not ${arg_OUT}")
    endif()

    _kcontrol_read_all(css ${arg_STYLES})
    _kcontrol_read_all(js ${arg_SCRIPTS})
    set(rows "")
    foreach(entry IN LISTS arg_FILES)
        if(entry MATCHES "^(/[^=]*)=(.*)$")
            set(path "${CMAKE_MATCH_1}")
            set(file "${CMAKE_MATCH_2}")
        else()
            set(file "${entry}")
            get_filename_component(path "${file}" NAME)
            string(PREPEND path "/")
        endif()
        _kcontrol_content_type("${file}" type)
        _kcontrol_read_all(text "${file}")
        set(policy "default-src 'none'; frame-ancestors 'none'")
        if(type MATCHES "^text/html")
            string(REPLACE "/*PAGE_CSS*/" "${css}" text "${text}")
            string(REPLACE "/*PAGE_JS*/" "${js}" text "${text}")
            _kcontrol_element_sources("${text}" script scripts)
            _kcontrol_element_sources("${text}" style styles)
            set(policy "default-src 'none'; script-src${scripts}; style-src${styles}; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
        endif()
        string(APPEND rows "    {\"${path}\", \"${type}\",\n     \"${policy}\",\n"
               "     R\"kcontrol_file(${text})kcontrol_file\"},\n")
    endforeach()

    set(folder ${CMAKE_CURRENT_BINARY_DIR}/kcontrol_embedded)
    string(REGEX REPLACE "\\.hpp$" ".cpp" source "${arg_OUT}")
    file(CONFIGURE OUTPUT ${folder}/${arg_OUT} @ONLY CONTENT [[
// Written by kcontrol_embed_files().
#pragma once

#include <kcontrol/serve/embedded_file.hpp>

#include <span>

namespace @arg_NAMESPACE@ {

std::span<const kcontrol::http::embedded_file> embedded_files() noexcept;

}  // namespace @arg_NAMESPACE@
]])
    file(CONFIGURE OUTPUT ${folder}/${source} @ONLY CONTENT [[
// Written by kcontrol_embed_files().
#include <@arg_OUT@>

namespace @arg_NAMESPACE@ {

std::span<const kcontrol::http::embedded_file> embedded_files() noexcept {
    static constexpr kcontrol::http::embedded_file files[] = {
@rows@    };
    return files;
}

}  // namespace @arg_NAMESPACE@
]])
    target_sources(${arg_TARGET} PRIVATE ${folder}/${source})
    target_include_directories(${arg_TARGET} PUBLIC $<BUILD_INTERFACE:${folder}>)
endfunction()
