// Metrics of informers: one series a kind and scope, however many informers it has.
#include <kcontrol/cluster/informer_metrics.hpp>
#include <kcontrol/metrics/metrics_registry.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using namespace std::chrono_literals;

TEST_CASE("informer metrics: informers of one kind and namespace are one, with the worst state") {
    const wall_time now{1000s};
    informer_status good;
    good.state = informer_state::live;
    good.synced = true;
    good.objects = 3;
    good.lists = 1;
    good.generation = 2;
    good.last_event = now - 4s;
    informer_status bad = good;
    bad.state = informer_state::failed;
    bad.last_event = now - 2s;
    handler_lag slow;
    slow.name = "slow";
    slow.pending = 7;
    slow.oldest_age = 3s;
    slow.delivered = 20;
    slow.coalesced = 5;
    slow.full = 2;
    slow.watch_waits = true;
    good.handlers = {slow};
    slow.oldest_age = 1s;
    slow.watch_waits = false;
    bad.handlers = {slow, handler_lag()};
    const group_version_kind pod("", "v1", "Pod");
    const std::vector<informer_report> all{{pod, "", good}, {pod, "", bad}, {pod, "ns", good}};
    metrics_registry registry;
    registry.collect([&](metrics_writer& out) { write_informer_metrics(out, "a\"b", all, now); });
    const std::string text = registry.text();
    CAPTURE(text);
    const auto has = [&text](const std::string& family, const std::string& ns, const std::string& rest) {
        return text.find("\nkcontrol_informer_" + family +
                         R"({api_version="v1",cluster="a\"b",kind="Pod",namespace=")" + ns + "\"" + rest + "\n") !=
               std::string::npos;
    };
    CHECK(has("state", "", ",state=\"failed\"} 1"));
    CHECK(has("state", "", ",state=\"live\"} 0"));
    CHECK(has("objects", "", "} 6"));
    CHECK(has("lists_total", "", "} 2"));
    CHECK(has("restarts_total", "", "} 1"));
    CHECK(has("handler_errors_total", "", "} 0"));
    CHECK(has("last_event_age_seconds", "", "} 2"));
    CHECK(has("state", "ns", ",state=\"live\"} 1"));
    CHECK(has("objects", "ns", "} 3"));
    const auto of_handler = [&text](const std::string& family, const std::string& handler, const std::string& value) {
        return text.find("\nkcontrol_informer_handler_" + family + R"({api_version="v1",cluster="a\"b",handler=")" +
                         handler + R"(",kind="Pod",namespace=""} )" + value + "\n") != std::string::npos;
    };
    CHECK(of_handler("pending_events", "slow", "14"));
    CHECK(of_handler("oldest_event_age_seconds", "slow", "3"));
    CHECK(of_handler("delivered_events_total", "slow", "40"));
    CHECK(of_handler("coalesced_events_total", "slow", "10"));
    CHECK(of_handler("full_total", "slow", "4"));
    CHECK(of_handler("watch_waits", "slow", "1"));
    CHECK(of_handler("pending_events", "", "0"));
    informer_status behind = good;
    CHECK(informer_report(pod, "", behind).describe() ==
          "Pod (v1): live, 3 objects, the handler slow has 7 events yet to be told");
    std::size_t series = 0;
    for (auto at = text.find("kcontrol_informer_objects{"); at != std::string::npos;
         at = text.find("kcontrol_informer_objects{", at + 1)) {
        ++series;
    }
    CHECK(series == 2);
}

}  // namespace
