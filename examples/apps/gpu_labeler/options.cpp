#include "options.hpp"

#include <kcontrol/base/flags.hpp>
#include <kcontrol/model/names.hpp>
#include <kcontrol/serve/host_name.hpp>
#include <kcontrol/values/api_duration.hpp>

#include "config_file.hpp"
#include "cron/schedule.hpp"
#include "messages.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace gpu_labeler {
namespace {

using kcontrol::result;

result<void> set_strategy(options& o, std::string_view value) {
    if (value == "none") {
        o.strategy(mig_strategy::none);
    } else if (value == "single") {
        o.strategy(mig_strategy::single);
    } else if (value == "mixed") {
        o.strategy(mig_strategy::mixed);
    } else {
        return bad_argument(in_quotes(value) + " is not a strategy; use none, single or mixed");
    }
    return {};
}

// What is done again and again must leave time between.
template <options& (options::*Set)(kcontrol::duration), int LeastMilliseconds>
result<void> set_duration(options& o, std::string_view value) {
    const auto length = kcontrol::parse_duration(value);
    if (!length) return length.error();
    if (length->count() < 0) return bad_argument(in_quotes(value) + " is no time to wait; use for example 5s");
    if (*length < std::chrono::milliseconds(LeastMilliseconds)) {
        return bad_argument(in_quotes(value) + " is too short; use " + std::to_string(LeastMilliseconds) +
                            "ms or more");
    }
    (o.*Set)(*length);
    return {};
}

// Checked here, so that a slip is found at once, and read where the zone is known.
result<void> set_schedule(options& o, std::string_view value) {
    const auto parsed = cron::schedule::parse(value, cron::time_zone::utc());
    if (!parsed) return parsed.error();
    o.schedule(std::string(value));
    return {};
}

result<void> set_output(options& o, std::string_view value) {
    if (value == "node") {
        o.output(label_output::node);
    } else if (value == "nodefeature") {
        o.output(label_output::node_feature);
    } else if (value == "features.d") {
        o.output(label_output::file);
    } else if (value == "none") {
        o.output(label_output::none);
    } else {
        return bad_argument(in_quotes(value) + " is no place for labels; use node, nodefeature, features.d or none");
    }
    return {};
}

result<void> set_node_name(options& o, std::string_view value) {
    const auto problems = kcontrol::check_dns1123_subdomain(value);
    if (!problems.empty()) {
        return bad_argument(in_quotes(value) + " is no node's name: " + kcontrol::join_problems(problems));
    }
    o.node_name(std::string(value));
    return {};
}

result<void> set_namespace(options& o, std::string_view value) {
    const auto problems = kcontrol::check_dns1123_label(value);
    if (!problems.empty()) {
        return bad_argument(in_quotes(value) + " is no namespace's name: " + kcontrol::join_problems(problems));
    }
    o.in_namespace(std::string(value));
    return {};
}

template <options& (options::*Set)(kcontrol::http::listen_address)>
result<void> set_listen(options& o, std::string_view value) {
    const auto parsed = kcontrol::http::parse_listen_address(value);
    if (!parsed) return parsed.error();
    (o.*Set)(*parsed);
    return {};
}

result<void> set_max_connections(options& o, std::string_view value) {
    constexpr std::size_t most = 100'000;
    std::size_t count = 0;
    const auto [end, failure] = std::from_chars(value.data(), value.data() + value.size(), count);
    if (failure != std::errc() || end != value.data() + value.size() || count == 0 || count > most) {
        return bad_argument(in_quotes(value) + " is not a number from 1 to " + std::to_string(most));
    }
    o.max_connections(count);
    return {};
}

using guarded_serving::access_options;
using guarded_serving::set_access_file;

result<void> set_trusted_origins(options& o, std::string_view value) {
    auto access = o.access();
    if (const auto done = access.trust_origins(value); !done) return done;
    o.access(std::move(access));
    return {};
}

result<void> set_push_url(options& o, std::string_view value) {
    auto push = o.push();
    if (value.empty()) {
        o.push(std::move(push.target({})));
        return {};
    }
    auto target = push_target::parse(value);
    if (!target) return target.error();
    o.push(std::move(push.target(std::move(*target))));
    return {};
}

template <push_options& (push_options::*Set)(std::string)>
result<void> set_push_file(options& o, std::string_view value) {
    auto push = o.push();
    (push.*Set)(std::string(value));
    o.push(std::move(push));
    return {};
}

result<void> set_log_format(options& o, std::string_view value) {
    if (value != "json" && value != "text") return bad_argument(in_quotes(value) + " is no format; use json or text");
    o.log_format(value == "json" ? kcontrol::log_format::json : kcontrol::log_format::text);
    return {};
}

result<void> set_log_level(options& o, std::string_view value) {
    using kcontrol::log_level;
    for (const auto level : {log_level::debug, log_level::info, log_level::warning, log_level::error}) {
        if (value != kcontrol::to_string(level)) continue;
        o.log_level(level);
        return {};
    }
    return bad_argument(in_quotes(value) + " is no level; use debug, info, warning or error");
}

template <options& (options::*Set)(std::string)>
result<void> set_text(options& o, std::string_view value) {
    (o.*Set)(std::string(value));
    return {};
}

template <options& (options::*Set)(bool)>
result<void> set_switch(options& o, std::string_view value) {
    if (value != "true" && value != "false") return bad_argument(in_quotes(value) + " is neither true nor false");
    (o.*Set)(value == "true");
    return {};
}

enum class flag_kind {
    command,  // what to do now; not for a file
    one_off,  // the same with a value
    on_off,
    value
};

struct flag {
    std::string_view name;
    flag_kind kind;
    result<void> (*set)(options& o, std::string_view value);

