#include <kcontrol/cache/detail/short_text.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace kcontrol;

TEST_CASE("short texts: equality is that of std::string, whatever the lengths and where they differ") {
    for (std::size_t size = 0; size <= 40; ++size) {
        const std::string a(size, 'x');
        CHECK(detail::same_text(a, std::string(size, 'x')));
        CHECK_FALSE(detail::same_text(a, a + "x"));
        for (std::size_t i = 0; i < size; ++i) {
            std::string b = a;
            b[i] = 'y';
            CHECK_FALSE(detail::same_text(a, b));
        }
    }
}

// No memory beyond the text is read, which AddressSanitizer would tell of.
TEST_CASE("short texts: a hash depends on each character, on the length, and on where the namespace ends") {
    std::set<std::uint32_t> seen;
    std::size_t made = 0;
    const auto note = [&](std::uint32_t hash) { seen.insert(hash), ++made; };
    for (std::size_t size = 0; size <= 40; ++size) {
        const std::vector<char> text(size, 'x');
        note(detail::hash_of({text.data(), text.size()}));
        for (std::size_t i = 0; i < size; ++i) {
            std::vector<char> other = text;
            other[i] = 'y';
            note(detail::hash_of({other.data(), other.size()}));
        }
    }
    const std::string whole = "team-a/trainer-7d9c8b6f5-x2x7z";
    for (std::size_t at = 0; at <= whole.size(); ++at) {
        note(detail::hash_of(std::string_view(whole).substr(0, at), std::string_view(whole).substr(at)));
    }
    CHECK(seen.size() == made);
}

// Names that follow each other fill a table as evenly as chance would.
TEST_CASE("short texts: hashes of names that follow each other are spread") {
    constexpr std::size_t cells = 1024, names = 8 * cells;
    std::vector<std::size_t> count(cells);
    for (std::size_t i = 0; i < names; ++i) ++count[detail::hash_of("default", "pod-" + std::to_string(i)) % cells];
    std::size_t most = 0, empty = 0;
    for (const std::size_t n : count) most = std::max(most, n), empty += n == 0 ? 1 : 0;
    CHECK(most <= 25);
    CHECK(empty <= 5);
}

}  // namespace
