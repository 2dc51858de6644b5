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
#include <unistd.h>

namespace training_monitor {

namespace http = kcontrol::http;

namespace {

kcontrol::awaitable<std::vector<std::string>> read_failure_log(monitor& core, std::shared_ptr<const job_view> job,
                                                               std::size_t lines, std::stop_token stop) {
    std::vector<std::string> found;
    const job_cause cause = find_cause(*job, core.knowledge().evidence(ref_of(*job)));
    auto from = core.knowledge().client_of(job->cluster);
    if (!from || cause.pod.empty() || cause.container.empty()) co_return found;
    auto reading = read_log_tail(std::move(*from), kcontrol::namespaced_name(job->namespace_, cause.pod),
                                 cause.container, cause.earlier, std::move(stop));
    auto tail =
        co_await boost::asio::co_spawn(core.clusters_executor(), std::move(reading), boost::asio::use_awaitable);
    if (!tail) co_return found;
    found = std::move(tail->lines);
    if (found.size() > lines) found.erase(found.begin(), found.end() - static_cast<std::ptrdiff_t>(lines));
    co_return found;
}

}  // namespace

notices::center::log_reader failure_log_reader(const options& o, monitor& core) {
    if (!o.logs_in_messages()) return {};
    return [&core](std::shared_ptr<const job_view> job, std::size_t lines, std::stop_token stop) {
        return read_failure_log(core, std::move(job), lines, std::move(stop));
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
    if (kept) points.restore(kept->take_totals(), env.wall_now());
    changes.emplace(env, past, change_consumers{stream, metrics, output, center ? &*center : nullptr, kept, &hours},
                    log);
    if (center && core.usage()) tell_idle_jobs();
    if (center) center->read_logs_with(failure_log_reader(o, core));
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

// The pod that says why, or the one that was asked for; of what was started again, the run before.
kcontrol::awaitable<void> parts::read_log(text_request asked, std::stop_token stop) {
    const auto job = core.table().find(asked.job.cluster, asked.job.namespace_, asked.job.kind, asked.job.name);
    const auto known = core.knowledge().evidence(asked.job);
    const auto from = core.knowledge().client_of(asked.job.cluster);
    job_cause cause;
    if (job) cause = find_cause(*job, known);
    const auto wanted = asked.pod.empty() ? cause.pod : asked.pod;
    const auto pod = std::find_if(known.pods.begin(), known.pods.end(), [&](const pod_row& row) {
        return job && is_of(*job, row) && (wanted.empty() || row.name == wanted);
    });
    if (!from || pod == known.pods.end()) {
        output.show_text(asked, "There is no pod whose log could be read.", {});
        co_return;
    }
    asked.pod = pod->name;
    const std::string container = pod->failed ? pod->failed->container : std::string();
    const bool previous = pod->failed && pod->failed->earlier;
    auto reading = read_log_tail(*from, {asked.job.namespace_, pod->name}, container, previous, stop, most_log_lines);
    auto read =
        co_await boost::asio::co_spawn(core.clusters_executor(), std::move(reading), boost::asio::use_awaitable);
    const std::string title = asked.pod + (previous ? ", the run before this one" : "");
    if (read) {
        output.show_text(asked, title, std::move(read->lines));
    } else {
        output.show_text(asked, title + ": the log could not be read", {read.error().message()});
    }
}

kcontrol::awaitable<void> parts::read_object(text_request asked, std::stop_token stop) {
    auto reading = read_yaml(core, asked.job, stop);
    const auto read = co_await std::move(reading);
    std::vector<std::string> lines;
    std::string_view rest = read ? std::string_view(*read) : std::string_view(read.error().message());
    while (!rest.empty()) {
        const auto line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        lines.emplace_back(line);
    }
    output.show_text(asked, read ? asked.job.name : asked.job.name + ": the object could not be read",
                     std::move(lines));
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
