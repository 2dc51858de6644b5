#include <kcontrol/json/writer.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace json = kcontrol::json;

namespace {

template <class T>
std::string written(const T& v) {
    json::writer out;
    out.value(v);
    return out.take();
}

}  // namespace

TEST_CASE("commas stand where they must") {
    json::writer out;
    out.begin_object();
    out.member("a", 1);
    out.key("b");
    out.begin_array();
    out.begin_array();
    out.end_array();
    out.begin_object();
    out.end_object();
    out.value("x");
    out.null();
    out.raw("[1,2]");
    out.end_array();
    out.key("c");
    out.begin_object();
    out.member("d", true);
    out.member("e", std::string("f"));
    out.end_object();
    out.member("g", 2.5);
    out.end_object();
    CHECK(out.text() == R"({"a":1,"b":[[],{},"x",null,[1,2]],"c":{"d":true,"e":"f"},"g":2.5})");
    CHECK_FALSE(out.take().empty());
    CHECK(out.text().empty());
    out.value(false);
    CHECK(out.take() == "false");
}

TEST_CASE("numbers are the shortest that read back the same") {
    CHECK(written(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808");
    CHECK(written(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615");
    CHECK(written(std::int32_t{-7}) == "-7");
    CHECK(written(std::uint8_t{200}) == "200");
    CHECK(written(0.0) == "0");
    CHECK(written(1.0) == "1");
    CHECK(written(0.1) == "0.1");
    CHECK(written(-2.5) == "-2.5");
    CHECK(written(1e18) == "1000000000000000000");
    CHECK(written(9223372036854774784.0) == "9223372036854774784");
    CHECK(written(9223372036854775808.0) == "9.223372036854776e+18");
    CHECK(written(1e20) == "1e+20");
    CHECK(written(1e21) == "1e+21");
    CHECK(written(1e-6) == "0.000001");
    CHECK(written(1e-7) == "1e-07");
    CHECK(written(std::numeric_limits<double>::max()) == "1.7976931348623157e+308");
    CHECK(written(std::numeric_limits<double>::denorm_min()) == "5e-324");
    CHECK(written(123456789.123456789) == "123456789.12345679");
    CHECK(written(std::numeric_limits<double>::quiet_NaN()) == "null");
    CHECK(written(-std::numeric_limits<double>::infinity()) == "null");
}

TEST_CASE("strings are escaped, and are UTF-8 whatever came in") {
    CHECK(written("plain") == R"("plain")");
    CHECK(written(std::string_view()) == R"("")");
    CHECK(written("a\"b\\c/") == R"("a\"b\\c/")");
    CHECK(written("\b\f\n\r\t\x01\x1f\x7f") == "\"\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\"");
    CHECK(written(std::string("\0", 1)) == R"("\u0000")");
    CHECK(written("é€😀") == "\"é€😀\"");
    const struct {
        const char* in;
        const char* out;
    } broken[] = {
        {"a\xff"
         "b",
         "\"a\uFFFD"
         "b\""},
        {"\xc3", "\"\uFFFD\""},                                // cut off
        {"\xe2\x82", "\"\uFFFD\uFFFD\""},                      // cut off
        {"\xc0\xaf", "\"\uFFFD\uFFFD\""},                      // overlong
        {"\xed\xa0\x80", "\"\uFFFD\uFFFD\uFFFD\""},            // a surrogate
        {"\xf4\x90\x80\x80", "\"\uFFFD\uFFFD\uFFFD\uFFFD\""},  // beyond U+10FFFF
        {"\xc3\"", "\"\uFFFD\\\"\""},
    };
    for (const auto& c : broken) CHECK(written(c.in) == c.out);
}

TEST_CASE("keys are escaped too") {
    json::writer out;
    out.begin_object();
    out.member("a\"b", "c");
    out.end_object();
    CHECK(out.take() == R"({"a\"b":"c"})");
}
