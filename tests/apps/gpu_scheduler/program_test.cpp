// The scheduler with all its parts against the in-process API server, in virtual time.
#include "program.hpp"

#include <kcontrol/documents/value.hpp>
#include <kcontrol/http/message.hpp>
#include <kcontrol/schema/crd.hpp>
#include <kcontrol/testing/fake_cluster.hpp>
#include <kcontrol/testing/sim_world.hpp>
#include <kcontrol/values/time.hpp>

#include "claim_objects.hpp"
#include "control/tenant_status.hpp"

#include <boost/asio/co_spawn.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

using namespace kcontrol;
using namespace std::chrono_literals;

namespace {

const testing::group_resource all_pods{"", "pods"};
const testing::group_resource all_tenants{"scheduling.kcontrol.dev", "tenants"};

class world {
public:
    world() {
        const auto crd = crd_of<gpu_scheduler::tenant>();
        REQUIRE(crd.has_value());
        create(*json::parse(crd->to_json()));
        for (const char* name : {"vision", "nlp"}) {
            create({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name}}}});
        }
    }
    ~world() { stop(); }

    void start() {
        options = std::make_shared<gpu_scheduler::program_options>();
        m.emplace(sim.env(), sim.get_executor(), sim.connect(server.config("token")).value(),
                  manager_options().log(log));
        options->m = &*m;
        known = gpu_scheduler::board_of(options);
        auto made = scheduling::scheduler::add_to(*m, gpu_scheduler::scheduler_of(known, options));
        REQUIRE_MESSAGE(made.has_value(), made.error().what());
        routes = http::router();
        REQUIRE(gpu_scheduler::add_parts(*m, *options, known, *made, routes).has_value());
        m->start();
    }
    void stop() {
        if (!m) return;
        sim.run(m->stop());
        options->m = nullptr;
        known.reset();
        m.reset();
    }

    json::value create(json::value object) {
        auto made = server.api().create(std::move(object));
        REQUIRE_MESSAGE(made.has_value(), made.error().what());
        return *made;
    }
    // A node whose GPUs nobody names.
    void add_node(const std::string& name, int gpus, const std::string& rack = "") {
        json::value amounts{
            {"cpu", "64"}, {"memory", "512Gi"}, {"pods", "100"}, {"nvidia.com/gpu", std::to_string(gpus)}};
        json::value labels{{"kubernetes.io/hostname", name}};
        if (!rack.empty()) labels.as_object()["topology.kubernetes.io/rack"] = rack;
        create({{"apiVersion", "v1"},
                {"kind", "Node"},
                {"metadata", {{"name", name}, {"labels", labels}}},
                {"status", {{"allocatable", amounts}, {"capacity", amounts}}}});
    }
    void add_shared_node(const std::string& name, int gpus) {
        std::string registered;
        for (int i = 0; i < gpus; ++i) {
            registered += std::string(i > 0 ? "," : "") + R"({"id":"GPU-)" + std::to_string(i) + R"(","index":)" +
                          std::to_string(i) +
                          R"(,"count":10,"devmem":40960,"devcore":100,"type":"A100","health":true})";
        }
        const json::value amounts{
            {"cpu", "64"}, {"memory", "512Gi"}, {"pods", "100"}, {"nvidia.com/gpu", std::to_string(10 * gpus)}};
        create({{"apiVersion", "v1"},
                {"kind", "Node"},
                {"metadata",
                 {{"name", name}, {"annotations", {{"hami.io/node-nvidia-register", "[" + registered + "]"}}}}},
                {"status", {{"allocatable", amounts}, {"capacity", amounts}}}});
    }
    static json::value pod(const std::string& ns, const std::string& name, json::value limits, int priority = 0) {
        const json::value container{
            {"name", "c"}, {"image", "train:1"}, {"resources", {{"limits", limits}, {"requests", limits}}}};
        return {{"apiVersion", "v1"},
                {"kind", "Pod"},
                {"metadata",
                 {{"name", name}, {"namespace", ns}, {"labels", json::object()}, {"annotations", json::object()}}},
                {"spec",
                 {{"schedulerName", "gpu-scheduler"},
                  {"priority", priority},
                  {"terminationGracePeriodSeconds", 0},
                  {"containers", json::array{container}}}}};
    }
    static json::value whole(const std::string& ns, const std::string& name, int gpus, int priority = 0) {
        return pod(ns, name, {{"nvidia.com/gpu", std::to_string(gpus)}}, priority);
    }
    static json::value member(const std::string& name, const std::string& gang, int size, int gpus,
                              const std::string& topology) {
        auto out = whole("vision", name, gpus);
        out.at("metadata").at("labels").as_object()["scheduling.kcontrol.dev/gang"] = gang;
        auto& annotations = out.at("metadata").at("annotations").as_object();
        annotations["scheduling.kcontrol.dev/gang-size"] = std::to_string(size);
        if (!topology.empty()) annotations["scheduling.kcontrol.dev/topology"] = topology;
        return out;
    }
    void add_tenant(const std::string& name, int gpus, std::optional<int> limit = {}, const std::string& parent = "") {
        json::value quota{{"product", "*"}, {"gpus", gpus}};
        if (limit) quota.as_object()["limit"] = *limit;
        json::value spec{{"namespaces", json::array{name}}, {"quotas", json::array{quota}}};
        if (!parent.empty()) spec.as_object()["parent"] = parent;
        create({{"apiVersion", "scheduling.kcontrol.dev/v1alpha1"},
                {"kind", "Tenant"},
                {"metadata", {{"name", name}}},
                {"spec", spec}});
    }

    json::value get(const std::string& ns, const std::string& name) {
        auto found = server.api().get(all_pods, {ns, name});
        return found ? *found : json::value(json::object());
    }
    std::string node_of(const std::string& ns, const std::string& name) {
        return std::string(json::get_string(get(ns, name), {"spec", "nodeName"}));
    }
    std::string record_of(const std::string& ns, const std::string& name) {
        return std::string(
            json::get_string(get(ns, name), {"metadata", "annotations", "scheduling.kcontrol.dev/allocation"}));
    }
    std::string condition(const std::string& ns, const std::string& name) {
        const auto object = get(ns, name);
        const auto* all = json::find(object, {"status", "conditions"});
        if (all == nullptr) return {};
        for (const auto& one : all->as_array()) {
            if (json::get_string(one, {"type"}) == "PodScheduled")
                return std::string(json::get_string(one, {"message"}));
        }
        return {};
    }
    std::string tenant_status(const std::string& name) {
        auto found = server.api().get(all_tenants, {"", name});
        const auto* status = found ? json::find(*found, {"status"}) : nullptr;
        return status == nullptr ? "" : json::serialize(*status);
    }
    std::size_t running(const std::string& ns) {
        std::size_t out = 0;
        for (const auto& one : server.api().list(all_pods)) {
            out += json::get_string(one, {"metadata", "namespace"}) == ns &&
                           !json::get_string(one, {"spec", "nodeName"}).empty()
                       ? 1
                       : 0;
        }
        return out;
    }
    bool until(const std::function<bool()>& done, duration limit = 30s) { return sim.run_until(done, limit); }
    http::response ask(const std::string& target) {
        http::server_request asked;
        asked.method = "GET";
        asked.target = target;
        return routes.answer(std::move(asked)).value();
    }
    // Asks for the events, and lets `during` happen meanwhile. Returns what came.
    std::string events(const std::function<void()>& during) {
        struct client final : http::responder {
            awaitable<result<void>> send(http::response answer) override {
                came += answer.body;
                co_return result<void>();
            }
            awaitable<result<void>> start(http::response_head) override { co_return result<void>(); }
            awaitable<result<void>> write(std::string piece) override {
                came += piece;
                co_return result<void>();
            }
            void abort() override { gone.request_stop(); }
            std::stop_token disconnected() const override { return gone.get_token(); }
            std::string came;
            std::stop_source gone;
        } out;
        bool is_over = false;
        http::server_request asked;
        asked.method = "GET";
        asked.target = "/api/v1/events";
        boost::asio::co_spawn(sim.get_executor(), routes.handler()(std::move(asked), out),
                              [&](std::exception_ptr) { is_over = true; });
        sim.run_for(1s);
        during();
        sim.run_for(5s);
        out.gone.request_stop();
        REQUIRE(until([&] { return is_over; }));
        return out.came;
    }

    testing::sim_world sim{1};
    testing::sim_server& server = sim.add_server("a");
    std::string logged;
    logger log{[this](const log_record& r) {
        if (r.level >= log_level::warning) logged += std::string(r.message) + "\n";
    }};
    std::shared_ptr<gpu_scheduler::program_options> options;
    std::shared_ptr<gpu_scheduler::board> known;
    http::router routes;
    std::optional<manager> m;
};

