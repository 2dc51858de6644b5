#pragma once

#include <kcontrol/cluster/cache_options.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL kind_options& kind_options::shard_selector(const std::string& s) {
    informer_.shard_selector(s);
    for (auto& [ns, o] : own_) o.shard_selector(s);
    if (others_) others_->shard_selector(s);
    return *this;
}

KCONTROL_DECL std::vector<informer_options> kind_options::of(const resource_info& kind) const {
    const auto watch = [](informer_options o, const std::string& ns) { return o.in_namespace(ns), o; };
    if (!kind.namespaced()) return {watch(informer_, {})};
    std::map<std::string, informer_options> named;
    for (const auto& ns : namespaces_) named.emplace(ns, watch(informer_, ns));
    for (const auto& [ns, o] : own_) named.insert_or_assign(ns, watch(o, ns));
    std::optional<informer_options> others = others_;
    if (named.empty() && !others) return {informer_};
    if (const auto all = named.find({}); all != named.end()) {
        if (!others) others = all->second;
        // Without options of their own, all of them, and so each.
        if (own_.empty()) return {watch(*others, {})};
        named.erase(all);
    }
    std::vector<informer_options> out;
    std::string excluded;
    for (const auto& [ns, o] : named) {
        out.push_back(o);
        excluded += (excluded.empty() ? "metadata.namespace!=" : ",metadata.namespace!=") + ns;
    }
    if (!others) return out;
    const std::string& asked = others->field_selector();
    const std::string comma = asked.empty() || excluded.empty() ? "" : ",";
    out.push_back(watch(*others, {}).field_selector(asked + comma + excluded));
    return out;
}

KCONTROL_DECL cache_options& cache_options::for_kind(const group_version_kind& kind, kind_options o) {
    const auto same = std::find_if(kinds_.begin(), kinds_.end(), [&](const auto& one) { return one.first == kind; });
    if (same != kinds_.end()) {
        same->second = std::move(o);
    } else {
        kinds_.emplace_back(kind, std::move(o));
    }
    return *this;
}

KCONTROL_DECL std::vector<informer_options> cache_options::of(const resource_info& kind) const {
    const auto own = std::find_if(kinds_.begin(), kinds_.end(), [&](const auto& one) { return one.first == kind.gvk; });
    return own == kinds_.end() ? all_.of(kind) : own->second.of(kind);
}

KCONTROL_DECL std::vector<informer_options> cache_options::of(const resource_info& kind, const logger& log) const {
    auto out = of(kind);
    for (auto& one : out) one.log(log);
    return out;
}

}  // namespace kcontrol
