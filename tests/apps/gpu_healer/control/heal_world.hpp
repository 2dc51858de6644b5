// The healer in a simulated cluster, where the test is the labeler, the kubelet, a person, and what repairs nodes.
#pragma once

#include <kcontrol/codec/codec.hpp>
#include <kcontrol/testing/sim_world.hpp>

#include "control/healer.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace gpu_healer::tests {

using namespace std::chrono_literals;

inline const testing::group_resource nodes_id{"", "nodes"}, pods_id{"", "pods"};
inline const testing::group_resource policies_id{"healing.kcontrol.dev", "healingpolicies"};
inline const testing::group_resource repairs_id{"healing.kcontrol.dev", "noderepairs"};

/// Steps that the test scripts: what `begin` and `ask` say. It remembers each token, as a server of repairs does.
class scripted_steps final : public step_runner {
public:
    awaitable<step_outcome> begin(step_request what, std::stop_token) override {
        ++begun[what.token];
        last = what;
        co_return outcome ? outcome(what) : step_outcome(step_outcome::state::succeeded, "done");
    }
    awaitable<step_outcome> ask(step_request what, std::stop_token) override {
        if (!begun.contains(what.token)) {
            step_outcome out(step_outcome::state::absent);
            out.again = std::chrono::seconds(1);
            co_return out;
        }
        co_return outcome ? outcome(what) : step_outcome(step_outcome::state::succeeded, "done");
    }
    std::function<step_outcome(const step_request&)> outcome;
    std::map<std::string, int> begun;  // by token
    step_request last;
};

class heal_world {
public:
    heal_world() : server(world.add_server("cluster", testing::api_server_options().default_and_validate(true))) {
        world.register_resource(testing::resource_type_of(resource_of<healing_policy>()));
        world.register_resource(testing::resource_type_of(resource_of<node_repair>()));
        start();
    }
    ~heal_world() { stop(); }

    void start() {
        m = std::make_unique<manager>(world.env(), world.get_executor(), world.connect(server), watched());
        REQUIRE(set_up(*m, steps));
        m->start();
    }
    void stop() {
        if (m) world.run(m->stop());
        m.reset();
    }
    void settle(duration d = 2s) { world.run_for(d); }

    void add_nodes(int n) {
        for (int i = 0; i < n; ++i) add_node("n" + std::to_string(i));
    }
    void add_node(const std::string& name) {
        (void)server.api()
            .create({{"apiVersion", "v1"},
                     {"kind", "Node"},
                     {"metadata", {{"name", name}, {"labels", {{"gpu", "true"}}}}},
                     {"spec", json::object{}}})
            .value();
        set_health(name, "True", "AllHealthy");
    }
    /// A policy of all nodes with one step; `more` is merged into its spec.
    void add_policy(const json::object& more = {}, const std::string& name = "gpus") {
        const json::object step{{"name", "reset"}, {"webhook", {{"url", "http://hook/{node}"}}}};
        json::object spec{{"nodeSelector", {{"matchLabels", {{"gpu", "true"}}}}},
                          {"repairs", {{{"name", "all"}, {"steps", json::array{step}}}}}};
        for (const auto& [key, value] : more) spec[key] = value;
        (void)server.api()
            .create({{"apiVersion", "healing.kcontrol.dev/v1alpha1"},
                     {"kind", "HealingPolicy"},
                     {"metadata", {{"name", name}}},
                     {"spec", spec}})
            .value();
        settle();
    }
    void edit_policy(const json::object& change, const std::string& name = "gpus") {
        (void)server.api().patch(policies_id, {"", name}, {{"spec", change}}).value();
        settle();
    }

    /// The labeler's condition; Ready is as `ready` says.
    void set_health(const std::string& name, const std::string& status, const std::string& reason, bool ready = true) {
        const std::string now = format_time(world.env().wall_now());
        const std::string words = "GPU-11111111-2222-3333-4444-555555555555: " + reason;
        auto& since = ready_since_[name];
        if (since.empty() || ready_[name] != ready) since = now;
        ready_[name] = ready;
        json::array conditions{
            {{"type", "Ready"}, {"status", ready ? "True" : "False"}, {"lastTransitionTime", since}}};
        if (!status.empty())
            conditions.push_back({{"type", "kcontrol.dev/GPUHealthy"},
                                  {"status", status},
                                  {"reason", reason},
                                  {"message", words},
                                  {"lastTransitionTime", now}});
        (void)server.api().patch(nodes_id, {"", name}, {{"status", {{"conditions", conditions}}}}, "status").value();
    }
    void fail(const std::string& name) { set_health(name, "False", "GPUFailed"); }
    void heal(const std::string& name) { set_health(name, "True", "AllHealthy"); }
    void edit_node(const std::string& name, const json::object& change) {
        (void)server.api().patch(nodes_id, {"", name}, change).value();
    }
    void annotate_node(const std::string& name, std::string_view key, const json::value& value) {
        edit_node(name, {{"metadata", {{"annotations", json::object{{key, value}}}}}});
    }