// How often a text has another one.
std::size_t times(const std::string& text, const std::string& part) {
    std::size_t out = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++out;
    return out;
}

}  // namespace

TEST_CASE("program: whole GPUs and shares are recorded, and read again after a restart") {
    world w;
    w.add_node("plain", 2);
    w.add_shared_node("shared", 1);
    w.start();
    w.create(w.whole("vision", "two", 2));
    REQUIRE(w.until([&] { return w.node_of("vision", "two") == "plain"; }));
    CHECK(w.record_of("vision", "two") == R"({"v":1,"devices":[{"uuid":"plain/0"},{"uuid":"plain/1"}]})");
    const json::value share{{"nvidia.com/gpu", "1"}, {"nvidia.com/gpumem", "20480"}, {"nvidia.com/gpucores", "30"}};
    w.create(w.pod("nlp", "half", share));
    REQUIRE(w.until([&] { return w.node_of("nlp", "half") == "shared"; }));
    CHECK(w.record_of("nlp", "half") == R"({"v":1,"devices":[{"uuid":"GPU-0","memoryMiB":20480,"cores":30}]})");
    w.stop();
    w.start();
    w.create(w.pod("nlp", "other", share));
    w.create(w.pod("nlp", "third", share));
    REQUIRE(w.until([&] { return w.running("nlp") == 2 && !w.condition("nlp", "third").empty(); }));
    const auto late = w.node_of("nlp", "other").empty() ? "other" : "third";
    REQUIRE(w.until([&] { return w.condition("nlp", late).find("0/2 nodes") == 0; }));
    CHECK(
        w.condition("nlp", late) ==
        "0/2 nodes are available: 1 Insufficient nvidia.com/gpu, 1 node(s) had too little free memory or time on each "
        "GPU.");
    CHECK(w.logged == "");
}

