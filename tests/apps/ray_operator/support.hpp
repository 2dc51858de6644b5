// Clusters, pods and plans in few words, for tables.
#pragma once

#include <kcontrol/documents/value.hpp>
#include <kcontrol/values/time.hpp>

#include "decide/job_plan.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace ray_operator::tests {

using namespace std::chrono_literals;

/// When these tables begin; `after(5)` is 5 s later.
inline const wall_time begin = parse_time("2026-11-29T10:00:00Z").value();
inline wall_time after(double seconds) {
    return begin + std::chrono::duration_cast<duration>(std::chrono::duration<double>(seconds));
}

inline const std::string pod_text = R"("template":{"spec":{"containers":[{"name":"ray","image":"ray:1"}]}})";
/// "{"groupName":"a", …}" with that in it; without a template it gets one.
inline std::string group(const std::string& name, const std::string& more) {
    return R"({"groupName":")" + name + "\"," + more + (more.empty() ? "" : ",") + pod_text + "}";
}
/// A cluster "small" with that head and those groups; `more` is further members of the specification.
inline ray_cluster cluster_of(const std::string& head, const std::string& groups = "", const std::string& more = "") {
    return from_json<ray_cluster>(
               R"({"metadata":{"name":"small","namespace":"ml","uid":"u-1","generation":1},"spec":{"headGroupSpec":)" +
               head + ",\"workerGroupSpecs\":[" + groups + "]" + (more.empty() ? "" : "," + more) + "}}")
        .value();
}
inline ray_cluster cluster_with(const std::string& groups, const std::string& more = "") {
    return cluster_of("{" + pod_text + "}", groups, more);
}

/// A pod that runs and is ready.
inline pod_fact worker(const std::string& name, const std::string& group = "a", double created = 0) {
    pod_fact out;
    out.name = name;
    out.uid = "uid-" + name;
    out.group = group;
    out.started = out.running = out.ready = true;
    out.ready_status = "True";
    out.created = after(created);
    return out;
}
inline pod_fact head(const std::string& name = "h") {
    pod_fact out = worker(name, "headgroup");
    out.head = true;
    return out;
}
inline pod_fact pending(pod_fact of) {
    of.started = of.running = of.ready = false;
    of.ready_status.clear();
    return of;
}
inline pod_fact ended(pod_fact of) {
    of.running = of.ready = false;
    of.ended = "its phase is Failed";
    return of;
}
inline pod_fact going(pod_fact of, double until) {
    of.deletion = after(until);
    return of;
}
inline pod_fact lost(pod_fact of, double at = 0) {
    of.lost_at = after(at);
    return of;
}
inline pod_fact host(pod_fact of, const std::string& replica, std::int32_t index, std::int32_t number) {
    of.place = {replica, index, number};
    return of;
}
inline cluster_facts facts(std::vector<pod_fact> pods) {
    cluster_facts out;
    out.pods = std::move(pods);
    return out;
}

/// "create head a*2, remove w1 (it is surplus), note ReplicasLimited, again in 5 s"; "" where nothing is to be done.
inline std::string words(const ray_cluster& c, const cluster_plan& p, wall_time now) {
    std::string out;
    const auto add = [&out](const std::string& s) { out += (out.empty() ? "" : ", ") + s; };
    std::vector<std::pair<std::string, int>> made;
    for (const auto& each : p.create) {
        std::string what = each.head ? "head" : c.spec.worker_group_specs[each.group].group_name.str();
        if (!each.place.name.empty()) what += "[" + std::to_string(each.place.index) + "]";
        if (made.empty() || made.back().first != what) made.emplace_back(what, 0);
        ++made.back().second;
    }
    for (const auto& [what, count] : made) add("create " + what + (count == 1 ? "" : "*" + std::to_string(count)));
    for (const auto& each : p.remove)
        add("remove " + each.name + (each.at_once ? " at once" : "") + " (" + each.why + ")");
    for (const auto& each : p.notes) add("note " + each.reason);
    if (p.more) add("more");
    if (p.again)
        add("again in " + std::to_string(std::chrono::duration_cast<std::chrono::seconds>(*p.again - now).count()) +
            " s");
    return out;
}
inline std::string decided(ray_cluster c, std::vector<pod_fact> pods, double seconds = 1, bool seen_before = true) {
    if (seen_before) c.status.observed_generation = 1;
    return words(c, decide(c, facts(std::move(pods)), after(seconds)), after(seconds));
}
/// With those conditions True.
inline ray_cluster in(ray_cluster c, std::vector<const char*> conditions) {
    for (const char* type : conditions) {
        auto& added = c.status.conditions.emplace_back();
        added.type = type;
        added.status = "True";
        added.reason = type;
    }
    return c;
}

}  // namespace ray_operator::tests
