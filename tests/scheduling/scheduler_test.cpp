// A scheduler against the in-process API server, in virtual time: what it binds, says and survives.
#include <kcontrol/documents/value.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/scheduling/scheduler.hpp>
#include <kcontrol/testing/fake_cluster.hpp>
#include <kcontrol/testing/sim_world.hpp>

#include "simulation/seeds.hpp"
#include "support/lagging_watches.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

using namespace kcontrol;
using namespace std::chrono_literals;

namespace {

const testing::group_resource all_pods{"", "pods"};
const testing::group_resource all_nodes{"", "nodes"};
const testing::group_resource all_events{"events.k8s.io", "events"};

// A pod that requests that much cpu.
json::value pod_json(const std::string& name, const std::string& cpu = "1") {
    const json::value container{
        {"name", "c"}, {"image", "busy:1"}, {"resources", {{"requests", {{"cpu", cpu}, {"memory", "1Mi"}}}}}};
    return {{"apiVersion", "v1"},
            {"kind", "Pod"},
            {"metadata", {{"name", name}, {"namespace", "default"}}},
            {"spec", {{"schedulerName", "ours"}, {"containers", json::array{container}}}}};
}

json::value node_json(const std::string& name, const std::string& cpu) {
    const json::value amounts{{"cpu", cpu}, {"memory", "1Gi"}, {"pods", "100"}};
    return {{"apiVersion", "v1"},
            {"kind", "Node"},
            {"metadata", {{"name", name}, {"labels", {{"kubernetes.io/hostname", name}}}}},
            {"status", {{"allocatable", amounts}, {"capacity", amounts}}}};
}

json::value member_json(const std::string& name, const std::string& gang, int size, const std::string& cpu = "1") {
    auto out = pod_json(name, cpu);
    out.at("metadata").as_object()["labels"] = {{"scheduling.kcontrol.dev/gang", gang}};
    out.at("metadata").as_object()["annotations"] = {{"scheduling.kcontrol.dev/gang-size", std::to_string(size)}};
    return out;
}

class scheduled_world {
public:
    explicit scheduled_world(std::uint64_t seed = 1)
        : own_(std::make_unique<testing::sim_world>(seed)), world(*own_), options_("ours") {
        start();
    }
    scheduled_world(scheduling::scheduler_options how, testing::sim_world& in,
                    std::optional<leader_options> with_lease = std::nullopt)
        : world(in), lease(std::move(with_lease)), options_(std::move(how)) {
        start();
    }
    ~scheduled_world() { stop(); }

    void start() {
        auto how = manager_options().log(log);
        if (lease) how.leader_election(*lease);
        m.emplace(world.env(), world.get_executor(), world.connect(server.config("token")).value(), how);
        auto made = scheduling::scheduler::add_to(*m, options_);
        REQUIRE_MESSAGE(made.has_value(), made.error().what());
        scheduler = *made;
        m->start();
    }
    void stop() {
        if (m) world.run(m->stop());
        m.reset();
        scheduler.reset();
    }

    json::value create(json::value object) {
        auto made = server.api().create(std::move(object));
        REQUIRE_MESSAGE(made.has_value(), made.error().what());
        return *made;
    }
    void add_node(const std::string& name, const std::string& cpu = "4") { create(node_json(name, cpu)); }

