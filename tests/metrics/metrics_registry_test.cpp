// The registry and its text.
#include <kcontrol/metrics/metrics_registry.hpp>

#include "support/throws.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace kcontrol;

TEST_CASE("counters, gauges and histograms in Prometheus' text format, sorted by name") {
    metrics_registry registry;
    registry.gauge("b_gauge", "A gauge.").set(2.5);
    const auto a = registry.counter("a_total", "A counter.", {{"kind", "x"}});
    a.increment();
    registry.counter("a_total", "A counter.", {{"kind", "x"}}).increment(2);
    registry.counter("a_total", "A counter.", {{"kind", "quote\"d"}}).increment();
    const auto h = registry.histogram("c_seconds", "A histogram.", {1, 5});
    h.observe(1);
    h.observe(3);
    h.observe(9);
    CHECK(registry.text() ==
          "# HELP a_total A counter.\n"
          "# TYPE a_total counter\n"
          "a_total{kind=\"quote\\\"d\"} 1\n"
          "a_total{kind=\"x\"} 3\n"
          "# HELP b_gauge A gauge.\n"
          "# TYPE b_gauge gauge\n"
          "b_gauge 2.5\n"
          "# HELP c_seconds A histogram.\n"
          "# TYPE c_seconds histogram\n"
          "c_seconds_bucket{le=\"1\"} 1\n"
          "c_seconds_bucket{le=\"5\"} 2\n"
          "c_seconds_bucket{le=\"+Inf\"} 3\n"
          "c_seconds_sum 13\n"
          "c_seconds_count 3\n");
}

TEST_CASE("collectors are asked each time") {
    metrics_registry registry;
    int asked = 0;
    registry.collect([&asked](metrics_writer& out) {
        out.counter("x_total", "X.", {{"a", "1"}}, ++asked);
        out.histogram("y_seconds", "Y.", {}, {0.5}, {1, 2}, 4);
    });
    registry.text();
    CHECK(registry.text() ==
          "# HELP x_total X.\n"
          "# TYPE x_total counter\n"
          "x_total{a=\"1\"} 2\n"
          "# HELP y_seconds Y.\n"
          "# TYPE y_seconds histogram\n"
          "y_seconds_bucket{le=\"0.5\"} 1\n"
          "y_seconds_bucket{le=\"+Inf\"} 3\n"
          "y_seconds_sum 4\n"
          "y_seconds_count 3\n");
}

TEST_CASE("a name that is not allowed, or taken by another type, is logged and counts nowhere") {
    std::string logged;
    metrics_registry registry(logger([&logged](const log_record& r) { logged += r.fields[0].value + " "; }));
    registry.counter("not a name", "").increment();
    registry.counter("taken", "").increment();
    registry.gauge("taken", "").set(7);
    registry.counter("labels", "", {{"not a label", "x"}}).increment();
    CHECK(logged == "not a name taken labels ");
    CHECK(registry.text().find("taken 1\n") != std::string::npos);
}

TEST_CASE("a name that is written with two types is of the first one, and what is of the other is left out") {
    metrics_registry registry;
    registry.collect([](metrics_writer& out) {
        out.counter("a", "A.", {}, 1);
        out.histogram("a", "Not A.", {{"x", "1"}}, {0.5}, {1, 2}, 4);
        out.histogram("b", "B.", {}, {}, {3}, 4);
    });
    registry.collect([](metrics_writer& out) {
        out.gauge("b", "Not B.", {{"x", "1"}}, 7);
        out.gauge("a", "Not A.", {{"x", "2"}}, 7);
        out.counter("a", "A.", {{"x", "3"}}, 2);
    });
    CHECK(registry.text() ==
          "# HELP a A.\n"
          "# TYPE a counter\n"
          "a 1\n"
          "a{x=\"3\"} 2\n"
          "# HELP b B.\n"
          "# TYPE b histogram\n"
          "b_bucket{le=\"+Inf\"} 3\n"
          "b_sum 4\n"
          "b_count 3\n");
}

TEST_CASE("handles outlive their registry, and registries do not know of each other") {
    metric_counter kept;
    kept.increment();
    {
        metrics_registry registry;
        kept = registry.counter("x_total", "");
        CHECK(metrics_registry().text() == "");
    }
    kept.increment();
}

TEST_CASE("large numbers keep their digits, and labels that are not UTF-8 cost only themselves") {
    metrics_registry registry;
    registry.gauge("a_timestamp_seconds", "", {{"from", "x\xff"}}).set(1.7e9);
    registry.collect([](metrics_writer& out) { out.gauge("a_timestamp_seconds", "", {{"from", "collected"}}, 0.25); });
    CHECK(registry.text() ==
          "# TYPE a_timestamp_seconds gauge\n"
          "a_timestamp_seconds{from=\"collected\"} 0.25\n"
          "a_timestamp_seconds{from=\"x\xef\xbf\xbd\"} 1700000000\n");
}

TEST_CASE("a collector that throws costs nothing but what it had yet to write, and is told ever more rarely") {
    for (const test::thrown what : test::all_thrown) {
        std::vector<std::string> told;
        metrics_registry registry(logger([&told](const log_record& record) {
            told.emplace_back(record.message);
            for (const auto& field : record.fields) told.back() += " " + std::string(field.name) + "=" + field.value;
        }));
        bool sound = true;
        registry.collect([&](metrics_writer& out) {
            out.gauge("a", "", {}, 1);
            if (!sound) test::throw_it(what);
        });
        registry.collect([](metrics_writer& out) { out.gauge("b", "", {}, 2); });
        CHECK(registry.text().find("exceptions") == std::string::npos);
        sound = false;
        std::string text;
        for (int i = 0; i < 99; ++i) text = registry.text();
        CHECK(text.find("\na 1\n") != std::string::npos);
        CHECK(text.find("\nb 2\n") != std::string::npos);
        CHECK(text.find("\nkcontrol_metrics_collector_exceptions_total 99\n") != std::string::npos);
        REQUIRE(told.size() == 2);
        CHECK(told[0] == std::string("a function of the program threw function=a collector of metrics error=") +
                             test::text_of(what) + " times=1");
        CHECK(told[1].ends_with("times=10"));
    }
}
