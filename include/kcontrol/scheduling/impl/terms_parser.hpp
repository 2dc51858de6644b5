// Parses the terms of a pod.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/base/error.hpp>
#include <kcontrol/scheduling/pod_terms.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1::scheduling::detail {

class terms_parser {
public:
    explicit terms_parser(const api::core::v1::pod& pod) : pod_(pod) {
        const auto& spec = pod.spec;
        const auto& of_nodes = spec.affinity->node_affinity;
        if (!spec.node_selector.empty() || of_nodes->required_during_scheduling_ignored_during_execution.present()) {
            terms_.node_affinity = required_node_affinity::of(spec);
        }
        const auto& preferred = of_nodes->preferred_during_scheduling_ignored_during_execution;
        for (std::size_t i = 0; i < preferred.size(); ++i) {
            if (preferred[i].weight == 0) continue;
            const auto path = indexed("spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution", i);
            if (auto made = checked(node_selector::of(preferred[i].preference), path + ".preference")) {
                terms_.preferred_nodes.push_back({std::move(*made), preferred[i].weight});
            }
        }
        const auto& near = *spec.affinity->pod_affinity;
        const auto& apart = *spec.affinity->pod_anti_affinity;
        add_terms(near, "spec.affinity.podAffinity.", terms_.affinity, terms_.preferred_affinity);
        add_terms(apart, "spec.affinity.podAntiAffinity.", terms_.anti_affinity, terms_.preferred_anti_affinity);
        for (std::size_t i = 0; i < spec.topology_spread_constraints.size(); ++i) add_spread(i);
    }

    /// Whether a pod has anything that is to be parsed.
    static bool has_terms(const api::core::v1::pod_spec& spec) {
        return spec.affinity.present() || !spec.node_selector.empty() || !spec.topology_spread_constraints.empty();
    }

    pod_terms take() { return std::move(terms_); }
    std::optional<error>& wrong() noexcept { return wrong_; }

private:
    static std::string indexed(std::string_view path, std::size_t index) {
        return std::string(path) + "[" + std::to_string(index) + "]";
    }

    // The value, or nothing of an error, of which the first is kept.
    template <class T>
    std::optional<T> checked(result<T> made, const std::string& path) {
        if (made) return std::move(*made);
        if (!wrong_) wrong_ = made.error().with_context(path);
        return std::nullopt;
    }

    std::optional<affinity_term> parse(const api::core::v1::pod_affinity_term& from, const std::string& path) {
        auto selector = checked(label_selector::of(from.label_selector), path + ".labelSelector");
        auto of_namespaces = checked(label_selector::of(from.namespace_selector), path + ".namespaceSelector");
        if (!selector || !of_namespaces) return std::nullopt;
        affinity_term out{interned_name(from.topology_key), std::move(*selector), {}, std::move(*of_namespaces)};
        if (from.namespaces.empty() && !from.namespace_selector.present()) {
            out.namespaces.push_back(pod_.metadata.namespace_);
        }
        for (const auto& one : from.namespaces) out.namespaces.push_back(one);
        std::sort(out.namespaces.begin(), out.namespaces.end());
        return out;
    }

    template <class Affinity>
    void add_terms(const Affinity& from, const std::string& path, std::vector<affinity_term>& required,
                   std::vector<weighted_affinity_term>& preferred) {
        const auto& must = from.required_during_scheduling_ignored_during_execution;
        for (std::size_t i = 0; i < must.size(); ++i) {
            auto term = parse(must[i], indexed(path + "requiredDuringSchedulingIgnoredDuringExecution", i));
            if (term) required.push_back(std::move(*term));
        }
        const auto& may = from.preferred_during_scheduling_ignored_during_execution;
        for (std::size_t i = 0; i < may.size(); ++i) {
            const auto at = indexed(path + "preferredDuringSchedulingIgnoredDuringExecution", i) + ".podAffinityTerm";
            auto term = parse(may[i].pod_affinity_term, at);
            if (term) preferred.push_back({std::move(*term), may[i].weight});
        }
    }

    void add_spread(std::size_t index) {
        const auto& from = pod_.spec.topology_spread_constraints[index];
        auto selector = checked(label_selector::of(from.label_selector),
                                indexed("spec.topologySpreadConstraints", index) + ".labelSelector");
        if (!selector) return;
        std::vector<label_requirement> all = selector->requirements();
        for (const auto& key : from.match_label_keys) {
            const auto* const value = pod_.metadata.labels.get(key);
            if (value == nullptr) continue;
            all.emplace_back(key, label_operator::equals, std::vector<std::string>(1, *value));
        }
        spread_constraint out;
        out.topology_key = interned_name(from.topology_key);
        out.selector = label_selector(std::move(all));
        out.max_skew = from.max_skew;
        out.min_domains = from.min_domains.value_or(1);
        out.is_required = from.when_unsatisfiable != "ScheduleAnyway";
        out.honors_affinity = from.node_affinity_policy != "Ignore";
        out.honors_taints = from.node_taints_policy == "Honor";
        terms_.spread.push_back(std::move(out));
    }

    const api::core::v1::pod& pod_;
    pod_terms terms_;
    std::optional<error> wrong_;
};

}  // namespace kcontrol::scheduling::detail
