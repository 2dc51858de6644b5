// The GPUs of ResourceClaims: what a device is of a GPU, and what claims are for the sums of tenants and for nodes.
#include <kcontrol/codec/codec.hpp>

#include "board_world.hpp"
#include "claim_objects.hpp"
#include "plugins/gpu_plugin.hpp"
#include "plugins/registry.hpp"
#include "web/answers.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace gpu_scheduler;
using namespace gpu_scheduler::test;
using kcontrol::scheduling::pod_info;

namespace {

namespace core = kcontrol::api::core::v1;
namespace dra = kcontrol::api::resource::v1;

template <class T>
std::shared_ptr<const T> typed(const value& from) {
    auto read = kcontrol::from_json<T>(kcontrol::json::serialize(from));
    REQUIRE_MESSAGE(read.has_value(), read.error().what());
    return std::make_shared<const T>(std::move(*read));
}

class claims_world : public board_world {
public:
    claims_world() {
        known->follow(all);
        for (const char* type : {"gpu", "mig"}) all->set(typed<dra::device_class>(class_json(type)));
    }

    void add_sliced_node(const std::string& name, const std::vector<slice_device>& devices) {
        add_plain_node(name, 0, "", "NVIDIA-A100-SXM4-40GB");
        all->set(typed<dra::resource_slice>(slice_json(name, devices)));
    }
    // A version of a claim of namespace nlp: with these devices of the node, reserved for these pods.
    void set_claim(const std::string& name, const std::string& of_class, int count, const std::string& node = {},
                   const std::vector<std::string>& devices = {}, const std::vector<std::string>& pods = {}) {
        auto made = claim_json("nlp", name, of_class, count);
        auto& meta = made.at("metadata").as_object();
        meta["uid"] = "uid-claim-" + name;
        meta["resourceVersion"] = std::to_string(++version_);
        array users;
        for (const auto& each : pods) {
            users.push_back(value{{"resource", "pods"}, {"name", each}, {"uid", "uid-" + each}});
        }
        auto& status = made.as_object()["status"].emplace_object();
        if (!devices.empty()) status["allocation"] = allocation_json(node, devices);
        if (!users.empty()) status["reservedFor"] = users;
        all->set(typed<dra::resource_claim>(made));
    }
    std::shared_ptr<const dra::resource_claim> claim(const std::string& name) { return all->find_claim("nlp", name); }
    core::pod claiming(const std::string& name, const std::vector<std::string>& claims, const std::string& node = {}) {
        auto out = board_world::pod(name, {}, node);
        for (const auto& each : claims) {
            auto& made = out.spec.resource_claims.emplace_back();
            made.name = each;
            made.resource_claim_name = each;
        }
        return out;
    }
    void remove(const std::string& name) {
        known->remove_waiting("uid-" + name);
        cache.remove_pod("nlp", name, "uid-" + name);
    }
    // "GPU-n-0: a b; GPU-n-1: "
    std::string pods_of_gpus(const std::string& node) {
        refresh();
        const auto read = kcontrol::json::parse(node_json(*known->find(node), *known));
        std::string out;
        for (const auto& each : read->at("gpus").as_array()) {
            out += std::string(kcontrol::json::get_string(each, {"uuid"})) + ":";
            for (const auto& pod : each.at("pods").as_array()) out += " " + std::string(pod.as_string());
            out += "; ";
        }
        return out;
    }

    std::shared_ptr<kcontrol::scheduling::claim_catalog> all = make_claims();

private:
    int version_ = 0;
};

std::string pre_filter(claims_world& w, gpu_plugin::state& state, const pod_info& pod) {
    const gpu_plugin plugin(w.known, {}, nullptr);
    const auto said = plugin.pre_filter(state, pod, w.snapshot());
    return said.ok() ? "ok" : said.is_skip() ? "skip" : std::string(said.reason(0).view());
}

}  // namespace

