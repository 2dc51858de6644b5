// What a manager writes at /metrics, family by family: names, types and labels are what dashboards are made of.
#include <kcontrol/api/events/v1.hpp>
#include <kcontrol/controller/builder.hpp>
#include <kcontrol/manager/manager.hpp>
#include <kcontrol/record/event_recorder.hpp>

#include "support/widget_world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

// "counter controller,result", by family; the label le is part of the type.
std::map<std::string, std::string> families_of(const std::string& text) {
    std::map<std::string, std::string> types;
    std::map<std::string, std::set<std::string>> labels;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string hash, what, family, type;
        if (line.starts_with("# TYPE ") && words >> hash >> what >> family >> type) types[family] = type;
        if (line.starts_with('#')) continue;
        const auto open = line.find_first_of("{ ");
        std::string name = line.substr(0, open);
        for (const char* suffix : {"_bucket", "_sum", "_count"}) {
            const std::string end(suffix);
            const std::string base = name.ends_with(end) ? name.substr(0, name.size() - end.size()) : "";
            if (const auto at = types.find(base); at != types.end() && at->second == "histogram") name = base;
        }
        labels[name];
        if (line[open] != '{') continue;
        std::string in_braces = line.substr(open + 1, line.rfind('}') - open - 1);
        for (auto at = in_braces.find("=\""); at != std::string::npos; at = in_braces.find("=\"")) {
            const std::string label = in_braces.substr(0, at);
            if (label != "le") labels[name].insert(label);
            const auto end = in_braces.find('"', at + 2);
            in_braces.erase(0, std::min(in_braces.size(), end + 2));
        }
    }
    std::map<std::string, std::string> out;
    for (const auto& [family, of] : labels) {
        std::string all;
        for (const std::string& one : of) all += (all.empty() ? "" : ",") + one;
        out[family] = types[family] + " " + all;
    }
    return out;
}

}  // namespace

