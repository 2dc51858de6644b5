// The whole operator in a simulated cluster, where the test is scheduler and kubelet.
#pragma once

#include <kcontrol/codec/codec.hpp>
#include <kcontrol/testing/sim_world.hpp>

#include "control/job_control.hpp"
#include "job/names.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>

namespace training_operator::tests {

using namespace std::chrono_literals;

inline const testing::group_resource pods_id{"", "pods"};
inline const testing::group_resource jobs_id{"ai.kcontrol.dev", "trainingjobs"};

class operator_world {
public:
    explicit operator_world(testing::api_server_options options = testing::api_server_options().collect_garbage(true))
        : server(world.add_server("cluster", options)) {
        world.register_resource(testing::resource_type_of(resource_of<training_job>()));
        add_node("n0");
        start();
    }
    ~operator_world() { stop(); }

    void start() {
        m = std::make_unique<manager>(world.env(), world.get_executor(), world.connect(server), watched());
        REQUIRE(set_up(*m, world.network().factory()));
        m->start();
    }
    void stop() {
        if (m) world.run(m->stop());
        m.reset();
    }
    void restart() { stop(), start(); }
    void settle(duration d = 3s) { world.run_for(d); }

    void add_node(const std::string& name) {
        (void)server.api().create({{"apiVersion", "v1"}, {"kind", "Node"}, {"metadata", {{"name", name}}}}).value();
        set_ready(name, "True");
    }
    void set_ready(const std::string& node, const std::string& status) {
        const json::value condition{{"type", "Ready"}, {"status", status}, {"lastTransitionTime", now()}};
        (void)server.api()
            .patch({"", "nodes"}, {"", node}, {{"status", {{"conditions", json::array{condition}}}}}, "status")
            .value();
    }
    std::string now() { return format_time(world.env().wall_now()); }

    /// A job "bert" of two ranks; `more` is merged into its spec.
    void add_job(const json::object& more = {}, const std::string& name = "bert") {
        json::object spec{{"workers", 2},
                          {"template", {{"spec", {{"containers", {{{"name", "trainer"}, {"image", "bert:1"}}}}}}}}};
        for (const auto& [key, value] : more) spec[key] = value;
        (void)server.api()
            .create({{"apiVersion", "ai.kcontrol.dev/v1alpha1"},
                     {"kind", "TrainingJob"},
                     {"metadata", {{"name", name}, {"labels", job_labels}}},
                     {"spec", spec}})
            .value();
        settle();
    }
    /// Of the jobs that add_job() makes.
    json::object job_labels;
    static json::object queue() { return {{"kueue.x-k8s.io/queue-name", "team-a"}}; }
    /// What Kueue does when it admits a group of pods: the gates of all of them go.
    void admit() {
        for (const auto& pod : server.api().list(pods_id)) {
            const namespaced_name key("default", std::string(json::get_string(pod, {"metadata", "name"})));
            (void)server.api().patch(pods_id, key, {{"spec", {{"schedulingGates", nullptr}}}}).value();
        }
        settle();
    }
    void set_spec(const json::object& change) {
        (void)server.api().patch(jobs_id, {"default", "bert"}, {{"spec", change}}).value();
        settle();
    }
    void remove_job() {
        (void)server.api().remove(jobs_id, {"default", "bert"}).has_value();
        settle();
    }
    /// Null if it is gone.
    std::unique_ptr<training_job> job() {
        const auto found = server.api().get(jobs_id, {"default", "bert"});
        if (!found) return nullptr;
        return std::make_unique<training_job>(from_json<training_job>(json::serialize(*found)).value());
    }
    std::string phase() {
        const auto found = job();
        return found ? found->status.phase.str() : "gone";
    }
    /// "attempt 2, 1/2, Failed RankFailed: rank 0 exited…": the reason and message of the condition Running.
    std::string told() {
        const auto found = job();
        if (!found) return "gone";
        const auto* condition = find_condition(found->status.conditions, "Running");
        return found->status.phase + (", attempt " + std::to_string(found->status.attempt)) + ", " +
               found->status.ready.str() + ", " + condition->reason.str() + ": " + condition->message.str();
    }
    /// "bert-0 bert-1", those that are being deleted in brackets.
    std::string pods() {
        std::string out;
        for (const auto& pod : server.api().list(pods_id)) {
            const std::string name(json::get_string(pod, {"metadata", "name"}));
            const bool leaves = json::find(pod, {"metadata", "deletionTimestamp"}) != nullptr;
            out += (out.empty() ? "" : " ") + (leaves ? "[" + name + "]" : name);
        }
        return out;
    }

