#include "shared/exposition.hpp"

#include <doctest/doctest.h>

using examples::exposition;

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

TEST_CASE("exposition: whole numbers stay whole, others are as short as can be") {
    const std::pair<double, const char*> table[] = {{0, "0"},       {-3, "-3"},   {987654321098765, "987654321098765"},
                                                    {71.5, "71.5"}, {0.1, "0.1"}, {1e300, "1e+300"}};
    for (const auto& [value, expected] : table) CHECK(examples::whole_or_shortest(value) == expected);
}