TEST_CASE("program: a node with ResourceSlices gives its GPUs to claims alone") {
    world w;
    w.add_node("sliced", 2);
    w.create({{"apiVersion", "resource.k8s.io/v1"},
              {"kind", "DeviceClass"},
              {"metadata", {{"name", "gpu"}}},
              {"spec", json::object()}});
    const json::array devices{json::value{{"name", "gpu-0"}}, json::value{{"name", "gpu-1"}}};
    w.create({{"apiVersion", "resource.k8s.io/v1"},
              {"kind", "ResourceSlice"},
              {"metadata", {{"name", "s"}}},
              {"spec",
               {{"driver", "gpu.nvidia.com"},
                {"nodeName", "sliced"},
                {"pool", {{"name", "sliced"}, {"generation", 1}, {"resourceSliceCount", 1}}},
                {"devices", devices}}}});
    const json::value exactly{{"deviceClassName", "gpu"}, {"allocationMode", "All"}};
    w.create({{"apiVersion", "resource.k8s.io/v1"},
              {"kind", "ResourceClaim"},
              {"metadata", {{"name", "both"}, {"namespace", "nlp"}}},
              {"spec", {{"devices", {{"requests", json::array{json::value{{"name", "r"}, {"exactly", exactly}}}}}}}}});
    w.start();
    const auto claiming = [&](const std::string& name) {
        auto pod = w.pod("nlp", name, {{"cpu", "1"}});
        pod.at("spec").as_object()["resourceClaims"] =
            json::array{json::value{{"name", "c"}, {"resourceClaimName", "both"}}};
        return pod;
    };
    w.create(claiming("a"));
    REQUIRE(w.until([&] { return w.node_of("nlp", "a") == "sliced"; }));
    w.create(w.whole("nlp", "whole", 1));
    REQUIRE(w.until([&] { return w.condition("nlp", "whole").find("0/1 nodes") == 0; }));
    CHECK(w.condition("nlp", "whole") == "0/1 nodes are available: 1 node(s) give their GPUs to ResourceClaims alone.");
    w.stop();
    w.start();
    w.create(claiming("b"));
    REQUIRE(w.until([&] { return w.node_of("nlp", "b") == "sliced"; }));
    const auto claim = w.server.api().get({"resource.k8s.io", "resourceclaims"}, {"nlp", "both"});
    REQUIRE(claim.has_value());
    CHECK(json::find(*claim, {"status", "reservedFor"})->as_array().size() == 2);
    CHECK(json::find(*claim, {"status", "allocation", "devices", "results"})->as_array().size() == 2);
}

TEST_CASE("program: pods that request GPUs by a name that a class stands for get devices, and count by them") {
    namespace objects = gpu_scheduler::test;
    world w;
    w.add_node("sliced", 0);
    w.create(objects::class_json("gpu", "nvidia.com/gpu"));
    w.create(objects::slice_json("sliced", objects::whole_gpus("sliced", 4)));
    w.add_tenant("nlp", 1, 2);
    const testing::group_resource claims{"resource.k8s.io", "resourceclaims"};
    const auto claim_of = [&](const std::string& pod) {
        const auto of = w.get("nlp", pod);
        const std::string name(json::get_string(of, {"status", "extendedResourceClaimStatus", "resourceClaimName"}));
        const auto found = w.server.api().get(claims, {"nlp", name});
        return found ? *found : json::value(json::object());
    };
    w.start();
    for (const char* name : {"a", "b"}) {
        w.create(w.whole("nlp", name, 1));
        REQUIRE(w.until([&] { return w.node_of("nlp", name) == "sliced"; }));
        CHECK(json::find(claim_of(name), {"status", "allocation", "devices", "results"})->as_array().size() == 1);
        CHECK(w.record_of("nlp", name) == "");
    }
    w.create(w.whole("nlp", "waits", 1));
    REQUIRE(w.until([&] { return !w.condition("nlp", "waits").empty(); }));
    CHECK(w.condition("nlp", "waits").find("tenant nlp is at its limit of 2 GPUs") != std::string::npos);
    REQUIRE(w.until([&] {
        return w.tenant_status("nlp").find(R"("allocated":"2","requested":"3","fairShare":"2","borrowed":"1")") !=
               std::string::npos;
    }));
    const auto nodes = std::string(w.ask("/api/v1/nodes").body);
    CHECK(nodes.find(R"("pods":["nlp/a"],"holds":[{"pod":"nlp/a","tenant":"nlp","memoryMiB":40960}])") !=
          std::string::npos);
    // A restart reads the same; what is deleted is free again.
    w.stop();
    w.start();
    w.sim.run_for(1min);
    CHECK(w.running("nlp") == 2);
    const auto name = std::string(json::get_string(claim_of("a"), {"metadata", "name"}));
    REQUIRE(w.server.api().remove(all_pods, {"nlp", "a"}).has_value());
    REQUIRE(w.server.api().patch(claims, {"nlp", name}, {{"metadata", {{"finalizers", nullptr}}}}).has_value());
    REQUIRE(w.server.api().remove(claims, {"nlp", name}).has_value());
    REQUIRE(w.until([&] { return w.node_of("nlp", "waits") == "sliced"; }, 20s));
    CHECK(w.m->metrics().text().find("gpu_scheduler_overcommit_total 0") != std::string::npos);
    CHECK(w.logged == "");
}

