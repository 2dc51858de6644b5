// HAMi's protocol: what its device plugin reads, the lock of a node, and the program beside a plugin that is played
// here.
#include <kcontrol/documents/value.hpp>
#include <kcontrol/testing/sim_world.hpp>
#include <kcontrol/values/time.hpp>

#include "hami/hami_protocol.hpp"
#include "hami/node_lock.hpp"
#include "hami/pod_annotations.hpp"
#include "program.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

using namespace kcontrol;
using namespace gpu_scheduler;
using namespace std::chrono_literals;
using kcontrol::result;

namespace {

namespace core = kcontrol::api::core::v1;

const testing::group_resource all_pods{"", "pods"};
const testing::group_resource all_nodes{"", "nodes"};
const std::string lock_key(lock_annotation);

core::container container_with(const char* gpus, const char* restart = "") {
    core::container out;
    if (*gpus != '\0') out.resources.limits["nvidia.com/gpu"] = gpus;
    out.restart_policy = restart;
    return out;
}

node_devices two_gpus() {
    node_devices out;
    out.source = device_source::hami;
    for (unsigned i = 0; i < 2; ++i) {
        gpu made;
        made.uuid = "GPU-" + std::to_string(i);
        made.index = i;
        made.memory_mib = 40960;
        out.gpus.push_back(made);
    }
    return out;
}

device_hold share_of(const char* uuid) {
    device_hold out;
    out.uuid = uuid;
    out.memory_mib = 1000;
    out.cores = 30;
    return out;
}
device_hold whole(const char* uuid) {
    device_hold out;
    out.uuid = uuid;
    return out;
}

// The scheduler with all its parts, and nodes whose device plugin gives GPUs as HAMi's does.
class hami_world {
public:
    explicit hami_world(int nodes = 1) {
        create({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "nlp"}}}});
        for (int i = 0; i < nodes; ++i) add_node("n" + std::to_string(i));
    }
    ~hami_world() { stop(); }

    void start() {
        options = std::make_shared<program_options>();
        options->has_tenants = false;
        options->tells_hami = true;
        m.emplace(sim.env(), sim.get_executor(), sim.connect(server.config("token")).value());
        options->m = &*m;
        known = board_of(options);
        auto made = scheduling::scheduler::add_to(*m, scheduler_of(known, options));
        REQUIRE_MESSAGE(made.has_value(), made.error().what());
        kcontrol::http::router routes;  // nobody asks
        REQUIRE(add_parts(*m, *options, known, *made, routes).has_value());
        m->start();
    }
    void stop() {
        if (!m) return;
        sim.run(m->stop());
        options->m = nullptr;
        known.reset();
        m.reset();
    }
    void create(json::value object) {
        auto made = server.api().create(std::move(object));
        REQUIRE_MESSAGE(made.has_value(), made.error().what());
    }
    void add_node(const std::string& name) {
        std::string listed;
        for (int i = 0; i < 2; ++i) {
            const auto id = "GPU-" + name + "-" + std::to_string(i);
            listed += std::string(i > 0 ? "," : "") + R"({"id":")" + id + R"(","index":)" + std::to_string(i) +
                      R"(,"count":10,"devmem":40960,"devcore":100,"type":"A100","health":true})";
        }
        const json::value amounts{{"cpu", "64"}, {"memory", "512Gi"}, {"pods", "100"}, {"nvidia.com/gpu", "20"}};
        create({{"apiVersion", "v1"},
                {"kind", "Node"},
                {"metadata", {{"name", name}, {"annotations", {{"hami.io/node-nvidia-register", "[" + listed + "]"}}}}},
                {"status", {{"allocatable", amounts}, {"capacity", amounts}}}});
    }
    void add_pod(const std::string& name, const char* scheduler = "gpu-scheduler", const char* memory = "1000") {
        const json::value limits{{"nvidia.com/gpu", "1"}, {"nvidia.com/gpumem", memory}, {"nvidia.com/gpucores", "30"}};
        const json::value container{{"name", "c"}, {"image", "i"}, {"resources", {{"limits", limits}}}};
        create({{"apiVersion", "v1"},
                {"kind", "Pod"},
                {"metadata", {{"name", name}, {"namespace", "nlp"}}},
                {"spec", {{"schedulerName", scheduler}, {"containers", json::array{container}}}},
                {"status", {{"phase", "Pending"}}}});
    }
    json::value pod(const std::string& name) { return server.api().get(all_pods, {"nlp", name}).value(); }
    std::string node_of(const std::string& name) {
        return std::string(json::get_string(pod(name), {"spec", "nodeName"}));
    }
    std::string said(const json::value& of, std::string_view key) {
        return std::string(json::get_string(of, {"metadata", "annotations", key}));
    }
    std::string lock_of(const std::string& node) {
        return said(server.api().get(all_nodes, {"", node}).value(), lock_key);
    }
    void set_lock(const std::string& node, const std::string& value) {
        auto edited = server.api().get(all_nodes, {"", node}).value();
        edited.at("metadata").at("annotations").as_object()[lock_key] = value;
        REQUIRE(server.api().update(edited).has_value());
    }

    // The plugin gives the GPUs of the pod that holds the lock. Two pods that wait for it on a node are one too many.
    void give() {
        std::map<std::string, std::set<std::string>> waiting;
        for (const auto& one : server.api().list(all_pods)) {
            const auto node = std::string(json::get_string(one, {"spec", "nodeName"}));
            if (node.empty() || said(one, "hami.io/bind-phase") != "allocating") continue;
            CHECK(said(one, "hami.io/vgpu-node") == node);
            waiting[node].insert(std::string(json::get_string(one, {"metadata", "name"})));
        }
        for (const auto& waits : waiting) {
            const auto& [node, pods] = waits;
            CAPTURE(waits.first);
            CHECK(pods.size() == 1);
            const auto held = read_node_lock(lock_of(node));
            REQUIRE(held.has_value());
            CHECK(held->pod == *pods.begin());
            auto edited = pod(held->pod);
            edited.at("metadata").at("annotations").as_object()["hami.io/bind-phase"] = "success";
            REQUIRE(server.api().update(edited).has_value());
            auto at = server.api().get(all_nodes, {"", node}).value();
            at.at("metadata").at("annotations").as_object().erase(lock_key);
            REQUIRE(server.api().update(at).has_value());
        }
    }
    std::size_t given() {
        std::size_t out = 0;
        for (const auto& one : server.api().list(all_pods)) out += said(one, "hami.io/bind-phase") == "success";
        return out;
    }
    // Until all pods have their GPUs.
    bool all_given(std::size_t count, duration limit) {
        const auto until = sim.env().now() + limit;
        while (sim.env().now() < until && given() < count) {
            sim.run_for(100ms);
            give();
        }
        return given() == count;
    }

    testing::sim_world sim{1};
    testing::sim_server& server = sim.add_server("a");
    std::shared_ptr<program_options> options;
    std::shared_ptr<board> known;
    std::optional<manager> m;
};

}  // namespace

