#pragma once

#include <kcontrol/multicluster/cluster_status.hpp>

#include <algorithm>
#include <utility>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL std::string_view to_string(cluster_state state) noexcept {
    switch (state) {
    case cluster_state::connecting: return "connecting";
    case cluster_state::live: return "live";
    case cluster_state::degraded: return "degraded";
    case cluster_state::unreachable: return "unreachable";
    case cluster_state::failed: return "failed";
    }
    return "unknown";
}

namespace detail {

// Nobody answers, or the cluster's breaker sends nothing for that reason. A refused certificate is no lack of an
// answer: waiting does not mend it.
inline bool is_silence(const error_code& why) {
    return (why == condition::unreachable && why != errc::tls_failed) || why == errc::unavailable;
}

// What is to be told of a kind that is live.
inline std::string odd_kind(const std::vector<kind_status>& kinds) {
    for (const auto& kind : kinds) {
        const auto& informer = kind.informer;
        if (informer.state != informer_state::live) continue;
        if (!informer.reason.empty()) return kind.gvk.kind + ": " + informer.reason;
        if (informer.invalid == 0) continue;
        const bool one = informer.invalid == 1;
        return kind.gvk.kind + ": " + (one ? "an object" : std::to_string(informer.invalid) + " objects") +
               " can't be decoded; the log names " + (one ? "it" : "them");
    }
    return {};
}

}  // namespace detail

KCONTROL_DECL std::pair<cluster_state, std::string> derive_cluster_state(const std::vector<kind_status>& kinds) {
    std::size_t pending = 0, failing = 0, unreachable = 0, forbidden = 0, absent = 0;
    const kind_status* worst = nullptr;
    for (const auto& kind : kinds) {
        switch (kind.informer.state) {
        case informer_state::live: break;
        case informer_state::not_installed: ++absent; break;
        case informer_state::idle:
        case informer_state::paused: ++pending; break;
        case informer_state::listing: pending += kind.informer.synced ? 0U : 1U; break;
        case informer_state::forbidden:
            ++forbidden;
            if (worst == nullptr) worst = &kind;
            break;
        case informer_state::failed:
            ++failing;
            if (detail::is_silence(kind.informer.failure)) ++unreachable;
            if (worst == nullptr || worst->informer.state == informer_state::forbidden) worst = &kind;
            break;
        }
    }
    const auto explain = [&] { return worst->gvk.kind + ": " + worst->informer.reason; };
    if (failing != 0) {
        // That a kind was absent when the server last answered says nothing of the server now.
        const bool all = failing + pending + absent == kinds.size();
        if (!all) return {cluster_state::degraded, explain()};
        const bool silent = unreachable == failing;
        return {silent ? cluster_state::unreachable : cluster_state::failed, worst->informer.reason};
    }
    if (pending != 0) return {cluster_state::connecting, {}};
    if (forbidden != 0) return {cluster_state::degraded, explain()};
    return {cluster_state::live, detail::odd_kind(kinds)};
}

KCONTROL_DECL bool equal_ignoring_times(const cluster_status& a, const cluster_status& b) {
    const auto same_kind = [](const kind_status& x, const kind_status& y) {
        return x.gvk == y.gvk && x.informer.state == y.informer.state && x.informer.reason == y.informer.reason &&
               x.informer.lists == y.informer.lists && x.informer.watches == y.informer.watches &&
               x.informer.objects == y.informer.objects && x.informer.invalid == y.informer.invalid &&
               x.informer.server_changes == y.informer.server_changes && x.informer.rollbacks == y.informer.rollbacks;
    };
    return a.name == b.name && a.state == b.state && a.reason == b.reason && a.server == b.server &&
           a.generation == b.generation && a.callback_exceptions == b.callback_exceptions &&
           std::equal(a.kinds.begin(), a.kinds.end(), b.kinds.begin(), b.kinds.end(), same_kind);
}

}  // namespace kcontrol
