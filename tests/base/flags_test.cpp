#include <kcontrol/base/flags.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace kcontrol;

namespace {

constexpr flag_shape flags[] = {{"--file"},
                                {"--label", flag_value::any},
                                {"--try", flag_value::optional},
                                {"--once", flag_value::none},
                                {"-h", flag_value::none}};

// Each as name=value; a word stands alone in brackets.
std::string split(const std::vector<std::string_view>& arguments) {
    const auto done = split_arguments(arguments, flags, "tool --help");
    if (!done) return done.error().message();
    std::string out;
    for (const auto& a : *done) {
        if (!out.empty()) out += ' ';
        out +=
            a.is_word() ? "[" + std::string(a.text) + "]" : std::string(flags[a.flag].name) + "=" + std::string(a.text);
    }
    return out;
}

}  // namespace

TEST_CASE("flags: values and words, in their order") {
    const std::pair<std::vector<std::string_view>, const char*> table[] = {
        {{}, ""},
        {{"--file", "a", "b", "--file=c"}, "--file=a [b] --file=c"},
        {{"--file=a=b"}, "--file=a=b"},
        {{"--file", "-"}, "--file=-"},
        {{"--file", "-5"}, "--file=-5"},
        {{"--file=--once"}, "--file=--once"},
        {{"--label="}, "--label="},
        {{"--label", ""}, "--label="},
        {{"--try"}, "--try="},
        {{"--try", "x"}, "--try=x"},
        {{"--try", "--once"}, "--try= --once="},
        {{"-h", "--once"}, "-h= --once="},
        {{"-", ""}, "[-] []"},
        {{"--once", "--", "--once", "-x", "--"}, "--once= [--once] [-x] [--]"},
    };
    for (const auto& [arguments, expected] : table) CHECK(split(arguments) == expected);
}

TEST_CASE("flags: what is wrong with them") {
    const std::pair<std::vector<std::string_view>, const char*> table[] = {
        {{"--fiel", "a"}, "unknown flag \"--fiel\"; did you mean --file?"},
        {{"--lable=x"}, "unknown flag \"--lable\"; did you mean --label?"},
        {{"--frobnicate"}, "unknown flag \"--frobnicate\"; see tool --help"},
        {{"-x\x1b"}, "unknown flag \"-x\\x1b\"; see tool --help"},
        {{"--file"}, "--file needs a value; see tool --help"},
        {{"--file="}, "--file needs a value; see tool --help"},
        {{"--file", ""}, "--file needs a value; see tool --help"},
        {{"--file", "--once"}, "--file needs a value; see tool --help"},
        {{"--label"}, "--label needs a value; see tool --help"},
        {{"--try="}, "--try needs a value; see tool --help"},
        {{"--once=yes"}, "--once takes no value"},
        {{"--once="}, "--once takes no value"},
    };
    for (const auto& [arguments, expected] : table) CHECK(split(arguments) == expected);
    const std::string huge = "--" + std::string(1 << 20, 'x');
    CHECK(split({huge}).size() < 200);
}
