// The kubelets of a fake_cluster: what becomes of a pod, step by step.
#include <kcontrol/testing/fake_cluster.hpp>

#include "testing/fake_core.hpp"
#include "testing/fake_objects.hpp"

#include <algorithm>
#include <utility>

namespace kcontrol::inline v0_1::testing::detail {
namespace {

// kubelet's backoff of restarts: 10 s, doubled up to 5 min.
duration backoff_of_restart(std::int64_t restarts) {
    duration out = std::chrono::seconds(10);
    for (std::int64_t i = 1; i < restarts && out < std::chrono::minutes(5); ++i) out *= 2;
    return std::min<duration>(out, std::chrono::minutes(5));
}

json::object ended_state(const pod_behavior& behavior, const json::value& pod, const std::string& now) {
    json::object ended;
    ended["exitCode"] = behavior.exit_code();
    ended["reason"] = behavior.reason();
    if (!behavior.message().empty()) ended["message"] = behavior.message();
    const json::array before = array_at(pod, {"status", "containerStatuses"});
    const std::string started =
        before.empty() ? std::string() : text_at(before.front(), {"state", "running", "startedAt"});
    ended["startedAt"] = started.empty() ? now : started;
    ended["finishedAt"] = now;
    json::object state;
    state["terminated"] = std::move(ended);
    return state;
}

json::object waiting_state(std::string_view reason, std::string_view message) {
    json::object waiting;
    waiting["reason"] = reason;
    if (!message.empty()) waiting["message"] = message;
    json::object state;
    state["waiting"] = std::move(waiting);
    return state;
}

// All containers are in one state; `last` is how their run before ended, or empty.
json::array container_statuses(const json::value& pod, const json::object& state, const json::object& last,
                               std::int64_t restarts) {
    json::array out;
    const bool runs = state.contains("running");
    for (const auto& container : array_at(pod, {"spec", "containers"})) {
        json::object one;
        one["name"] = text_at(container, {"name"});
        one["image"] = text_at(container, {"image"});
        one["imageID"] = "";
        one["ready"] = runs;
        one["started"] = runs;
        one["restartCount"] = restarts;
        one["state"] = state;
        one["lastState"] = last;
        out.push_back(std::move(one));
    }
    return out;
}

void put_readiness(json::array& conditions, bool ready, std::string_view reason, const std::string& now) {
    put_condition(conditions, "Ready", ready, reason, {}, now);
    put_condition(conditions, "ContainersReady", ready, reason, {}, now);
}

}  // namespace

fake_core::again fake_core::step_pod(const namespaced_name& key) {
    const auto found = api_.get(fake_pods, key);
    if (!found) return std::nullopt;
    const json::value& pod = *found;
    const auto [place, is_new] = pods_.try_emplace(uid_of(pod));
    pod_record& record = place->second;
    record.key = key;
    if (is_new) record.behavior = options_.pod_behavior()(pod, runs_[key]);
    record.node = text_at(pod, {"spec", "nodeName"});
    if (is_over(pod)) return std::nullopt;
    if (record.node.empty()) return is_leaving(pod) ? std::nullopt : schedule(pod, record);
    const time_point now = env_.now();
    if (record.at == pod_record::stage::unbound) {
        record.enter(pod_record::stage::starting, now);
        record.bound = now;
    }
    const auto& loses = record.behavior.lose_node_after();
    if (lost_nodes_.contains(record.node) || (loses && now >= record.bound + *loses)) return lose_pod(pod, record);
    if (is_leaving(pod)) return terminate_pod(pod, record);
    if (!admit(pod, record)) return std::nullopt;
    const bool runs = record.at == pod_record::stage::running;
    if (!runs) record.lost.reset();  // start_pod() will say that it is ready
    again next = runs ? run_pod(pod, record) : begin_run(pod, record);
    if (loses) {
        const duration left = record.bound + *loses - now;
        next = next ? std::min(*next, left) : left;
    }
    return next;
}

// What is beyond the node's allocatable fails when the kubelet first sees it, and is not tried again.
bool fake_core::admit(const json::value& pod, const pod_record& record) {
    const auto held = held_.find(uid_of(pod));
    if (held == held_.end() || held->second.admitted) return true;
    const auto node = api_.get(fake_nodes, {"", record.node});
    const json::value* room = node ? json::find(*node, {"status", "allocatable"}) : nullptr;
    node_usage& others = admitted_[record.node];
    const auto rejection =
        room == nullptr ? std::nullopt : rejection_on(held->second.amounts, others, amounts_of(room));
    if (!rejection) {
        held->second.admitted = true;
        others.add(held->second.amounts);
        return true;
    }
    record_event(pod, true, rejection->reason, rejection->message, "kubelet");
    json::object status;
    status["phase"] = "Failed";
    status["reason"] = rejection->reason;
    status["message"] = "Pod was rejected: " + rejection->message;
    write_status(fake_pods, pod, std::move(status));
    return false;
}

fake_core::again fake_core::begin_run(const json::value& pod, pod_record& record) {
    if (record.behavior.image_error()) {
        json::object status;
        status["containerStatuses"] =
            container_statuses(pod, waiting_state("ImagePullBackOff", *record.behavior.image_error()), {}, 0);
        write_status(fake_pods, pod, std::move(status));
        return std::nullopt;
    }
    const time_point due = record.since + record.behavior.start_after() + record.backoff;
    if (env_.now() < due) return due - env_.now();
    return start_pod(pod, record);
}

fake_core::again fake_core::start_pod(const json::value& pod, pod_record& record) {
    const std::string now = now_text();
    record.enter(pod_record::stage::running, env_.now());
    record.backoff = {};
    ++runs_[record.key];
    json::object status;
    status["phase"] = "Running";
    if (json::find(pod, {"status", "podIP"}) == nullptr) {
        const std::uint64_t number = ++addresses_;
        const std::string ip = "10.244." + std::to_string(number / 250) + "." + std::to_string(number % 250 + 1);
        json::object address;
        address["ip"] = ip;
        status["podIP"] = ip;
        status["podIPs"] = json::array({std::move(address)});
        status["hostIP"] = "10.0.0.1";
        status["startTime"] = now;
    }
    json::array conditions = array_at(pod, {"status", "conditions"});
    put_condition(conditions, "Initialized", true, {}, {}, now);
    put_readiness(conditions, true, {}, now);
    status["conditions"] = std::move(conditions);
    json::object running;
    running["running"].emplace_object()["startedAt"] = now;
    const json::array before = array_at(pod, {"status", "containerStatuses"});
    const json::object last = before.empty() ? json::object() : object_at(before.front(), {"lastState"});
    status["containerStatuses"] = container_statuses(pod, running, last, record.restarts);
    const std::string said = text_at(pod, {"metadata", "annotations", "sim/log"});
    for (const auto& container : array_at(pod, {"spec", "containers"})) {
        const std::string name = text_at(container, {"name"});
        api_.restart_log(record.key, name);
        api_.write_log(record.key, name, said);
    }
    write_status(fake_pods, pod, std::move(status));
    return run_pod(pod, record);
}

fake_core::again fake_core::run_pod(const json::value& pod, pod_record& record) {
    const time_point now = env_.now();
    const bool is_back = std::exchange(record.lost, std::nullopt).has_value();
    again next;
    if (const auto& length = record.behavior.run_for()) next = record.since + *length - now;
    if (const auto& evicted = record.behavior.evict_after()) {
        const duration left = record.bound + *evicted - now;
        if (left <= duration::zero()) record.evicted = true;
        next = next ? std::min(*next, left) : left;
    }
    if (record.evicted || (next && *next <= duration::zero())) return finish_run(pod, record);
    if (is_back) {
        json::array conditions = array_at(pod, {"status", "conditions"});
        put_readiness(conditions, true, {}, now_text());
        json::object status;
        status["conditions"] = std::move(conditions);
        write_status(fake_pods, pod, std::move(status));
    }
    return next;
}

// The containers have ended: they start again, or that was the pod.
fake_core::again fake_core::finish_run(const json::value& pod, pod_record& record) {
    const std::string now = now_text();
    const std::string policy = text_at(pod, {"spec", "restartPolicy"});
    const bool failed = record.behavior.exit_code() != 0;
    const bool restarts = !record.evicted && policy != "Never" && !(policy == "OnFailure" && !failed);
    json::array conditions = array_at(pod, {"status", "conditions"});
    json::object status;
    const json::object ended = ended_state(record.behavior, pod, now);
    if (restarts) {
        ++record.restarts;
        record.enter(pod_record::stage::starting, env_.now());
        record.backoff = backoff_of_restart(record.restarts);
        put_readiness(conditions, false, "ContainersNotReady", now);
        const auto waiting = waiting_state("CrashLoopBackOff", "back-off restarting failed container");
        status["containerStatuses"] = container_statuses(pod, waiting, ended, record.restarts);
        record.behavior = options_.pod_behavior()(pod, runs_[record.key]);
    } else {
        put_readiness(conditions, false, failed || record.evicted ? "PodFailed" : "PodCompleted", now);
        status["phase"] = failed || record.evicted ? "Failed" : "Succeeded";
        status["containerStatuses"] = container_statuses(pod, ended, {}, record.restarts);
    }
    if (record.evicted) {
        const std::string why = "The node was low on resource: memory.";
        status["reason"] = "Evicted";
        status["message"] = why;
        put_condition(conditions, "DisruptionTarget", true, "TerminationByKubelet", why, now);
    }
    status["conditions"] = std::move(conditions);
    write_status(fake_pods, pod, std::move(status));
    return restarts ? begin_run(pod, record) : std::nullopt;
}

// A deleted pod: its containers end after a while, then it goes.
fake_core::again fake_core::terminate_pod(const json::value& pod, pod_record& record) {
    if (record.at != pod_record::stage::ending) record.enter(pod_record::stage::ending, env_.now());
    const duration grace = std::chrono::seconds(whole_at(pod, {"metadata", "deletionGracePeriodSeconds"}, 30));
    const time_point due = record.since + std::min(grace, options_.termination());
    if (env_.now() < due) return due - env_.now();
    delete_pod(pod, 0);
    return std::nullopt;
}

// Nobody hears of the pod: it is not ready, is deleted after a while, and stays, for nobody says that it has ended.
fake_core::again fake_core::lose_pod(const json::value& pod, pod_record& record) {
    const std::string now = now_text();
    if (is_leaving(pod)) return std::nullopt;
    json::array conditions = array_at(pod, {"status", "conditions"});
    const bool is_new = !record.lost;
    if (is_new) record.lost = env_.now();
    const time_point due = *record.lost + options_.eviction_delay();
    const bool deletes = env_.now() >= due;
    if (is_new) put_readiness(conditions, false, {}, now);
    if (deletes) {
        put_condition(conditions, "DisruptionTarget", true, "DeletionByTaintManager",
                      "Taint manager: deleting due to NoExecute taint", now);
    }
    json::object status;
    status["conditions"] = std::move(conditions);
    if (is_new || deletes) write_status(fake_pods, pod, std::move(status));
    if (!deletes) return due - env_.now();
    delete_pod(pod);
    return std::nullopt;
}

bool fake_core::end_pod(const namespaced_name& key, int exit_code, std::string message, bool evicts) {
    const auto pod = api_.get(fake_pods, key);
    if (!pod) return false;
    const auto found = pods_.find(uid_of(*pod));
    if (found == pods_.end() || found->second.at != pod_record::stage::running || !is_active(*pod)) return false;
    found->second.behavior.exit_code(exit_code).message(std::move(message));
    found->second.evicted = evicts;
    const again next = finish_run(*pod, found->second);
    if (next) plan({part::pod, key}, *next);
    return true;
}

// Without a grace: the pod's own.
void fake_core::delete_pod(const json::value& pod, std::optional<std::int64_t> grace) {
    delete_request request;
    request.uid(uid_of(pod));
    if (grace) request.grace_period(*grace);
    static_cast<void>(api_.remove(fake_pods, key_of_object(pod), request));
}

}  // namespace kcontrol::testing::detail
