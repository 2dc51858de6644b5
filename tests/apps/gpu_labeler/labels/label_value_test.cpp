#include "labels/label_value.hpp"

#include <doctest/doctest.h>

using gpu_labeler::label_value;

TEST_CASE("label value: as GPU Feature Discovery writes it, and always a valid one") {
    CHECK(label_value("NVIDIA A100-SXM4-40GB") == "NVIDIA-A100-SXM4-40GB");
    CHECK(label_value("  GeForce   RTX\t2080 (Ti)  ") == "GeForce-RTX-2080-Ti");
    CHECK(label_value("a_b.c-d") == "a_b.c-d");
    CHECK(label_value("") == "");
    CHECK(label_value(" (\xC3\xA9) ") == "");
    CHECK(label_value("-._x._-") == "x");
    CHECK(label_value("a \n") == "a");
    CHECK(label_value("a=b\nc") == "ab-c");
    const std::string longest(63, 'x');
    CHECK(label_value(longest) == longest);
    CHECK(label_value(longest + "y") == longest);
    CHECK(label_value(longest.substr(1) + "-y") == longest.substr(1));
}
