#pragma once

#include <kcontrol/json/writer.hpp>
#include <kcontrol/scheduling/detail/pod_group_watch.hpp>
#include <kcontrol/values/time.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace kcontrol::inline v0_1::scheduling::detail {

// Kubernetes' own, KEP-4671: of 1.36, and of 1.37.
struct alpha_pod_group_api {
    static constexpr resource_name name{"scheduling.k8s.io", "v1alpha2", "PodGroup", "podgroups"};
};
struct beta_pod_group_api {
    static constexpr resource_name name{"scheduling.k8s.io", "v1beta1", "PodGroup", "podgroups"};
};
// https://scheduler-plugins.sigs.k8s.io/docs/plugins/coscheduling/
struct x_pod_group_api {
    static constexpr resource_name name{"scheduling.x-k8s.io", "v1alpha1", "PodGroup", "podgroups"};
};
// https://volcano.sh/en/docs/podgroup/
struct volcano_pod_group_api {
    static constexpr resource_name name{"scheduling.volcano.sh", "v1beta1", "PodGroup", "podgroups"};
};

struct group_gang_policy {
    std::int32_t min_count = 1;
    static constexpr auto kcontrol_fields() { return fields(field("minCount", &group_gang_policy::min_count)); }
};
struct group_policy {
    std::optional<group_gang_policy> gang;  // else its pods need not start together
    static constexpr auto kcontrol_fields() { return fields(field("gang", &group_policy::gang)); }
};
struct group_minimum {
    group_policy scheduling_policy;  // of Kubernetes' own
    std::optional<std::int32_t> min_member;
    static constexpr auto kcontrol_fields() {
        return fields(field("schedulingPolicy", &group_minimum::scheduling_policy),
                      field("minMember", &group_minimum::min_member));
    }
};

// Of a PodGroup what says how many pods it needs.
template <class Api>
struct watched_pod_group {
    static constexpr resource_name kcontrol_resource = Api::name;
    using kcontrol_projection = void;
    object_meta metadata;
    group_minimum spec;
    static constexpr auto kcontrol_fields() { return fields(field("spec", &watched_pod_group::spec)); }

    gang_terms terms() const {
        gang_terms out;
        out.minimum = spec.min_member.value_or(1);
        if (spec.scheduling_policy.gang) out.minimum = spec.scheduling_policy.gang->min_count;
        return out;
    }
};

template <class Api>
void pod_group_watch::add(environment& env, const executor& ex, gang_source source, const char* condition) {
    informer_options how;
    how.probe_period(std::chrono::seconds(30));  // without a log: servers lack most of these kinds
    auto groups = std::make_shared<informer<watched_pod_group<Api>>>(env, ex, client_, std::move(how));
    kinds_.push_back({source, std::move(groups), condition});
}

KCONTROL_DECL pod_group_watch::pod_group_watch(environment& env, executor ex, client cl) : client_(std::move(cl)) {
    add<beta_pod_group_api>(env, ex, gang_source::pod_group, "PodGroupInitiallyScheduled");
    add<alpha_pod_group_api>(env, ex, gang_source::pod_group, "PodGroupScheduled");
    add<x_pod_group_api>(env, ex, gang_source::x_pod_group, nullptr);
    add<volcano_pod_group_api>(env, ex, gang_source::volcano_group, nullptr);
}

KCONTROL_DECL void pod_group_watch::start(std::stop_token stop) {
    for (const kind& each : kinds_) each.groups->start(stop);
}

KCONTROL_DECL awaitable<void> pod_group_watch::stop() {
    unsubscribe();
    for (const kind& each : kinds_) co_await each.groups->stop();
}

template <class Api>
void pod_group_watch::subscribe_to(const kind& of, const set_function& set, const remove_function& remove) {
    using group = watched_pod_group<Api>;
    const auto handler = [source = of.source, set, remove](const any_event& any) {
        const event<group> happened(any);
        const auto& meta = happened.object().metadata;
        const gang_id id{meta.namespace_.str(), meta.name.str(), source};
        if (happened.type == event_type::deleted) {
            remove(id);
        } else {
            set(id, happened.object().terms());
        }
    };
    subscriptions_.push_back(of.groups->subscribe(handler));
}

KCONTROL_DECL void pod_group_watch::subscribe(set_function set, remove_function remove) {
    subscribe_to<beta_pod_group_api>(kinds_[0], set, remove);
    subscribe_to<alpha_pod_group_api>(kinds_[1], set, remove);
    subscribe_to<x_pod_group_api>(kinds_[2], set, remove);
    subscribe_to<volcano_pod_group_api>(kinds_[3], set, remove);
}

KCONTROL_DECL awaitable<result<void>> pod_group_watch::write_condition(gang_id of, bool is_scheduled,
                                                                       std::string message, std::string field_manager,
                                                                       std::stop_token stop) {
    const namespaced_name key(of.namespace_, of.name);
    // Of a group that two versions show, the newer one has the condition.
    const auto found = std::find_if(kinds_.begin(), kinds_.end(), [&](const kind& each) {
        return each.source == of.source && each.condition != nullptr && each.groups->objects().get(key);
    });
    if (found == kinds_.end()) co_return result<void>();
    json::writer body;
    body.begin_object();
    body.key("status");
    body.begin_object();
    body.key("conditions");
    body.begin_array();
    body.begin_object();
    body.member("type", std::string_view(found->condition));
    body.member("status", std::string_view(is_scheduled ? "True" : "False"));
    body.member("reason", std::string_view(is_scheduled ? "Scheduled" : "Unschedulable"));
    body.member("message", message);
    body.member("lastTransitionTime", format_time(std::chrono::floor<std::chrono::seconds>(client_.env().wall_now())));
    body.end_object();
    body.end_array();
    body.end_object();
    body.end_object();
    auto how = apply_options(std::move(field_manager)).subresource("status").force().stop(stop);
    const auto written = co_await client_.apply(found->groups->info(), key, body.take(), how);
    if (!written) co_return written.error();
    co_return result<void>();
}

}  // namespace kcontrol::scheduling::detail