    json::value pod(const std::string& name, const std::string& ns = "default") {
        auto found = server.api().get(all_pods, {ns, name});
        return found ? *found : json::value();
    }
    std::string node_of(const std::string& name, const std::string& ns = "default") {
        return std::string(json::get_string(pod(name, ns), {"spec", "nodeName"}));
    }
    // "False Unschedulable: message".
    std::string condition(const std::string& name, const std::string& ns = "default") {
        const auto found = pod(name, ns);
        const auto* const all = json::find(found, {"status", "conditions"});
        if (all == nullptr) return {};
        for (const auto& one : all->as_array()) {
            if (json::get_string(one, {"type"}) != "PodScheduled") continue;
            return std::string(json::get_string(one, {"status"})) + " " +
                   std::string(json::get_string(one, {"reason"})) + ": " +
                   std::string(json::get_string(one, {"message"}));
        }
        return {};
    }
    std::size_t bound() {
        const auto all = server.api().list(all_pods);
        return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [](const json::value& one) {
            return !json::get_string(one, {"spec", "nodeName"}).empty();
        }));
    }
    // "Normal Scheduled: note" of a pod.
    std::vector<std::string> events_of(const std::string& name) {
        std::vector<std::string> out;
        for (const auto& one : server.api().list(all_events)) {
            if (json::get_string(one, {"regarding", "name"}) != name) continue;
            out.push_back(std::string(json::get_string(one, {"type"})) + " " +
                          std::string(json::get_string(one, {"reason"})) + ": " +
                          std::string(json::get_string(one, {"note"})));
        }
        return out;
    }
    bool until(const std::function<bool()>& done, duration limit = 60s) { return world.run_until(done, limit); }
    // What each node holds more of than it has.
    std::string overcommitted() {
        std::map<std::string, double> used;
        for (const auto& one : server.api().list(all_pods)) {
            const std::string node(json::get_string(one, {"spec", "nodeName"}));
            const auto phase = json::get_string(one, {"status", "phase"});
            if (node.empty() || phase == "Succeeded" || phase == "Failed") continue;
            const auto& requests = one.at("spec").at("containers").as_array().front().at("resources").at("requests");
            used[node] += std::stod(std::string(json::get_string(requests, {"cpu"})));
        }
        std::string out;
        for (const auto& one : server.api().list(all_nodes)) {
            const std::string name(json::get_string(one, {"metadata", "name"}));
            const double has = std::stod(std::string(json::get_string(one, {"status", "allocatable", "cpu"})));
            if (used[name] > has) out += name + " ";
        }
        return out;
    }

private:
    std::unique_ptr<testing::sim_world> own_;

public:
    testing::sim_world& world;
    testing::sim_server& server = world.add_server("a");  // the same one if it is there
    std::string logged;
    logger log{[this](const log_record& r) {
        if (r.level >= log_level::warning) logged += std::string(r.message) + "\n";
    }};
    std::optional<leader_options> lease;  // before start()
    std::optional<manager> m;
    std::shared_ptr<scheduling::scheduler> scheduler;

private:
    scheduling::scheduler_options options_;
};

}  // namespace

TEST_CASE("a scheduler binds pods of its name, and tells of it") {
    scheduled_world w;
    w.add_node("n1");
    w.create(pod_json("web"));
    auto other = pod_json("other");
    other.at("spec").as_object()["schedulerName"] = "theirs";
    w.create(other);
    REQUIRE(w.until([&] { return w.node_of("web") == "n1"; }));
    CHECK(w.condition("web").starts_with("True"));
    w.world.run_for(5s);
    CHECK(w.node_of("other").empty());
    CHECK(w.events_of("web") == std::vector<std::string>{"Normal Scheduled: Successfully assigned default/web to n1"});
    const auto text = w.m->metrics().text();
    for (const std::string_view line :
         {R"(scheduler_schedule_attempts_total{profile="ours",result="scheduled"} 1)",
          R"(scheduler_scheduling_attempt_duration_seconds_count{profile="ours",result="scheduled"} 1)",
          R"(scheduler_pod_scheduling_sli_duration_seconds_count{attempts="1"} 1)",
          R"(scheduler_pending_pods{queue="active"} 0)", R"(scheduler_pending_pods{queue="unschedulable"} 0)",
          R"(extension_point="Filter",plugin="NodeResourcesFit",status="Success")",
          "scheduling_foreign_overcommit_total 0"}) {
        CAPTURE(line);
        CHECK(text.find(line) != std::string::npos);
    }
    CHECK(w.logged == "");
}

TEST_CASE("a pod that no node takes is told why, and is bound once one does") {
    scheduled_world w;
    w.add_node("n1", "1");
    w.create(pod_json("big", "2"));
    const std::string message = "0/1 nodes are available: 1 Insufficient cpu.";
    REQUIRE(w.until([&] { return w.condition("big") == "False Unschedulable: " + message; }));
    w.world.run_for(3s);
    CHECK(w.events_of("big") == std::vector<std::string>{"Warning FailedScheduling: " + message});
    CHECK(w.m->metrics().text().find(R"(scheduler_pending_pods{queue="unschedulable"} 1)") != std::string::npos);
    SUBCASE("why") {
        const auto why = w.scheduler->explain({"default", "big"});
        REQUIRE(why.has_value());
        CHECK(why->decided.message() == message);
        REQUIRE(why->nodes.size() == 1);
        CHECK((why->nodes[0].node == "n1" && why->nodes[0].plugin == "NodeResourcesFit"));
        CHECK(w.scheduler->explain({"default", "none"}).error().code() == condition::not_found);
    }
    SUBCASE("a node that is added") {
        w.add_node("n2", "2");
        CHECK(w.until([&] { return w.node_of("big") == "n2"; }, 15s));
    }
    SUBCASE("nothing is written while nothing happens") {
        const auto writes = [&] {
            const auto& log = w.server.api().request_log();
            std::size_t out = 0;
            for (const char* verb : {"create", "update", "patch", "delete"}) out += log.count(verb);
            return out;
        };
        const auto before = writes();
        w.world.run_for(1h);
        CHECK(writes() == before);
    }
}

