#include "metrics/text_format.hpp"

#include <doctest/doctest.h>

using gpu_labeler::text_format;

TEST_CASE("text format: HELP and TYPE once, before the first series, and not without one") {
    text_format out;
    out.metric("none", "gauge", "Nobody has it.");
    out.metric("a_total", "counter", "Something.");
    out.add({{"x", "1"}, {"y", "2"}}, 3);
    out.add({}, 4);
    out.metric("b", "gauge", "Another.");
    out.add({}, 0.5);
    CHECK(out.text() ==
          "# HELP a_total Something.\n# TYPE a_total counter\na_total{x=\"1\",y=\"2\"} 3\na_total 4\n"
          "# HELP b Another.\n# TYPE b gauge\nb 0.5\n");
}

TEST_CASE("text format: values of labels are escaped") {
    text_format out;
    out.metric("a", "gauge", "A.");
    out.add({{"x", "say \"hi\"\\\nbye"}}, 1);
    CHECK(out.text().ends_with("a{x=\"say \\\"hi\\\"\\\\\\nbye\"} 1\n"));
}

TEST_CASE("text format: whole numbers stay whole, others are as short as can be") {
    const std::pair<double, const char*> table[] = {{0, "0"},       {-3, "-3"},   {987654321098765, "987654321098765"},
                                                    {71.5, "71.5"}, {0.1, "0.1"}, {1e300, "1e+300"}};
    for (const auto& [value, expected] : table) {
        text_format out;
        out.metric("a", "gauge", "A.");
        out.add({}, value);
        CHECK(out.text().ends_with(std::string("a ") + expected + "\n"));
    }
}
