#pragma once

#include <kcontrol/base/flags.hpp>
#include <kcontrol/manager/run.hpp>

namespace kcontrol {
namespace detail {

inline result<readiness> parse_ready_when(std::string_view text) {
    for (const readiness one : {readiness::synced_once, readiness::live}) {
        if (text == to_string(one)) return one;
    }
    return error(errc::invalid_argument, "--ready-when " + escape_control(text) + ": not one of synced-once, live");
}

}  // namespace detail

KCONTROL_DECL result<command_line> command_line::parse(const std::vector<std::string>& arguments) {
    std::vector<flag_shape> flags{{"--kubeconfig"},
                                  {"--context"},
                                  {"--namespace"},
                                  {"--listen"},
                                  {"--health-probe-bind-address"},
                                  {"--log-level"},
                                  {"--ready-when"},
                                  {"--help", flag_value::none},
                                  {"-h", flag_value::none}};
    for (const flag_shape& one : leader_flags::shapes()) flags.push_back(one);
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
        if (leader_flags::knows(name)) {
            const auto taken = out.leader.take(name, one.text);
            if (!taken) return taken.error();
        }
        if (name != "--log-level") continue;
        const auto assigned = out.levels.assign(one.text);
        if (!assigned) return assigned.error().with_context("--log-level");
    }
    return out;
}

KCONTROL_DECL std::string command_line::usage() {
    const std::string leader(leader_flags::usage());
    return "  --kubeconfig FILE    the cluster; else $KUBECONFIG, the pod's service account, or ~/.kube/config\n"
           "  --context NAME       a context of that file; else its current one\n"
           "  --namespace NAME     watch only this namespace; else all\n"
           "  --listen ADDR:PORT   answer /healthz, /readyz and /metrics there; 0, the default: nowhere\n"
           "  --health-probe-bind-address ADDR:PORT\n"
           "                       answer /healthz and /readyz there, too: a port of its own for the kubelet, which a\n"
           "                       crowd at the other can't keep it from; 0, the default: nowhere\n"
           "  --ready-when WHEN    /readyz: synced-once, or live: not while an informer is not live for 30 s\n"
           "  --log-level LEVELS   debug, info, warning or error; else info; of components others:\n"
           "                       info,controller=websites:debug,lease:warning\n" +
           leader + "  --help               this text\n";
}

}  // namespace kcontrol
