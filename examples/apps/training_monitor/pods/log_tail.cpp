#include "pods/log_tail.hpp"

#include <kcontrol/client/pod_logs.hpp>

#include "pods/secret_mask.hpp"

#include <chrono>
#include <utility>

namespace training_monitor {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t few_bytes = std::int64_t{256} << 10, most_bytes = std::int64_t{1} << 20;
constexpr std::size_t longest_line = std::size_t{4} << 10;

}  // namespace

kcontrol::awaitable<kcontrol::result<log_tail>> read_log_tail(kcontrol::client from, kcontrol::namespaced_name pod,
                                                              std::string container, bool previous,
                                                              std::stop_token stop, std::int64_t lines) {
    kcontrol::log_options which;
    const auto most = lines > usual_log_lines ? most_bytes : few_bytes;
    which.container(std::move(container)).previous(previous).tail(lines).limit_bytes(most);
    which.longest_line(longest_line).deadline(10s).idle(5s).stop(stop);
    auto opened = co_await kcontrol::open_logs(std::move(from), std::move(pod), std::move(which));
    if (!opened) co_return opened.error();
    log_tail out;
    secret_mask mask;
    std::size_t bytes = 0;
    while (true) {
        const auto line = co_await opened->next_line(stop);
        if (!line) co_return line.error();
        if (!*line) break;
        bytes += (*line)->text.size() + 1;
        out.lines.push_back(mask.mask((*line)->text));
    }
    out.cut = bytes >= static_cast<std::size_t>(most) || out.lines.size() > static_cast<std::size_t>(lines);
    co_return out;
}

}  // namespace training_monitor