    void patch_pod(int number, const json::object& change, const std::string& subresource = "status") {
        const std::string name = "bert-" + std::to_string(number);
        (void)server.api().patch(pods_id, {"default", name}, change, subresource).value();
    }
    void run(int number) {
        patch_pod(number, {{"spec", {{"nodeName", "n0"}}}}, "");
        patch_pod(number, {{"status", {{"phase", "Running"}}}});
    }
    void run_all() {
        for (int i = 0; i < job()->status.workers; ++i) run(i);
        settle();
    }
    void end(int number, int code, const std::string& message = "") {
        const json::value ended{
            {"name", "trainer"},
            {"state", {{"terminated", {{"exitCode", code}, {"message", message}, {"finishedAt", now()}}}}}};
        patch_pod(
            number,
            {{"status", {{"phase", code == 0 ? "Succeeded" : "Failed"}, {"containerStatuses", json::array{ended}}}}});
    }
    /// "gates": [{…}], each of that name with accuracy >= 0.85.
    static json::object gates(const std::vector<std::string>& names) {
        json::array out;
        for (const auto& name : names) {
            out.push_back({{"name", name},
                           {"template", {{"spec", {{"containers", {{{"name", "eval"}, {"image", "eval:1"}}}}}}}},
                           {"metric", "accuracy"},
                           {"op", ">="},
                           {"threshold", "0.85"}});
        }
        return {{"gates", out}};
    }
    /// The Job of a gate ends, and its pod with that message.
    void end_gate(const std::string& gate, int code, const std::string& message) {
        const std::string name = "bert-" + gate;
        const auto job = server.api().get({"batch", "jobs"}, {"default", name}).value();
        const json::object owner{{"apiVersion", "batch/v1"},
                                 {"kind", "Job"},
                                 {"name", name},
                                 {"uid", json::get_string(job, {"metadata", "uid"})},
                                 {"controller", true}};
        const json::object labels{{"ai.kcontrol.dev/job", "bert"}, {"ai.kcontrol.dev/gate", gate}};
        (void)server.api()
            .create({{"apiVersion", "v1"},
                     {"kind", "Pod"},
                     {"metadata", {{"name", name + "-x"}, {"labels", labels}, {"ownerReferences", json::array{owner}}}},
                     {"spec", {{"containers", {{{"name", "eval"}, {"image", "eval:1"}}}}}}})
            .value();
        const json::value ended{{"name", "eval"},
                                {"state", {{"terminated", {{"exitCode", code}, {"message", message}}}}}};
        (void)server.api()
            .patch(pods_id, {"default", name + "-x"},
                   {{"status",
                     {{"phase", code == 0 ? "Succeeded" : "Failed"}, {"containerStatuses", json::array{ended}}}}},
                   "status")
            .value();
        const json::value condition{{"type", code == 0 ? "Complete" : "Failed"}, {"status", "True"}};
        (void)server.api()
            .patch({"batch", "jobs"}, {"default", name}, {{"status", {{"conditions", json::array{condition}}}}},
                   "status")
            .value();
        settle();
    }
    /// "smoke Passed 0.9, eval Running".
    std::string told_of_gates() {
        std::string out;
        const auto found = job();
        for (const auto& each : found->status.gates) {
            out += (out.empty() ? "" : ", ") + each.name.str() + " " + each.result.str();
            if (!each.value.empty()) out += " " + each.value.str();
        }
        return out;
    }
    void train() {
        run_all();
        for (int i = 0; i < job()->status.workers; ++i) end(i, 0);
        settle();
    }

    /// The kubelet's part of a deletion: pods on nodes that live end when they are asked to.
    void let_go() {
        client kubelet = world.connect(server);
        for (const auto& pod : server.api().list(pods_id)) {
            if (json::find(pod, {"metadata", "deletionTimestamp"}) == nullptr) continue;
            const namespaced_name key("default", std::string(json::get_string(pod, {"metadata", "name"})));
            REQUIRE(world.run(kubelet.delete_<rank_pod>(key, delete_options().grace_period(0s))));
        }
        settle();
    }
    /// What is behind http://data.example/version from now on.
    void serve(http::response answer) {
        answer_ = std::move(answer);
        if (std::exchange(serves_, true)) return;
        world.network().listen("data.example", world.get_executor(),
                               [this](http::server_request, http::responder& to) { return send(to, answer_); });
    }
    void serve_version(const std::string& version) {
        http::response answer(200);
        answer.headers.set("Delta-Table-Version", version);
        serve(std::move(answer));
    }
    static json::object dataset(const std::string& expected = "latest") {
        return {{"dataset", {{"versionURL", "http://data.example/version"}, {"expectedVersion", expected}}}};
    }
    /// "DataReady=False VersionMismatch: version 7 is…".
    std::string condition(const char* type) {
        const auto found = job();
        const auto* said = found ? find_condition(found->status.conditions, type) : nullptr;
        return said == nullptr ? "none" : type + ("=" + said->status) + " " + said->reason.str() + ": " + said->message;
    }
    std::size_t events(std::string_view reason) {
        std::size_t out = 0;
        for (const auto& each : server.api().list({"events.k8s.io", "events"})) {
            if (json::get_string(each, {"reason"}) == reason) ++out;
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

    testing::sim_world world;
    testing::sim_server& server;
    std::unique_ptr<manager> m;

private:
    static awaitable<void> send(http::responder& to, http::response answer) {
        (void)co_await to.send(std::move(answer));
    }
    http::response answer_;
    bool serves_ = false;
};

}  // namespace training_operator::tests
