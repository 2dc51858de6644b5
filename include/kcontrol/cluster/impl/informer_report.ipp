#pragma once

#include <kcontrol/cluster/informer_report.hpp>

#include <algorithm>
#include <functional>

namespace kcontrol::inline v0_1 {
namespace detail {

inline int severity(informer_state state) {
    switch (state) {
    case informer_state::live: return 0;
    case informer_state::not_installed: return 1;
    case informer_state::idle:
    case informer_state::paused: return 2;
    case informer_state::listing: return 3;
    case informer_state::forbidden: return 4;
    case informer_state::failed: return 5;
    }
    return 5;
}

// The worse of two states.
inline void merge_state(informer_status& into, const informer_status& other) {
    const bool as_bad = severity(other.state) == severity(into.state) && into.reason.empty();
    if (severity(other.state) > severity(into.state) || as_bad) {
        into.state = other.state;
        into.reason = other.reason;
        into.failure = other.failure;
    }
    into.synced = into.synced && other.synced;
}

// What may be counted by both is combined by `both`; the errors of each one's handlers are its own.
template <class Combine>
void combine_counts(informer_status& into, const informer_status& other, Combine both) {
    into.lists = both(into.lists, other.lists);
    into.watches = both(into.watches, other.watches);
    into.objects = both(into.objects, other.objects);
    into.list_bytes = both(into.list_bytes, other.list_bytes);
    into.bytes = both(into.bytes, other.bytes);
    into.metadata_only = into.metadata_only || other.metadata_only;
    into.invalid = both(into.invalid, other.invalid);
    into.server_changes = both(into.server_changes, other.server_changes);
    into.rollbacks = both(into.rollbacks, other.rollbacks);
    if (into.not_streamed.empty()) into.not_streamed = other.not_streamed;
    into.handler_errors += other.handler_errors;
    into.handlers.insert(into.handlers.end(), other.handlers.begin(), other.handlers.end());
    into.generation = std::max(into.generation, other.generation);
    if (other.last_event && (!into.last_event || *other.last_event > *into.last_event)) {
        into.last_event = other.last_event;
    }
}

}  // namespace detail

KCONTROL_DECL void merge(informer_status& into, const informer_status& other) {
    detail::merge_state(into, other);
    add_counts(into, other);
}

KCONTROL_DECL void merge_view(informer_status& into, const informer_status& other) {
    detail::merge_state(into, other);
    detail::combine_counts(into, other, [](auto a, auto b) { return std::max(a, b); });
}

KCONTROL_DECL void add_counts(informer_status& into, const informer_status& other) {
    detail::combine_counts(into, other, std::plus());
}

KCONTROL_DECL std::string informer_report::name() const {
    std::string out = gvk.kind + " (" + gvk.api_version() + ")";
    if (!namespace_.empty()) out += " in " + namespace_;
    return out;
}

KCONTROL_DECL std::string informer_report::describe() const {
    std::string out = name() + ": ";
    out += to_string(status.state);
    if (!status.reason.empty()) out += ", " + status.reason;
    if (status.synced) out += ", " + std::to_string(status.objects) + (status.objects == 1 ? " object" : " objects");
    if (status.invalid != 0) out += ", " + std::to_string(status.invalid) + " invalid";
    for (const handler_lag& one : status.handlers) {
        if (one.pending == 0) continue;
        out += ", " + (one.name.empty() ? std::string("a handler") : "the handler " + one.name) + " has " +
               std::to_string(one.pending) + (one.pending == 1 ? " event" : " events") + " yet to be told";
    }
    return out;
}

KCONTROL_DECL std::vector<informer_report> reports_of(const std::vector<std::shared_ptr<any_informer>>& all) {
    std::vector<informer_report> out;
    const any_informer* before = nullptr;
    for (const auto& one : all) {
        if (before != nullptr && before->shares_watch_with(*one)) {
            merge_view(out.back().status, one->status());
        } else {
            out.emplace_back(one->info().gvk, one->in_namespace(), one->status());
        }
        before = one.get();
    }
    return out;
}

}  // namespace kcontrol
