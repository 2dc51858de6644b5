#pragma once

#include <kcontrol/cluster/informer_metrics.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {
namespace detail {

inline void write_informer_state(metrics_writer& out, metric_labels labels, informer_state now) {
    for (const informer_state one :
         {informer_state::idle, informer_state::listing, informer_state::live, informer_state::paused,
          informer_state::not_installed, informer_state::forbidden, informer_state::failed}) {
        labels["state"] = std::string(to_string(one));
        out.gauge("kcontrol_informer_state", "1 for the state that the informer is in, 0 for the others.", labels,
                  one == now ? 1 : 0);
    }
}

// Handlers of one name are one, for the same reason as informers of one scope.
inline void write_handlers(metrics_writer& out, metric_labels labels, const std::vector<handler_lag>& all) {
    std::map<std::string, handler_lag> by_name;
    for (const handler_lag& one : all) by_name[one.name].add(one);
    for (const auto& [name, one] : by_name) {
        labels["handler"] = name;
        out.gauge("kcontrol_informer_handler_pending_events", "Events that the handler has yet to be done with.",
                  labels, static_cast<double>(one.pending));
        out.gauge("kcontrol_informer_handler_oldest_event_age_seconds",
                  "Seconds since the oldest of them was observed.", labels,
                  std::chrono::duration<double>(one.oldest_age).count());
        out.counter("kcontrol_informer_handler_delivered_events_total", "Events that the handler is done with.", labels,
                    static_cast<double>(one.delivered));
        out.counter("kcontrol_informer_handler_coalesced_events_total",
                    "Events that it was not told of by themselves, for it was behind.", labels,
                    static_cast<double>(one.coalesced));
        out.counter("kcontrol_informer_handler_full_total",
                    "Times the queue of a handler that wants every version was full, so that the watch waited.", labels,
                    static_cast<double>(one.full));
        out.gauge("kcontrol_informer_handler_watch_waits", "1 while the watch waits for the handler.", labels,
                  one.watch_waits ? 1 : 0);
    }
}

inline void write_informer(metrics_writer& out, const metric_labels& labels, const informer_status& status,
                           wall_time now) {
    const auto gauge = [&](const char* name, const char* help, double value) { out.gauge(name, help, labels, value); };
    const auto counter = [&](const char* name, const char* help, std::uint64_t value) {
        out.counter(name, help, labels, static_cast<double>(value));
    };
    write_informer_state(out, labels, status.state);
    gauge("kcontrol_informer_synced", "1 once the first list is complete.", status.synced ? 1 : 0);
    gauge("kcontrol_informer_objects", "Objects in the local copy.", static_cast<double>(status.objects));
    gauge("kcontrol_informer_list_bytes", "What the server sent for the last complete list.",
          static_cast<double>(status.list_bytes));
    gauge("kcontrol_informer_bytes", "Memory that the objects of the local copy take.",
          static_cast<double>(status.bytes));
    gauge("kcontrol_informer_metadata_only",
          "1 if only metadata is kept, for the objects took more memory than their budget.",
          status.metadata_only ? 1 : 0);
    gauge("kcontrol_informer_invalid_objects", "Objects that can't be decoded; the log names them.",
          static_cast<double>(status.invalid));
    if (status.last_event) {
        const std::chrono::duration<double> age = std::max(now - *status.last_event, duration::zero());
        gauge("kcontrol_informer_last_event_age_seconds", "Seconds since the server sent something.", age.count());
    }
    counter("kcontrol_informer_lists_total", "Lists asked for, page by page or as a stream.", status.lists);
    counter("kcontrol_informer_watches_total", "Watches, streamed lists that went on as one included.", status.watches);
    counter("kcontrol_informer_restarts_total", "Starts and rebuilds after the first start.",
            std::max<std::uint64_t>(status.generation, 1) - 1);
    counter("kcontrol_informer_handler_errors_total", "Times a handler or callback threw.", status.handler_errors);
    counter("kcontrol_informer_server_changes_total", "Times another server answered at the same address.",
            status.server_changes);
    counter("kcontrol_informer_rollbacks_total",
            "Times the server's versions went back: its store was restored to an older state.", status.rollbacks);
    write_handlers(out, labels, status.handlers);
}

}  // namespace detail

KCONTROL_DECL void write_informer_metrics(metrics_writer& out, const std::string& cluster,
                                          const std::vector<informer_report>& all, wall_time now) {
    // Two series of the same labels would cost Prometheus the whole text.
    std::map<std::pair<group_version_kind, std::string>, informer_status> by_scope;
    for (const informer_report& one : all) {
        const auto [place, first] = by_scope.try_emplace({one.gvk, one.namespace_}, one.status);
        if (!first) merge(place->second, one.status);
    }
    for (const auto& [scope, status] : by_scope) {
        const auto& [gvk, ns] = scope;
        const metric_labels labels{
            {"cluster", cluster}, {"kind", gvk.kind}, {"api_version", gvk.api_version()}, {"namespace", ns}};
        detail::write_informer(out, labels, status, now);
    }
}

}  // namespace kcontrol