TEST_CASE("a gang is bound as a whole, or not at all") {
    scheduled_world w;
    w.add_node("n1", "3");
    for (int i = 0; i < 3; ++i) w.create(member_json("t" + std::to_string(i), "train", 4));
    REQUIRE(w.until([&] { return w.condition("t0") == "False Unschedulable: gang train: 3 of 4 members exist"; }));
    w.create(member_json("t3", "train", 4));
    REQUIRE(w.until([&] {
        return w.condition("t3") ==
               "False Unschedulable: gang train: 3 of 4 members fit: 0/1 nodes are available: 1 Insufficient cpu.";
    }));
    CHECK(w.bound() == 0);
    w.add_node("n2", "1");
    REQUIRE(w.until([&] { return w.bound() == 4; }, 15s));
    CHECK(w.overcommitted() == "");
}

TEST_CASE("a pod of higher priority takes the place of one of a lower") {
    scheduled_world w;
    testing::fake_cluster kubelets(w.world, w.server, testing::fake_cluster_options().nodes(0).controllers(false));
    w.add_node("n1", "2");
    for (const auto* name : {"low-0", "low-1"}) {
        auto low = pod_json(name);
        low.at("spec").as_object()["priority"] = 1;
        w.create(low);
    }
    REQUIRE(w.until([&] { return w.bound() == 2; }));
    auto high = pod_json("high");
    high.at("spec").as_object()["priority"] = 1000;
    w.create(high);
    REQUIRE(w.until([&] { return w.node_of("high") == "n1"; }));
    CHECK(w.bound() == 2);
    CHECK(w.overcommitted() == "");
    w.world.run_for(5s);
    const auto victim = w.pod("low-0").is_null() ? "low-0" : "low-1";
    const auto events = w.events_of(victim);
    CHECK(std::any_of(events.begin(), events.end(), [](const std::string& one) {
        return one.starts_with("Normal Preempted: Preempted by pod ") && one.ends_with(" on node n1");
    }));
    CHECK(w.m->metrics().text().find("scheduler_preemption_victims_count 1") != std::string::npos);
}

TEST_CASE("a binding that a webhook refuses keeps no other pod") {
    scheduled_world w;
    w.create({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "refused"}}}});
    w.server.api().set_faults([](const http::server_request& asked) {
        const bool refuses = asked.target.find("/namespaces/refused/pods/web/binding") != std::string::npos;
        testing::fault out;
        if (refuses) out.status(403, "Forbidden", "admission webhook \"no\" denied the request");
        return out;
    });
    w.add_node("n1", "10");
    auto refused = pod_json("web");
    refused.at("metadata").as_object()["namespace"] = "refused";
    w.create(refused);
    for (int i = 0; i < 5; ++i) w.create(pod_json("p" + std::to_string(i)));
    REQUIRE(w.until([&] { return w.bound() == 5; }, 5s));
    REQUIRE(w.until([&] { return w.condition("web", "refused").starts_with("False SchedulerError: "); }, 5s));
    CHECK(w.condition("web", "refused").find("denied the request") != std::string::npos);
    for (int i = 5; i < 9; ++i) w.create(pod_json("p" + std::to_string(i)));
    CHECK(w.until([&] { return w.bound() == 9; }, 2s));
    w.server.api().set_faults(nullptr);
    CHECK(w.until([&] { return w.node_of("web", "refused") == "n1"; }, 15s));
}