    bool takes_value() const { return kind == flag_kind::value || kind == flag_kind::one_off; }
    bool in_file() const { return kind == flag_kind::value || kind == flag_kind::on_off; }
    // An empty value turns off what has a default.
    kcontrol::flag_shape shape() const {
        return {name, takes_value() ? kcontrol::flag_value::any : kcontrol::flag_value::none};
    }
};

constexpr flag flags[] = {
    {"--dry-run", flag_kind::command, set_switch<&options::dry_run>},
    {"--once", flag_kind::command, set_switch<&options::once>},
    {"--cleanup", flag_kind::command, set_switch<&options::cleanup>},
    {"--help", flag_kind::command, set_switch<&options::help>},
    {"-h", flag_kind::command, set_switch<&options::help>},
    {"--version", flag_kind::command, set_switch<&options::version>},
    {"--config", flag_kind::one_off, set_text<&options::config_file>},
    {"--schedule", flag_kind::value, set_schedule},
    {"--sample-interval", flag_kind::value, set_duration<&options::sample_interval, 100>},
    {"--start-jitter", flag_kind::value, set_duration<&options::start_jitter, 0>},
    {"--resync-interval", flag_kind::value, set_duration<&options::resync_interval, 0>},
    {"--keep-labels", flag_kind::value, set_duration<&options::keep_labels, 0>},
    {"--mig-strategy", flag_kind::value, set_strategy},
    {"--no-timestamp", flag_kind::on_off, set_switch<&options::no_timestamp>},
    {"--output", flag_kind::value, set_output},
    {"--features-file", flag_kind::value, set_text<&options::features_file>},
    {"--node-name", flag_kind::value, set_node_name},
    {"--namespace", flag_kind::value, set_namespace},
    {"--kubeconfig", flag_kind::value, set_text<&options::kubeconfig>},
    {"--context", flag_kind::value, set_text<&options::context>},
    {"--listen", flag_kind::value, set_listen<&options::listen>},
    {"--health-probe-bind-address", flag_kind::value, set_listen<&options::health_probe_bind_address>},
    {"--max-connections", flag_kind::value, set_max_connections},
    {"--tls-cert-file", flag_kind::value, set_access_file<&access_options::tls_cert_file>},
    {"--tls-private-key-file", flag_kind::value, set_access_file<&access_options::tls_key_file>},
    {"--client-ca-file", flag_kind::value, set_access_file<&access_options::client_ca_file>},
    {"--token-file", flag_kind::value, set_access_file<&access_options::token_file>},
    {"--trusted-origin", flag_kind::value, set_trusted_origins},
    {"--report-health", flag_kind::on_off, set_switch<&options::report_health>},
    {"--health-unknown-after", flag_kind::value, set_duration<&options::health_unknown_after, 0>},
    {"--health-known-after", flag_kind::value, set_duration<&options::health_known_after, 0>},
    {"--health-well-after", flag_kind::value, set_duration<&options::health_well_after, 0>},
    {"--history-file", flag_kind::value, set_text<&options::history_file>},
    {"--push-url", flag_kind::value, set_push_url},
    {"--push-authorization-file", flag_kind::value, set_push_file<&push_options::authorization_file>},
    {"--push-ca-file", flag_kind::value, set_push_file<&push_options::ca_file>},
    {"--hostname", flag_kind::value, set_text<&options::hostname>},
    {"--log-format", flag_kind::value, set_log_format},
    {"--log-level", flag_kind::value, set_log_level},
    {"--nvml", flag_kind::value, set_text<&options::nvml>},
    {"--nvml-timeout", flag_kind::value, set_duration<&options::nvml_timeout, 10>},
    {"--machine-type-file", flag_kind::value, set_text<&options::machine_type_file>},
    {"--sysfs", flag_kind::value, set_text<&options::sysfs>},
    {"--pod-resources-socket", flag_kind::value, set_text<&options::pod_resources_socket>},
    {"--annotations", flag_kind::command, set_switch<&options::annotations>},
};

const flag* find_flag(std::string_view name) {
    const auto* found = std::find_if(std::begin(flags), std::end(flags), [&](const flag& f) { return f.name == name; });
    return found == std::end(flags) ? nullptr : found;
}

// What the command line says, in its order.
using settings = std::vector<std::pair<const flag*, std::string_view>>;

result<settings> split(const std::vector<std::string_view>& arguments) {
    std::vector<kcontrol::flag_shape> shapes;
    for (const auto& f : flags) shapes.push_back(f.shape());
    const auto said = kcontrol::split_arguments(arguments, shapes, "gpu_labeler --help");
    if (!said) return said.error();
    settings out;
    for (const auto& one : *said) {
        if (one.is_word()) return bad_argument("no such command: " + in_quotes(one.text) + "; see gpu_labeler --help");
        const auto& known = flags[one.flag];
        out.emplace_back(&known, known.takes_value() ? one.text : "true");
    }
    return out;
}

result<void> load_config(options& o, kcontrol::environment& env, const settings& said) {
    for (const auto& [known, value] : said) {
        if (known->name == "--config") o.config_file(std::string(value));
    }
    if (o.config_file().empty()) return {};
    constexpr std::size_t most = std::size_t{1} << 20;
    const auto text = env.read_file(o.config_file(), most);
    if (!text) return text.error().with_context("--config");
    const auto done = read_config(o, *text);
    if (!done) return done.error().with_context("--config " + o.config_file());
    return {};
}

// Tokens and pages of pods are not for those who listen on the network's way.
result<void> check_access(const options& o) {
    const auto& access = o.access();
    if (const auto files = check_files(access); !files) return files;
    const bool near = !o.listen().enabled || kcontrol::http::is_loopback(o.listen().host);
    if (near || access.tls() || !access.login()) return {};
    return bad_argument("--token-file: beyond loopback a token can be read on its way; give --tls-cert-file and " +
                        std::string("--tls-private-key-file too, or listen on loopback"));
}

result<void> check_together(const options& o) {
    if (o.dry_run() + o.cleanup() + o.once() > 1)
        return bad_argument("--dry-run, --once and --cleanup exclude each other");
    if (o.annotations() && !o.dry_run())
        return bad_argument("--annotations goes with --dry-run; else they are written");
    if (!o.dry_run() && o.report_health() && o.node_name().empty()) {
        return bad_argument("--report-health: which node is this? Say --node-name or set NODE_NAME");
    }
    if (o.report_health() && (o.once() || o.dry_run())) {
        return bad_argument("--report-health is for a labeler that goes on: leave out --once and --dry-run");
    }
    const bool names_node = o.output() == label_output::node || o.output() == label_output::node_feature;
    if (!o.dry_run() && names_node && o.node_name().empty()) {
        return bad_argument("which node is this? Say --node-name or set NODE_NAME; see gpu_labeler --help");
    }
    if (o.cleanup() && o.output() == label_output::none)
        return bad_argument("--cleanup: --output none has nothing to clean");
    if (const auto push = check_push(o.push()); !push) return push;
    return check_access(o);
}

}  // namespace

result<void> set_option(options& o, std::string_view name, std::string_view value) {
    const auto* known = find_flag(name);
    if (!known || !known->in_file()) return bad_argument("not a key of this file");
    return known->set(o, value);
}

result<options> parse_options(const std::vector<std::string_view>& arguments, kcontrol::environment& env) {
    const auto said = split(arguments);
    if (!said) return said.error();
    options o;
    if (const auto name = env.variable("NODE_NAME"); name && !name->empty()) {
        const auto done = set_node_name(o, *name);
        if (!done) return done.error().with_context("NODE_NAME");
    }
    if (const auto done = load_config(o, env, *said); !done) return done.error();
    for (const auto& [known, value] : *said) {
        const auto done = known->set(o, value);
        if (!done) return done.error().with_context(known->name);
    }
    if (o.help() || o.version()) return o;
    if (const auto done = check_together(o); !done) return done.error();
    return o;
}

}  // namespace gpu_labeler
