// Events that clients have yet to receive.
#include <kcontrol/serve/event_log.hpp>

#include <doctest/doctest.h>

using namespace kcontrol::http;

TEST_CASE("events look as the standard has them") {
    CHECK(format_event(7, "job", "{}") == "id: 7\nevent: job\ndata: {}\n\n");
}

TEST_CASE("event_log: joins events up to a size, gives at least one, and each reader its own") {
    event_log log;
    event_log::position first = log.end(), second = first;
    log.push("aaa");
    log.push("bbb");
    log.push("");
    log.push("cccc");
    CHECK(log.take(first, 6) == "aaabbb");
    CHECK(log.end() - first == 4);
    CHECK(log.take(first, 1) == "cccc");
    CHECK(log.take(first, 1).empty());
    CHECK(first == log.end());
    CHECK(log.take(second, 100) == "aaabbbcccc");
    log.push("d");
    CHECK(log.take(second, 100) == "d");
    CHECK(log.take(first, 0) == "d");
}

TEST_CASE("event_log: keeps no more than what somebody has yet to read") {
    event_log log;
    event_log::position behind = log.end();
    for (int i = 0; i < 10; ++i) log.push("0123456789");
    CHECK(log.take(behind, 30).size() == 30);
    log.forget_before(behind);
    CHECK(log.bytes() == 70);
    CHECK(log.take(behind, 10) == "0123456789");
    log.forget_before(log.end());
    CHECK(log.bytes() == 0);
    behind = log.end();
    log.push("x");
    CHECK(log.bytes() == 1);
    CHECK(log.take(behind, 1) == "x");
}