TEST_CASE("lost answers, broken connections and restarts: each pod is bound once, and no node holds too much") {
    const test::seed_range seeds(6, 3);
    for (std::uint64_t seed = seeds.first; seed <= seeds.last; ++seed) {
        scheduled_world w(seed);
        // What was not bound after all is known late, and its place must not be given away before.
        const test::lagging_watches late(w.world, w.server.api(), std::chrono::seconds(seed % 3) * 2);
        auto& random = w.world.env();
        const auto chance = [&random](std::uint64_t percent) { return random.random() % 100 < percent; };
        w.server.api().set_faults([&](const http::server_request& asked) {
            testing::fault out;
            if (asked.target.find("/pods/") == std::string::npos) return out;
            const bool binds = asked.target.find("/binding") != std::string::npos;
            if (chance(20)) {
                out.drop_response();
            } else if (chance(10)) {
                out.drop();
            } else if (binds && chance(10)) {
                out.status(409, "Conflict", "somebody was first");
            } else if (chance(10)) {
                out.delay(500ms);
            }
            return out;
        });
        for (int i = 0; i < 4; ++i) w.add_node("n" + std::to_string(i), "5");
        for (int i = 0; i < 22; ++i) {
            w.create(pod_json("p" + std::to_string(i)));
            if (i % 7 == 6) {
                w.world.run_for(300ms);
                w.stop();
                w.start();
            }
        }
        CAPTURE(seed);
        for (int seconds = 0; w.bound() < 20 && seconds < 300; ++seconds) {
            w.world.run_for(1s);
            REQUIRE(w.overcommitted() == "");
        }
        w.world.run_for(1min);
        CHECK(w.bound() == 20);
        (void)w.server.api().remove(all_pods, {"default", w.node_of("p0").empty() ? "p1" : "p0"});
        w.world.run_for(1min);
        CHECK(w.bound() == 20);
        CHECK(w.overcommitted() == "");
    }
}

namespace {

// Does at one point what a test says, to pods that have the label "victim".
struct scripted {
    static constexpr std::string_view name = "Scripted";
    std::shared_ptr<std::string> what;  // "filter throws", "permit hangs", "permit waits" until it is told to stop…
    environment* env;

    bool at(const char* point, const scheduling::pod_info& pod) const {
        return what->starts_with(point) && pod.pod().metadata.labels.contains("victim");
    }
    scheduling::status answer(const char* point, const scheduling::pod_info& pod) const {
        if (!at(point, pod)) return {};
        if (what->ends_with("throws")) throw std::runtime_error("on purpose");
        return scheduling::status::unschedulable(scheduling::interned_name("on purpose"));
    }
    awaitable<scheduling::status> late(const char* point, const scheduling::placement& of) const {
        if (at(point, of.pod()) && what->ends_with("hangs")) co_await sleep_for(*env, 24h, {});
        if (at(point, of.pod()) && what->ends_with("waits")) co_await sleep_for(*env, 24h, of.stop());
        co_return answer(point, of.pod());
    }
    scheduling::status pre_enqueue(const scheduling::pod_info& pod) const { return answer("pre_enqueue", pod); }
    scheduling::queue_rank queue_sort(const scheduling::queued_pod& pod) const {
        (void)answer("queue_sort", *pod.pod);
        return scheduling::scheduling_queue::default_rank(pod);
    }
    scheduling::status pre_filter(const scheduling::pod_info& pod, const scheduling::snapshot&) const {
        return answer("pre_filter", pod);
    }
    scheduling::status filter(const scheduling::pod_info& pod, const scheduling::node_info&) const {
        return answer("filter", pod);
    }
    std::int64_t score(const scheduling::pod_info& pod, const scheduling::node_info&) const {
        return answer("score", pod).ok() ? 1 : 0;
    }
    scheduling::status reserve(scheduling::placement& of, const scheduling::node_info&) {
        return answer("reserve", of.pod());
    }
    awaitable<scheduling::status> permit(scheduling::placement& of) { return late("permit", of); }
    awaitable<scheduling::status> pre_bind(scheduling::placement& of) { return late("pre_bind", of); }
    awaitable<scheduling::status> bind(const scheduling::placement& of) {
        auto said = co_await late("bind", of);
        co_return said.ok() ? scheduling::status::skip() : said;
    }
    void post_bind(const scheduling::placement& of) { (void)answer("post_bind", of.pod()); }
};

}  // namespace

