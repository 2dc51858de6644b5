// The parsed form of a document as simdjson lays it out: a flat array of 64-bit words and a buffer of strings.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace kcontrol::inline v0_1::json::detail {

/// The top byte of a word.
enum class tape_type : std::uint8_t {
    begin_array = '[',
    begin_object = '{',
    end_array = ']',
    end_object = '}',
    string = '"',
    int64 = 'l',
    uint64 = 'u',
    number = 'd',
    true_value = 't',
    false_value = 'f',
    null_value = 'n',
};

/// A view of the two buffers. Reading them here, and not through simdjson's own classes, keeps that large header out of
/// user code and the walk over a document inline.
///
/// Source: simdjson, doc/tape.md. reader.ipp checks the letters against simdjson's own; the tests cover every type.
struct tape {
    const std::uint64_t* words = nullptr;
    const std::uint8_t* strings = nullptr;

    tape_type type(std::size_t at) const noexcept { return static_cast<tape_type>(words[at] >> 56); }

    /// Where the value after the one at `at` stands. A container's word holds that of its end; numbers take two words.
    std::size_t after(std::size_t at) const noexcept {
        switch (type(at)) {
        case tape_type::begin_array:
        case tape_type::begin_object: return static_cast<std::uint32_t>(words[at]);
        case tape_type::int64:
        case tape_type::uint64:
        case tape_type::number: return at + 2;
        default: return at + 1;
        }
    }

    /// The number of children of a container, which saturates at count_limit.
    std::size_t count(std::size_t at) const noexcept { return (words[at] >> 32) & count_limit; }
    static constexpr std::size_t count_limit = 0xFFFFFF;

    std::uint64_t number_bits(std::size_t at) const noexcept { return words[at + 1]; }

    std::string_view string(std::size_t at) const noexcept {
        const std::uint8_t* start = strings + (words[at] & 0x00FF'FFFF'FFFF'FFFF);
        std::uint32_t length = 0;
        std::memcpy(&length, start, sizeof length);
        return {reinterpret_cast<const char*>(start) + sizeof length, length};
    }
};

}  // namespace kcontrol::json::detail
