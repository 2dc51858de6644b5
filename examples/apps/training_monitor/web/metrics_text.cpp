#include "web/metrics_text.hpp"

#include <kcontrol/metrics/exposition.hpp>
#include <kcontrol/version.hpp>

namespace training_monitor {

using kcontrol::exposition;

namespace {

void add_kind_counter(exposition& out, const job_table::cluster_list& clusters, std::uint64_t kind_view::*counter) {
    for (const auto& cluster : clusters) {
        for (const auto& kind : cluster->kinds) {
            out.sample({{"cluster", cluster->name}, {"kind", kind.kind}, {"api_version", kind.api_version}},
                       kind.*counter);
        }
    }
}

}  // namespace

std::string metrics_text(const job_table& table, const event_hub& hub) {
    const auto clusters = table.clusters();
    exposition out;
    out.family("training_monitor_transitions_total", "counter", "Changes of a job from one state to another.");
    out.sample({}, table.counters().transitions);
    out.family("training_monitor_cluster_state", "gauge", "1 for the state that the cluster is in.");
    for (const auto& c : clusters) out.sample({{"cluster", c->name}, {"state", c->state}}, 1);
    out.family("training_monitor_cluster_generation", "gauge", "Starts and rebuilds of the cluster since it joined.");
    for (const auto& c : clusters) out.sample({{"cluster", c->name}}, c->generation);
    out.family("training_monitor_objects", "gauge", "Objects in the local copy.");
    add_kind_counter(out, clusters, &kind_view::objects);
    out.family("training_monitor_lists_total", "counter", "List requests since the cluster joined.");
    add_kind_counter(out, clusters, &kind_view::lists);
    out.family("training_monitor_watches_total", "counter", "Watch requests since the cluster joined.");
    add_kind_counter(out, clusters, &kind_view::watches);
    out.family("training_monitor_invalid_objects", "gauge", "Objects that can't be decoded; the log names them.");
    add_kind_counter(out, clusters, &kind_view::invalid);
    out.family("training_monitor_server_changes_total", "counter",
               "Times another server answered at the same address.");
    add_kind_counter(out, clusters, &kind_view::server_changes);
    out.family("training_monitor_rollbacks_total", "counter",
               "Times the server's versions went back: its store was restored to an older state.");
    add_kind_counter(out, clusters, &kind_view::rollbacks);
    out.family("training_monitor_stream_clients", "gauge", "Clients of the event stream.");
    out.sample({}, hub.clients());
    const auto& stream = hub.stream();
    out.family("training_monitor_stream_cut_off_total", "counter",
               "Clients cut off: behind (too slow), or crowded (stuck, and others wanted their place).");
    out.sample({{"reason", "behind"}}, stream.disconnected_slow());
    out.sample({{"reason", "crowded"}}, stream.disconnected_for_capacity());
    out.family("training_monitor_stream_refused_total", "counter", "Clients refused because there were too many.");
    out.sample({}, stream.refused());
    out.family("training_monitor_stream_queued_bytes", "gauge", "Events kept for clients that are behind.");
    out.sample({}, stream.queued_bytes());
    out.family("training_monitor_build_info", "gauge", "1; the version is in the label.");
    out.sample({{"version", KCONTROL_VERSION_STRING}}, 1);
    return out.take();
}

std::string job_metrics_text(const job_metrics& jobs) {
    exposition out;
    out.family("training_jobs", "gauge", "Jobs in view.");
    for (const auto& [key, group] : jobs.groups()) {
        const auto& [cluster, name_space, kind] = key;
        for (std::size_t i = 0; i < group.jobs.size(); ++i) {
            if (group.jobs[i] == 0) continue;
            const auto state = job_state_names[i];
            out.sample({{"cluster", cluster}, {"namespace", name_space}, {"kind", kind}, {"state", state}},
                       group.jobs[i]);
        }
    }
    const auto add_gpus = [&](std::int64_t job_metrics::group::*number) {
        for (const auto& [key, group] : jobs.groups()) {
            const auto& [cluster, name_space, kind] = key;
            out.sample({{"cluster", cluster}, {"namespace", name_space}, {"kind", kind}}, group.*number);
        }
    };
    out.family("training_gpus_requested", "gauge", "GPUs that jobs ask for that are neither finished nor suspended.");
    add_gpus(&job_metrics::group::gpus_requested);
    out.family("training_gpus_running", "gauge", "GPUs that running jobs ask for.");
    add_gpus(&job_metrics::group::gpus_running);
    out.family("training_job_transitions_total", "counter", "Changes of jobs into a state, new jobs included.");
    for (const auto& [key, count] : jobs.transitions()) {
        const auto& [cluster, kind, state] = key;
        out.sample({{"cluster", cluster}, {"kind", kind}, {"state", to_string(state)}}, count);
    }
    out.family("training_job_state_duration_seconds", "histogram",
               "How long jobs were in a state, of those seen to enter and to leave it.");
    for (std::size_t i = 0; i < job_metrics::states; ++i) {
        out.sample({{"state", job_state_names[i]}}, jobs.time_in_state()[i]);
    }
    return out.take();
}

std::string notice_metrics_text(const notices::dispatcher& notices) {
    exposition out;
    const auto add = [&](std::string_view outcome, std::uint64_t notices::queue_counters::*counter) {
        for (const auto& r : notices.receivers()) {
            out.sample({{"receiver", r->config.name}, {"outcome", outcome}}, r->queue.counters().*counter);
        }
    };
    out.family("training_monitor_notices_total", "counter", "Notices by what became of them.");
    add("sent", &notices::queue_counters::sent);
    add("failed", &notices::queue_counters::failed);
    add("dropped", &notices::queue_counters::dropped);
    add("coalesced", &notices::queue_counters::coalesced);
    out.family("training_monitor_notice_retries_total", "counter", "Tries after the first.");
    for (const auto& r : notices.receivers()) out.sample({{"receiver", r->config.name}}, r->queue.counters().retries);
    out.family("training_monitor_notices_queued", "gauge", "Notices that wait or are being tried.");
    for (const auto& r : notices.receivers()) out.sample({{"receiver", r->config.name}}, r->queue.size());
    out.family("training_monitor_notices_queue_capacity", "gauge", "How many notices may wait.");
    for (const auto& r : notices.receivers()) out.sample({{"receiver", r->config.name}}, r->queue.capacity());
    out.family("training_monitor_notice_latency_seconds", "histogram", "From the sight of a change to its delivery.");
    out.sample({}, notices.latency());
    return out.take();
}

}  // namespace training_monitor