namespace {

// A scheduler with that plugin, whose deadline is 10 s; a pod with the label, and five without.
class victim_world {
    static scheduling::scheduler_options options(const victim_world& of) {
        scheduling::scheduler_options how("ours");
        how.plugin_deadline(10s);
        how.plugins([script = of.script, env = &of.world_.env()](scheduling::plugin_registry& to) {
            to.add(scripted{script, env});
        });
        return how;
    }
    mutable testing::sim_world world_{1};

public:
    explicit victim_world(const std::string& what)
        : script(std::make_shared<std::string>(what)), w(options(*this), world_) {
        w.add_node("n1", "100");
        w.add_node("n2", "100");  // one node that can take the pod has no score
        auto victim = pod_json("victim");
        victim.at("metadata").as_object()["labels"] = {{"victim", "yes"}};
        w.create(victim);
        for (int i = 0; i < 5; ++i) w.create(pod_json("p" + std::to_string(i)));
    }

    bool has_metric(const char* line) { return w.m->metrics().text().find(line) != std::string::npos; }
    bool others_are_bound() {
        return w.until(
            [this] {
                int bound = 0;
                for (int i = 0; i < 5; ++i) bound += w.node_of("p" + std::to_string(i)).empty() ? 0 : 1;
                return bound == 5;
            },
            5s);
    }
    bool victim_is_bound(duration within) {
        return w.until([this] { return !w.node_of("victim").empty(); }, within);
    }

    std::shared_ptr<std::string> script;
    scheduled_world w;
};

}  // namespace

TEST_CASE("a plugin that throws, refuses or hangs concerns one pod; its condition names the plugin") {
    for (const std::string what :
         {"pre_filter throws", "filter throws", "score throws", "reserve throws", "permit throws", "pre_bind throws",
          "bind throws", "reserve refuses", "permit refuses", "pre_bind refuses", "bind refuses", "permit hangs",
          "pre_bind hangs", "bind hangs", "permit waits", "bind waits"}) {
        CAPTURE(what);
        victim_world v(what);
        auto& w = v.w;
        REQUIRE(v.others_are_bound());
        REQUIRE(w.until([&] { return w.condition("victim").starts_with("False"); }, 15s));
        const bool is_late = what.ends_with("hangs") || what.ends_with("waits");
        CHECK(w.condition("victim").find(what == "reserve refuses" ? "on purpose" : "Scripted") != std::string::npos);
        CHECK((w.condition("victim").find("within 10s") != std::string::npos) == is_late);
        CHECK(w.node_of("victim").empty());
        // Only one that was told to stop and does not counts as overdue.
        const bool is_overdue = what.ends_with("hangs");
        CHECK(v.has_metric("scheduling_overdue_plugin_calls 0") == !is_overdue);
        CHECK((w.logged.find("a plugin runs on after its deadline") != std::string::npos) == is_overdue);
        *v.script = "nothing";
        w.add_node("n3", "100");
        CHECK(v.victim_is_bound(6min));
    }
}

TEST_CASE("a plugin that throws where it can refuse nothing changes nothing") {
    for (const std::string what : {"queue_sort throws", "post_bind throws"}) {
        CAPTURE(what);
        victim_world v(what);
        REQUIRE(v.others_are_bound());
        CHECK(v.victim_is_bound(5s));
    }
}

TEST_CASE("a pod that a plugin keeps out of the queue, or throws for, is gated alone") {
    for (const std::string what : {"pre_enqueue throws", "pre_enqueue refuses"}) {
        CAPTURE(what);
        victim_world v(what);
        REQUIRE(v.others_are_bound());
        v.w.world.run_for(1min);
        CHECK(v.w.node_of("victim").empty());
        CHECK(v.has_metric(R"(scheduler_pending_pods{queue="gated"} 1)"));
        *v.script = "nothing";
        v.w.add_node("n3", "100");
        CHECK(v.victim_is_bound(6min));
    }
}

TEST_CASE("a scheduler that stops while a plugin is awaited leaves the pod to the next one") {
    for (const std::string what : {"permit hangs", "pre_bind hangs", "bind hangs", "bind waits"}) {
        CAPTURE(what);
        victim_world v(what);
        REQUIRE(v.others_are_bound());
        v.w.stop();
        *v.script = "nothing";
        v.w.start();
        CHECK(v.victim_is_bound(5s));
        CHECK(v.w.bound() == 6);
    }
}