    std::vector<node_repair> repairs(const std::string& node = {}) {
        std::vector<node_repair> out;
        for (const auto& each : server.api().list(repairs_id)) {
            auto read = from_json<node_repair>(json::serialize(each)).value();
            if (node.empty() || read.spec.node == node) out.push_back(std::move(read));
        }
        return out;
    }
    /// "Verifying" or "Cancelled TaintRemoved" of the node's last case; "none".
    std::string phase(const std::string& node) {
        std::string out = "none";
        timestamp newest;
        for (const auto& each : repairs(node)) {
            if (out != "none" && each.metadata.creation_timestamp < newest) continue;
            newest = each.metadata.creation_timestamp;
            out = each.status.phase.str() + (each.status.reason.empty() ? "" : " " + each.status.reason.str());
        }
        return out;
    }
    /// "kcontrol.dev/gpu-unhealthy=GPUFailed:NoSchedule", several with ','.
    std::string taints(const std::string& node) {
        std::string out;
        const auto found = server.api().get(nodes_id, {"", node}).value();
        const auto* all = json::find(found, {"spec", "taints"});
        if (all == nullptr) return out;
        for (const auto& each : all->as_array())
            out += (out.empty() ? "" : ",") + std::string(json::get_string(each, {"key"})) + "=" +
                   std::string(json::get_string(each, {"value"})) + ":" +
                   std::string(json::get_string(each, {"effect"}));
        return out;
    }
    int tainted() {
        int out = 0;
        for (const auto& each : server.api().list(nodes_id)) {
            const auto* all = json::find(each, {"spec", "taints"});
            out += all != nullptr && !all->as_array().empty() ? 1 : 0;
        }
        return out;
    }
    std::string annotation(const std::string& node, std::string_view key) {
        const auto found = server.api().get(nodes_id, {"", node}).value();
        return std::string(json::get_string(found, {"metadata", "annotations", std::string(key)}));
    }
    std::string condition(const char* type, const std::string& policy = "gpus") {
        const auto found =
            from_json<healing_policy>(json::serialize(server.api().get(policies_id, {"", policy}).value()));
        const auto* said = find_condition(found.value().status.conditions, type);
        return said == nullptr ? "none" : said->status.str() + " " + said->message.str();
    }
    std::size_t events(std::string_view reason, std::string_view kind = {}) {
        std::size_t out = 0;
        for (const auto& each : server.api().list({"events.k8s.io", "events"})) {
            const bool about = kind.empty() || json::get_string(each, {"regarding", "kind"}) == kind;
            if (about && json::get_string(each, {"reason"}) == reason) ++out;
        }
        return out;
    }
    std::size_t writes() {
        std::size_t out = 0;
        for (const char* verb : {"create", "update", "patch", "delete"}) {
            out += server.api().request_log().count(verb);
        }
        return out;
    }
    void add_pod(const std::string& name, const std::string& node, const json::object& labels = {}) {
        const json::object limits{{"nvidia.com/gpu", "1"}};
        (void)server.api()
            .create(
                {{"apiVersion", "v1"},
                 {"kind", "Pod"},
                 {"metadata", {{"name", name}, {"namespace", "default"}, {"labels", labels}}},
                 {"spec",
                  {{"nodeName", node},
                   {"containers", {{{"name", "train"}, {"image", "train:1"}, {"resources", {{"limits", limits}}}}}}}}})
            .value();
    }

    /// The kubelet's part: pods that are being deleted end. How many.
    int end_pods() {
        int out = 0;
        for (const auto& pod : server.api().list(pods_id)) {
            if (json::find(pod, {"metadata", "deletionTimestamp"}) == nullptr) continue;
            client kubelet = world.connect(server);
            const namespaced_name key("default", std::string(json::get_string(pod, {"metadata", "name"})));
            REQUIRE(world.run(kubelet.delete_<drained_pod>(key, delete_options().grace_period(0s))));
            ++out;
        }
        return out;
    }

    std::shared_ptr<scripted_steps> steps = std::make_shared<scripted_steps>();
    testing::sim_world world;
    testing::sim_server& server;
    std::unique_ptr<manager> m;

private:
    std::map<std::string, std::string> ready_since_;
    std::map<std::string, bool> ready_;
};

}  // namespace gpu_healer::tests
