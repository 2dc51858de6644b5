// One value of many pods: sums, means, maxima, and a P95 from two looks.
#include "scrape/pod_values.hpp"

#include <doctest/doctest.h>

using namespace inference_autoscaler;

namespace {

using texts = std::map<std::string, std::string>;  // what each pod says; "silent" says nothing

pods_said said(const pod_metric& what, const texts& pods) {
    pods_said out;
    std::set<std::string, std::less<>> wanted;
    add_wanted(wanted, what);
    for (const auto& [pod, text] : pods) {
        if (text == "silent") {
            out.silent.push_back(pod);
            out.why = {missing_reason::no_answer, "pod " + pod + ": timeout"};
            continue;
        }
        auto read = read_metrics(text, wanted).value();
        out.pods[pod] = std::move(read.samples);
        out.names = std::move(read.names);
    }
    return out;
}

std::string shown(const rule_reading& value) {
    if (const auto* known = value.value.known()) return std::to_string(*known).substr(0, 6);
    const auto& missing = *value.value.missing();
    std::string out(to_string(missing.reason));
    if (value.idle) out += " idle " + std::to_string(*value.idle->known()).substr(0, 1);
    return out;
}

pod_metric metric(const std::string& name, const std::string& of) {
    pod_metric out;
    out.metric = name;
    out.of = of;
    return out;
}

// A histogram with the bounds 0.1, 0.5, 1 and +Inf.
std::string counts(int a, int b, int c, int all, const std::string& label = "") {
    const auto line = [&](const std::string& le, int n) {
        return "h_bucket{" + label + "le=\"" + le + "\"} " + std::to_string(n) + "\n";
    };
    return line("0.1", a) + line("0.5", b) + line("1", c) + line("+Inf", all);
}

}  // namespace

TEST_CASE("sum, mean and maximum over pods") {
    struct row {
        std::string of;
        texts pods;
        std::string expected;
    };
    const row rows[] = {
        {"Sum", {{"a", "w 1\n"}, {"b", "w 4\n"}}, "5.0000"},
        {"Mean", {{"a", "w 1\n"}, {"b", "w 4\n"}}, "2.5000"},
        {"Max", {{"a", "w 1\n"}, {"b", "w 4\n"}}, "4.0000"},
        {"Sum", {{"a", "w{e=\"0\"} 1\nw{e=\"1\"} 3\n"}, {"b", "w 4\n"}}, "8.0000"},
        {"Mean", {{"a", "w{e=\"0\"} 1\nw{e=\"1\"} 3\n"}, {"b", "w 4\n"}}, "3.0000"},
        {"Max", {{"a", "w{e=\"0\"} 1\nw{e=\"1\"} 3\n"}, {"b", "w 2\n"}}, "3.0000"},
        {"Max", {{"a", "w -1\n"}, {"b", "w -4\n"}}, "-1.000"},
        {"Mean", {{"a", "w 1\n"}, {"b", "silent"}}, "1.0000"},
        {"Mean", {{"a", "w 1\n"}, {"b", "v 7\n"}}, "1.0000"},
        {"Mean", {{"a", "w NaN\n"}, {"b", "w 1\n"}}, "NotANumber"},
        {"Sum", {{"a", "w +Inf\n"}}, "NotANumber"},
        {"Mean", {{"a", "silent"}}, "NoAnswer"},
        {"Mean", {{"a", "v 1\n"}}, "MetricNeverSeen"},
        {"Mean", {}, "Empty"},
    };
    for (const auto& each : rows) {
        const auto what = metric("w", each.of);
        CAPTURE(each.of);
        CAPTURE(each.expected);
        CHECK(shown(value_of(what, said(what, each.pods), {})) == each.expected);
    }
}

TEST_CASE("labels select series; in flight is by pod") {
    auto what = metric("w", "Sum");
    what.labels["m"] = "llama";
    const auto now =
        said(what, {{"a", "w{m=\"llama\",e=\"0\"} 2\nw{m=\"other\"} 40\nw 80\n"}, {"b", "w 1\n"}, {"c", "silent"}});
    CHECK(shown(value_of(what, now, {})) == "2.0000");
    CHECK(by_pod(what, now) == std::map<std::string, double>{{"a", 2}});
    what.labels["m"] = "none";
    CHECK(shown(value_of(what, now, {})) == "Empty");
}