TEST_CASE("program: members of a gang count for a limit by the devices that a class stands for") {
    namespace objects = gpu_scheduler::test;
    std::string resource = "nvidia.com/gpu";
    SUBCASE("GPUs by their own name") {}
    SUBCASE("another name") { resource = "example.com/gpu"; }
    world w;
    w.add_node("sliced", 0);
    w.create(objects::class_json("gpu", resource));
    w.create(objects::slice_json("sliced", objects::whole_gpus("sliced", 4)));
    w.add_tenant("vision", 0, 2);
    w.start();
    const auto add_gang = [&](const std::string& gang, int size) {
        for (int i = 0; i < size; ++i) {
            auto made = w.member(gang + std::to_string(i), gang, size, 1, "");
            const json::value amounts{{resource, "1"}};
            made.at("spec").at("containers").as_array()[0].as_object()["resources"] = {{"limits", amounts},
                                                                                       {"requests", amounts}};
            w.create(made);
        }
    };
    add_gang("large", 3);
    REQUIRE(w.until([&] { return w.condition("vision", "large0").starts_with("gang large: 2 of 3 members fit: "); }));
    CHECK(w.condition("vision", "large0").find("tenant vision is at its limit of 2 GPUs") != std::string::npos);
    add_gang("small", 2);
    REQUIRE(w.until([&] { return w.running("vision") == 2; }));
    w.sim.run_for(10min);
    CHECK(w.running("vision") == 2);
    CHECK(w.node_of("vision", "small1") == "sliced");
}

TEST_CASE("program: the GPUs of claims count for tenants, for nodes and for evictions") {
    namespace objects = gpu_scheduler::test;
    world w;
    w.add_node("sliced", 0);
    w.create(objects::class_json("gpu"));
    w.create(objects::slice_json("sliced", objects::whole_gpus("sliced", 4)));
    w.add_tenant("nlp", 1, 2);
    const auto add = [&](const std::string& name, int priority) {
        w.create(objects::claim_json("nlp", name, "gpu", 1));
        auto pod = w.pod("nlp", name, {{"cpu", "1"}}, priority);
        pod.at("spec").as_object()["resourceClaims"] =
            json::array{json::value{{"name", "c"}, {"resourceClaimName", name}}};
        w.create(pod);
    };
    const testing::group_resource claims{"resource.k8s.io", "resourceclaims"};
    // As kube-controller-manager does.
    const auto free_claims = [&] {
        for (auto each : w.server.api().list(claims)) {
            const auto name = std::string(json::get_string(each, {"metadata", "name"}));
            if (w.get("nlp", name).as_object().empty() && json::find(each, {"status", "allocation"}) != nullptr) {
                each.as_object()["status"] = json::object();
                REQUIRE(w.server.api().update_status(each).has_value());
            }
        }
    };
    w.start();
    for (const char* name : {"a", "b"}) {
        add(name, 0);
        REQUIRE(w.until([&] { return w.node_of("nlp", name) == "sliced"; }));
    }
    add("waits", 0);
    REQUIRE(w.until(
        [&] { return w.condition("nlp", "waits").find("tenant nlp is at its limit of 2 GPUs") != std::string::npos; }));
    REQUIRE(w.until([&] {
        return w.tenant_status("nlp").find(R"("allocated":"2","requested":"3","fairShare":"2","borrowed":"1")") !=
               std::string::npos;
    }));
    CHECK(w.tenant_status("nlp").find(R"("pending":1)") != std::string::npos);
    const auto nodes = std::string(w.ask("/api/v1/nodes").body);
    CHECK(nodes.find(R"("product":"NVIDIA-A100-SXM4-40GB","state":"ready","forecast":false)") != std::string::npos);
    CHECK(nodes.find(R"("uuid":"GPU-sliced-0","memoryMiB":40960,"freeMiB":0)") != std::string::npos);
    CHECK(nodes.find(R"("pods":["nlp/a"],"holds":[{"pod":"nlp/a","tenant":"nlp","memoryMiB":40960}])") !=
          std::string::npos);
    CHECK(std::string(w.ask("/api/v1/why?pod=nlp/waits").body)
              .find(R"("would":["tenant nlp is at its limit of 2 GPUs"])") != std::string::npos);
    CHECK(w.m->metrics().text().find(R"(gpu_scheduler_allocation_ratio{product="NVIDIA-A100-SXM4-40GB"} 0.5)") !=
          std::string::npos);
    // A more important pod takes the place of one that counts by its claim, and of no other one.
    add("important", 10);
    REQUIRE(w.until([&] { return w.node_of("nlp", "important") == "sliced"; }));
    CHECK(w.running("nlp") == 2);
    CHECK(w.m->metrics().text().find(R"(gpu_scheduler_preempted_pods_total{reason="priority"} 1)") !=
          std::string::npos);
    free_claims();
    w.sim.run_for(10min);
    CHECK(w.running("nlp") == 2);
    CHECK(w.node_of("nlp", "waits") == "");
    // What becomes free wakes the one that waits.
    REQUIRE(w.server.api().remove(all_pods, {"nlp", "important"}).has_value());
    free_claims();
    REQUIRE(w.until([&] { return w.node_of("nlp", "waits") == "sliced"; }, 20s));
    REQUIRE(w.until(
        [&] { return w.tenant_status("nlp").find(R"("allocated":"2","requested":"2")") != std::string::npos; }));
    CHECK(w.m->metrics().text().find("gpu_scheduler_overcommit_total 0") != std::string::npos);
    CHECK(w.logged == "");
    // Somebody else gives a device twice.
    auto twice = objects::claim_json("nlp", "twice", "gpu", 1);
    twice.as_object()["status"] = {{"allocation", objects::allocation_json("sliced", {"gpu-0"})}};
    auto again = twice;
    again.at("metadata").as_object()["name"] = "again";
    for (auto* each : {&twice, &again}) {
        auto made = w.create(*each);
        made.as_object()["status"] = each->at("status");
        REQUIRE(w.server.api().update_status(made).has_value());
    }
    REQUIRE(
        w.until([&] { return w.m->metrics().text().find("gpu_scheduler_overcommit_total 0") == std::string::npos; }));
}

