// cursor: values are found, passed over and checked as the parser sees them.
#include <kcontrol/json/cursor_strings.hpp>
#include <kcontrol/json/impl/skip_brackets.hpp>
#include <kcontrol/json/reader.hpp>

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

namespace json = kcontrol::json;

namespace {

using json::detail::skip_brackets_by_bytes;

constexpr std::size_t any_depth = 250;

/// Random JSON without white space, of any length.
class value_writer {
public:
    explicit value_writer(std::uint32_t seed) : random_(seed) {}

    std::string value(int depth) {
        switch (pick(depth > 0 ? 9 : 5)) {
        case 0: return string();
        case 1: return "-12.5e3";
        case 2: return "null";
        case 3: return pick(2) == 0 ? "true" : "false";
        case 4: return pick(2) == 0 ? "{}" : "[]";
        case 5:
        case 6: return "[" + value(depth - 1) + "," + value(depth - 1) + "]";
        default: return "{" + string() + ":" + value(depth - 1) + "," + string() + ":" + value(depth - 1) + "}";
        }
    }

private:
    std::size_t pick(std::size_t below) { return random_() % below; }
    std::string string() {
        std::string out = "\"";
        for (std::size_t left = pick(pick(8) == 0 ? 200 : 12); left > 0; --left) {
            static const char* const pieces[] = {"a", "{", "}", "[", "]", "\\\"", "\\\\", ",", ":", "xyz", "\\u00e9"};
            out += pieces[pick(std::size(pieces))];
        }
        return out + "\"";
    }

    std::mt19937 random_;
};

/// Where skip_value() comes to in a text of its exact size; -1 if it gives up.
std::ptrdiff_t skipped(const std::string& text, std::size_t deepest = any_depth) {
    const std::vector<char> exact(text.begin(), text.end());
    json::cursor in({exact.data(), exact.size()});
    return in.skip_value(deepest) ? in.at() - exact.data() : -1;
}

bool checked(const std::string& text) {
    const std::vector<char> exact(text.begin(), text.end());
    json::cursor in({exact.data(), exact.size()});
    return in.check_value(any_depth) && in.left() == 0;
}

}  // namespace

TEST_CASE("cursor: a string is taken to its end, if it is valid UTF-8 without control characters") {
    const auto taken = [](const std::string& text) {
        const std::vector<char> exact(text.begin(), text.end());
        json::cursor in({exact.data(), exact.size()});
        std::string_view content;
        bool escaped = false;
        if (!in.take_string(content, escaped)) return std::string("no");
        return std::string(content) + (escaped ? " escaped " : " as it is ") + std::to_string(in.left());
    };
    CHECK(taken("\"\"") == " as it is 0");
    CHECK(taken("\"a\\\"b\",") == "a\\\"b escaped 1");
    CHECK(taken("x") == "no");
    CHECK(taken("") == "no");
    for (const std::size_t size : {1U, 15U, 16U, 17U, 63U, 64U, 65U}) {
        for (std::size_t at = 0; at < size; ++at) {
            std::string text(size, 'x');
            const auto quoted = [&] { return "\"" + text + "\":1"; };
            CHECK(taken(quoted()) == text + " as it is 2");
            text.insert(at, "\xc3\xa9");
            CHECK(taken(quoted()) == text + " as it is 2");
            text.insert(at, "\\\\");
            CHECK(taken(quoted()) == text + " escaped 2");
            text[at] = '\x1f';
            CHECK(taken(quoted()) == "no");
            text.replace(at, 1, "\xff");
            CHECK(taken(quoted()) == "no");
            CHECK(taken("\"" + text) == "no");
        }
    }
}

TEST_CASE("cursor: white space is passed over for those who ask for it") {
    const std::string text = " \t\r\n{ \x0b";
    json::cursor in(text);
    CHECK_FALSE(in.take('{'));
    in.skip_space();
    CHECK(in.take('{'));
    in.skip_space();
    CHECK(in.front() == '\x0b');  // which is none of JSON's
    in.pass(1);
    in.skip_space();
    CHECK(in.left() == 0);
}

TEST_CASE("cursor: no character is taken at the end, not even the one that front() gives there") {
    const std::string text("\0", 1);
    json::cursor in(text);
    CHECK(in.take('\0'));
    CHECK(in.front() == '\0');
    CHECK_FALSE(in.take('\0'));
    CHECK(in.left() == 0);
}