TEST_CASE("so many bindings are on their way at a time, and those that hang hold up no others") {
    testing::sim_world world(1);
    scheduled_world w(scheduling::scheduler_options("ours").max_concurrent_bindings(2), world);
    std::size_t under_way = 0, most = 0;
    w.server.api().set_faults([&](const http::server_request& asked) {
        testing::fault out;
        if (asked.target.find("/binding") == std::string::npos) return out;
        most = std::max(most, ++under_way);
        const bool hangs = asked.target.find("/slow-") != std::string::npos;
        return hangs ? out.delay(20s) : out.delay(100ms);
    });
    w.add_node("n1", "100");
    SUBCASE("all are bound") {
        for (int i = 0; i < 20; ++i) w.create(pod_json("p" + std::to_string(i)));
        std::size_t decided = 0;
        REQUIRE(w.until([&] {
            const auto done = w.bound();
            decided = std::max(decided, under_way - done);
            return done == 20;
        }));
        CHECK(decided <= 3);  // one may be bound that was not looked at yet
    }
    SUBCASE("four hang") {
        for (int i = 0; i < 4; ++i) w.create(pod_json("slow-" + std::to_string(i)));
        w.world.run_for(10ms);
        w.create(pod_json("quick"));
        CHECK(w.until([&] { return !w.node_of("quick").empty(); }, 3s));
    }
}

TEST_CASE("a configuration is read again; one with an error is logged and changes nothing") {
    testing::sim_world world(1);
    const char* const file = "/etc/scheduler/config.yaml";
    world.env().write_file(file, "profiles:\n- schedulerName: ours\n");
    scheduled_world w(scheduling::scheduler_options("unused").configuration_file(file), world);
    w.add_node("n1", "100");
    auto other = pod_json("other");
    other.at("spec").as_object()["schedulerName"] = "new";
    w.create(other);
    w.create(pod_json("web"));
    REQUIRE(w.until([&] { return w.node_of("web") == "n1"; }));
    world.env().write_file(file, "profiles:\n- schedulerName: ours\n  plugins:\n  - name: Nothing\n");
    w.world.run_for(30s);
    CHECK(w.logged == "the configuration is not read; what was read before counts\n");
    w.create(pod_json("web-2"));
    CHECK(w.until([&] { return w.node_of("web-2") == "n1"; }));
    CHECK(w.node_of("other").empty());
    world.env().write_file(file, "profiles:\n- schedulerName: new\n");
    CHECK(w.until([&] { return w.node_of("other") == "n1"; }, 30s));
    w.create(pod_json("web-3"));
    w.world.run_for(1min);
    CHECK(w.node_of("web-3").empty());
}

TEST_CASE("a scheduler that has no configuration, or sees some namespaces only, is refused") {
    testing::sim_world world(1);
    auto& server = world.add_server("a");
    manager m(world.env(), world.get_executor(), world.connect(server.config("token")).value());
    world.env().write_file("/c.yaml", "profiles: []\n");
    auto how = scheduling::scheduler_options("ours").configuration_file("/c.yaml");
    auto made = scheduling::scheduler::add_to(m, how);
    REQUIRE(!made.has_value());
    CHECK(made.error().message() == "/c.yaml:1: profiles: at least one profile is expected");
    cache_options one;
    one.namespaces({"default"});
    manager narrow(world.env(), world.get_executor(), world.connect(server.config("token")).value(),
                   manager_options().cache(std::move(one)));
    made = scheduling::scheduler::add_to(narrow, scheduling::scheduler_options("ours"));
    REQUIRE(!made.has_value());
    CHECK(made.error() == errc::invalid_argument);
}

namespace {

json::value with_claim(json::value pod, const std::string& claim) {
    const json::value volume{{"name", "v"}, {"persistentVolumeClaim", {{"claimName", claim}}}};
    pod.at("spec").as_object()["volumes"] = json::array{volume};
    return pod;
}

}  // namespace

