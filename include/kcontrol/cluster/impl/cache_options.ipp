#pragma once

#include <kcontrol/cluster/cache_options.hpp>

#include <algorithm>
#include <utility>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL std::vector<informer_options> kind_options::of(const resource_info& kind) const {
    auto namespaces = namespaces_;
    if (namespaces.empty()) namespaces.push_back(informer_.in_namespace());
    if (!kind.namespaced()) namespaces = {std::string()};
    std::sort(namespaces.begin(), namespaces.end());
    namespaces.erase(std::unique(namespaces.begin(), namespaces.end()), namespaces.end());
    if (namespaces.front().empty()) namespaces.resize(1);  // all of them, and so each
    std::vector<informer_options> out;
    for (const auto& ns : namespaces) {
        out.push_back(informer_);
        out.back().in_namespace(ns);
    }
    return out;
}

KCONTROL_DECL cache_options& cache_options::for_kind(const group_version_kind& kind, informer_options o,
                                                     std::vector<std::string> namespaces) {
    kind_options added(std::move(o), std::move(namespaces));
    const auto same = std::find_if(kinds_.begin(), kinds_.end(), [&](const auto& one) { return one.first == kind; });
    if (same != kinds_.end()) {
        same->second = std::move(added);
    } else {
        kinds_.emplace_back(kind, std::move(added));
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