TEST_CASE("gpu_claims: a device is the part of a GPU that its memory is") {
    struct row {
        const char* name;
        std::vector<slice_device> devices;  // the claim has the last one
        std::int64_t amount, memory;        // memory 0: all of it
        std::size_t gpus;
        const char* uuid;
    };
    const row rows[] = {
        {"a GPU", {{"gpu-0", "G"}}, 1000, 0, 1, "G"},
        {"a GPU with counters", {{"gpu-0", "G", 40, false, "set"}}, 1000, 0, 1, "G"},
        {"a part, by memory slices",
         {{"gpu-0", "G", 40, false, "set"}, {"mig-0", "G", 10, true, "set", 2}},
         250,
         10240,
         1,
         "G"},
        {"a part before its GPU, of two",
         {{"gpu-1", "H", 40, false, "other"}, {"gpu-0", "G", 40, false, "set"}, {"mig-0", "G", 20, true, "set", 4}},
         500,
         20480,
         2,
         "G"},
        {"a part without counters, by the memory of its GPU",
         {{"gpu-0", "G"}, {"mig-0", "G", 5, true}},
         125,
         5120,
         1,
         "G"},
        {"parts of a GPU that is not published, by their profile",
         {{"mig-1", "G", 5, true, "", 0, "1g.5gb"}, {"mig-0", "G", 20, true, "", 0, "3g.20gb"}},
         500,
         20480,
         1,
         "G"},
        {"the same without a profile", {{"mig-1", "G", 5, true}, {"mig-0", "G", 5, true}}, 1000, 5120, 1, "G"},
    };
    for (const auto& each : rows) {
        CAPTURE(each.name);
        claims_world w;
        w.add_sliced_node("n", each.devices);
        w.set_claim("c", "gpu", 1, "n", {each.devices.back().name});
        gpu_claims claims(w.all);
        const auto held = claims.held_by(w.claim("c"));
        CHECK(held.node == "n");
        CHECK(held.amount == each.amount);
        REQUIRE(held.devices.size() == 1);
        CHECK(held.devices[0].memory_mib == each.memory);
        const auto on = claims.on("n");
        REQUIRE(on.has_value());
        CHECK(on->source == device_source::claims);
        CHECK(on->product == "NVIDIA-A100-SXM4-40GB");
        CHECK(on->gpus.size() == each.gpus);
        CHECK(held.devices[0].uuid == each.uuid);
        CHECK(!claims.on("other").has_value());
    }
}

TEST_CASE("gpu_claims: what a claim takes, at least anywhere and at most on a node") {
    claims_world w;
    const slice_device whole{"gpu-0", "G", 40, false, "set"};
    w.add_sliced_node("a", {whole, {"mig-1", "G", 10, true, "set", 2}, {"mig-2", "G", 20, true, "set", 4}});
    w.add_sliced_node("b", test::whole_gpus("b", 4));
    struct row {
        const char* of_class;
        int count;
        std::int64_t least, on_a, on_b;
    };
    const row rows[] = {{"gpu", 1, 1000, 1000, 1000}, {"gpu", 3, 3000, 3000, 3000}, {"gpu", 0, 1000, 1000, 4000},
                        {"mig", 1, 250, 500, 0},      {"mig", 2, 500, 1000, 0},     {"none", 1, 0, 0, 0}};
    for (const auto& each : rows) {
        CAPTURE(each.of_class);
        CAPTURE(each.count);
        gpu_claims claims(w.all);
        const auto claim = typed<dra::resource_claim>(claim_json("nlp", "c", each.of_class, each.count));
        CHECK(claims.least(*claim) == each.least);
        CHECK(claims.most(*claim, "a") == each.on_a);
        CHECK(claims.most(*claim, "b") == each.on_b);
    }
    // Of alternatives, the smallest anywhere, and the largest on a node. Admin access takes nothing.
    auto made = claim_json("nlp", "c", "gpu", 1);
    auto& requests = made.at("spec").at("devices").at("requests").as_array();
    array ways;
    for (const auto& [name, type] : {std::pair("large", "gpu"), std::pair("small", "mig")}) {
        auto one = request_json(type, 1);
        one.as_object()["name"] = name;
        ways.push_back(one);
    }
    requests.push_back(value{{"name", "or"}, {"firstAvailable", ways}});
    auto admin = request_json("gpu", 1);
    admin.as_object()["adminAccess"] = true;
    requests.push_back(value{{"name", "admin"}, {"exactly", admin}});
    gpu_claims claims(w.all);
    const auto claim = typed<dra::resource_claim>(made);
    CHECK(claims.least(*claim) == 1250);
    CHECK(claims.most(*claim, "a") == 2000);
    CHECK(claims.most(*claim, "b") == 2000);
}