TEST_CASE("program: the members of a gang count one after the other for a limit, by their claims") {
    namespace objects = gpu_scheduler::test;
    world w;
    w.add_node("sliced", 0);
    w.create(objects::class_json("gpu"));
    w.create(objects::slice_json("sliced", objects::whole_gpus("sliced", 4)));
    w.add_tenant("nlp", 0, 2);
    w.start();
    const auto add_gang = [&](const std::string& gang, int size) {
        for (int i = 0; i < size; ++i) {
            const auto name = gang + std::to_string(i);
            w.create(objects::claim_json("nlp", name, "gpu", 1));
            auto pod = w.pod("nlp", name, {{"cpu", "1"}});
            pod.at("metadata").at("labels").as_object()["scheduling.kcontrol.dev/gang"] = gang;
            pod.at("metadata").at("annotations").as_object()["scheduling.kcontrol.dev/gang-size"] =
                std::to_string(size);
            pod.at("spec").as_object()["resourceClaims"] =
                json::array{json::value{{"name", "c"}, {"resourceClaimName", name}}};
            w.create(pod);
        }
    };
    add_gang("large", 3);
    REQUIRE(w.until([&] { return w.condition("nlp", "large0").starts_with("gang large: 2 of 3 members fit: "); }));
    CHECK(w.condition("nlp", "large0").find("tenant nlp is at its limit of 2 GPUs") != std::string::npos);
    CHECK(json::get_string(w.get("nlp", "large0"), {"status", "nominatedNodeName"}) == "");
    add_gang("small", 2);
    REQUIRE(w.until([&] { return w.running("nlp") == 2; }));
    CHECK(w.node_of("nlp", "small1") == "sliced");
    w.sim.run_for(10min);
    CHECK(w.running("nlp") == 2);
}

TEST_CASE("program: what is wrong with a pod is said, and nobody waits for it") {
    world w;
    w.add_shared_node("shared", 1);
    w.start();
    const auto limits = [](const char* key, const char* value) {
        return json::value{{"nvidia.com/gpu", "1"}, {key, value}};
    };
    w.create(w.pod("nlp", "zero", limits("nvidia.com/gpumem-percentage", "0")));
    w.create(w.pod("nlp", "huge", limits("nvidia.com/gpumem", "50000")));
    w.create(w.pod("nlp", "slice", {{"nvidia.com/mig-9g.99gb", "1"}}));
    auto recorded = w.whole("nlp", "recorded", 1);
    recorded.at("metadata").at("annotations").as_object()["scheduling.kcontrol.dev/allocation"] = "{}";
    w.create(recorded);
    w.create(w.member("far", "g", 1, 1, "required:example.com/row"));
    w.create(w.whole("nlp", "good", 1));
    REQUIRE(w.until([&] { return w.node_of("nlp", "good") == "shared"; }));
    REQUIRE(w.until([&] { return !w.condition("vision", "far").empty() && !w.condition("nlp", "recorded").empty(); }));
    const auto says = [&](const char* name, const std::string& words) {
        CAPTURE(w.condition("nlp", name));
        CHECK(w.condition("nlp", name).find(words) != std::string::npos);
    };
    says("zero", "spec.containers[0].resources.limits[nvidia.com/gpumem-percentage]: \"0\"");
    says("huge", "nvidia.com/gpumem: \"50000\" MiB is more than any GPU has: 40960");
    says("slice", "nvidia.com/mig-9g.99gb: no GPU of this cluster has such slices");
    says("recorded", "annotation scheduling.kcontrol.dev/allocation: \"{}\" is there before the pod has a node");
    CHECK(w.condition("vision", "far").find("no node has the label \"example.com/row\"") != std::string::npos);
}