TEST_CASE("a claim that waits for its first consumer is told the node, and the pod is bound once it has a volume") {
    const testing::group_resource claims{"", "persistentvolumeclaims"};
    scheduled_world w;
    w.add_node("n1");
    w.create({{"apiVersion", "storage.k8s.io/v1"},
              {"kind", "StorageClass"},
              {"metadata", {{"name", "late"}}},
              {"provisioner", "example.com/disk"},
              {"volumeBindingMode", "WaitForFirstConsumer"}});
    const json::value requested{{"storage", "1Gi"}};
    w.create({{"apiVersion", "v1"},
              {"kind", "PersistentVolumeClaim"},
              {"metadata", {{"name", "data"}, {"namespace", "default"}}},
              {"spec",
               {{"storageClassName", "late"},
                {"accessModes", json::array{"ReadWriteOnce"}},
                {"resources", {{"requests", requested}}}}}});
    w.create(with_claim(pod_json("db"), "data"));
    const auto annotation = [&](const char* key) {
        const auto claim = w.server.api().get(claims, {"default", "data"});
        return std::string(json::get_string(*claim, {"metadata", "annotations", key}));
    };
    REQUIRE(w.until([&] { return annotation("volume.kubernetes.io/selected-node") == "n1"; }));
    w.world.run_for(10s);
    CHECK(w.node_of("db").empty());
    const auto annotate = [&](json::value annotations) {
        (void)w.server.api()
            .patch(claims, {"default", "data"}, {{"metadata", {{"annotations", std::move(annotations)}}}})
            .value();
    };
    SUBCASE("a provisioner makes it") {
        annotate({{"pv.kubernetes.io/bind-completed", "yes"}});
        CHECK(w.until([&] { return w.node_of("db") == "n1"; }, 5s));
    }
    SUBCASE("none can be made there") {
        annotate({{"volume.kubernetes.io/selected-node", nullptr}});
        CHECK(w.until([&] { return w.condition("db").find("no volume could be made") != std::string::npos; }, 5s));
        CHECK(w.until([&] { return annotation("volume.kubernetes.io/selected-node") == "n1"; }, 30s));
    }
}

TEST_CASE("a budget that allows no disruption keeps its pods") {
    scheduled_world w;
    testing::fake_cluster kubelets(w.world, w.server, testing::fake_cluster_options().nodes(0).controllers(false));
    w.add_node("n1", "1");
    auto low = pod_json("low");
    low.at("metadata").as_object()["labels"] = {{"app", "low"}};
    w.create(low);
    REQUIRE(w.until([&] { return w.node_of("low") == "n1"; }));
    const json::value selector{{"matchLabels", {{"app", "low"}}}};
    w.create({{"apiVersion", "policy/v1"},
              {"kind", "PodDisruptionBudget"},
              {"metadata", {{"name", "low"}, {"namespace", "default"}}},
              {"spec", {{"minAvailable", 1}, {"selector", selector}}}});
    w.world.run_for(1s);
    auto high = pod_json("high");
    high.at("spec").as_object()["priority"] = 1000;
    w.create(high);
    w.world.run_for(5min);
    CHECK(w.node_of("low") == "n1");
    CHECK(w.node_of("high").empty());
    CHECK(w.events_of("low").size() == 1);  // Scheduled
    const testing::group_resource budgets{"policy", "poddisruptionbudgets"};
    (void)w.server.api().remove(budgets, {"default", "low"});
    CHECK(w.until([&] { return w.node_of("high") == "n1"; }, 10min));
}

TEST_CASE("a PodGroup of Kubernetes says how many pods its gang needs, and is told whether they are placed") {
    const testing::group_resource groups{"scheduling.k8s.io", "podgroups"};
    testing::sim_world world(1);
    world.register_resource({"scheduling.k8s.io", "v1alpha2", "PodGroup", "podgroups"});
    scheduled_world w(scheduling::scheduler_options("ours"), world);
    w.add_node("n1", "2");
    for (const auto* name : {"w-0", "w-1", "w-2"}) {
        auto pod = pod_json(name);
        pod.at("spec").as_object()["schedulingGroup"] = {{"podGroupName", "train"}};
        w.create(pod);
    }
    REQUIRE(w.until([&] { return w.condition("w-0").starts_with("False Unschedulable: gang train: "); }));
    CHECK(w.bound() == 0);
    const json::value gang{{"minCount", 2}};
    w.create({{"apiVersion", "scheduling.k8s.io/v1alpha2"},
              {"kind", "PodGroup"},
              {"metadata", {{"name", "train"}, {"namespace", "default"}}},
              {"spec", {{"schedulingPolicy", {{"gang", gang}}}}}});
    REQUIRE(w.until([&] { return w.bound() == 2; }));
    REQUIRE(w.until([&] {
        const auto group = w.server.api().get(groups, {"default", "train"});
        const auto* const all = json::find(*group, {"status", "conditions"});
        return all != nullptr && json::serialize(*all).find(R"("status":"True")") != std::string::npos;
    }));
    CHECK(w.until([&] { return w.condition("w-2").find("Insufficient cpu") != std::string::npos; }));
    CHECK(w.logged == "");
}