TEST_CASE("board: nodes, classes, claims, pods and tenants may come in any order") {
    std::vector<int> order{0, 1, 2, 3, 4};
    do {
        CAPTURE(order[0]);
        CAPTURE(order[1]);
        CAPTURE(order[2]);
        CAPTURE(order[3]);
        claims_world w;
        for (const int each : order) {
            switch (each) {
            case 0: w.add_sliced_node("n", test::whole_gpus("n", 4)); break;
            case 1: w.set_claim("held", "gpu", 2, "n", {"gpu-0", "gpu-1"}, {"holds", "too"}); break;
            case 2:
                for (const char* name : {"holds", "too"}) w.put(w.claiming(name, {"held"}, "n"));
                break;
            case 3:
                w.set_claim("wanted", "gpu", 1);
                for (const char* name : {"waits", "waits-too"}) w.put(w.claiming(name, {"wanted"}));
                break;
            default: w.set_tenant("*", 1);
            }
            w.refresh();
        }
        CHECK(w.sums("") == "2000 of 3000, 2");
        CHECK(w.pods_of_gpus("n") == "GPU-n-0: nlp/holds nlp/too; GPU-n-1: nlp/holds nlp/too; GPU-n-2:; GPU-n-3:; ");
    } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("board: a claim counts from its decision until its pods are gone; its GPUs are held until it has none") {
    claims_world w;
    w.add_sliced_node("n", test::whole_gpus("n", 2));
    w.set_tenant("NVIDIA-A100-SXM4-40GB", 1);
    w.set_claim("c", "gpu", 1);
    w.put(w.claiming("p", {"c"}));
    const auto sums = [&] { return w.sums(""); };
    const auto is_free = [&] { return w.at("n").ledger.is_free(0); };
    CHECK(sums() == "0 of 1000, 1");
    {
        // It is decided, and the API server has not shown it yet.
        dra::allocation_result given;
        auto& one = given.devices.results.emplace_back();
        one.driver = "gpu.nvidia.com";
        one.pool = "n";
        one.device = "gpu-0";
        const auto assumed = w.all->assume(w.claim("c"), given);
        CHECK(sums() == "0 of 0, 1");  // its pod is not there yet
        CHECK(!is_free());
    }
    CHECK(sums() == "0 of 1000, 1");
    CHECK(is_free());
    // It is written, and the pod is not bound: it counts for the pod that waits.
    w.set_claim("c", "gpu", 1, "n", {"gpu-0"}, {"p"});
    CHECK(sums() == "1000 of 1000, 1");
    CHECK(w.pods_of_gpus("n") == "GPU-n-0: nlp/p; GPU-n-1:; ");
    w.put(w.claiming("p", {"c"}, "n"));
    CHECK(sums() == "1000 of 1000, 0");
    CHECK(w.sums("NVIDIA-A100-SXM4-40GB") == "1000 of 1000, 0");
    CHECK(w.known->held_by("uid-p") == 1000);
    w.remove("p");
    CHECK(sums() == "0 of 0, 0");
    CHECK(!is_free());
    CHECK(w.pods_of_gpus("n") == "GPU-n-0:; GPU-n-1:; ");
    w.set_claim("c", "gpu", 1);
    CHECK(sums() == "0 of 0, 0");
    CHECK(is_free());
    w.all->remove(*w.claim("c"));
    CHECK(sums() == "0 of 0, 0");
}

TEST_CASE("board: extended resources that a class stands for count by the claim that is made for them") {
    using kcontrol::scheduling::extended_claim;
    const std::string resource = "nvidia.com/gpu";
    bool is_other = false;
    SUBCASE("GPUs by their own name") {}
    SUBCASE("another name") { is_other = true; }
    const std::string name = is_other ? "example.com/gpu" : resource;
    claims_world w;
    w.set_tenant("*", 1);
    const auto pod = [&](const std::string& node = {}) {
        auto made = claims_world::pod("p", {}, node);
        made.spec.containers.begin()->resources.requests[name] = "1";
        return made;
    };
    const auto sums = [&] { return w.sums(""); };
    w.add_sliced_node("n", test::whole_gpus("n", 2));
    w.put(pod());
    CHECK(sums() == (is_other ? "0 of 0, 0" : "0 of 1000, 1"));
    w.all->set(typed<dra::device_class>(class_json("gpu", name)));  // the class comes after the pod
    CHECK(sums() == "0 of 1000, 1");
    const auto draft = extended_claim::of(pod(), [&](auto of) { return w.all->find_class_for(of); });
    REQUIRE(draft != nullptr);
    dra::allocation_result given;
    auto& one = given.devices.results.emplace_back();
    one.request = "container-0-request-0";
    one.driver = "gpu.nvidia.com";
    one.pool = "n";
    one.device = "gpu-0";
    auto assumed = w.all->assume(draft->object, given);
    w.put(pod("n"));
    CHECK(sums() == "1000 of 1000, 0");
    CHECK(w.pods_of_gpus("n") == "GPU-n-0: nlp/p; GPU-n-1:; ");
    CHECK(w.at("n").ledger.unknown() == 0);
    CHECK(!w.at("n").ledger.is_free(0));
    CHECK(w.at("n").ledger.is_free(1));
    // The claim is made: it counts instead of what was decided.
    auto made = *draft->object;
    made.metadata.name = "p-extended-resources-1";
    made.metadata.uid = "uid-made";
    made.metadata.resource_version = "9";
    w.all->set(std::make_shared<const dra::resource_claim>(made));
    auto again = w.all->assume(w.claim("p-extended-resources-1"), given);
    assumed.reset();
    CHECK(sums() == "1000 of 1000, 0");
    made.status.allocation.edit() = given;
    made.metadata.resource_version = "10";
    w.all->set(std::make_shared<const dra::resource_claim>(made));
    again.reset();
    CHECK(sums() == "1000 of 1000, 0");
    CHECK(w.known->held_by("uid-p") == 1000);
    CHECK(w.pods_of_gpus("n") == "GPU-n-0: nlp/p; GPU-n-1:; ");
    w.remove("p");
    CHECK(sums() == "0 of 0, 0");
    CHECK(!w.at("n").ledger.is_free(0));
    w.all->remove(*w.claim("p-extended-resources-1"));
    CHECK(sums() == "0 of 0, 0");
    CHECK(w.at("n").ledger.is_free(0));
}

TEST_CASE("gpu_plugin: a node with slices takes a pod where classes stand for all GPUs that it requests") {
    claims_world w;
    w.add_sliced_node("sliced", test::whole_gpus("sliced", 4));
    w.add_plain_node("both", 2);
    w.all->set(typed<dra::resource_slice>(slice_json("both", test::whole_gpus("both", 2))));
    const auto said = [&](const board_world::amounts& limits, const std::string& node) {
        auto made = claims_world::pod("p", limits);
        auto& resources = made.spec.containers.begin()->resources;
        for (const auto& [key, amount] : limits) resources.requests[key] = amount;
        const pod_info pod(std::make_shared<const core::pod>(std::move(made)));
        const gpu_plugin plugin(w.known, {}, nullptr);
        gpu_plugin::state state;
        const auto first = plugin.pre_filter(state, pod, w.snapshot());
        if (!first.ok()) return first.is_skip() ? std::string("skip") : std::string(first.reason(0).view());
        const auto answer = plugin.filter(state, pod, *w.snapshot().find(node));
        return answer.ok() ? std::string("ok") : std::string(answer.reason(0).view());
    };
    const board_world::amounts gpus{{"nvidia.com/gpu", "2"}}, slice{{"nvidia.com/mig-1g.5gb", "1"}},
        share{{"nvidia.com/gpu", "1"}, {"nvidia.com/gpumem", "1000"}};
    const std::string alone = "node(s) give their GPUs to ResourceClaims alone";
    const std::string no_slices = "nvidia.com/mig-1g.5gb: no GPU of this cluster has such slices";
    CHECK(said(gpus, "sliced") == alone);
    CHECK(said(slice, "sliced") == no_slices);
    w.all->set(typed<dra::device_class>(class_json("gpu", "nvidia.com/gpu")));
    CHECK(said(gpus, "sliced") == "ok");
    CHECK(said(gpus, "both") == alone);  // a device plugin has them, too: the slices decide
    CHECK(said(share, "sliced") == alone);
    CHECK(said(slice, "sliced") == no_slices);
    w.all->set(typed<dra::device_class>(class_json("mig", "nvidia.com/mig-1g.5gb")));
    CHECK(said(slice, "sliced") == "ok");
    // A limit counts the devices of the class.
    w.set_tenant("*", 1, 1);
    CHECK(said(gpus, "sliced") == "tenant nlp is at its limit of 1 GPU");
    CHECK(said({{"nvidia.com/gpu", "1"}}, "sliced") == "ok");
    w.all->set(typed<dra::device_class>(class_json("gpu", "example.com/gpu")));
    CHECK(said({{"example.com/gpu", "1"}}, "sliced") == "ok");
    CHECK(said({{"example.com/gpu", "2"}}, "sliced") == "tenant nlp is at its limit of 1 GPU");
}

TEST_CASE("board: slices that change, and claims of devices that are not published") {
    claims_world w;
    w.add_sliced_node("n", test::whole_gpus("n", 2));
    w.set_tenant("*", 1);
    w.set_claim("c", "gpu", 2, "n", {"gpu-0", "gpu-1"}, {"p"});
    w.put(w.claiming("p", {"c"}, "n"));
    CHECK(w.sums("") == "2000 of 2000, 0");
    CHECK(w.known->find("n")->capacity() == 2000);
    // The pool gets a new generation, and for a while not all of it is there: the node is known by the allocation, and
    // each device counts as a GPU.
    auto next = slice_json("n", {{"gpu-0", "GPU-n-0", 40, false, "set"}, {"gpu-1", "GPU-n-0", 10, true, "set", 2}});
    auto& pool = next.at("spec").at("pool").as_object();
    pool["generation"] = 2;
    pool["resourceSliceCount"] = 2;
    w.all->set(typed<dra::resource_slice>(next));
    CHECK(w.sums("") == "2000 of 2000, 0");
    CHECK(w.known->find("n")->capacity() == 0);
    pool["resourceSliceCount"] = 1;
    w.all->set(typed<dra::resource_slice>(next));
    CHECK(w.sums("") == "1250 of 1250, 0");
    CHECK(w.known->find("n")->capacity() == 1000);
    w.all->remove(*typed<dra::resource_slice>(next));
    CHECK(w.sums("") == "2000 of 2000, 0");
    CHECK(w.known->find("n")->ledger.devices().source == device_source::none);
}

TEST_CASE("gpu_plugin: a tenant over its limit by claims is told so before any node") {
    claims_world w;
    const slice_device whole{"gpu-0", "G", 40, false, "set"};
    w.add_sliced_node("n", test::whole_gpus("n", 4));
    w.add_sliced_node("parts", {whole, {"mig-1", "G", 10, true, "set", 2}, {"mig-2", "G", 20, true, "set", 4}});
    w.set_claim("held", "gpu", 1, "n", {"gpu-0"}, {"holds"});
    w.put(w.claiming("holds", {"held"}, "n"));
    w.set_tenant("*", 0, 2);
    const std::string over = "tenant nlp is at its limit of 2 GPUs";
    const auto said = [&](int count, const std::string& of_class = "gpu") {
        w.set_claim("c", of_class, count);
        gpu_plugin::state state;
        const auto waits = w.put(w.claiming("waits", {"c"}));
        return pre_filter(w, state, pod_info(waits));
    };
    CHECK(said(1) == "ok");
    CHECK(said(2) == over);
    CHECK(said(4, "mig") == "ok");  // the smallest ones: a quarter each
    CHECK(said(5, "mig") == over);
    // Of the node's devices it may get the largest ones.
    gpu_plugin plugin(w.known, {}, nullptr);
    w.set_claim("c", "mig", 3);
    gpu_plugin::state state;
    const pod_info waits(w.put(w.claiming("waits", {"c"})));
    const auto& nodes = w.snapshot();
    REQUIRE(plugin.pre_filter(state, waits, nodes).ok());
    const auto parts = plugin.filter(state, waits, *nodes.find("parts"));
    REQUIRE(!parts.ok());
    CHECK(parts.reason(0).view() == over);
    CHECK(plugin.filter(state, waits, *nodes.find("n")).ok());  // it gets none there, which is no matter of limits
    // One that it shares, and one without GPUs, take nothing more.
    for (const char* name : {"held", "c"}) {
        w.set_claim("c", "none", 1);
        const pod_info shares(w.put(w.claiming("shares", {name})));
        CHECK(pre_filter(w, state, shares) == "skip");
    }
    // A pod with whole GPUs does not get those of claims.
    w.set_tenant("*", 0);
    const pod_info wants(w.put(board_world::pod("whole", {{"nvidia.com/gpu", "1"}})));
    const auto& again = w.snapshot();
    REQUIRE(plugin.pre_filter(state, wants, again).ok());
    CHECK(plugin.filter(state, wants, *again.find("n")).reason(0).view() ==
          "node(s) give their GPUs to ResourceClaims alone");
}

TEST_CASE("gpu_plugin: in a trial, the last pod of a claim that goes gives the limit back") {
    claims_world w;
    w.add_sliced_node("n", test::whole_gpus("n", 4));
    w.set_claim("held", "gpu", 2, "n", {"gpu-0", "gpu-1"}, {"a", "b"});
    w.set_claim("c", "gpu", 2);
    w.set_tenant("*", 0, 2);
    const pod_info a(w.put(w.claiming("a", {"held"}, "n"))), b(w.put(w.claiming("b", {"held"}, "n")));
    const pod_info next(w.put(w.claiming("next", {"c"})));
    const gpu_plugin plugin(w.known, {}, nullptr);
    gpu_plugin::state state;
    const auto& nodes = w.snapshot();
    CHECK(!plugin.pre_filter(state, next, nodes).ok());
    const auto& n = *nodes.find("n");
    const auto fits = [&] { return plugin.filter(state, next, n).ok(); };
    CHECK(!fits());
    plugin.remove_pod(state, next, a, n);
    CHECK(!fits());
    plugin.remove_pod(state, next, b, n);
    CHECK(fits());
    plugin.add_pod(state, next, a, n);
    CHECK(!fits());
    plugin.add_pod(state, next, b, n);
    plugin.remove_pod(state, next, b, n);
    CHECK(!fits());
}

TEST_CASE("gpu_plugin: claims wake pods when devices become free") {
    const auto version = [](bool has_devices) {
        auto made = claim_json("nlp", "c", "gpu", 1);
        if (has_devices) made.as_object()["status"] = {{"allocation", allocation_json("n", {"gpu-0"})}};
        return kcontrol::any_object(typed<dra::resource_claim>(made));
    };
    const pod_info waits(std::make_shared<core::pod>());
    const auto helps = [&](kcontrol::any_object before, kcontrol::any_object after) {
        using kcontrol::scheduling::interned_name;
        return gpu_plugin::may_help(
            waits, {{interned_name("resource.k8s.io/ResourceClaim")}, std::move(before), std::move(after)});
    };
    CHECK(helps(version(true), version(false)));
    CHECK(helps(version(true), {}));
    CHECK(helps({}, {}));
    CHECK(!helps(version(false), version(true)));
    CHECK(!helps(version(false), {}));
    CHECK(!helps({}, version(true)));
}
