// A hash that is the same in every process and on every machine: for names that are spread, digests that are compared
// and files that a disk may have broken. It resists nobody who means harm.
#pragma once

#include <cstdint>
#include <string_view>

namespace kcontrol::inline v0_1 {

/// FNV-1a of 64 bits (draft-eastlake-fnv, section 2), over texts that are added one after the other.
///
/// Thread-safety: distinct objects safe.
class fnv1a {
public:
    /// The bytes of a text. Two texts give what their concatenation gives: see end().
    constexpr fnv1a& add(std::string_view text) noexcept {
        for (const char c : text) mix(static_cast<unsigned char>(c));
        return *this;
    }
    /// Ends a text, so that "ab" and "c" are not "a" and "bc": a byte that no UTF-8 has.
    constexpr fnv1a& end() noexcept { return mix(0xff), *this; }

    /// The hash of what was added.
    constexpr std::uint64_t value() const noexcept { return value_; }

private:
    constexpr void mix(std::uint64_t byte) noexcept { value_ = (value_ ^ byte) * 0x100000001b3U; }

    std::uint64_t value_ = 0xcbf29ce484222325U;
};

}  // namespace kcontrol
