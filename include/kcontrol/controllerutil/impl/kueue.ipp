#pragma once

#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/controllerutil/kueue.hpp>
#include <kcontrol/model/condition.hpp>

namespace kcontrol::inline v0_1::kueue {
namespace detail {

struct workload_spec {
    bool active = true;
    static constexpr auto kcontrol_fields() { return fields(field("active", &workload_spec::active)); }
};

struct admission_check {
    text name;
    text state;
    text message;
    static constexpr auto kcontrol_fields() {
        using self = admission_check;
        return fields(field("name", &self::name), field("state", &self::state), field("message", &self::message));
    }
};

struct workload_status {
    list<status_condition> conditions;
    list<admission_check> admission_checks;
    static constexpr auto kcontrol_fields() {
        return fields(field("conditions", &workload_status::conditions),
                      field("admissionChecks", &workload_status::admission_checks));
    }
};

struct v1beta1 {
    static constexpr resource_name name{"kueue.x-k8s.io", "v1beta1", "Workload", "workloads"};
};
struct v1beta2 {
    static constexpr resource_name name{"kueue.x-k8s.io", "v1beta2", "Workload", "workloads"};
};

// As far as both versions are the same.
template <class Version>
struct workload_of {
    static constexpr resource_name kcontrol_resource = Version::name;
    using kcontrol_projection = void;
    object_meta metadata;
    workload_spec spec;
    workload_status status;
    static constexpr auto kcontrol_fields() {
        return fields(field("spec", &workload_of::spec), field("status", &workload_of::status));
    }
};

inline bool holds(const list<status_condition>& all, std::string_view type) {
    const auto* found = find_condition(all, type);
    return found != nullptr && found->status == "True";
}

inline std::string reason_text(const workload_spec& spec, const workload_status& status) {
    if (holds(status.conditions, "Admitted")) return {};
    if (!spec.active) return "its Workload is not active";
    if (holds(status.conditions, "QuotaReserved")) {
        for (const admission_check& each : status.admission_checks) {
            if (each.state != "Ready")
                return "admission check " + each.name.str() + " is " + each.state.str() + ": " + each.message.str();
        }
    }
    const auto* quota = find_condition(status.conditions, "QuotaReserved");
    if (quota == nullptr || quota->message.empty()) return "its queue has not looked at it yet";
    return quota->message;
}

inline std::string reason_text(const any_object& of, const resource_info& kind) {
    if (&kind == &resource_of<workload_of<v1beta1>>()) {
        const auto found = of.as<workload_of<v1beta1>>();
        return reason_text(found->spec, found->status);
    }
    const auto found = of.as<workload_of<v1beta2>>();
    return reason_text(found->spec, found->status);
}

inline const char* no_kueue() { return "nothing admits it: the server has no Workloads of Kueue"; }
inline const char* no_workload() { return "Kueue has made no Workload of it"; }

}  // namespace detail

KCONTROL_DECL void join_queue(std::string_view queue, api::core::v1::pod& to) {
    to.metadata.labels[queue_label] = queue;
    to.spec.scheduling_gates.emplace_back().name = "kueue.x-k8s.io/admission";
}

KCONTROL_DECL void join_group(std::string_view queue, std::string_view group, std::int32_t total,
                              api::core::v1::pod& to) {
    join_queue(queue, to);
    to.metadata.labels[group_label] = group;
    to.metadata.annotations["kueue.x-k8s.io/pod-group-total-count"] = std::to_string(total);
    to.metadata.annotations["kueue.x-k8s.io/retriable-in-group"] = "false";
}

// Null: the server has none of them.
inline awaitable<result<const resource_info*>> workloads::kind(client c, std::stop_token stop) {
    using namespace detail;
    if (!server_) server_.emplace(c.live().traced({}));
    const auto all = co_await server_->catalog(std::move(stop));
    if (!all) co_return all.error();
    for (const resource_info* each : {&resource_of<workload_of<v1beta2>>(), &resource_of<workload_of<v1beta1>>()}) {
        if ((*all)->find(each->gvk) != nullptr) co_return each;
    }
    const resource_info* none = nullptr;
    co_return none;
}

KCONTROL_DECL awaitable<result<std::string>> workloads::pending_reason(client c, namespaced_name group,
                                                                       std::stop_token stop) {
    const auto known = co_await kind(c, stop);
    if (!known) co_return known.error();
    if (*known == nullptr) co_return std::string(detail::no_kueue());
    get_options how;
    how.stop(std::move(stop));
    const auto found = co_await c.live().get(**known, group, how);
    if (!found && found.error() == api_errc::not_found) co_return std::string(detail::no_workload());
    if (!found) co_return found.error();
    co_return detail::reason_text(*found, **known);
}

KCONTROL_DECL awaitable<result<std::string>> workloads::pending_reason(client c, std::string ns, std::string job_uid,
                                                                       std::stop_token stop) {
    const auto known = co_await kind(c, stop);
    if (!known) co_return known.error();
    if (*known == nullptr) co_return std::string(detail::no_kueue());
    list_options of_job;
    of_job.in_namespace(std::move(ns)).label_selector("kueue.x-k8s.io/job-uid=" + job_uid).stop(std::move(stop));
    const auto found = co_await c.live().list_page(**known, of_job);
    if (!found) co_return found.error();
    if (found->items.empty()) co_return std::string(detail::no_workload());
    co_return detail::reason_text(found->items.front(), **known);
}

KCONTROL_DECL awaitable<result<void>> workloads::end_group(client c, namespaced_name group, std::stop_token stop) {
    const auto known = co_await kind(c, stop);
    if (!known) co_return known.error();
    if (*known == nullptr) co_return result<void>();
    delete_options how;
    how.stop(std::move(stop));
    const auto gone = co_await c.delete_(**known, group, how);
    if (!gone && gone.error() == api_errc::not_found) co_return result<void>();
    if (!gone) co_return gone.error().with_context("Workload " + group.name);
    co_return gone;
}

}  // namespace kcontrol::kueue
