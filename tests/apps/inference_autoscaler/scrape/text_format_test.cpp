// Prometheus' text format: what is read, and what is refused.
#include "scrape/text_format.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace inference_autoscaler;

namespace {

const std::set<std::string, std::less<>> wanted{"a", "a_bucket"};

}  // namespace

TEST_CASE("samples of the wanted metrics, and the names of all") {
    const auto read = read_metrics(
        "# HELP a Some help with \\n and {.\n# TYPE a gauge\n\r\n"
        "a 1\n  a{} -2.5e3 1764428400000\r\nb{x=\"y\"} 7\n"
        "a { x = \"q\\\"\\\\\\n}, \" , y=\"\", }\t+Inf\n"
        "a_bucket{le=\"+Inf\"} NaN",
        wanted);
    REQUIRE(read);
    REQUIRE(read->samples.size() == 4);
    CHECK(read->samples[0] == metric_sample{"a", {}, 1});
    CHECK(read->samples[1] == metric_sample{"a", {}, -2500});
    CHECK(read->samples[2] == metric_sample{"a", {{"x", "q\"\\\n}, "}, {"y", ""}}, INFINITY});
    CHECK(read->samples[3].labels.at("le") == "+Inf");
    CHECK(std::isnan(read->samples[3].value));
    CHECK(read->names == std::vector<std::string>{"a", "b", "a", "a_bucket"});
    CHECK(read_metrics("", wanted)->samples.empty());
}

TEST_CASE("what is no sample is refused with its line") {
    for (const char* bad : {"a",
                            "a{",
                            "a{}",
                            "a{x}",
                            "a{x=}",
                            "a{x=\"}",
                            "a{x=\"1\" y=\"2\"} 1",
                            "a{x=\"1\",,} 1",
                            "a{x=\"\\t\"} 1",
                            "1a 1",
                            "a one",
                            "a 1 2 3",
                            "a 1 x",
                            "a{x=\"1\",x=\"2\"} 1",
                            "<html>",
                            "{\"a\"} 1",
                            "a{x=\"1\"}1 1x",
                            "\x01",
                            "b{ 1",
                            "a{x=\"\\"}) {
        CAPTURE(bad);
        const auto read = read_metrics(std::string("a 1\n") + bad + "\na 2\n", wanted);
        REQUIRE_FALSE(read);
        CHECK(read.error().message().starts_with("line 2 is no sample: "));
    }
}
