#include "simulated_job.hpp"

#include "jobs/job_view.hpp"

#include <algorithm>

namespace training_monitor::demo {

namespace json = kcontrol::json;

simulated_job::simulated_job(kcontrol::environment& env, simulated_cluster& on, ledger& book, job_kind kind,
                             std::string ns, std::string name, bool recorded)
    : env_(env),
      cluster_(on),
      book_(book),
      kind_(kind),
      ns_(std::move(ns)),
      name_(std::move(name)),
      recorded_(recorded) {}

std::string simulated_job::now_text() const {
    return to_rfc3339(std::chrono::floor<std::chrono::seconds>(env_.wall_now()).time_since_epoch().count());
}

void simulated_job::record(std::string_view state) {
    if (recorded_) book_.wrote(cluster_.name(), uid_, state);
}

void simulated_job::create(json::object spec, std::string_view state, json::object metadata) {
    metadata["name"] = name_;
    metadata["namespace"] = ns_;
    json::object object;
    object["apiVersion"] = kind_.api_version;
    object["kind"] = kind_.kind;
    object["metadata"] = std::move(metadata);
    object["spec"] = std::move(spec);
    const auto made = cluster_.api().create(std::move(object));
    if (!made) return;
    uid_ = json::get_string(*made, {"metadata", "uid"});
    record(state);
}

void simulated_job::condition(std::string_view type, std::string_view status, std::string_view reason,
                              std::string_view message) {
    json::object fresh{{"type", type}, {"status", status}, {"reason", reason}, {"message", message}};
    fresh["lastTransitionTime"] = now_text();
    for (auto& present : conditions_) {
        if (json::get_string(present, {"type"}) != type) continue;
        present = std::move(fresh);
        return;
    }
    conditions_.push_back(std::move(fresh));
}

void simulated_job::drop_condition(std::string_view type) {
    const auto found = std::find_if(conditions_.begin(), conditions_.end(),
                                    [&](const json::value& c) { return json::get_string(c, {"type"}) == type; });
    if (found != conditions_.end()) conditions_.erase(found);
}

void simulated_job::set_time(std::string_view member) { status_[member] = now_text(); }

void simulated_job::replicas(std::string_view type, int active, int succeeded, int failed) {
    auto& all = status_["replicaStatuses"];
    if (!all.is_object()) all.emplace_object();
    all.as_object()[type] = json::object{{"active", active}, {"succeeded", succeeded}, {"failed", failed}};
}

void simulated_job::write(std::string_view state) {
    if (uid_.empty()) return;
    status_["conditions"] = conditions_;
    json::object patch;
    patch["status"] = status_;
    const kcontrol::testing::group_resource id{std::string(kind_.group), std::string(kind_.plural)};
    const auto done = cluster_.api().patch(id, {ns_, name_}, patch, "status");
    if (done) record(state);
}

void simulated_job::write_spec(const json::object& patch, std::string_view state) {
    if (uid_.empty()) return;
    json::object whole;
    whole["spec"] = patch;
    const kcontrol::testing::group_resource id{std::string(kind_.group), std::string(kind_.plural)};
    const auto done = cluster_.api().patch(id, {ns_, name_}, whole);
    if (done) record(state);
}

void simulated_job::remove() {
    if (uid_.empty()) return;
    const kcontrol::testing::group_resource id{std::string(kind_.group), std::string(kind_.plural)};
    const auto done = cluster_.api().remove(id, {ns_, name_});
    if (done && recorded_) book_.removed(cluster_.name(), uid_);
}

}  // namespace training_monitor::demo