TEST_CASE("PodGroups of other projects count from the moment that their definition is there") {
    struct project {
        const char *group, *version, *key;
        bool is_label;
    };
    for (const project& one : {project{"scheduling.x-k8s.io", "v1alpha1", "scheduling.x-k8s.io/pod-group", true},
                               project{"scheduling.volcano.sh", "v1beta1", "scheduling.k8s.io/group-name", false}}) {
        CAPTURE(one.group);
        scheduled_world w;
        w.add_node("n1", "2");
        for (const auto* name : {"w-0", "w-1", "w-2"}) {
            auto pod = pod_json(name);
            pod.at("metadata").as_object()[one.is_label ? "labels" : "annotations"] = {{one.key, "train"}};
            w.create(pod);
        }
        w.world.run_for(5s);
        CHECK(w.bound() == 0);
        const json::value minimum{{"minMember", {{"type", "integer"}}}};
        const json::value spec{{"type", "object"}, {"properties", minimum}};
        const json::value schema{{"type", "object"}, {"properties", {{"spec", spec}}}};
        const json::value version{
            {"name", one.version}, {"served", true}, {"storage", true}, {"schema", {{"openAPIV3Schema", schema}}}};
        w.create({{"apiVersion", "apiextensions.k8s.io/v1"},
                  {"kind", "CustomResourceDefinition"},
                  {"metadata", {{"name", std::string("podgroups.") + one.group}}},
                  {"spec",
                   {{"group", one.group},
                    {"scope", "Namespaced"},
                    {"names", {{"kind", "PodGroup"}, {"plural", "podgroups"}}},
                    {"versions", json::array{version}}}}});
        w.world.run_for(1s);
        const auto group = [&](int minimum_pods) {
            return json::value{{"apiVersion", std::string(one.group) + "/" + one.version},
                               {"kind", "PodGroup"},
                               {"metadata", {{"name", "train"}, {"namespace", "default"}}},
                               {"spec", {{"minMember", minimum_pods}}}};
        };
        w.create(group(3));
        REQUIRE(w.until([&] { return w.condition("w-0").find("gang train: 2 of 3 members fit") != std::string::npos; },
                        40s));
        CHECK(w.bound() == 0);
        w.add_node("n2", "1");
        CHECK(w.until([&] { return w.bound() == 3; }, 15s));
        CHECK(w.logged == "");
    }
}

TEST_CASE("what another scheduler places counts, and is counted where it is too much") {
    scheduled_world w;
    w.add_node("n1", "2");
    for (const auto* name : {"theirs-0", "theirs-1", "theirs-2"}) {
        auto theirs = pod_json(name);
        theirs.at("spec").as_object()["schedulerName"] = "theirs";
        theirs.at("spec").as_object()["nodeName"] = "n1";
        w.create(theirs);
    }
    w.create(pod_json("web"));
    CHECK(w.until([&] { return w.condition("web").find("Insufficient cpu") != std::string::npos; }));
    CHECK(w.m->metrics().text().find("scheduling_foreign_overcommit_total 1\n") != std::string::npos);
}

TEST_CASE(
    "of two replicas one schedules, and the other goes on when it ends; while nothing happens it writes its Lease") {
    testing::sim_world world(1);
    scheduled_world w(scheduling::scheduler_options("ours"), world);
    w.stop();
    w.lease.emplace(namespaced_name("default", "ours"));
    w.start();
    w.add_node("n1", "3");
    w.create(pod_json("a"));
    REQUIRE(w.until([&] { return w.node_of("a") == "n1"; }));
    {
        scheduled_world other(scheduling::scheduler_options("ours"), world, w.lease);
        w.create(pod_json("b"));
        REQUIRE(w.until([&] { return w.node_of("b") == "n1"; }));
        CHECK(w.scheduler->explain({"default", "b"}).has_value());
        CHECK(other.scheduler->explain({"default", "b"}).error() == errc::unavailable);
        w.stop();
        w.create(pod_json("c"));
        CHECK(w.until([&] { return w.node_of("c") == "n1"; }, 30s));
        w.create(pod_json("d"));
        CHECK(w.until([&] { return w.condition("d").starts_with("False"); }));
        other.world.run_for(10s);
        auto& log = w.server.api().request_log();
        const auto writes = [&log](const char* resource) {
            return log.count("create", resource) + log.count("update", resource) + log.count("patch", resource) +
                   log.count("delete", resource);
        };
        const auto others = writes("") - writes("leases");
        const auto leases = writes("leases");
        other.world.run_for(1h);
        CHECK(writes("leases") > leases);
        CHECK(writes("") - writes("leases") == others);
    }
    CHECK(w.bound() == 3);
}
