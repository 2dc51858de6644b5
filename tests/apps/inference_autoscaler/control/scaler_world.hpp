// The autoscaler in a simulated cluster, where the test is the controllers, the kubelets, and what metrics say.
#pragma once

#include <kcontrol/codec/codec.hpp>
#include <kcontrol/testing/sim_world.hpp>

#include "api/validation.hpp"
#include "control/scaler_control.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>

namespace inference_autoscaler::tests {

using namespace std::chrono_literals;

inline const testing::group_resource pods_id{"", "pods"}, deployments_id{"apps", "deployments"};
inline const testing::group_resource hpas_id{"autoscaling", "horizontalpodautoscalers"};
inline const testing::group_resource scalers_id{"autoscaling.kcontrol.dev", "inferencescalers"};

class scaler_world {
public:
    scaler_world() : server(world.add_server("cluster", testing::api_server_options().default_and_validate(true))) {
        world.register_resource(testing::resource_type_of(resource_of<inference_scaler>()));
        start();
    }
    ~scaler_world() { stop(); }

    void start() {
        const logger log([this](const log_record& said) { logged.emplace_back(said.message); });
        m = std::make_unique<manager>(world.env(), world.get_executor(), world.connect(server),
                                      manager_options().log(log));
        const auto ask = [this](inference_scaler scaler, std::vector<scaling_rule> rules, target_pods pods,
                                std::stop_token) { return read(scaler, rules.size(), pods); };
        const auto fits = [this](inference_scaler, std::shared_ptr<const target_pod>, std::int32_t pods,
                                 std::stop_token) { return find_places(pods); };
        const auto told = [this](const inference_scaler& scaler, const target_pods&) { shown = scaler; };
        REQUIRE(set_up(*m, ask, told, fits));
        m->start();
    }
    void stop() {
        if (m) world.run(m->stop());
        m.reset();
    }
    /// Seconds in which pods follow the replicas, and are ready at once.
    void settle(int seconds = 3) {
        for (int i = 0; i < seconds; ++i) {
            world.run_for(1s);
            follow();
        }
    }

    void add_target(std::int32_t replicas, const std::string& name = "llama") {
        const json::value labels{{"app", name}};
        (void)server.api()
            .create({{"apiVersion", "apps/v1"},
                     {"kind", "Deployment"},
                     {"metadata", {{"name", name}}},
                     {"spec",
                      {{"replicas", replicas},
                       {"selector", {{"matchLabels", labels}}},
                       {"template",
                        {{"metadata", {{"labels", labels}}},
                         {"spec", {{"containers", {{{"name", "engine"}, {"image", "vllm:1"}}}}}}}}}}})
            .value();
        follow();
    }
    /// A scaler of 1 to 8 replicas with one rule, busy > 1, one more; `more` is merged into its spec.
    void add_scaler(const json::object& more = {}, const std::string& name = "llama") {
        json::object spec{
            {"target", {{"apiVersion", "apps/v1"}, {"kind", "Deployment"}, {"name", "llama"}}},
            {"maxReplicas", 8},
            {"metrics", {{"prometheus", {{"url", "http://prometheus:9090"}}}}},
            {"rules", {{{"name", "busy"}, {"query", "busy"}, {"threshold", 1}, {"action", {{"addReplicas", 1}}}}}}};
        for (const auto& [key, value] : more) spec[key] = value;
        (void)server.api()
            .create({{"apiVersion", "autoscaling.kcontrol.dev/v1alpha1"},
                     {"kind", "InferenceScaler"},
                     {"metadata", {{"name", name}}},
                     {"spec", spec}})
            .value();
        settle();
    }
    void set_spec(const json::object& change, const std::string& name = "llama") {
        (void)server.api().patch(scalers_id, {"default", name}, {{"spec", change}}).value();
        settle();
    }
    void wake(const std::string& time) {
        const json::object said{{wake_annotation, time}};
        (void)server.api().patch(scalers_id, {"default", "llama"}, {{"metadata", {{"annotations", said}}}}).value();
    }
    void set_replicas(std::int32_t n) {
        (void)server.api().patch(deployments_id, {"default", "llama"}, {{"spec", {{"replicas", n}}}}).value();
        follow();
    }
    std::int64_t replicas() {
        const auto found = server.api().get(deployments_id, {"default", "llama"}).value();
        return json::find(found, {"spec", "replicas"})->as_int64();
    }
    inference_scaler scaler(const std::string& name = "llama") {
        const auto found = server.api().get(scalers_id, {"default", name}).value();
        return from_json<inference_scaler>(json::serialize(found)).value();
    }
    /// "MetricsKnown=False NoAnswer: busy".
    std::string condition(const char* type, const std::string& name = "llama") {
        const auto found = scaler(name);
        const auto* said = find_condition(found.status.conditions, type);
        return said == nullptr ? "none" : type + ("=" + said->status) + " " + said->reason.str() + ": " + said->message;
    }
    std::size_t events(std::string_view reason) {
        std::size_t out = 0;
        for (const auto& each : server.api().list({"events.k8s.io", "events"})) {
            if (json::get_string(each, {"reason"}) == reason) ++out;
        }
        return out;
    }
    std::size_t told(std::string_view words) {
        return static_cast<std::size_t>(
            std::ranges::count_if(logged, [words](const std::string& each) { return each.starts_with(words); }));
    }
    std::size_t writes() {
        std::size_t out = 0;
        for (const char* verb : {"create", "update", "patch", "delete"}) {
            out += server.api().request_log().count(verb);
        }
        return out;
    }
    json::value pod(std::string_view name) { return server.api().get(pods_id, {"default", std::string(name)}).value(); }

