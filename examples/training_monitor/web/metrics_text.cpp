#include "web/metrics_text.hpp"

#include <tuple>

namespace training_monitor {
namespace {

using label = std::pair<std::string_view, std::string_view>;

// Source: https://prometheus.io/docs/instrumenting/exposition_formats/
class exposition {
public:
    void family(std::string_view name, std::string_view type, std::string_view help) {
        name_ = name;
        out_.append("# HELP ").append(name).append(" ").append(help).append("\n");
        out_.append("# TYPE ").append(name).append(" ").append(type).append("\n");
    }
    void sample(std::initializer_list<label> labels, std::uint64_t value) {
        out_ += name_;
        char before = '{';
        for (const auto& [name, text] : labels) {
            out_ += before;
            before = ',';
            out_.append(name).append("=\"");
            for (const char c : text) {
                if (c == '\\' || c == '"') out_ += '\\';
                out_ += c == '\n' ? std::string("\\n") : std::string(1, c);
            }
            out_ += '"';
        }
        if (before == ',') out_ += '}';
        out_ += " " + std::to_string(value) + "\n";
    }
    std::string take() { return std::move(out_); }

private:
    std::string name_, out_;
};

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
    out.family("training_monitor_jobs", "gauge", "Jobs in view.");
    std::map<std::tuple<std::string_view, std::string_view, job_state>, std::uint64_t> jobs;
    const auto all = table.jobs();
    for (const auto& job : all) ++jobs[{job->cluster, job->kind, job->state}];
    for (const auto& [key, count] : jobs) {
        const auto& [cluster, kind, state] = key;
        out.sample({{"cluster", cluster}, {"kind", kind}, {"state", to_string(state)}}, count);
    }
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
    out.family("training_monitor_stream_clients", "gauge", "Clients of the event stream.");
    out.sample({}, hub.clients());
    out.family("training_monitor_stream_cut_off_total", "counter", "Clients cut off because they were too slow.");
    out.sample({}, hub.cut_off());
    return out.take();
}

}  // namespace training_monitor
