#pragma once

#include <kcontrol/base/flags.hpp>
#include <kcontrol/manager/run.hpp>

namespace kcontrol {
namespace detail {

inline result<log_level> parse_log_level(std::string_view text) {
    for (const log_level level : {log_level::debug, log_level::info, log_level::warning, log_level::error}) {
        if (text == to_string(level)) return level;
    }
    return error(errc::invalid_argument,
                 "--log-level " + escape_control(text) + ": not one of debug, info, warning, error");
}

inline result<readiness> parse_ready_when(std::string_view text) {
    for (const readiness one : {readiness::synced_once, readiness::live}) {
        if (text == to_string(one)) return one;
    }
    return error(errc::invalid_argument, "--ready-when " + escape_control(text) + ": not one of synced-once, live");
}

}  // namespace detail

KCONTROL_DECL result<command_line> command_line::parse(const std::vector<std::string>& arguments) {
    constexpr flag_shape flags[] = {{"--kubeconfig"},
                                    {"--context"},
                                    {"--namespace"},
                                    {"--listen"},
                                    {"--health-probe-bind-address"},
                                    {"--log-level"},
                                    {"--ready-when"},
                                    {"--help", flag_value::none},
                                    {"-h", flag_value::none}};
    const auto said = split_arguments({arguments.begin(), arguments.end()}, flags);
    if (!said) return said.error();
    command_line out;
    for (const auto& one : *said) {
        if (one.is_word()) {
            return error(errc::invalid_argument,
                         "unexpected argument \"" + escape_control(one.text) + "\": only flags are known; see --help");
        }
        const auto name = flags[one.flag].name;
        if (name == "--kubeconfig") out.kubeconfig = one.text;
        if (name == "--context") out.context = one.text;
        if (name == "--namespace") out.namespace_ = one.text;
        if (name == "--listen") out.listen = one.text;
        if (name == "--health-probe-bind-address") out.health_probe_bind_address = one.text;
        if (name == "--help" || name == "-h") out.help = true;
        if (name == "--ready-when") {
            const auto when = detail::parse_ready_when(one.text);
            if (!when) return when.error();
            out.ready_when = *when;
        }
        if (name != "--log-level") continue;
        const auto parsed = detail::parse_log_level(one.text);
        if (!parsed) return parsed.error();
        out.verbosity = *parsed;
    }
    return out;
}

KCONTROL_DECL std::string command_line::usage() {
    return "  --kubeconfig FILE    the cluster; else $KUBECONFIG, the pod's service account, or ~/.kube/config\n"
           "  --context NAME       a context of that file; else its current one\n"
           "  --namespace NAME     watch only this namespace; else all\n"
           "  --listen ADDR:PORT   answer /healthz, /readyz and /metrics there; 0, the default: nowhere\n"
           "  --health-probe-bind-address ADDR:PORT\n"
           "                       answer /healthz and /readyz there, too: a port of its own for the kubelet, which a\n"
           "                       crowd at the other can't keep it from; 0, the default: nowhere\n"
           "  --ready-when WHEN    /readyz: synced-once, or live: not while an informer is not live for 30 s\n"
           "  --log-level LEVEL    debug, info, warning or error; else info\n"
           "  --help               this text\n";
}

}  // namespace kcontrol