TEST_CASE("program: tenants have a status, limits, and conditions of what is wrong") {
    world w;
    w.add_node("n", 8);
    w.add_tenant("vision", 2, 3);
    w.add_tenant("nlp", 4, {}, "nobody");
    w.start();
    for (int i = 0; i < 4; ++i) w.create(w.whole("vision", "p" + std::to_string(i), 1));
    REQUIRE(w.until([&] { return w.running("vision") == 3; }));
    std::string waits;
    REQUIRE(w.until([&] {
        for (int i = 0; i < 4; ++i) {
            const auto name = "p" + std::to_string(i);
            if (w.node_of("vision", name).empty()) waits = w.condition("vision", name);
        }
        return !waits.empty();
    }));
    CHECK(waits.find("tenant vision is at its limit of 3 GPUs") != std::string::npos);
    REQUIRE(w.until([&] {
        return w.tenant_status("vision").find(R"("allocated":"3","requested":"4","fairShare":"3","borrowed":"1")") !=
               std::string::npos;
    }));
    CHECK(w.tenant_status("vision").find(R"("pending":1)") != std::string::npos);
    CHECK(w.tenant_status("nlp").find("ParentNotFound") != std::string::npos);
    // At rest nothing is written.
    const auto before = w.tenant_status("vision");
    w.sim.run_for(1h);
    CHECK(w.tenant_status("vision") == before);
}

TEST_CASE("program: a tenant under its quota gets it in one round, and that is the end of evictions") {
    world w;
    w.add_node("n", 8);
    w.add_tenant("vision", 4);
    w.add_tenant("nlp", 4);
    w.start();
    w.create(w.whole("vision", "large", 8, 100));  // borrows four
    REQUIRE(w.until([&] { return w.running("vision") == 1; }));
    for (int i = 0; i < 4; ++i) w.create(w.whole("nlp", "p" + std::to_string(i), 1));
    REQUIRE(w.until([&] { return w.running("nlp") == 4; }));
    CHECK(w.running("vision") == 0);
    w.create(w.whole("vision", "large-again", 8, 100));
    w.create(w.whole("vision", "small", 4, 100));
    REQUIRE(w.until([&] { return w.node_of("vision", "small") == "n"; }));
    w.sim.run_for(10min);
    CHECK(w.running("nlp") == 4);
    CHECK(w.running("vision") == 1);
}

TEST_CASE("program: a gang goes into one rack, or waits") {
    world w;
    w.add_node("a1", 4, "a");
    w.add_node("b1", 4, "b");
    w.add_node("b2", 4, "b");
    w.start();
    for (int i = 0; i < 2; ++i) {
        w.create(w.member("m" + std::to_string(i), "g", 2, 4, "required:topology.kubernetes.io/rack"));
    }
    REQUIRE(w.until([&] { return w.running("vision") == 2; }));
    const std::set<std::string> on{w.node_of("vision", "m0"), w.node_of("vision", "m1")};
    CHECK(on == std::set<std::string>{"b1", "b2"});
    // The other rack has room for one of two.
    for (int i = 0; i < 2; ++i) {
        w.create(w.member("w" + std::to_string(i), "h", 2, 3, "required:topology.kubernetes.io/rack"));
    }
    w.sim.run_for(30s);
    CHECK(w.running("vision") == 2);
    CHECK(w.condition("vision", "w0").starts_with("gang h: 1 of 2 members fit: "));
}

