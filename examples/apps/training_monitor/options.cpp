#include "options.hpp"

#include <kcontrol/base/flags.hpp>
#include <kcontrol/base/in_quotes.hpp>
#include <kcontrol/http/url.hpp>
#include <kcontrol/serve/host_name.hpp>

#include "config_arguments.hpp"
#include "flag_values.hpp"
#include "jobs/kind_names.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace training_monitor {
namespace {

using guarded_serving::access_options;
using guarded_serving::set_access_file;
using kcontrol::http::is_loopback;

using kcontrol::errc;
using kcontrol::error;
using kcontrol::flag_value;
using kcontrol::in_quotes;
using kcontrol::result;

struct flag {
    std::string_view name;
    flag_value value;
    result<void> (*set)(options& o, std::string_view value);
};

error bad(std::string text) { return error(errc::invalid_argument, std::move(text)); }

// The pieces between commas; empty ones are an error of the caller's.
std::vector<std::string> split_list(std::string_view text) {
    std::vector<std::string> out;
    for (std::size_t begin = 0; begin <= text.size();) {
        const auto end = std::min(text.find(',', begin), text.size());
        out.emplace_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return out;
}

result<void> set_kinds(options& o, std::string_view value) {
    std::vector<std::string> kinds;
    for (const auto& name : split_list(value)) {
        if (name == "all") {
            for (const auto each : kind_names()) kinds.emplace_back(each);
            continue;
        }
        const auto kind = find_kind(name);
        if (kind.empty()) {
            return bad("--kinds: " + in_quotes(name) + " is not a kind this program knows; use all, or a list of " +
                       all_kind_names() + "; --kind-rules FILE adds others");
        }
        kinds.emplace_back(kind);
    }
    std::vector<std::string> once;
    for (auto& kind : kinds) {
        if (std::find(once.begin(), once.end(), kind) == once.end()) once.push_back(std::move(kind));
    }
    o.kinds(std::move(once));
    return {};
}

result<void> add_namespaces(options& o, std::string_view value) {
    auto all = o.namespaces();
    for (const auto& name : split_list(value)) {
        if (!is_namespace_name(name)) {
            return bad("--namespace: " + in_quotes(name) +
                       " is not the name of a namespace (lower case letters, digits and '-')");
        }
        if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
    }
    o.namespaces(std::move(all));
    return {};
}

result<void> set_listen(options& o, std::string_view value) {
    const auto parsed = kcontrol::http::parse_listen_address(value);
    if (!parsed) return parsed.error().with_context("--listen");
    o.listen(*parsed);
    return {};
}

result<void> set_health_probe_bind_address(options& o, std::string_view value) {
    const auto parsed = kcontrol::http::parse_listen_address(value);
    if (!parsed) return parsed.error().with_context("--health-probe-bind-address");
    auto serving = o.serving();
    o.serving(std::move(serving.health_probe_bind_address(*parsed)));
    return {};
}

// How many there may be of something.
template <const char* Flag, serving_options& (serving_options::*Set)(std::size_t), std::size_t Least>
result<void> set_most(options& o, std::string_view value) {
    constexpr std::size_t most = 1'000'000;
    const auto count = read_number(Flag, value, Least, most);
    if (!count) return count.error();
    auto serving = o.serving();
    (serving.*Set)(*count);
    o.serving(std::move(serving));
    return {};
}

constexpr char max_connections_flag[] = "--max-connections";
constexpr char max_per_address_flag[] = "--max-connections-per-address";
constexpr char max_streams_flag[] = "--max-event-streams";

result<void> set_output(options& o, std::string_view value) {
    static constexpr std::array<std::string_view, 4> names{"table", "wide", "json", "none"};
    const auto found = std::find(names.begin(), names.end(), value);
    if (found == names.end()) return bad("--output: " + in_quotes(value) + " is not one of table, wide, json, none");
    o.output(static_cast<output_format>(found - names.begin()));
    return {};
}

result<void> set_log_format(options& o, std::string_view value) {
    if (value != "text" && value != "json") {
        return bad("--log-format: " + in_quotes(value) + " is not one of text, json");
    }
    o.log(value == "json" ? log_format::json : log_format::text);
    return {};
}

template <options& (options::*Set)(std::string)>
result<void> set_path(options& o, std::string_view value) {
    (o.*Set)(std::string(value));
    return {};
}

result<void> add_trusted_origin(options& o, std::string_view value) {
    auto access = o.access();
    const auto done = access.trust_origin(value);
    if (!done) return bad("--trusted-origin: " + in_quotes(value) + ": " + done.error().message());
    o.access(std::move(access));
    return {};
}

result<void> set_insecure_listen(options& o, std::string_view) {
    auto access = o.access();
    access.insecure_listen(true);
    o.access(std::move(access));
    return {};
}

result<void> set_secrets_namespace(options& o, std::string_view value) {
    if (!is_namespace_name(value)) {
        return bad("--clusters-from-secrets: " + in_quotes(value) + " is not the name of a namespace (lower case " +
                   "letters, digits and '-')");
    }
    o.secrets_namespace(std::string(value));
    return {};
}

result<void> add_context(options& o, std::string_view value) {
    auto all = o.contexts();
    all.emplace_back(value);
    o.contexts(std::move(all));
    return {};
}

template <state_options& (state_options::*Set)(std::string)>
result<void> set_state_path(options& o, std::string_view value) {
    auto state = o.state();
    (state.*Set)(std::string(value));
    o.state(std::move(state));
    return {};
}

result<void> set_retain_for(options& o, std::string_view value) {
    const auto parsed = parse_period(value);
    if (!parsed) return bad("--retain-for: " + in_quotes(value) + ": " + parsed.error().message());
    auto state = o.state();
    o.state(std::move(state.retain_for(*parsed)));
    return {};
}

result<void> set_retain_size(options& o, std::string_view value) {
    const auto parsed = parse_size(value);
    if (!parsed) return bad("--retain-size: " + in_quotes(value) + ": " + parsed.error().message());
    auto state = o.state();
    o.state(std::move(state.retain_size(*parsed)));
    return {};
}

result<void> set_external_url(options& o, std::string_view value) {
    const bool plain = value.find_first_of("?#<>\"' ") == std::string_view::npos &&
                       (value.starts_with("https://") || value.starts_with("http://"));
    if (!plain || !kcontrol::http::parse_base_url(value)) {
        return bad("--external-url: " + in_quotes(value) + " is not a URL such as https://monitor.example.com");
    }
    while (value.ends_with('/')) value.remove_suffix(1);
    o.external_url(std::string(value));
    return {};
}

result<void> add_link(options& o, std::string_view value) {
    auto link = link_template::parse(value);
    if (!link) return bad("--link: " + in_quotes(value) + ": " + link.error().message());
    auto all = o.links();
    all.push_back(std::move(*link));
    o.links(std::move(all));
    return {};
}

result<void> set_test_notify(options& o, std::string_view value) {
    o.test_notify(std::string(value));
    return {};
}

// Sets in a part of the options what `read` makes of the value.
template <class Part>
result<void> set_part(options& o, Part part, options& (options::*put)(Part),
                      result<void> (*read)(Part&, std::string_view), std::string_view value) {
    const auto done = read(part, value);
    if (!done) return done.error();
    (o.*put)(std::move(part));
    return {};
}

template <result<void> (*Read)(fleet_options&, std::string_view)>
result<void> set_fleet(options& o, std::string_view value) {
    return set_part(o, o.fleet(), &options::fleet, Read, value);
}

template <result<void> (*Read)(usage_options&, std::string_view)>
result<void> set_usage(options& o, std::string_view value) {
    return set_part(o, o.usage(), &options::usage, Read, value);
}

result<void> set_labeler_namespace(options& o, std::string_view value) {
    if (!is_namespace_name(value)) {
        return bad("--labeler-namespace: " + in_quotes(value) +
                   " is not the name of a namespace (lower case letters, digits and '-')");
    }
    auto usage = o.usage();
    o.usage(std::move(usage.labeler_namespace(std::string(value))));
    return {};
}

template <options& (options::*Set)(bool), bool To = true>
result<void> set_on(options& o, std::string_view) {
    (o.*Set)(To);
    return {};
}

template <bool To>
result<void> set_logs(options& o, std::string_view) {
    o.logs(To).logs_in_messages(To);
    return {};
}

constexpr std::string_view config_flag = "--config";

constexpr std::array flags{
    flag{"--clusters", flag_value::text, set_path<&options::clusters_directory>},
    flag{"--kubeconfig", flag_value::text, set_path<&options::kubeconfig>},
    flag{"--context", flag_value::text, add_context},
    flag{"--clusters-from-secrets", flag_value::text, set_secrets_namespace},
    flag{"--home-kubeconfig", flag_value::text, set_path<&options::home_kubeconfig>},
    flag{"--shard-group", flag_value::text, set_fleet<read_shard_group>},
    flag{"--shard-weight", flag_value::text, set_fleet<read_shard_weight>},
    flag{"--cluster-rate-limit", flag_value::text, set_fleet<read_rate_limit>},
    flag{"--cluster-max-concurrent-requests", flag_value::text, set_fleet<read_max_concurrent_requests>},
    flag{"--cluster-max-consecutive-failures", flag_value::text, set_fleet<read_max_consecutive_failures>},
    flag{"--cluster-max-objects", flag_value::text, set_fleet<read_max_objects>},
    flag{"--namespace", flag_value::text, add_namespaces},
    flag{"--kinds", flag_value::text, set_kinds},
    flag{"--kind-rules", flag_value::text, set_path<&options::kind_rules>},
    flag{"--listen", flag_value::text, set_listen},
    flag{"--health-probe-bind-address", flag_value::text, set_health_probe_bind_address},
    flag{max_connections_flag, flag_value::text, set_most<max_connections_flag, &serving_options::max_connections, 2>},
    flag{max_per_address_flag, flag_value::text,
         set_most<max_per_address_flag, &serving_options::max_connections_per_address, 0>},
    flag{max_streams_flag, flag_value::text, set_most<max_streams_flag, &serving_options::max_event_streams, 1>},
    flag{"--tls-cert-file", flag_value::text, set_access_file<&access_options::tls_cert_file>},
    flag{"--tls-private-key-file", flag_value::text, set_access_file<&access_options::tls_key_file>},
    flag{"--client-ca-file", flag_value::text, set_access_file<&access_options::client_ca_file>},
    flag{"--token-file", flag_value::text, set_access_file<&access_options::token_file>},
    flag{"--trusted-origin", flag_value::text, add_trusted_origin},
    flag{"--insecure-listen", flag_value::none, set_insecure_listen},
    flag{"--state", flag_value::text, set_state_path<&state_options::file>},
    flag{"--acknowledgements", flag_value::none, set_on<&options::acknowledgements>},
    flag{"--key-file", flag_value::text, set_state_path<&state_options::key_file>},
    flag{"--retain-for", flag_value::text, set_retain_for},
    flag{"--retain-size", flag_value::text, set_retain_size},
    flag{"--notify-config", flag_value::text, set_path<&options::notify_config>},
    flag{"--external-url", flag_value::text, set_external_url},
    flag{"--link", flag_value::text, add_link},
    flag{"--test-notify", flag_value::optional, set_test_notify},
    flag{"--output", flag_value::text, set_output},
    flag{"--log-format", flag_value::text, set_log_format},
    flag{"--logs", flag_value::none, set_logs<true>},
    flag{"--no-logs", flag_value::none, set_logs<false>},
    flag{"--yaml", flag_value::none, set_on<&options::yaml>},
    flag{"--no-yaml", flag_value::none, set_on<&options::yaml, false>},
    flag{"--gpu-usage", flag_value::none, set_usage<switch_usage_on>},
    flag{"--no-gpu-usage", flag_value::none, set_usage<switch_usage_off>},
    flag{"--gpu-usage-interval", flag_value::text, set_usage<read_usage_interval>},
    flag{"--labeler-namespace", flag_value::text, set_labeler_namespace},
    flag{"--labeler-selector", flag_value::text, set_usage<read_labeler_selector>},
    flag{"--labeler-port", flag_value::text, set_usage<read_labeler_port>},
    flag{"--once", flag_value::none, set_on<&options::once>},
    flag{"--demo", flag_value::none, set_on<&options::demo>},
    flag{"--version", flag_value::none, set_on<&options::version>},
    flag{"--help", flag_value::none, set_on<&options::help>},
    flag{"-h", flag_value::none, set_on<&options::help>},
    flag{"--help-all", flag_value::none, set_on<&options::help_all>},
    flag{config_flag, flag_value::text, set_path<&options::config_file>},
};

// What is added to what was said before, rather than put in its place.
bool is_repeatable(std::string_view name) {
    return name == "--context" || name == "--namespace" || name == "--trusted-origin" || name == "--link";
}

result<void> check_access(const options& o) {
    const bool serves = !o.once() && !o.test_notify();
    return serves ? guarded_serving::check_listen(o.listen(), o.access()) : check_files(o.access());
}

result<void> check_together(const options& o) {
    if (o.help() || o.help_all() || o.version()) return {};
    if (!o.clusters_directory().empty() && !o.kubeconfig().empty()) {
        return bad("--clusters and --kubeconfig exclude each other: give one");
    }
    if (!o.secrets_namespace().empty() && (!o.clusters_directory().empty() || !o.kubeconfig().empty() || o.demo())) {
        return bad("--clusters-from-secrets excludes --clusters, --kubeconfig and --demo: give one");
    }
    if (!o.secrets_namespace().empty() && o.once()) {
        return bad("--clusters-from-secrets is for a monitor that goes on: leave out --once");
    }
    if (o.fleet().shares() && (o.once() || o.demo())) {
        return bad("--shard-group is for a monitor that goes on and watches clusters: leave out --once and --demo");
    }
    if (!o.fleet().shares() && o.fleet().shard_weight() != 1) return bad("--shard-weight needs --shard-group");
    if (!o.home_kubeconfig().empty() && o.secrets_namespace().empty() && !o.fleet().shares()) {
        return bad("--home-kubeconfig needs --clusters-from-secrets NAMESPACE or --shard-group NAMESPACE/NAME");
    }
    const bool elsewhere = !o.clusters_directory().empty() || !o.secrets_namespace().empty() || o.demo() ||
                           (!o.state().file().empty() && o.kubeconfig().empty());
    if (!o.contexts().empty() && elsewhere) {
        return bad(
            "--context chooses from one kubeconfig: leave out --clusters, --clusters-from-secrets and --demo, and "
            "give --kubeconfig FILE beside --state");
    }
    if (o.demo() && (!o.clusters_directory().empty() || !o.kubeconfig().empty())) {
        return bad("--demo brings its own clusters: leave out --clusters and --kubeconfig");
    }
    if (o.state().file().empty() && !o.state().key_file().empty()) return bad("--key-file needs --state FILE");
    if (o.acknowledgements() && (o.state().file().empty() || !o.access().login())) {
        return bad(
            "--acknowledgements needs --state FILE, which keeps them, and --token-file or --client-ca-file, so "
            "that not everybody may write them");
    }
    if (!o.state().file().empty() && (o.once() || o.demo())) {
        return bad("--state is for a monitor that goes on: leave out --once and --demo");
    }
    if (!o.usage().on() && o.usage().is_detailed()) {
        return bad("--gpu-usage-interval and --labeler-... exclude --no-gpu-usage");
    }
    if (o.usage().is_asked_for() && o.once()) {
        return bad("--gpu-usage is for a monitor that goes on: leave out --once");
    }
    if (o.test_notify() && o.notify_config().empty()) return bad("--test-notify needs --notify-config FILE");
    if (o.once() && !o.notify_config().empty() && !o.test_notify()) {
        return bad("--once prints what is there and ends; --notify-config is for a program that keeps watching");
    }
    const std::size_t streams = o.serving().max_event_streams(), connections = o.serving().max_connections();
    if (streams >= connections) {
        return bad("--max-event-streams " + std::to_string(streams) + " must be less than --max-connections " +
                   std::to_string(connections) + ", so that there are some left for other requests");
    }
    return check_access(o);
}

}  // namespace

namespace {

// Sets what the arguments say. A flag in `but` is left out.
result<void> apply(options& out, const std::vector<kcontrol::argument>& said, const std::set<std::size_t>& but = {}) {
    for (const auto& one : said) {
        if (one.is_word()) {
            return bad("unexpected argument " + in_quotes(one.text) + "; this program takes flags only, see --help");
        }
        if (but.contains(one.flag)) continue;
        const auto done = flags[one.flag].set(out, one.text);
        if (!done) return done.error();
    }
    return {};
}

// What the file says, then what the command line says, which wins.
result<void> apply_file(options& out, const std::string& path, const std::vector<kcontrol::argument>& said,
                        kcontrol::environment& env) {
    const auto text = env.read_file(path, most_config_bytes);
    if (!text) return text.error();
    const auto written = config_arguments(*text);
    if (!written) return written.error().with_context(path);
    std::set<std::size_t> said_anew;
    for (const auto& one : said) {
        if (!one.is_word() && is_repeatable(flags[one.flag].name)) said_anew.insert(one.flag);
    }
    for (const auto& [key, argument] : *written) {
        const auto split = kcontrol::split_arguments({argument}, kcontrol::shapes_of(flags));
        if (!split || flags[split->front().flag].name == config_flag) {
            return bad(path + ": " + key + ": " + (split ? "a file can't name another one" : split.error().message()));
        }
        const auto done = apply(out, *split, said_anew);
        if (!done) return done.error().with_context(path + ": " + key);
    }
    return {};
}

}  // namespace

result<options> parse_options(const std::vector<std::string_view>& arguments, kcontrol::environment* env) {
    const auto said = kcontrol::split_arguments(arguments, kcontrol::shapes_of(flags));
    if (!said) return said.error();
    options asked;
    if (const auto done = apply(asked, *said); !done) return done.error();
    options out;
    if (env && !asked.config_file().empty()) {
        const auto read = apply_file(out, asked.config_file(), *said, *env);
        if (!read) return read.error().with_context(std::string(config_flag));
        const auto over = apply(out, *said);
        if (!over) return over.error();
    } else {
        out = std::move(asked);
    }
    if (!out.usage().is_asked_for() && out.once()) {
        auto usage = out.usage();
        out.usage(std::move(usage.on(false)));
    }
    const auto checked = check_together(out);
    if (!checked) return checked.error();
    return out;
}

std::string source_text(const options& o) {
    if (!o.kubeconfig().empty()) return "the file " + o.kubeconfig() + " (--kubeconfig)";
    if (!o.secrets_namespace().empty()) {
        return "the namespace " + o.secrets_namespace() + " of the home cluster (--clusters-from-secrets)";
    }
    if (!o.clusters_directory().empty()) return "the directory " + o.clusters_directory() + " (--clusters)";
    if (!o.state().file().empty()) return "the state file " + o.state().file() + " (--state)";
    return "the kubeconfig ($KUBECONFIG or ~/.kube/config)";
}

}  // namespace training_monitor