TEST_CASE("the families that a manager writes, by controller-runtime's and client-go's names and by our own") {
    widget_world world;
    auto& server = world.add("a");
    server.api.register_resource(testing::resource_type_of(resource_of<api::events::v1::event>()));
    server.create("x", 1);
    world.env.write_file("/proc/self/stat",
                         "7 (a) S 1 7 7 0 -1 4194304 100 0 0 0 150 50 0 0 20 0 3 0 1000 4096000 25 1844674407 1 1");
    world.env.write_file("/proc/stat", "cpu 1 2\nbtime 1700000000\n");
    world.env.write_file("/proc/self/fd/0", "");
    world.env.write_file("/proc/self/limits",
                         "Max open files            1024                 1048576              files\n"
                         "Max address space         unlimited            unlimited            bytes\n");
    world.env.write_file("/proc/self/net/netstat", "IpExt: InOctets OutOctets\nIpExt: 1 2\n");
    manager m(world.env, world.home, world.connect(server.config()),
              manager_options().leader_election(leader_options({"default", "operator"}).identity("me")));
    const auto recorder = m.get_event_recorder("test");
    const auto reconcile = [&](reconcile_context, std::shared_ptr<const widget> w) {
        recorder->normal(*w, "Seen", "it is there");
        return reconcile_result::done();
    };
    REQUIRE(controller_builder(m, "widgets").for_<widget>().complete(reconcile));
    bool once = true;
    // To a write: the client repeats no watch, and no list of an informer.
    server.api.set_faults([&](const http::server_request& r) {
        return r.method == "POST" && std::exchange(once, false)
                   ? testing::fault().status(429, "TooManyRequests", "slow down", 1)
                   : testing::fault();
    });
    // A program's own, in the same registry.
    const metric_counter sold = m.metrics().counter("shop_sold_total", "Things that were sold.", {{"what", "hat"}});
    const metric_histogram waited = m.metrics().histogram("shop_wait_seconds", "How long who waited.", {0.1, 1, 10});
    m.start();
    sold.increment();
    waited.observe(0.5);
    world.context.run_for(30s);
    const std::string text = m.answer(http::request("GET", "/metrics")).body;
    CAPTURE(text);

    const std::map<std::string, std::string> expected{
        // controller-runtime, pkg/internal/controller/metrics
        {"controller_runtime_active_workers", "gauge controller"},
        {"controller_runtime_max_concurrent_reconciles", "gauge controller"},
        {"controller_runtime_reconcile_errors_total", "counter controller"},
        {"controller_runtime_reconcile_panics_total", "counter controller"},
        {"controller_runtime_reconcile_time_seconds", "histogram controller"},
        {"controller_runtime_reconcile_timeouts_total", "counter controller"},
        {"controller_runtime_reconcile_total", "counter controller,result"},
        {"controller_runtime_terminal_reconcile_errors_total", "counter controller"},
        // controller-runtime, pkg/internal/metrics/workqueue.go; there only the depth has the priority
        {"workqueue_adds_total", "counter controller,name,priority"},
        {"workqueue_depth", "gauge controller,name,priority"},
        {"workqueue_longest_running_processor_seconds", "gauge controller,name,priority"},
        {"workqueue_queue_duration_seconds", "histogram controller,name,priority"},
        {"workqueue_retries_total", "counter controller,name,priority"},
        {"workqueue_unfinished_work_seconds", "gauge controller,name,priority"},
        {"workqueue_work_duration_seconds", "histogram controller,name,priority"},
        // k8s.io/component-base, metrics/prometheus/restclient and clientgo/leaderelection
        {"rest_client_requests_total", "counter code,host,method"},
        {"rest_client_request_duration_seconds", "histogram host,verb"},
        {"rest_client_request_retries_total", "counter code,host,verb"},
        {"rest_client_request_size_bytes", "histogram host,verb"},
        {"rest_client_response_size_bytes", "histogram host,verb"},
        // Not here: rest_client_dns_resolution_duration_seconds{host}, for the simulated network looks up nothing, and
        // rest_client_rate_limiter_duration_seconds, for there is no such limiter.
        {"leader_election_master_status", "gauge name"},
        {"leader_election_slowpath_total", "counter name"},
        // our own
        {"kcontrol_controller_callback_exceptions_total", "counter controller"},
        {"kcontrol_controller_daemon_failures_total", "counter controller"},
        {"kcontrol_controller_daemon_starts_total", "counter controller"},
        {"kcontrol_controller_daemons", "gauge controller"},
        {"kcontrol_controller_daemons_refused_total", "counter controller"},
        {"kcontrol_controller_own_write_timeouts_total", "counter controller"},
        {"kcontrol_controller_own_write_waits_total", "counter controller"},
        {"kcontrol_manager_start_seconds", "gauge "},
        {"kcontrol_events_queued", "gauge cluster,controller"},
        {"kcontrol_events_total", "counter cluster,controller,outcome"},
        // client_golang, prometheus/process_collector.go, and the threads
        {"process_cpu_seconds_total", "counter "},
        {"process_max_fds", "gauge "},
        {"process_network_receive_bytes_total", "counter "},
        {"process_network_transmit_bytes_total", "counter "},
        {"process_open_fds", "gauge "},
        {"process_resident_memory_bytes", "gauge "},
        {"process_start_time_seconds", "gauge "},
        {"process_threads", "gauge "},
        {"process_virtual_memory_bytes", "gauge "},
        {"process_virtual_memory_max_bytes", "gauge "},
        // the program's
        {"shop_sold_total", "counter what"},
        {"shop_wait_seconds", "histogram "},
    };
    auto written = families_of(text);
    // Informers' have a test and a table of their own.
    std::erase_if(written, [](const auto& one) { return one.first.starts_with("kcontrol_informer_"); });
    for (const auto& each : expected) {
        const auto& [family, what] = each;
        CAPTURE(each.first);
        CHECK(written[family] == what);
    }
    for (const auto& each : written) {
        const auto& [family, what] = each;
        CAPTURE(each.first);
        CHECK(expected.contains(family));
    }
    CHECK(text.find("rest_client_request_retries_total{code=\"429\"") != std::string::npos);
    CHECK(text.find("shop_sold_total{what=\"hat\"} 1\n") != std::string::npos);
    CHECK(text.find("kcontrol_manager_start_seconds 0.") != std::string::npos);
    CHECK(text.find("shop_wait_seconds_bucket{le=\"1\"} 1\n") != std::string::npos);
    world.run(m.stop());
}

TEST_CASE("how long a start took is a metric once every informer has synced") {
    widget_world world;
    auto& server = world.add("a");
    manager m(world.env, world.home, world.connect(server.config()), manager_options());
    (void)m.get_informer<widget>();
    const auto took = [&m] {
        const std::string text = m.answer(http::request("GET", "/metrics")).body;
        const std::string name = "\nkcontrol_manager_start_seconds ";
        const auto at = text.find(name);
        return at == std::string::npos ? -1.0 : std::stod(text.substr(at + name.size()));
    };
    // Each answer of the server comes after three seconds.
    server.api.set_faults([](const http::server_request&) { return testing::fault().delay(3s); });
    m.start();
    world.context.run_for(2s);
    CHECK(took() == -1);
    world.context.run_for(18s);
    CHECK(took() >= 3);
    CHECK(took() < 10);
    // A manager that is stopped before has none of that run.
    world.run(m.stop());
    manager other(world.env, world.home, world.connect(server.config()), manager_options());
    (void)other.get_informer<widget>();
    other.start();
    world.context.run_for(1s);
    world.run(other.stop());
    CHECK(other.metrics().text().find("kcontrol_manager_start_seconds") == std::string::npos);
}
