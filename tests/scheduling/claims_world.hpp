// A cluster with ResourceClaims at the in-process API server in virtual time, and schedulers that decide about them.
#pragma once

#include <kcontrol/documents/value.hpp>
#include <kcontrol/scheduling/claim_catalog.hpp>
#include <kcontrol/scheduling/scheduler.hpp>
#include <kcontrol/testing/fake_cluster.hpp>
#include <kcontrol/testing/sim_world.hpp>

#include "scheduling/claim_checker.hpp"
#include "scheduling/objects.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace kcontrol::test {

inline const testing::group_resource all_claims{"resource.k8s.io", "resourceclaims"};
inline const testing::group_resource pods_of_all{"", "pods"};

// "half" selects parts of GPUs; "bad" fails.
inline result<bool> half_or_not(const scheduling::device_inventory::known_device& of, std::string_view expression) {
    if (expression == "bad") return error(errc::invalid_argument, "no such key: y");
    return of.id.name.starts_with("half") == (expression == "half");
}

// Two GPUs; the second one whole, or in halves.
inline json::value slice_json(const std::string& node) {
    const auto device = [](const char* name, int amount) {
        json::value out{{"name", name}};
        if (amount == 0) return out;
        out.as_object()["consumesCounters"] = json::array{
            json::value{{"counterSet", "gpu-1"}, {"counters", {{"memory", {{"value", std::to_string(amount)}}}}}}};
        return out;
    };
    const json::array devices{device("gpu-0", 0), device("gpu-1", 2), device("half-0", 1), device("half-1", 1)};
    const json::array counters{json::value{{"name", "gpu-1"}, {"counters", {{"memory", {{"value", "2"}}}}}}};
    return {{"apiVersion", "resource.k8s.io/v1"},
            {"kind", "ResourceSlice"},
            {"metadata", {{"name", node}}},
            {"spec",
             {{"driver", "gpu.example"},
              {"nodeName", node},
              {"pool", {{"name", node}, {"generation", 1}, {"resourceSliceCount", 1}}},
              {"devices", devices},
              {"sharedCounters", counters}}}};
}
inline json::value class_json(const std::string& name, const std::string& expression) {
    return {{"apiVersion", "resource.k8s.io/v1"},
            {"kind", "DeviceClass"},
            {"metadata", {{"name", name}}},
            {"spec", {{"selectors", json::array{json::value{{"cel", {{"expression", expression}}}}}}}}};
}
inline json::value claim_json(const std::string& name, const std::string& of_class, int count) {
    const json::value exactly{{"deviceClassName", of_class}, {"allocationMode", "ExactCount"}, {"count", count}};
    return {{"apiVersion", "resource.k8s.io/v1"},
            {"kind", "ResourceClaim"},
            {"metadata", {{"name", name}, {"namespace", "default"}}},
            {"spec", {{"devices", {{"requests", json::array{json::value{{"name", "r"}, {"exactly", exactly}}}}}}}}};
}
inline json::value pod_json_of(const std::string& name, const std::string& claim,
                               const std::string& scheduler = "ours") {
    return {{"apiVersion", "v1"},
            {"kind", "Pod"},
            {"metadata", {{"name", name}, {"namespace", "default"}}},
            {"spec",
             {{"schedulerName", scheduler},
              {"terminationGracePeriodSeconds", 0},
              {"resourceClaims", json::array{json::value{{"name", "c"}, {"resourceClaimName", claim}}}},
              {"containers", json::array{json::value{{"name", "c"}, {"image", "i:1"}}}}}}};
}

/// One that requests GPUs of the class as an extended resource.
inline json::value extended_pod_json(const std::string& name, int gpus) {
    const json::value amounts{{"example.com/gpu", std::to_string(gpus)}};
    return {{"apiVersion", "v1"},
            {"kind", "Pod"},
            {"metadata", {{"name", name}, {"namespace", "default"}}},
            {"spec",
             {{"schedulerName", "ours"},
              {"terminationGracePeriodSeconds", 0},
              {"containers",
               json::array{json::value{
                   {"name", "c"}, {"image", "i:1"}, {"resources", {{"requests", amounts}, {"limits", amounts}}}}}}}}};
}

template <class T>
std::shared_ptr<const T> typed(const json::value& from) {
    return object_of<T>(json::serialize(from));
}

class claims_world {
public:
    explicit claims_world(std::uint64_t seed = 1, int nodes = 2) : sim(seed), random_(seed) {
        for (int i = 0; i < nodes; ++i) {
            const auto name = "n" + std::to_string(i);
            const json::value amounts{{"cpu", "64"}, {"memory", "64Gi"}, {"pods", "100"}};
            create({{"apiVersion", "v1"},
                    {"kind", "Node"},
                    {"metadata", {{"name", name}}},
                    {"status", {{"allocatable", amounts}, {"capacity", amounts}}}});
            create(slice_json(name));
        }
        auto gpu = class_json("gpu", "whole");
        gpu.at("spec").as_object()["extendedResourceName"] = "example.com/gpu";
        create(gpu);
        create(class_json("half", "half"));
        create(class_json("bad", "bad"));
        watch_ = server.api().on_change(
            [this](const testing::resource_type& type, testing::change what, const json::value& object) {
                checker.changed(type.plural, what == testing::change::deleted, object);
            });
    }
    ~claims_world() {
        for (auto& each : running_) sim.run(each->m->stop());
    }

