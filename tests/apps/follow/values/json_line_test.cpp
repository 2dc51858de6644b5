#include "values/json_line.hpp"

#include "views.hpp"

#include <doctest/doctest.h>

using namespace follow;
using namespace follow::tests;

TEST_CASE("json_line: endpoints, and what came and went") {
    const view first = of({ready("10.0.0.1"), ready("10.0.0.2")}, 3);
    CHECK(json_line(first, view()) ==
          "{\"version\":3,\"state\":\"live\",\"ageMs\":0,\"endpoints\":["
          "{\"address\":\"10.0.0.1\",\"port\":80,\"ready\":true,\"serving\":true,\"terminating\":false,\"zone\":\"\","
          "\"node\":\"\",\"pod\":\"\"},"
          "{\"address\":\"10.0.0.2\",\"port\":80,\"ready\":true,\"serving\":true,\"terminating\":false,\"zone\":\"\","
          "\"node\":\"\",\"pod\":\"\"}],\"added\":["
          "{\"address\":\"10.0.0.1\",\"port\":80,\"ready\":true,\"serving\":true,\"terminating\":false,\"zone\":\"\","
          "\"node\":\"\",\"pod\":\"\"},"
          "{\"address\":\"10.0.0.2\",\"port\":80,\"ready\":true,\"serving\":true,\"terminating\":false,\"zone\":\"\","
          "\"node\":\"\",\"pod\":\"\"}],\"removed\":[]}\n");
    auto second = of({terminating("10.0.0.2")}, 4);
    second.endpoints[0].zone = "a\"b";
    second.state = freshness::resuming;
    second.age = std::chrono::milliseconds(1500);
    // One whose condition changed is in both.
    CHECK(json_line(second, first) ==
          "{\"version\":4,\"state\":\"resuming\",\"ageMs\":1500,\"endpoints\":["
          "{\"address\":\"10.0.0.2\",\"port\":80,\"ready\":false,\"serving\":true,\"terminating\":true,"
          "\"zone\":\"a\\\"b\",\"node\":\"\",\"pod\":\"\"}],\"added\":["
          "{\"address\":\"10.0.0.2\",\"port\":80,\"ready\":false,\"serving\":true,\"terminating\":true,"
          "\"zone\":\"a\\\"b\",\"node\":\"\",\"pod\":\"\"}],\"removed\":["
          "{\"address\":\"10.0.0.1\",\"port\":80,\"ready\":true,\"serving\":true,\"terminating\":false,\"zone\":\"\","
          "\"node\":\"\",\"pod\":\"\"},"
          "{\"address\":\"10.0.0.2\",\"port\":80,\"ready\":true,\"serving\":true,\"terminating\":false,\"zone\":\"\","
          "\"node\":\"\",\"pod\":\"\"}]}\n");
}

TEST_CASE("json_line: a leader") {
    view one;
    one.is_leader = true;
    one.version = 1;
    one.holder = "a";
    one.address = "10.0.0.1:80";
    CHECK(json_line(one, view()) ==
          "{\"version\":1,\"state\":\"stale\",\"ageMs\":0,\"holder\":\"a\",\"address\":\"10.0.0.1:80\"}\n");
}
