// W3C's trace context: what is one, and what is none.
#include <kcontrol/runtime/trace_context.hpp>
#include <kcontrol/testing/manual_environment.hpp>

#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace kcontrol;

TEST_CASE("a traceparent is read and written as W3C says") {
    const std::string text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const auto read = parse_traceparent(text);
    REQUIRE(read);
    CHECK(read->trace_id_text() == "4bf92f3577b34da6a3ce929d0e0e4736");
    CHECK(read->span_id_text() == "00f067aa0ba902b7");
    CHECK(read->sampled);
    CHECK(to_traceparent(*read) == text);
    const auto other = parse_traceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-02");
    REQUIRE(other);
    CHECK_FALSE(other->sampled);  // that bit alone counts
}

TEST_CASE("texts that are none, and those of versions to come") {
    struct row {
        const char* text;
        bool read;
    };
    const row rows[] = {
        {"", false},
        {"00", false},
        {"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7", false},
        {"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0", false},
        {"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 ", false},
        {"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more", false},
        {"00-4BF92F3577B34DA6A3CE929D0E0E4736-00F067AA0BA902B7-01", false},
        {"00-00000000000000000000000000000000-00f067aa0ba902b7-01", false},
        {"00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", false},
        {"00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01", false},
        {"00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", false},
        {"ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", false},
        {"01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", true},
        {"cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-else", true},
        {"cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.what-else", false},
    };
    for (const row& one : rows) {
        CAPTURE(std::string(one.text));
        CHECK(parse_traceparent(one.text).has_value() == one.read);
    }
}

TEST_CASE("a child is another span of the same trace, and the first one of a new trace where there is none") {
    testing::manual_environment env;
    const trace_context none;
    CHECK_FALSE(none.is_valid());
    std::set<std::string> spans, traces;
    for (int i = 0; i < 100; ++i) {
        const trace_context root = none.child(env), below = root.child(env);
        CHECK(root.is_valid());
        CHECK(root.sampled);
        CHECK(below.trace_id == root.trace_id);
        traces.insert(root.trace_id_text());
        spans.insert(root.span_id_text());
        spans.insert(below.span_id_text());
    }
    CHECK(traces.size() == 100);
    CHECK(spans.size() == 200);
    trace_context dark = none.child(env);
    dark.sampled = false;
    CHECK_FALSE(dark.child(env).sampled);
}