TEST_CASE("program: the interface says what is held, who waits and why") {
    world w;
    w.add_node("n", 2);
    w.start();
    w.create(w.whole("vision", "train", 2, 5));
    REQUIRE(w.until([&] { return w.running("vision") == 1; }));
    w.create(w.whole("nlp", "waits", 2));
    REQUIRE(w.until([&] { return !w.condition("nlp", "waits").empty(); }));
    const auto body = [&](const std::string& target) {
        const auto answer = w.ask(target);
        CAPTURE(answer.body);
        REQUIRE(answer.status == 200);
        return std::string(answer.body);
    };
    const auto nodes = body("/api/v1/nodes");
    CHECK(nodes.find(R"("name":"n","product":"","state":"ready","forecast":true)") != std::string::npos);
    CHECK(nodes.find(R"("rack":null,)") != std::string::npos);
    CHECK(nodes.find(R"("slices":[],"pods":["vision/train"],"holds":[{"pod":"vision/train","tenant":"default",)") !=
          std::string::npos);
    const auto pending = body("/api/v1/pending");
    CHECK(pending.find(R"("pod":"nlp/waits","gang":null,"tenant":"default")") != std::string::npos);
    CHECK(pending.find(R"("place":1,)") != std::string::npos);
    const auto why = body("/api/v1/why?pod=nlp/waits");
    CHECK(why.find(R"("state":"waiting","sentence":"0/1 nodes are available: 1 Insufficient nvidia.com/gpu.)") !=
          std::string::npos);
    CHECK(why.find(R"X("would":["fits when 2 more GPUs are free on n (held by vision/train, priority 5)",)X"
                   R"X("no node has 2 free GPUs; the largest free set is 0"])X") != std::string::npos);
    CHECK(body("/api/v1/why?pod=vision/train").find(R"("state":"placed")") != std::string::npos);
    CHECK(body("/api/v1/fits?pods=1&gpus=1") == R"({"now":false,"largestGang":0})");
    CHECK(w.ask("/api/v1/fits?pods=none").status == 400);
    CHECK(w.ask("/api/v1/why").body == "{\"error\":\"parameter pod: \\\"\\\" is not NAMESPACE/NAME\"}\n");
    CHECK(w.ask("/api/v1/why?pod=nlp/nobody").status == 404);
    CHECK(w.ask("/api/v1/nodes?x=1").status == 400);
    CHECK(w.ask("/api/v1/history?since=yesterday").body ==
          "{\"error\":\"parameter since: \\\"yesterday\\\" is no time such as 2026-11-29T12:00:00Z\"}\n");
    CHECK(w.ask("/").status == 200);
    const auto metrics = w.m->metrics().text();
    CHECK(metrics.find("gpu_scheduler_overcommit_total 0") != std::string::npos);
    CHECK(metrics.find(R"(gpu_scheduler_allocation_ratio{product=""} 1)") != std::string::npos);
    CHECK(body("/api/v1/tenants") == R"({"items":[]})");
}

TEST_CASE("program: changes come as events, and minutes as a past") {
    world w;
    w.add_node("n", 2, "r1");
    w.start();
    w.sim.run_for(2s);
    const auto came = w.events([&] { w.create(w.whole("vision", "train", 1)); });
    CHECK(came.starts_with("id: "));
    CHECK(came.find("event: nodes\n") < came.find("event: tenants\n"));
    CHECK(times(came, "event: node\n") == 1);
    const auto change = came.substr(came.find("event: node\n"));
    CHECK(change.find(R"("rack":"r1")") != std::string::npos);
    CHECK(change.find(R"("pods":["vision/train"])") != std::string::npos);
    CHECK(times(came, "event: pending\n") >= 2);
    // At rest nothing comes but minutes.
    const auto quiet = w.events([&] { w.sim.run_for(3min); });
    CHECK(times(quiet, "event: node\n") == 0);
    CHECK(times(quiet, "event: minute\n") == 3);
    const auto gone = w.events([&] { REQUIRE(w.server.api().remove({"", "nodes"}, {"", "n"}).has_value()); });
    CHECK(gone.find("event: gone\n") != std::string::npos);
    const auto past = std::string(w.ask("/api/v1/history").body);
    CHECK(past.find(R"({"tenants":["default"],"points":[[)") == 0);
    CHECK(past.find(",2,1,0,0,[1]]") != std::string::npos);
    CHECK(times(past, ",[") >= 4);
    const auto later = std::string(w.ask("/api/v1/history?since=2100-01-01T00:00:00Z").body);
    CHECK(later == R"({"tenants":["default"],"points":[]})");
    w.stop();
    CHECK(w.ask("/api/v1/nodes").status == 503);
}

TEST_CASE("program: a gang's wait and evictions are counted, by their reason") {
    world w;
    w.add_node("n", 4);
    w.add_tenant("vision", 2);
    w.add_tenant("nlp", 2);
    w.start();
    w.create(w.member("m0", "g", 2, 1, ""));
    w.sim.run_for(40s);
    w.create(w.member("m1", "g", 2, 1, ""));
    for (int i = 0; i < 2; ++i) w.create(w.whole("vision", "borrows" + std::to_string(i), 1));
    REQUIRE(w.until([&] { return w.running("vision") == 4; }));
    w.sim.run_for(1s);
    auto metrics = w.m->metrics().text();
    CHECK(metrics.find("gpu_scheduler_gang_wait_seconds_count 1") != std::string::npos);
    CHECK(metrics.find(R"(gpu_scheduler_gang_wait_seconds_bucket{le="16"} 0)") != std::string::npos);
    CHECK(metrics.find(R"(gpu_scheduler_gang_wait_seconds_bucket{le="64"} 1)") != std::string::npos);
    w.create(w.whole("nlp", "due", 1));
    REQUIRE(w.until([&] { return w.running("nlp") == 1; }));
    w.create(w.whole("nlp", "due-too", 1));
    w.create(w.whole("nlp", "important", 1, 10));
    REQUIRE(w.until([&] { return w.node_of("nlp", "important") == "n"; }));
    w.sim.run_for(1min);
    metrics = w.m->metrics().text();
    CHECK(metrics.find(R"(gpu_scheduler_preempted_pods_total{reason="quota"} 2)") != std::string::npos);
    CHECK(metrics.find("gpu_scheduler_overcommit_total 0") != std::string::npos);
}