TEST_CASE("a metric over others is divided in each pod") {
    auto what = metric("used", "Mean");
    what.over.push_back("used");
    what.over.push_back("free");
    const auto now = said(what, {{"a", "used{g=\"0\"} 90\nfree{g=\"0\"} 10\nused{g=\"1\"} 70\nfree{g=\"1\"} 30\n"},
                                 {"b", "used 20\nfree 20\n"}});
    CHECK(shown(value_of(what, now, {})) == "0.6500");
    CHECK(shown(value_of(what, said(what, {{"a", "used 0\nfree 0\n"}}), {})) == "NotANumber");
}

TEST_CASE("P95 is of what was observed between two looks") {
    struct row {
        std::string name;
        texts before, now;
        std::string expected;
    };
    const row rows[] = {
        {"all in one bucket", {{"a", counts(0, 0, 0, 0)}}, {{"a", counts(0, 100, 100, 100)}}, "0.4800"},
        {"only the difference counts",
         {{"a", counts(900, 900, 900, 900)}},
         {{"a", counts(900, 900, 1000, 1000)}},
         "0.9750"},
        {"in the first bucket", {{"a", counts(0, 0, 0, 0)}}, {{"a", counts(10, 10, 10, 10)}}, "0.0950"},
        {"above the largest bound", {{"a", counts(0, 0, 0, 0)}}, {{"a", counts(0, 0, 0, 10)}}, "1.0000"},
        {"of all pods",
         {{"a", counts(0, 0, 0, 0)}, {"b", counts(5, 5, 5, 5)}},
         {{"a", counts(90, 90, 90, 90)}, {"b", counts(5, 5, 15, 15)}},
         "0.7500"},
        {"a counter that began again",
         {{"a", counts(50, 500, 500, 500)}},
         {{"a", counts(60, 100, 100, 100)}},
         "0.4500"},
        {"a pod that is new adds nothing yet",
         {{"a", counts(0, 0, 0, 0)}},
         {{"a", counts(10, 10, 10, 10)}, {"b", counts(0, 0, 0, 1000)}},
         "0.0950"},
        {"a pod that is gone adds nothing",
         {{"a", counts(0, 0, 0, 0)}, {"b", counts(0, 0, 0, 1000)}},
         {{"a", counts(10, 10, 10, 10)}},
         "0.0950"},
        {"a pod that was silent in between begins again",
         {{"a", counts(0, 0, 0, 0)}, {"b", "silent"}},
         {{"a", counts(10, 10, 10, 10)}, {"b", counts(0, 0, 0, 1000)}},
         "0.0950"},
        {"a series that is new in a known pod counts", {{"a", "h_count 1\n"}}, {{"a", counts(0, 0, 10, 10)}}, "0.9750"},
        {"series of a pod are added",
         {{"a", counts(0, 0, 0, 0, "m=\"x\",")}},
         {{"a", counts(10, 10, 10, 10, "m=\"x\",") + counts(0, 0, 10, 10, "m=\"y\",")}},
         "0.9500"},
        {"nothing was observed", {{"a", counts(7, 7, 7, 7)}}, {{"a", counts(7, 7, 7, 7)}}, "NotANumber idle 0"},
        {"the first look", {}, {{"a", counts(7, 7, 7, 7)}}, "Empty"},
        {"no +Inf", {{"a", "h_bucket{le=\"1\"} 0\n"}}, {{"a", "h_bucket{le=\"1\"} 5\n"}}, "NotANumber"},
        {"a count that is NaN", {{"a", counts(0, 0, 0, 0)}}, {{"a", "h_bucket{le=\"+Inf\"} NaN\n"}}, "NotANumber"},
        {"bounds that are none", {{"a", "h_bucket 1\n"}}, {{"a", "h_bucket{le=\"x\"} 2\nh_bucket 2\n"}}, "Empty"},
        {"a bound without an end",
         {{"a", "h_bucket{le=\"-Inf\"} 0\nh_bucket{le=\"+Inf\"} 0\n"}},
         {{"a", "h_bucket{le=\"-Inf\"} 9\nh_bucket{le=\"+Inf\"} 9\n"}},
         "NotANumber"},
        {"no histogram", {{"a", "h 1\n"}}, {{"a", "h 2\n"}}, "MetricNeverSeen"},
        {"all silent", {{"a", counts(0, 0, 0, 0)}}, {{"a", "silent"}}, "NoAnswer"},
    };
    const auto what = metric("h", "P95");
    for (const auto& each : rows) {
        CAPTURE(each.name);
        CHECK(shown(value_of(what, said(what, each.now), said(what, each.before))) == each.expected);
    }
}