    /// The Deployment's and the ReplicaSet's part: as many pods as replicas, those of the lowest cost go first.
    void follow() {
        std::vector<std::pair<std::int64_t, std::string>> have;
        for (const auto& each : server.api().list(pods_id)) {
            const auto cost =
                json::get_string(each, {"metadata", "annotations", "controller.kubernetes.io/pod-deletion-cost"});
            have.emplace_back(cost.empty() ? 0 : std::stoll(std::string(cost)),
                              json::get_string(each, {"metadata", "name"}));
        }
        std::ranges::sort(have);
        const auto want = static_cast<std::size_t>(replicas());
        for (std::size_t i = 0; i + want < have.size(); ++i)
            (void)server.api().remove(pods_id, {"default", have[i].second}).has_value();
        for (std::size_t i = have.size(); i < want; ++i) add_pod();
    }
    void set_unschedulable(const std::string& name, const std::string& words) {
        const json::object condition{{"type", "PodScheduled"},
                                     {"status", "False"},
                                     {"reason", "Unschedulable"},
                                     {"message", words},
                                     {"lastTransitionTime", format_time(world.env().wall_now())}};
        (void)server.api()
            .patch(pods_id, {"default", name}, {{"status", {{"conditions", {condition}}}}}, "status")
            .value();
    }
    /// The next PUT of a scale fails so.
    void fail_next_scale(std::function<void(testing::fault&)> how) {
        server.api().set_faults([done = false, how](const http::server_request& asked) mutable {
            testing::fault out;
            if (done || asked.method != "PUT" || asked.target.find("/scale") == std::string::npos) return out;
            done = true;
            how(out);
            return out;
        });
    }
    void add_pod() {
        const std::string name = "llama-" + std::to_string(++pods_made_);
        (void)server.api()
            .create({{"apiVersion", "v1"},
                     {"kind", "Pod"},
                     {"metadata", {{"name", name}, {"labels", {{"app", "llama"}}}}},
                     {"spec", {{"containers", {{{"name", "engine"}, {"image", "vllm:1"}}}}}}})
            .value();
        if (!ready) return;
        const json::object condition{{"type", "Ready"}, {"status", "True"}};
        (void)server.api()
            .patch(pods_id, {"default", name}, {{"status", {{"phase", "Running"}, {"conditions", {condition}}}}},
                   "status")
            .value();
    }

    static constexpr double none = std::numeric_limits<double>::quiet_NaN();
    double busy = 0;     ///< the value of the rule; `none`: it is missing
    double load = none;  ///< of the wake query
    std::string failure = "the test says so";
    bool ready = true;  ///< new pods are
    duration answer_time{0};
    std::map<std::string, double> in_flight;
    std::size_t looks = 0;
    std::optional<std::int32_t> places;  ///< what the scheduler says; nothing: it does not answer
    std::vector<std::int32_t> asked_places;
    inference_scaler shown;  ///< as the observer was told last
    std::vector<std::string> logged;

    testing::sim_world world;
    testing::sim_server& server;
    std::unique_ptr<manager> m;

private:
    awaitable<look> read(inference_scaler scaler, std::size_t rules, target_pods ready_pods) {
        ++looks;
        if (answer_time > duration(0)) (void)co_await sleep_for(world.env(), answer_time, std::stop_token());
        const auto now = world.env().now();
        const auto value = [this, now](double v) {
            return std::isnan(v) ? missing_at(now, missing_reason::no_answer, failure) : reading{now, v};
        };
        look out;
        out.at = now;
        for (std::size_t i = 0; i < rules; ++i) out.rules.push_back({value(ready_pods.empty() ? none : busy), {}});
        if (scaler.spec.zero) out.wake = value(load);
        out.in_flight = in_flight;
        co_return out;
    }
    awaitable<std::optional<std::int32_t>> find_places(std::int32_t pods) {
        asked_places.push_back(pods);
        co_return places;
    }
    int pods_made_ = 0;
};

}  // namespace inference_autoscaler::tests
