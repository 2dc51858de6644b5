#include <kcontrol/metrics/exposition.hpp>

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <limits>
#include <string>
#include <utility>
#include <vector>

using namespace kcontrol;

TEST_CASE("exposition: HELP and TYPE once, before the first series, and not without one") {
    exposition out;
    out.family("none", "gauge", "Nobody has it.");
    out.family("a_total", "counter", "Something.");
    out.sample({{"x", "1"}, {"y", "2"}}, 3);
    out.sample({}, 4);
    out.family("b", "gauge", "Another.");
    out.sample({}, 0.5);
    CHECK(out.take() ==
          "# HELP a_total Something.\n# TYPE a_total counter\na_total{x=\"1\",y=\"2\"} 3\na_total 4\n"
          "# HELP b Another.\n# TYPE b gauge\nb 0.5\n");
}

TEST_CASE("exposition: values of labels are escaped") {
    exposition out;
    out.family("a", "gauge", "A.");
    const std::vector<exposition::label> labels{{"x", "say \"hi\"\\\nbye"}};
    out.sample(labels, 1);
    CHECK(out.take().ends_with("a{x=\"say \\\"hi\\\"\\\\\\nbye\"} 1\n"));
}

TEST_CASE("exposition: what is not UTF-8 in a value costs only itself") {
    const std::pair<std::string, const char*> table[] = {{"a\xff"
                                                          "b",
                                                          "a\xef\xbf\xbd"
                                                          "b"},
                                                         {"\xc3\xa9", "\xc3\xa9"},
                                                         {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
                                                         {"x\xc3", "x\xef\xbf\xbd"},
                                                         {"\xc3(", "\xef\xbf\xbd("},
                                                         {"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"},
                                                         {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}};
    for (const auto& [value, expected] : table) {
        exposition out;
        out.family("a", "gauge", "A.");
        out.sample({{"x", value}}, 1);
        CHECK(out.take().ends_with("a{x=\"" + std::string(expected) + "\"} 1\n"));
    }
}

TEST_CASE("exposition: a histogram adds its buckets up; help is escaped") {
    duration_histogram h(std::array{1.0, 10.0});
    h.observe(std::chrono::seconds(1));  // a bound belongs to its bucket
    h.observe(std::chrono::milliseconds(1001));
    h.observe(std::chrono::hours(1));
    h.observe(std::chrono::seconds(-5));  // a clock that went back
    exposition out;
    out.family("x_seconds", "histogram", "A\\nb.");
    out.sample({{"y", "z"}}, h);
    CHECK(out.take() ==
          "# HELP x_seconds A\\\\nb.\n# TYPE x_seconds histogram\n"
          "x_seconds_bucket{y=\"z\",le=\"1\"} 2\nx_seconds_bucket{y=\"z\",le=\"10\"} 3\n"
          "x_seconds_bucket{y=\"z\",le=\"+Inf\"} 4\nx_seconds_sum{y=\"z\"} 3602.001\nx_seconds_count{y=\"z\"} 4\n");
}

TEST_CASE("exposition: counts that are missing in a histogram are none") {
    exposition out;
    out.family("x", "histogram", "");
    out.sample({}, std::array{1.0, 2.0}, std::array<std::uint64_t, 1>{3}, 4);
    out.sample({{"y", "z"}}, {}, {}, 0);
    CHECK(
        out.take() ==
        "# TYPE x histogram\nx_bucket{le=\"1\"} 3\nx_bucket{le=\"2\"} 3\nx_bucket{le=\"+Inf\"} 3\nx_sum 4\nx_count 3\n"
        "x_bucket{y=\"z\",le=\"+Inf\"} 0\nx_sum{y=\"z\"} 0\nx_count{y=\"z\"} 0\n");
}

TEST_CASE("exposition: whole numbers stay whole, others are as short as can be") {
    const std::pair<double, const char*> table[] = {{0, "0"},
                                                    {-3, "-3"},
                                                    {987654321098765, "987654321098765"},
                                                    {71.5, "71.5"},
                                                    {0.1, "0.1"},
                                                    {1e300, "1e+300"},
                                                    {1e5, "100000"},
                                                    {std::numeric_limits<double>::infinity(), "+Inf"},
                                                    {-std::numeric_limits<double>::infinity(), "-Inf"},
                                                    {std::numeric_limits<double>::quiet_NaN(), "NaN"}};
    for (const auto& [value, expected] : table) CHECK(exposition::number(value) == expected);
}