TEST_CASE("cursor: a string without its escapes is what the parser makes of it") {
    json::document document;
    for (const char* content : {"",
                                "a",
                                "\\n",
                                "a\\u00e9b",
                                "\\\"\\\\\\/\\b\\f\\n\\r\\t",
                                "\\u0000",
                                "\\u07ff\\u0800\\uffff",
                                "\\ud83d\\ude00",
                                "x\\uD800\\uDC00y",
                                "\\uDBFF\\uDFFF",
                                "\\ud83d",
                                "\\ud83dx",
                                "\\ude00",
                                "\\ud83d\\u0041",
                                "\\ud83d\\ud83d",
                                "\\u12",
                                "\\u12g4",
                                "\\u-123",
                                "\\u+123",
                                "\\u 123",
                                "\\q",
                                "\\",
                                "a\\"}) {
        CAPTURE(content);
        const auto parsed = document.parse("\"" + std::string(content) + "\"");
        std::string read;
        CHECK(json::cursor::unescape(content, read) == parsed.has_value());
        if (parsed) CHECK(read == parsed->as_string());
    }
}

TEST_CASE("cursor: a value is passed over to its end, whatever follows") {
    for (std::uint32_t seed = 0; seed < 3000; ++seed) {
        const std::string value = value_writer(seed).value(static_cast<int>(seed % 9));
        CAPTURE(value);
        for (const char* behind : {"", ",", "}", "]}", ",\"x\":{\"y\":[]}}", ",{}"}) {
            CHECK(skipped(value + behind) == static_cast<std::ptrdiff_t>(value.size()));
        }
        CHECK(checked(value));
    }
}

TEST_CASE("cursor: what is not closed, closed by another bracket or too deep is not passed over") {
    for (const char* text : {"", "{", "[", "{\"a\":[}", "{\"a\":\"}", "\"", "\"\\\"", "{]", "[}", "[{]", ",", ":", "}",
                             "[\"a\\\"]", "{\"a\":{}"}) {
        CAPTURE(text);
        CHECK(skipped(text) == -1);
    }
    const std::string deep = std::string(100, '[') + std::string(100, ']');
    CHECK(skipped(deep, 100) == 200);
    CHECK(skipped(deep, 99) == -1);
    CHECK(skipped("{}", 1) == 2);
    CHECK(skipped("{}", 0) == -1);
}

#ifdef KCONTROL_JSON_AVX2
TEST_CASE("cursor: both ways to the end of a value agree, in malformed texts too") {
    if (!__builtin_cpu_supports("avx2")) return;
    const std::string letters = "{}[]\"\\,: x";
    for (std::uint32_t seed = 0; seed < 3000; ++seed) {
        std::mt19937 random(seed);
        std::string text;
        if (seed % 2 == 0) {
            text = "{\"a\":" + value_writer(seed).value(6) + "}";
            for (int changes = 0; changes < 3; ++changes)
                text[1 + random() % (text.size() - 1)] = letters[random() % letters.size()];
        } else {
            text = "[";
            for (std::size_t left = random() % 300; left > 0; --left) text += letters[random() % letters.size()];
        }
        CAPTURE(text);
        const std::vector<char> exact(text.begin(), text.end());
        const char* const end = exact.data() + exact.size();
        CHECK(json::detail::skip_brackets_by_blocks(exact.data(), end, text.size()) ==
              skip_brackets_by_bytes(exact.data(), end, text.size()));
    }
}
#endif

TEST_CASE("cursor: what is checked is what the parser takes, written without white space") {
    const std::string bytes = "{}[],:\"\\ 0-e.ntfu";
    json::document document;
    std::size_t good = 0;
    for (std::uint32_t seed = 0; seed < 4000; ++seed) {
        std::mt19937 random(seed);
        std::string text = value_writer(seed).value(3);
        if (seed % 4 != 0) text[random() % text.size()] = bytes[random() % bytes.size()];
        CAPTURE(text);
        const auto parsed = document.parse(text);
        const bool outside = [&] {  // white space between the tokens
            bool string = false;
            for (std::size_t i = 0; i < text.size(); ++i) {
                if (text[i] == '\\')
                    ++i;
                else if (text[i] == '"')
                    string = !string;
                else if (text[i] == ' ' && !string)
                    return true;
            }
            return false;
        }();
        CHECK(checked(text) == (parsed.has_value() && !outside));
        good += parsed.has_value() ? 1 : 0;
    }
    CHECK(good > 1000);
    for (const char* text : {"1e400", "01", "\"\\ud83d\"", "\"\\u12\"", "\"\\q\"", "nul", "truex"}) {
        CAPTURE(text);
        CHECK_FALSE(checked(text));
    }
    CHECK(checked("\"\\ud83d\\ude00\""));
    CHECK(checked("18446744073709551615"));
    CHECK(checked("18446744073709551616"));
    CHECK_FALSE(checked(std::string(300, '[') + std::string(300, ']')));
}
