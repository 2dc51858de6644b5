#include "files/hook.hpp"

#include "messages.hpp"

#include <chrono>
#include <vector>

namespace follow {
namespace {

constexpr std::size_t shown_bytes = 500;

std::string ending(const kcontrol::process_result& how) {
    if (how.signal != 0) return "signal " + std::to_string(how.signal) + " ended it";
    return "exit status " + std::to_string(how.exit_status);
}

std::string output_of(const kcontrol::process_result& how) {
    std::string_view text = how.errors.empty() ? how.output : how.errors;
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
    if (text.empty()) return {};
    return ": " + kcontrol::escape_control(kcontrol::utf8_prefix(text, shown_bytes));
}

}  // namespace

kcontrol::awaitable<kcontrol::result<void>> run_hook(kcontrol::environment& env, std::string flag, std::string command,
                                                     std::string path, std::stop_token stop) {
    std::vector<std::string> words;
    words.emplace_back("/bin/sh");
    words.emplace_back("-c");
    words.push_back(command);
    words.emplace_back("kcontrol-follow");  // $0, which the shell's own messages begin with
    words.push_back(path);
    kcontrol::process_command what(std::move(words));
    for (auto& [name, value] : env.all_variables()) what.variable(name, value);
    what.deadline(std::chrono::seconds(30)).stop(stop);
    const std::string label = flag + " " + in_quotes(command);
    auto how = co_await env.run_process(std::move(what));
    if (!how) co_return how.error().with_context(label);
    if (how->exit_status != 0 || how->signal != 0) {
        co_return kcontrol::error(kcontrol::errc::unavailable, label + ": " + ending(*how) + output_of(*how));
    }
    co_return kcontrol::result<void>();
}

}  // namespace follow
