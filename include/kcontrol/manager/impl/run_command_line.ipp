#pragma once

#include <kcontrol/base/flags.hpp>
#include <kcontrol/manager/run.hpp>
#include <kcontrol/values/api_duration.hpp>

#include <algorithm>
#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

inline result<readiness> parse_ready_when(std::string_view text) {
    for (const readiness one : {readiness::synced_once, readiness::live}) {
        if (text == to_string(one)) return one;
    }
    return error(errc::invalid_argument, "--ready-when " + escape_control(text) + ": not one of synced-once, live");
}

inline result<log_format> parse_log_format(std::string_view text) {
    if (text == "text") return log_format::text;
    if (text == "json") return log_format::json;
    return error(errc::invalid_argument, "--log-format " + escape_control(text) + ": not one of text, json");
}

// Puts what was read into its place; an error if there is one.
template <class T, class Place>
result<void> put(result<T> read, Place& to) {
    if (!read) return read.error();
    to = *read;
    return {};
}

inline result<bool> parse_metrics_secure(std::string_view text) {
    if (text.empty() || text == "true") return true;
    if (text == "false") return false;
    return error(errc::invalid_argument, "--metrics-secure " + escape_control(text) + ": not true or false");
}

inline result<std::string> parse_content_type(std::string_view text) {
    for (const std::string_view one : {"application/json", "application/vnd.kubernetes.protobuf"}) {
        if (text == one) return std::string(one);
    }
    return error(errc::invalid_argument, "--kube-api-content-type " + escape_control(text) +
                                             ": not one of application/json, application/vnd.kubernetes.protobuf");
}

inline constexpr flag_shape run_flags[] = {{"--kubeconfig"},
                                           {"--context"},
                                           {"--namespace"},
                                           {"--listen"},
                                           {"--metrics-bind-address"},
                                           {"--health-probe-bind-address"},
                                           {"--metrics-secure", flag_value::joined},
                                           {"--metrics-cert-path"},
                                           {"--metrics-cert-name"},
                                           {"--metrics-cert-key"},
                                           {"--ready-when"},
                                           {"--kube-api-content-type"},
                                           {"--log-level"},
                                           {"--log-format"},
                                           {"--version", flag_value::none},
                                           {"--help", flag_value::none},
                                           {"-h", flag_value::none}};

inline result<void> take_flag(std::string_view name, std::string_view text, command_line& out) {
    const auto is = [name](std::string_view one) { return name == one; };
    if (is("--kubeconfig")) out.kubeconfig = text;
    if (is("--context")) out.context = text;
    if (is("--namespace")) out.namespace_ = text;
    if (is("--listen") || is("--metrics-bind-address")) out.listen = text;
    if (is("--health-probe-bind-address")) out.health_probe_bind_address = text;
    if (is("--metrics-secure")) return put(parse_metrics_secure(text), out.metrics_secure);
    if (is("--metrics-cert-path")) out.metrics_cert_path = text;
    if (is("--metrics-cert-name")) out.metrics_cert_name = text;
    if (is("--metrics-cert-key")) out.metrics_cert_key = text;
    if (is("--version")) out.version = true;
    if (is("--help") || is("-h")) out.help = true;
    if (is("--ready-when")) return put(parse_ready_when(text), out.ready_when);
    if (leader_flags::knows(name)) return out.leader.take(name, text);
    if (is("--kube-api-content-type")) return put(parse_content_type(text), out.kube_api_content_type);
    if (is("--log-level")) {
        const auto assigned = out.levels.assign(text);
        return assigned ? result<void>() : result<void>(assigned.error().with_context("--log-level"));
    }
    if (is("--log-format")) return put(parse_log_format(text), out.format);
    return {};
}

inline std::string listen_usage(const run_options& of) {
    const std::string where =
        of.listen() == "0" ? "0, the default: nowhere" : "default " + of.listen() + "; 0: nowhere";
    if (of.serve_listen()) return "                       answer there; " + where + "\n";
    return "                       answer /healthz, /readyz and /metrics there; " + where +
           "\n"
           "  --metrics-secure     speak TLS there, and let in whom the cluster's roles let read the path; with\n"
           "                       --metrics-cert-path by itself; --metrics-secure=false: never\n"
           "  --metrics-cert-path DIR, --metrics-cert-name FILE, --metrics-cert-key FILE\n"
           "                       with which certificate: DIR's tls.crt and tls.key, read again as they change; else\n"
           "                       one made on the spot\n";
}

}  // namespace detail

KCONTROL_DECL result<command_line> command_line::parse(const std::vector<std::string>& arguments,
                                                       std::span<const user_flag> own) {
    std::vector<flag_shape> flags(std::begin(detail::run_flags), std::end(detail::run_flags));
    for (const flag_shape& one : leader_flags::shapes()) flags.push_back(one);
    const std::size_t first_own = flags.size();
    for (const user_flag& one : own) {
        if (std::ranges::count(flags, one.name, &flag_shape::name) != 0) {
            return error(errc::invalid_argument, one.name + ": the program has two flags of that name");
        }
        flags.push_back({one.name, one.value.empty() ? flag_value::none : flag_value::text});
    }
    const auto said = split_arguments({arguments.begin(), arguments.end()}, flags);
    if (!said) return said.error();
    command_line out;
    for (const auto& one : *said) {
        if (one.is_word()) {
            return error(errc::invalid_argument,
                         "unexpected argument \"" + escape_control(one.text) + "\": only flags are known; see --help");
        }
        if (one.flag >= first_own) {
            const user_flag& of = own[one.flag - first_own];
            const auto taken = of.take(one.text);
            if (!taken) return taken.error().with_context(of.name);
            continue;
        }
        const auto taken = detail::take_flag(flags[one.flag].name, one.text, out);
        if (!taken) return taken.error();
    }
    return out;
}

KCONTROL_DECL std::string command_line::usage(const run_options& of) {
    constexpr std::size_t column = 23;
    const std::string leader(leader_flags::usage());
    std::string text;
    for (const user_flag& one : of.user_flags()) {
        std::string line = "  " + one.name + (one.value.empty() ? "" : " " + one.value);
        if (line.size() + 2 > column) text += std::exchange(line, std::string()) + "\n";
        line.resize(column, ' ');
        text += line + one.help + "\n";
    }
    return text +
           "  --kubeconfig FILE    the cluster; else $KUBECONFIG (a list with ':'), the pod's service account, or\n"
           "                       ~/.kube/config\n"
           "  --context NAME       a context of it; else its current one\n"
           "  --namespace NAME     watch only this namespace; else all\n"
           "  --listen ADDR:PORT, --metrics-bind-address ADDR:PORT\n" +
           detail::listen_usage(of) +
           "  --health-probe-bind-address ADDR:PORT\n"
           "                       answer /healthz and /readyz there, too: a port of its own for the kubelet, which a\n"
           "                       crowd at the other can't keep it from; 0, the default: nowhere\n"
           "  --ready-when WHEN    /readyz: synced-once, or live: not while an informer is not live for " +
           format_duration(of.manager().ready_grace()) +
           "\n"
           "  --kube-api-content-type TYPE\n"
           "                       application/vnd.kubernetes.protobuf, the default, where kind and server have it; "
           "or\n"
           "                       application/json\n"
           "  --log-level LEVELS   debug, info, warning or error; else info; of components others:\n"
           "                       info,controller=websites:debug,lease:warning\n"
           "  --log-format FORMAT  text or json\n" +
           leader +
           "  --version            which program and library this is\n"
           "  --help               this text\n";
}

}  // namespace kcontrol
