#include "parts.hpp"

#include <kcontrol/client/protobuf_encoding.hpp>
#include <kcontrol/transport/client.hpp>

#include "memory/memory.hpp"
#include "output/terminal.hpp"
#include "pods/log_tail.hpp"
#include "web/yaml_answer.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <sstream>
#include <unistd.h>

namespace training_monitor {

namespace http = kcontrol::http;

namespace {

struct container_log {
    std::string pod;
    bool earlier = false;  // of the run before this one
    kcontrol::result<log_tail> read;
};

// Of the pod that is named, else of the one that says why; of a container that was started again, the run that failed.
// Nothing: there is no such pod.
kcontrol::awaitable<std::optional<container_log>> read_container_log(monitor& core, job_ref ref, std::string pod,
                                                                     std::int64_t lines, std::stop_token stop) {
    std::optional<container_log> out;
    const auto job = core.table().find(ref.cluster, ref.namespace_, ref.kind, ref.name);
    auto from = core.knowledge().client_of(ref.cluster);
    if (!job || !from) co_return out;
    const job_evidence known = core.knowledge().evidence(ref);
    const job_cause cause = find_cause(*job, known);
    const std::string& wanted = pod.empty() ? cause.pod : pod;
    const auto row = std::find_if(known.pods.begin(), known.pods.end(),
                                  [&](const pod_row& each) { return is_of(*job, each) && each.name == wanted; });
    if (row == known.pods.end()) co_return out;
    std::string container = row->failed ? row->failed->container : std::string();
    if (row->name == cause.pod && !cause.container.empty()) container = cause.container;
    const bool earlier = row->failed && row->failed->earlier;
    auto reading =
        read_log_tail(std::move(*from), {ref.namespace_, row->name}, std::move(container), earlier, stop, lines);
    auto read =
        co_await boost::asio::co_spawn(core.clusters_executor(), std::move(reading), boost::asio::use_awaitable);
    container_log found{row->name, earlier, std::move(read)};
    out = std::move(found);
    co_return out;
}

kcontrol::awaitable<std::vector<std::string>> read_failure_log(monitor& core, job_ref job, std::size_t lines,
                                                               std::stop_token stop) {
    auto reading = read_container_log(core, std::move(job), {}, usual_log_lines, std::move(stop));
    auto log = co_await std::move(reading);
    std::vector<std::string> found;
    if (!log || !log->read) co_return found;
    found = std::move(log->read->lines);
    if (found.size() > lines) found.erase(found.begin(), found.end() - static_cast<std::ptrdiff_t>(lines));
    co_return found;
}

std::string pod_to_read(monitor& core, const job_ref& ref) {
    const auto job = core.table().find(ref.cluster, ref.namespace_, ref.kind, ref.name);
    if (!job) return {};
    const job_evidence known = core.knowledge().evidence(ref);
    const auto first =
        std::find_if(known.pods.begin(), known.pods.end(), [&](const pod_row& each) { return is_of(*job, each); });
    const job_cause cause = find_cause(*job, known);
    return !cause.pod.empty() || first == known.pods.end() ? cause.pod : first->name;
}

std::vector<std::string> split_lines(std::string_view text) {
    std::vector<std::string> out;
    std::istringstream in{std::string(text)};
    for (std::string line; std::getline(in, line);) out.push_back(std::move(line));
    return out;
}

}  // namespace

notices::dispatcher::log_reader failure_log_reader(const options& o, monitor& core) {
    if (!o.logs_in_messages()) return {};
    return [&core](std::shared_ptr<const job_view> job, std::size_t lines, std::stop_token stop) {
        return read_failure_log(core, ref_of(*job), lines, std::move(stop));
    };
}

parts::parts(kcontrol::environment& env, kcontrol::executor ex, const options& o, history& remembered,
             gpu_hours& counted, memory* state_file, std::optional<notices::notice_config> notify,
             kcontrol::auth::cluster_config home, const kcontrol::logger& log)
    : past(remembered),
      hours(counted),
      kept(state_file),
      core(env, ex, o, http::make_transport_factory(env), log,
           kcontrol::client_options().encoding(kcontrol::protobuf_encoding()), std::move(home)),
      stream(env, core.table(), http::event_stream_options().max_clients(o.serving().max_event_streams()),
             log.with("part", "events")),
      out(make_screen(ex, STDOUT_FILENO, log.with("part", "output"))),
      output(env, core.table(), o.output(), *out),
      offers_(job_offers().logs(o.logs()).yaml(o.yaml())) {
    if (notify) {
        center.emplace(env, ex, std::move(*notify), past, http::make_transport_factory(env),
                       log.with("part", "notices"));
    }
    if (kept) remember(env.wall_now());
    changes.emplace(env, past, change_consumers{stream, metrics, output, center ? &*center : nullptr, kept, &hours},
                    log);
    if (center && core.usage()) tell_idle_jobs();
    if (center) center->deliveries().read_logs_with(failure_log_reader(o, core));
}

// What an earlier run left in the state file, and what this one is to leave there.
void parts::remember(kcontrol::wall_time now) {
    points.restore(kept->take_totals(), now);
    care.on_changed([this](const acknowledgement& one, bool removed) { kept->take(one, removed); });
    care.restore(kept->take_acknowledgements(), now);
    if (!center) return;
    for (auto& told : kept->take_alerts()) {
        if (center->restore(told)) continue;
        told.jobs.clear();
        kept->take(told);
    }
    center->deliveries().on_alert([this](const notices::kept_alert& one) { kept->take(one); });
}

change_handler parts::publish() {
    return [this](const std::vector<change>& all) { changes->publish(all); };
}

// For rules about GPUs that idle.
void parts::tell_idle_jobs() {
    core.on_usage([this](const std::string& cluster) {
        std::vector<notices::idle_job> idle;
        core.usage()->visit(cluster, [&](const std::shared_ptr<const job_view>& job, const job_usage& usage) {
            if (usage.idle_since) idle.push_back({job, *usage.idle_since});
        });
        center->take_idle(cluster, idle);
    });
}

known_of_job parts::look(const job_ref& job) {
    insight& known = core.knowledge();
    known.look(job);
    known_of_job found{known.evidence(job), known.rights_for(job), {}};
    const auto view = core.table().find(job.cluster, job.namespace_, job.kind, job.name);
    const auto* usage = view && core.usage() ? core.usage()->find(*view) : nullptr;
    if (usage) found.usage = *usage;
    return found;
}

// The pod that was asked for, else the one that says why, else the first.
kcontrol::awaitable<void> parts::read_log(text_request asked, std::stop_token stop) {
    if (asked.pod.empty()) asked.pod = pod_to_read(core, asked.job);
    auto reading = read_container_log(core, asked.job, asked.pod, most_log_lines, std::move(stop));
    auto log = co_await std::move(reading);
    if (!log) {
        output.show_text(asked, "There is no pod whose log could be read.", {});
        co_return;
    }
    asked.pod = log->pod;
    const std::string title = log->pod + (log->earlier ? ", the run before this one" : "");
    if (log->read) {
        output.show_text(asked, title, std::move(log->read->lines));
    } else {
        output.show_text(asked, title + ": the log could not be read", {log->read.error().message()});
    }
}

kcontrol::awaitable<void> parts::read_object(text_request asked, std::stop_token stop) {
    auto reading = read_yaml(core, asked.job, stop);
    const auto read = co_await std::move(reading);
    output.show_text(asked, read ? asked.job.name : asked.job.name + ": the object could not be read",
                     split_lines(read ? *read : read.error().message()));
}

void parts::read(kcontrol::executor ex, const text_request& asked, std::stop_token stop) {
    const bool log = asked.what == text_request::kind::log;
    if (!(log ? offers_.logs() : offers_.yaml())) {
        return output.show_text(asked, log ? "Logs are turned off (--no-logs)." : "YAML is turned off (--no-yaml).",
                                {});
    }
    boost::asio::co_spawn(ex, log ? read_log(asked, stop) : read_object(asked, stop), boost::asio::detached);
}

void parts::attach_terminal(kcontrol::executor ex, std::stop_source ending) {
    if (!output.draws()) return;
    output.on_quit([ending]() mutable { ending.request_stop(); });
    output.on_look([this](const job_ref& job) { return look(job); });
    output.on_read([this, ex, ending](const text_request& asked) { read(ex, asked, ending.get_token()); });
    const int keys = ::isatty(STDIN_FILENO) == 1 ? STDIN_FILENO : -1;
    output.attach(make_terminal(std::move(ex), keys, STDOUT_FILENO, output.calls()));
}

}  // namespace training_monitor