TEST_CASE("hami: the devices of each container, in the plugin's order") {
    core::pod pod;
    pod.spec.init_containers.push_back(container_with(""));
    pod.spec.init_containers.push_back(container_with("1"));
    pod.spec.init_containers.push_back(container_with("1", "Always"));
    pod.spec.containers.push_back(container_with("1"));
    pod.spec.containers.push_back(container_with(""));
    const auto on = two_gpus();
    CHECK(hami_devices(pod, {whole("GPU-1"), share_of("GPU-0")}, on) ==
          ";GPU-1,NVIDIA,40960,100:;GPU-1,NVIDIA,40960,100:;GPU-0,NVIDIA,1000,30:;;");
    core::pod two;
    two.spec.containers.push_back(container_with("2"));
    CHECK(hami_devices(two, {whole("GPU-0"), whole("GPU-1")}, on) == "GPU-0,NVIDIA,40960,100:GPU-1,NVIDIA,40960,100:;");
    const auto all = hami_annotations(two, {whole("GPU-0"), whole("GPU-1")}, on, "n", wall_time(1'700'000'000s));
    CHECK(all.at("hami.io/vgpu-node") == "n");
    CHECK(all.at("hami.io/bind-time") == "1700000000");
    CHECK(all.at("hami.io/bind-phase") == "allocating");
    CHECK(all.at("hami.io/vgpu-devices-to-allocate") == all.at("hami.io/vgpu-devices-allocated"));
    CHECK(all.size() == 6);
}

TEST_CASE("hami: what its scheduler gave is read again") {
    core::pod pod;
    pod.spec.containers.push_back(container_with(""));
    pod.spec.containers.push_back(container_with("2"));
    const std::vector<device_hold> shares{share_of("GPU-0"), share_of("GPU-1")};
    CHECK(read_hami_devices(hami_devices(pod, shares, two_gpus())).value() == shares);
    CHECK(read_hami_devices(";;").value().empty());
    for (const char* wrong : {"GPU-0", "GPU-0,NVIDIA,1:", ",NVIDIA,1,1:", "GPU-0,NVIDIA,0,1:", "GPU-0,NVIDIA,x,1:",
                              "GPU-0,NVIDIA,1,101:", "GPU-0,NVIDIA,1,1,1:", "GPU-0,NVIDIA,1,1:x;"}) {
        CAPTURE(wrong);
        CHECK(!read_hami_devices(wrong).has_value());
    }
}

TEST_CASE("hami: the value of a lock") {
    const auto at = parse_time("2026-08-21T06:20:39Z").value();
    CHECK(read_node_lock("2026-08-21T08:20:39+02:00,nlp,p").value() == node_lock{at, "nlp", "p"});
    CHECK(read_node_lock("2026-08-21T06:20:39Z").value() == node_lock{at, "", ""});
    for (const char* wrong : {"", "x", "2026-08-21T06:20:39Z,", "2026-08-21T06:20:39Z,nlp", "2026-08-21T06:20:39Z,,p",
                              "2026-08-21T06:20:39Z,nlp,", "2026-08-21T06:20:39Z,nlp,p,q", ",nlp,p"}) {
        CAPTURE(wrong);
        const auto read = read_node_lock(wrong);
        REQUIRE(!read.has_value());
        CHECK(read.error().message() ==
              "annotation hami.io/mutex.lock: \"" + std::string(wrong) + "\" is not TIME,NAMESPACE,POD; remove it");
    }
    object_meta meta;
    meta.namespace_ = "nlp";
    meta.name = "p";
    CHECK(write_node_lock(meta, at + 300ms) == "2026-08-21T06:20:39Z,nlp,p");
}

TEST_CASE("hami: whether a lock still counts") {
    const wall_time now(1'700'000'000s);
    struct row {
        const char* what;
        std::chrono::seconds age;
        const char* phase;  // of the pod; null: there is none
        const char* node;
        const char* scheduler;
        const char* given;
        std::optional<std::chrono::seconds> counts_for;
    };
    const row rows[] = {
        {"its pod waits for the plugin", 10s, "Pending", "n", "ours", "allocating", 290s},
        {"for long", 299s, "Pending", "n", "ours", "allocating", 1s},
        {"for too long", 300s, "Pending", "n", "ours", "allocating", {}},
        {"its pod has its GPUs", 1s, "Running", "n", "ours", "success", {}},
        {"its pod did not get them", 1s, "Pending", "n", "ours", "failed", {}},
        {"its pod was refused", 1s, "Failed", "n", "ours", "allocating", {}},
        {"its pod has ended", 1s, "Succeeded", "n", "ours", "allocating", {}},
        {"its pod is on another node", 1s, "Pending", "other", "ours", "allocating", {}},
        {"there is no such pod", 1s, nullptr, "", "", "", {}},
        {"its pod is about to be bound", 10s, "Pending", "", "ours", "", 20s},
        {"a scheduler ended before that", 30s, "Pending", "", "ours", "", {}},
        {"another scheduler's pod is about to be bound", 30s, "Pending", "", "hami-scheduler", "", 270s},
        {"a phase of an earlier life is not looked at without a node", 10s, "Pending", "", "theirs", "success", 290s},
        {"a clock is a little ahead", -60s, "Pending", "n", "ours", "allocating", 360s},
        {"the time is far ahead", -301s, "Pending", "n", "ours", "allocating", {}},
    };
    for (const auto& one : rows) {
        CAPTURE(one.what);
        core::pod pod;
        if (one.phase != nullptr) pod.status.phase = one.phase;
        pod.spec.node_name = one.node;
        pod.spec.scheduler_name = one.scheduler;
        pod.metadata.annotations["hami.io/bind-phase"] = one.given;
        const node_lock held{now - one.age, "nlp", "p"};
        const auto verdict = judge(held, one.phase == nullptr ? nullptr : &pod, "n", "ours", now);
        CHECK(verdict.is_free == !one.counts_for.has_value());
        if (one.counts_for) CHECK(verdict.look_again == now + *one.counts_for);
    }
    // The older form names no pod: its age alone counts.
    CHECK(!judge({now - 299s, "", ""}, nullptr, "n", "ours", now).is_free);
    CHECK(judge({now - 300s, "", ""}, nullptr, "n", "ours", now).is_free);
}

TEST_CASE("hami: one pod of a node after the other gets what the record says") {
    hami_world w(2);
    w.start();
    for (int i = 0; i < 6; ++i) w.add_pod("p" + std::to_string(i));
    REQUIRE(w.all_given(6, 30s));
    for (int i = 0; i < 6; ++i) {
        const auto one = w.pod("p" + std::to_string(i));
        const auto record = read_record(w.said(one, record_annotation));
        REQUIRE(record.has_value());
        CHECK(w.said(one, "hami.io/vgpu-devices-allocated") == (*record)[0].uuid + ",NVIDIA,1000,30:;");
    }
    w.sim.run_for(10min);
    CHECK(w.lock_of("n0") == "");
    CHECK(w.lock_of("n1") == "");
}

TEST_CASE("hami: a pod without GPUs and a node of another source need no lock") {
    hami_world w;
    w.create({{"apiVersion", "v1"},
              {"kind", "Pod"},
              {"metadata", {{"name", "plain"}, {"namespace", "nlp"}}},
              {"spec",
               {{"schedulerName", "gpu-scheduler"},
                {"containers", json::array{json::value{{"name", "c"}, {"image", "i"}}}}}},
              {"status", {{"phase", "Pending"}}}});
    w.set_lock("n0", format_time(w.sim.env().wall_now()) + ",nlp,somebody");
    w.start();
    REQUIRE(w.sim.run_until([&] { return w.node_of("plain") == "n0"; }, 5s));
    CHECK(w.said(w.pod("plain"), "hami.io/bind-phase") == "");
}

TEST_CASE("hami: locks of others are waited for, abandoned ones are replaced") {
    hami_world w;
    w.add_pod("theirs", "hami-scheduler");
    w.set_lock("n0", format_time(w.sim.env().wall_now()) + ",nlp,theirs");
    w.add_pod("ours");
    w.start();
    w.sim.run_for(4min);
    CHECK(w.node_of("ours") == "");
    SUBCASE("until it is released") { w.set_lock("n0", "2020-01-01T00:00:00Z"); }
    SUBCASE("until its pod is deleted, which is seen when its time is over") {
        REQUIRE(w.server.api().remove(all_pods, {"nlp", "theirs"}).has_value());
    }
    SUBCASE("until it is five minutes old") {}
    CHECK(w.all_given(1, 2min));
    CHECK(w.node_of("ours") == "n0");
}

TEST_CASE("hami: a lock that can't be read is named in the pod's condition") {
    hami_world w;
    w.set_lock("n0", "mine");
    w.add_pod("p");
    w.start();
    REQUIRE(w.sim.run_until(
        [&] {
            const auto text = json::serialize(w.pod("p"));
            return text.find("node n0 was not locked") != std::string::npos &&
                   text.find("mutex.lock") != std::string::npos;
        },
        10s));
    CHECK(w.node_of("p") == "");
}

TEST_CASE("hami: each request of a binding fails once, in each way") {
    const std::function<testing::fault()> ways[] = {
        [] { return testing::fault().status(500, "InternalError", "no"); },
        [] { return testing::fault().status(409, "Conflict", "no"); },
        [] { return testing::fault().status(403, "Forbidden", "no"); },
        [] { return testing::fault().drop(); },
        [] { return testing::fault().drop_response(); },
    };
    int failed = 0;
    for (std::size_t way = 0; way < std::size(ways); ++way) {
        for (int place = 0; place < 7; ++place) {
            CAPTURE(way);
            CAPTURE(place);
            hami_world w;
            int count = 0;
            w.server.api().set_faults([&](const http::server_request& asked) {
                const bool is_ours = asked.target.find("/nodes/") != std::string::npos ||
                                     asked.target.find("/binding") != std::string::npos;
                if (!is_ours || count++ != place) return testing::fault();
                ++failed;
                return ways[way]();
            });
            w.add_pod("p");
            w.add_pod("q");
            w.start();
            CHECK(w.all_given(2, 10min));
            w.sim.run_for(1min);
            CHECK(w.lock_of("n0") == "");
        }
    }
    CHECK(failed > 20);
}

TEST_CASE("hami: a binding that is refused releases its lock, so that another pod of the node goes on") {
    hami_world w;
    w.server.api().set_faults([&](const http::server_request& asked) {
        return asked.target.find("/pods/refused/binding") == std::string::npos
                   ? testing::fault()
                   : testing::fault().status(403, "Forbidden", "no");
    });
    w.add_pod("refused");
    w.start();
    REQUIRE(w.sim.run_until(
        [&] {
            return json::serialize(w.pod("refused")).find("Forbidden") != std::string::npos ||
                   json::serialize(w.pod("refused")).find("SchedulerError") != std::string::npos;
        },
        10s));
    w.add_pod("next");
    CHECK(w.all_given(1, 5s));
    CHECK(w.node_of("next") == "n0");
}

// What a kill -9 between lock and binding leaves: the lock, and a pod without a node.
TEST_CASE("hami: a scheduler that ended between lock and binding holds up its node for 30 seconds") {
    hami_world w;
    const auto lock_for = [&](const char* name) {
        object_meta meta;
        meta.namespace_ = "nlp";
        meta.name = name;
        w.set_lock("n0", write_node_lock(meta, w.sim.env().wall_now()));
    };
    SUBCASE("its own pod goes on at once") {
        w.add_pod("first");
        lock_for("first");
        w.start();
        CHECK(w.all_given(1, 5s));
    }
    SUBCASE("another pod waits") {
        w.add_pod("first", "gpu-scheduler", "50000");  // it fits nowhere any more
        w.add_pod("second");
        lock_for("first");
        w.start();
        w.sim.run_for(25s);
        CHECK(w.node_of("second") == "");
        CHECK(w.all_given(1, 10s));
        CHECK(w.node_of("second") == "n0");
    }
}
