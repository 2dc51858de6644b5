#include <kcontrol/documents/yaml.hpp>
#include <kcontrol/testing/api_server.hpp>
#include <kcontrol/testing/pod_commands.hpp>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

std::string joined_words(const std::vector<std::string>& words, std::size_t from = 0) {
    std::string out;
    for (std::size_t i = from; i < words.size(); ++i) out.append(i == from ? "" : " ").append(words[i]);
    return out;
}

command_outcome command_said(const json::value& said) {
    command_outcome out;
    if (said.is_string()) out.output = said.as_string();
    if (!said.is_object()) return out;
    out.output = json::get_string(said, {"stdout"});
    out.error_output = json::get_string(said, {"stderr"});
    if (const json::value* code = json::find(said, {"code"}); code != nullptr && code->is_int64()) {
        out.exit_code = static_cast<int>(code->get_int64());
    }
    const json::value* echo = json::find(said, {"echo"});
    out.echoes = echo != nullptr && echo->is_bool() && echo->get_bool();
    return out;
}

// What every image has.
command_outcome plain_command(const std::vector<std::string>& command) {
    command_outcome out;
    const std::string name = command.empty() ? std::string("cat") : command.front();
    if (name == "cat") {
        out.echoes = true;
    } else if (name == "echo") {
        out.output = joined_words(command, 1) + "\n";
    } else if (name == "false") {
        out.exit_code = 1;
    } else if (name != "true") {
        out.error_output = "sh: " + name + ": not found\n";
        out.exit_code = 127;
    }
    return out;
}

awaitable<int> play_command(exec_call& call, command_outcome plays) {
    bool heard = true;
    while (plays.echoes && heard) {
        const auto input = co_await call.read();
        if (!input) break;
        heard = co_await call.write(*input);
    }
    if (heard) heard = co_await call.write(plays.output);
    if (heard) heard = co_await call.write_error(plays.error_output);
    co_return plays.exit_code;
}

}  // namespace
}  // namespace detail

command_outcome command_of(const json::value& pod, const std::vector<std::string>& command) {
    const std::string_view text = json::get_string(pod, {"metadata", "annotations", "sim/exec"});
    if (text.empty()) return detail::plain_command(command);
    const auto documents = json::parse_yaml(text);
    if (!documents || documents->empty()) return detail::plain_command(command);
    const json::value& said = documents->front();
    if (const json::value* one = json::find(said, {detail::joined_words(command)})) return detail::command_said(*one);
    if (const json::value* any = json::find(said, {"*"})) return detail::command_said(*any);
    return detail::plain_command(command);
}

exec_handler annotated_containers(api_server& api) {
    return [&api](exec_call& call) {
        const auto pod = api.get({"", "pods"}, call.request().pod);
        return detail::play_command(call, command_of(pod ? *pod : json::value(), call.command()));
    };
}

}  // namespace kcontrol::testing
