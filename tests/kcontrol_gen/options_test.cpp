#include <doctest/doctest.h>

#include <kcontrol_gen/options.hpp>
#include <kcontrol_gen/program.hpp>
#include <sstream>

using namespace kcontrol_gen;

namespace {

std::string refusal(const std::vector<std::string>& arguments) {
    const auto o = parse_options(arguments);
    return o ? "" : o.error().message();
}

}  // namespace

TEST_CASE("arguments") {
    const auto o = parse_options({"--out", "a.hpp", "--namespace=acme::jobs", "x.yaml", "-", "--", "--odd"});
    REQUIRE(o.has_value());
    CHECK(o->out == "a.hpp");
    CHECK(o->name_space == "acme::jobs");
    CHECK(o->inputs == std::vector<std::string>{"x.yaml", "-", "--odd"});
    CHECK(parse_options({"--out", "-", "--namespace", "a", "--kubeconfig", "k"}).has_value());
    CHECK(parse_options({"--help"})->what == action::help);
    CHECK(parse_options({"--version"})->what == action::version);
}

TEST_CASE("wrong arguments") {
    CHECK(refusal({}).starts_with("--out is missing"));
    CHECK(refusal({"--out", "a"}).starts_with("no input"));
    CHECK(refusal({"--out", "a", "x"}).starts_with("--namespace is missing"));
    CHECK(refusal({"--out"}) == "--out needs a value; see --help");
    CHECK(refusal({"--out="}) == "--out needs a value; see --help");
    CHECK(refusal({"--out", "a", "--out", "b"}) == "--out is there twice");
    CHECK(refusal({"--frobnicate"}).starts_with("unknown flag \"--frobnicate\""));
    CHECK(refusal({"--out", "a", "--namespace", "n", "--context", "c", "x"}).starts_with("--context is of no use"));
    CHECK(refusal({"--out", "a", "--namespace", "n", "--beta", "b", "x"}) == "--beta FILE goes with --builtin");
    CHECK(parse_options({"--builtin", "--beta", "b", "--out", "a", "x"})->beta == "b");
    for (const char* bad : {"1a", "a::", "::a", "a:b", "std", "a::class", "a b", "a;b", "a__b", "_a", ""}) {
        CAPTURE(bad);
        CHECK_FALSE(refusal({"--out", "a", "--namespace", bad, "x"}).empty());
    }
}

TEST_CASE("exit statuses") {
    std::ostringstream out;
    std::ostringstream err;
    CHECK(run({"--help"}, out, err) == 0);
    CHECK(out.str().starts_with("usage: kcontrol-gen"));
    CHECK(run({"--version"}, out, err) == 0);
    CHECK(err.str().empty());
    CHECK(run({"--nonsense"}, out, err) == 2);
    CHECK(run({"--out", "-", "--namespace", "a", "/no/such/file.yaml"}, out, err) == 1);
    CHECK(err.str().find("/no/such/file.yaml: can't be opened") != std::string::npos);
}