    void start(const std::string& name = "ours") {
        auto& made = running_.emplace_back(std::make_unique<program>());
        made->m.emplace(sim.env(), sim.get_executor(), sim.connect(server.config("token")).value(), manager_options());
        scheduling::scheduler_options how(name);
        made->known = std::make_shared<scheduling::claim_catalog>(&half_or_not);
        how.claims(made->known);
        REQUIRE(scheduling::scheduler::add_to(*made->m, how).has_value());
        made->m->start();
    }
    // As if it were killed: what was sent may still arrive.
    void restart() {
        for (auto& each : running_) sim.run(each->m->stop());
        running_.clear();
        start();
    }
    json::value create(json::value object) {
        auto made = server.api().create(std::move(object));
        REQUIRE_MESSAGE(made.has_value(), made.error().what());
        return *made;
    }
    void claim(const std::string& name, const std::string& of_class, int count = 1) {
        create(claim_json(name, of_class, count));
    }
    void pod(const std::string& name, const std::string& of_claim, const std::string& scheduler = "ours") {
        create(pod_json_of(name, of_claim, scheduler));
    }
    void extended_pod(const std::string& name, int gpus = 1) { create(extended_pod_json(name, gpus)); }
    /// The claims that were made for the extended resources of a pod.
    std::vector<json::value> made_for(const std::string& pod) {
        std::vector<json::value> out;
        const auto uid = std::string(json::get_string(get(pods_of_all, pod), {"metadata", "uid"}));
        for (const auto& each : server.api().list(all_claims)) {
            if (claim_checker::pod_of_extended(each) == uid) out.push_back(each);
        }
        return out;
    }
    json::value get(const testing::group_resource& kind, const std::string& name) {
        auto found = server.api().get(kind, {"default", name});
        return found ? *found : json::value(json::object());
    }
    std::string node_of(const std::string& name) {
        return std::string(json::get_string(get(pods_of_all, name), {"spec", "nodeName"}));
    }
    std::string message(const std::string& name) {
        const auto found = get(pods_of_all, name);
        const auto* all = json::find(found, {"status", "conditions"});
        return all == nullptr ? "" : std::string(json::get_string(all->as_array().front(), {"message"}));
    }
    // "n0/gpu-0 n0/gpu-1 for p, q"
    std::string allocated(const std::string& name) {
        const auto found = get(all_claims, name);
        std::string out;
        if (const auto* results = json::find(found, {"status", "allocation", "devices", "results"})) {
            for (const auto& each : results->as_array()) {
                out += (out.empty() ? "" : " ") + std::string(json::get_string(each, {"pool"})) + "/" +
                       std::string(json::get_string(each, {"device"}));
            }
        }
        if (const auto* users = json::find(found, {"status", "reservedFor"})) {
            for (const auto& each : users->as_array()) out += " for " + std::string(json::get_string(each, {"name"}));
        }
        return out;
    }
    bool until(const std::function<bool()>& done, duration limit = std::chrono::seconds(60)) {
        return sim.run_until(done, limit);
    }

    std::vector<std::string> pods(bool are_bound) {
        std::vector<std::string> out;
        for (const auto& each : server.api().list(pods_of_all)) {
            if (json::get_string(each, {"spec", "nodeName"}).empty() == are_bound) continue;
            out.emplace_back(json::get_string(each, {"metadata", "name"}));
        }
        return out;
    }
    void remove_pod(const std::string& name) { REQUIRE(server.api().remove(pods_of_all, {"default", name})); }
    // What the resourceclaim controller does: reservations of pods that are gone, and then the allocation; claims that
    // were made for such pods go.
    void free_claims() {
        std::set<std::string> uids;
        for (const auto& each : server.api().list(pods_of_all)) {
            uids.emplace(json::get_string(each, {"metadata", "uid"}));
        }
        for (auto each : server.api().list(all_claims)) {
            const auto owner = claim_checker::pod_of_extended(each);
            if (!owner.empty() && !uids.contains(owner)) {
                const namespaced_name key{"default", std::string(json::get_string(each, {"metadata", "name"}))};
                REQUIRE(server.api().patch(all_claims, key, {{"metadata", {{"finalizers", nullptr}}}}));
                static_cast<void>(server.api().remove(all_claims, key));  // it may be leaving already
                continue;
            }
            const auto* users = json::find(each, {"status", "reservedFor"});
            if (users == nullptr) continue;
            json::array rest;
            for (const auto& one : users->as_array()) {
                if (uids.contains(std::string(json::get_string(one, {"uid"})))) rest.push_back(one);
            }
            if (rest.size() == users->as_array().size()) continue;
            auto& status = each.at("status").as_object();
            if (rest.empty()) status.erase("allocation");
            status["reservedFor"] = std::move(rest);
            REQUIRE(server.api().update_status(each));
        }
    }
    std::uint64_t below(std::uint64_t n) { return random_() % n; }
    // So many of a hundred writes are lost, refused, or carried out without an answer.
    void set_faults(std::uint64_t percent) {
        server.api().set_faults([this, percent](const http::server_request& asked) {
            testing::fault out;
            if (asked.method == "GET" || asked.target.find("/events") != std::string::npos) return out;
            if (below(4) == 0) out.delay(std::chrono::milliseconds(below(2000)));
            if (below(100) >= percent) return out;
            switch (below(3)) {
            case 0: return out.drop();
            case 1: return out.drop_response();
            default: return out.status(500, "InternalError", "lost");
            }
        });
    }

    testing::sim_world sim;
    testing::sim_server& server = sim.add_server("a");
    claim_checker checker;

private:
    struct program {
        std::optional<manager> m;
        std::shared_ptr<scheduling::claim_catalog> known;
    };
    std::mt19937_64 random_;
    std::vector<std::unique_ptr<program>> running_;
    std::shared_ptr<void> watch_;
};

}  // namespace kcontrol::test
