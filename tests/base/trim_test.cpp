#include <kcontrol/base/trim.hpp>

#include <doctest/doctest.h>

#include <string_view>

using kcontrol::line_blanks;
using kcontrol::trim_blanks;

TEST_CASE("trim: blanks at both ends, and none within") {
    struct row {
        std::string_view text, of_text, of_line;
    };
    for (const auto& r : {row{"", "", ""}, row{" ", "", ""}, row{"\r\n", "", "\r\n"}, row{"a", "a", "a"},
                          row{" a b\t", "a b", "a b"}, row{"\ta\n", "a", "a\n"}, row{"a ", "a", "a"},
                          row{"\va", "\va", "\va"}, row{"\xc2\xa0 a", "\xc2\xa0 a", "\xc2\xa0 a"}}) {
        CAPTURE(r.text);
        CHECK(trim_blanks(r.text) == r.of_text);
        CHECK(trim_blanks(r.text, line_blanks) == r.of_line);
    }
    constexpr std::string_view text = " a ";
    static_assert(trim_blanks(text) == "a");
    CHECK(trim_blanks(text).data() == text.data() + 1);
}
