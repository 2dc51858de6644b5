#pragma once

#include <kcontrol/manager/run.hpp>
#include <kcontrol/model/time.hpp>

namespace kcontrol {
namespace detail {

inline result<log_level> parse_log_level(const std::string& text) {
    for (const log_level level : {log_level::debug, log_level::info, log_level::warning, log_level::error}) {
        if (text == to_string(level)) return level;
    }
    return error(errc::invalid_argument, "--log-level " + text + ": not one of debug, info, warning, error");
}

// name=value, the value in quotes where it would not stand as one word.
inline std::string log_field_text(const log_field& field) {
    const std::string value = escape_control(field.value);
    const bool plain = !value.empty() && value.find_first_of(" \"=") == std::string::npos;
    if (plain) return std::string(field.name) + "=" + value;
    std::string quoted;
    for (const char c : value) {
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += c;
    }
    return std::string(field.name) + "=\"" + quoted + "\"";
}

}  // namespace detail

KCONTROL_DECL result<command_line> command_line::parse(const std::vector<std::string>& arguments) {
    command_line out;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& argument = arguments[i];
        if (argument == "--help" || argument == "-h") {
            out.help = true;
            continue;
        }
        const auto equals = argument.find('=');
        const std::string name = argument.substr(0, equals);
        std::string level;
        std::string* const target = name == "--kubeconfig"  ? &out.kubeconfig
                                    : name == "--context"   ? &out.context
                                    : name == "--namespace" ? &out.namespace_
                                    : name == "--listen"    ? &out.listen
                                    : name == "--log-level" ? &level
                                                            : nullptr;
        if (target == nullptr) {
            return error(errc::invalid_argument, "unknown argument " + escape_control(name) + ": see --help");
        }
        if (equals != std::string::npos) {
            *target = argument.substr(equals + 1);
        } else if (i + 1 < arguments.size()) {
            *target = arguments[++i];
        }
        if (target->empty() || (equals == std::string::npos && target->starts_with("--"))) {
            return error(errc::invalid_argument, name + " needs a value: see --help");
        }
        if (target != &level) continue;
        const auto parsed = detail::parse_log_level(level);
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
           "  --log-level LEVEL    debug, info, warning or error; else info\n"
           "  --help               this text\n";
}

KCONTROL_DECL std::string log_line(wall_time at, const log_record& record) {
    std::string line = format_time(at) + " " + std::string(to_string(record.level)) + " ";
    line += escape_control(record.message);
    for (const log_field& field : record.fields) line += " " + detail::log_field_text(field);
    return line;
}

}  // namespace kcontrol
