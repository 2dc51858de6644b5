#include <kcontrol/base/utf8.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

using kcontrol::utf8_prefix;

TEST_CASE("utf8: a front is cut between two characters") {
    const std::string text = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80";  // 1, 2, 3 and 4 bytes
    const std::size_t sizes[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10};
    for (std::size_t most = 0; most < std::size(sizes); ++most) {
        CAPTURE(most);
        CHECK(utf8_prefix(text, most) == text.substr(0, sizes[most]));
    }
    CHECK(utf8_prefix("", 0).empty());
    CHECK(utf8_prefix(std::string(300, '\x80'), 200).empty());  // no character begins in it
}

TEST_CASE("utf8: code points at the ends of each length") {
    std::string all;
    for (const std::uint32_t point : {0U, 0x7fU, 0x80U, 0x7ffU, 0x800U, 0xffffU, 0x10000U, 0x10ffffU}) {
        std::string one;
        kcontrol::append_utf8(one, point);
        CHECK(kcontrol::utf8_sequence_length(one) == one.size());
        all += one;
    }
    CHECK(all == std::string(1, '\0') + "\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf");
}
