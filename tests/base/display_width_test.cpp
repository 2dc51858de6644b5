#include <kcontrol/base/display_width.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace kcontrol;

TEST_CASE("display width: characters, marks, and pictures of several characters") {
    struct row {
        const char* text;
        std::size_t columns;
        std::size_t units;
    };
    const row rows[] = {
        {"", 0, 0},
        {"abc", 3, 3},
        {"gr\u00f6\u00dfe", 5, 5},
        {"\u2026", 1, 1},
        // East Asia: Han, Hiragana, half-width and full-width forms, an ideographic space; ambiguous ones are narrow.
        {"\u8bad\u7ec3\u4e2d", 6, 3},
        {"\u3042\uff71\uff21\u3000", 7, 4},
        {"\u00b1\u2460", 2, 2},
        {"\U00020000\U0002ebf0", 4, 2},
        // Hangul as syllables and as letters
        {"\ud55c", 2, 1},
        {"\u1112\u1161\u11ab", 2, 1},
        // marks: one, two, on a wide character, of other scripts, and one without a character before it
        {"e\u0301", 1, 1},
        {"e\u0301\u0323!", 2, 2},
        {"\u304b\u3099", 2, 1},
        {"\u05d0\u05b8", 1, 1},
        {"\u0e01\u0e34\u0e48", 1, 1},
        {"\u0915\u094d\u0937", 2, 2},
        {"\u0301", 0, 1},
        // format characters: soft hyphen is shown, zero width space and joiners, right-to-left mark, BOM
        {"a\u00ad", 2, 2},
        {"a\u200bb", 2, 2},
        {"\ufeffa\u200f", 1, 2},
        // emoji: one, with a skin tone, families, flags of letters and of tags, keycaps
        {"\U0001f680", 2, 1},
        {"\U0001f680\U0001f680", 4, 2},
        {"\U0001f44b\U0001f3fd", 2, 1},
        {"\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466", 2, 1},
        {"\U0001f469\U0001f3fd\u200d\U0001f4bb", 2, 1},
        {"\U0001f3f3\ufe0f\u200d\U0001f308", 2, 1},
        {"\U0001f1e9\U0001f1ea", 2, 1},
        {"\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7", 4, 2},
        {"\U0001f3f4\U000e0067\U000e0062\U000e007f", 2, 1},
        {"1\ufe0f\u20e3", 2, 1},
        // a variation selector makes a picture of what has one, and of nothing else
        {"\u2764", 1, 1},
        {"\u2764\ufe0f", 2, 1},
        {"\u2764\ufe0fx", 3, 2},
        {"\u2764\ufe0e", 1, 1},
        {"x\ufe0f", 1, 1},
        {"\u261d\U0001f3fd", 2, 1},
        // a joiner between letters joins no columns, nor does a skin tone on a letter
        {"a\u200db", 2, 2},
        {"\u0915\u094d\u200d\u0937", 2, 2},
        {"a\U0001f3fd", 3, 2},
    };
    for (const auto& row : rows) {
        const std::string text = row.text;
        CAPTURE(text);
        CHECK(display_width(text) == row.columns);
        std::size_t units = 0, bytes = 0;
        for (; bytes < text.size(); ++units) {
            const auto unit = first_display_unit(std::string_view(text).substr(bytes));
            REQUIRE(unit.bytes != 0);
            bytes += unit.bytes;
        }
        CHECK(units == row.units);
        CHECK(bytes == text.size());
    }
}

TEST_CASE("display width: control characters take nothing, bytes that are no UTF-8 one column each") {
    CHECK(display_width("\x1b[31m\t\n") == 4);
    CHECK(display_width("\u0085\x7f") == 0);
    CHECK(display_width("\xff\xe2\x82") == 3);
}

TEST_CASE("display width: ends are cut between units") {
    const std::string text = "a\u8bad\U0001f469\u200d\U0001f4bbe\u0301";
    const std::size_t sizes[] = {0, 1, 1, 4, 4, 15, 18};
    for (std::size_t columns = 0; columns < std::size(sizes); ++columns) {
        CAPTURE(columns);
        CHECK(display_prefix(text, columns) == text.substr(0, sizes[columns]));
    }
    CHECK(display_suffix(text, 0).empty());
    CHECK(display_suffix(text, 1) == "e\u0301");
    CHECK(display_suffix(text, 2) == "e\u0301");
    CHECK(display_suffix(text, 3) == "\U0001f469\u200d\U0001f4bbe\u0301");
    CHECK(display_suffix(text, 100) == text);
}