TEST_CASE("program: when minRuntimeSeconds ends, pods that wait for it are tried") {
    world w;
    w.add_node("n", 2);
    w.create({{"apiVersion", "scheduling.kcontrol.dev/v1alpha1"},
              {"kind", "Tenant"},
              {"metadata", {{"name", "vision"}}},
              {"spec",
               {{"namespaces", json::array{"vision"}},
                {"quotas", json::array{json::object{{"product", "*"}, {"gpus", 0}}}},
                {"minRuntimeSeconds", 100}}}});
    w.add_tenant("nlp", 2);
    w.start();
    w.create(w.whole("vision", "borrows", 2));
    REQUIRE(w.until([&] { return w.running("vision") == 1; }));
    auto started = w.get("vision", "borrows");
    started.as_object()["status"] = {{"phase", "Running"}, {"startTime", format_time(w.sim.env().wall_now())}};
    REQUIRE(w.server.api().update_status(started).has_value());
    w.create(w.whole("nlp", "due", 2));
    w.sim.run_for(90s);
    CHECK(w.running("vision") == 1);
    REQUIRE(w.until([&] { return w.running("nlp") == 1; }, 20s));
}

TEST_CASE("program: what changes who may take places is tried at once") {
    world w;
    w.add_node("n", 3);
    for (const char* name : {"vision", "nlp", "speech"}) w.add_tenant(name, 0);
    w.create({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "speech"}}}});
    const auto edit = [&](const testing::group_resource& kind, const std::string& name, const auto& change) {
        auto object = w.server.api().get(kind, {"", name}).value();
        change(object);
        REQUIRE(w.server.api().update(object).has_value());
    };
    w.start();
    for (int i = 0; i < 3; ++i) w.create(w.whole("vision", "borrows-" + std::to_string(i), 1));
    REQUIRE(w.until([&] { return w.running("vision") == 3; }));
    w.create(w.whole("speech", "large", 3));  // one GPU is due to each of the three
    w.sim.run_for(5s);
    w.create(w.whole("nlp", "first", 1));
    REQUIRE(w.until([&] { return w.running("nlp") == 1; }));
    w.create(w.whole("nlp", "second", 1));
    w.sim.run_for(10min);  // flushes are no help
    REQUIRE(w.running("nlp") == 1);
    REQUIRE(w.condition("nlp", "second").find("Insufficient nvidia.com/gpu") != std::string::npos);
    SUBCASE("a quota is raised") {
        edit(all_tenants, "nlp",
             [](json::value& of) { of.at("spec").at("quotas").as_array()[0].as_object()["gpus"] = 2; });
    }
    SUBCASE("its namespace comes to a tenant with a quota") {
        edit(all_tenants, "nlp", [](json::value& of) { of.at("spec").as_object().erase("namespaces"); });
        w.add_tenant("research", 3);
        edit(all_tenants, "research", [](json::value& of) {
            of.at("spec").as_object().erase("namespaces");
            of.at("spec").as_object()["namespaceSelector"] = {{"matchLabels", {{"of", "research"}}}};
        });
        w.sim.run_for(1min);
        REQUIRE(w.running("nlp") == 1);
        edit({"", "namespaces"}, "nlp", [](json::value& of) {
            of.at("metadata").as_object()["labels"] = {{"of", "research"}};
        });
    }
    SUBCASE("another tenant's weight falls") {
        edit(all_tenants, "speech", [](json::value& of) { of.at("spec").as_object()["weight"] = 0; });
    }
    SUBCASE("quota is freed") {
        edit(all_tenants, "nlp",
             [](json::value& of) { of.at("spec").at("quotas").as_array()[0].as_object()["limit"] = 1; });
        w.sim.run_for(1min);
        REQUIRE(w.condition("nlp", "second").find("tenant nlp is at its limit of 1 GPU") != std::string::npos);
        REQUIRE(w.server.api().remove(all_pods, {"nlp", "first"}).has_value());
        REQUIRE(w.until([&] { return w.running("nlp") == 1 && !w.node_of("nlp", "second").empty(); }, 20s));
        return;
    }
    REQUIRE(w.until([&] { return w.running("nlp") == 2; }, 20s));
    CHECK(w.logged == "");
}

TEST_CASE("program: quantities of GPUs") {
    CHECK(gpu_scheduler::gpu_quantity(6000) == "6");
    CHECK(gpu_scheduler::gpu_quantity(250) == "250m");
    CHECK(gpu_scheduler::gpu_quantity(0) == "0");
}
