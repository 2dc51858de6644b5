#pragma once

#include <kcontrol/metrics/process_metrics.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace kcontrol::inline v0_1 {
namespace detail {

// The numbers of a line of /proc, parted by spaces; what is no number counts as 0.
inline std::vector<std::uint64_t> numbers_of_line(std::string_view line) {
    std::vector<std::uint64_t> out;
    for (std::size_t at = 0; at < line.size(); ++at) {
        std::uint64_t value = 0;
        const auto end = std::from_chars(line.data() + at, line.data() + line.size(), value).ptr;
        out.push_back(value);
        at = std::min(line.find(' ', static_cast<std::size_t>(end - line.data())), line.size());
    }
    return out;
}

// The number that follows a name in one of the system's files. What has no limit is the largest number, as for Go.
inline std::optional<double> number_after(std::string_view text, std::string_view name) {
    const auto begin = text.find(name);
    if (begin == std::string_view::npos) return std::nullopt;
    const auto first = text.find_first_not_of(' ', begin + name.size());
    std::uint64_t value = 0;
    if (first == std::string_view::npos) return std::nullopt;
    if (text.substr(first).starts_with("unlimited")) {
        return static_cast<double>(std::numeric_limits<std::uint64_t>::max());
    }
    if (std::from_chars(text.data() + first, text.data() + text.size(), value).ec != std::errc()) {
        return std::nullopt;
    }
    return static_cast<double>(value);
}

inline std::vector<std::string_view> words_of_line(std::string_view line) {
    std::vector<std::string_view> out;
    for (std::size_t at = 0; at < line.size();) {
        const auto end = std::min(line.find(' ', at), line.size());
        if (end != at) out.push_back(line.substr(at, end - at));
        at = end + 1;
    }
    return out;
}

// The number below a name of /proc/self/net/netstat: a line of names and one of numbers, which begin with the same
// word.
inline std::optional<double> number_below(std::string_view text, std::string_view word, std::string_view name) {
    std::vector<std::string_view> names;
    for (std::size_t at = 0; at < text.size();) {
        const auto end = std::min(text.find('\n', at), text.size());
        const auto words = words_of_line(text.substr(at, end - at));
        at = end + 1;
        if (words.empty() || words[0] != word) continue;
        if (names.empty()) {
            names = words;
            continue;
        }
        const auto column = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
        if (column == names.size() || column >= words.size()) return std::nullopt;
        return static_cast<double>(numbers_of_line(words[column])[0]);
    }
    return std::nullopt;
}

}  // namespace detail

// Source: proc(5), and client_golang's process_collector for names, types and what there is.
KCONTROL_DECL void write_process_metrics(metrics_writer& out, environment& env) {
    constexpr std::size_t most = std::size_t{64} << 10;
    const auto stat = env.read_file("/proc/self/stat", most);
    if (!stat) return;
    // The program's name, in parentheses, may hold anything; what follows are fields 3 and on, the first a letter.
    const auto name_end = stat->rfind(") ");
    if (name_end == std::string::npos) return;
    const auto fields = detail::numbers_of_line(std::string_view(*stat).substr(name_end + 2));
    if (fields.size() < 22) return;
    const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
    out.counter("process_cpu_seconds_total", "Total user and system CPU time spent in seconds.", {},
                static_cast<double>(fields[11] + fields[12]) / ticks);
    out.gauge("process_threads", "Number of OS threads in the process.", {}, static_cast<double>(fields[17]));
    out.gauge("process_virtual_memory_bytes", "Virtual memory size in bytes.", {}, static_cast<double>(fields[20]));
    out.gauge("process_resident_memory_bytes", "Resident memory size in bytes.", {},
              static_cast<double>(fields[21]) * static_cast<double>(::sysconf(_SC_PAGESIZE)));
    if (const auto machine = env.read_file("/proc/stat", std::size_t{1} << 20)) {
        if (const auto booted = detail::number_after(*machine, "\nbtime ")) {
            out.gauge("process_start_time_seconds", "Start time of the process since unix epoch in seconds.", {},
                      *booted + static_cast<double>(fields[19]) / ticks);
        }
    }
    if (const auto files = env.list_entries("/proc/self/fd")) {
        out.gauge("process_open_fds", "Number of open file descriptors.", {}, static_cast<double>(files->size()));
    }
    if (const auto limits = env.read_file("/proc/self/limits", most)) {
        if (const auto files = detail::number_after(*limits, "Max open files")) {
            out.gauge("process_max_fds", "Maximum number of open file descriptors.", {}, *files);
        }
        if (const auto memory = detail::number_after(*limits, "Max address space")) {
            out.gauge("process_virtual_memory_max_bytes", "Maximum amount of virtual memory available in bytes.", {},
                      *memory);
        }
    }
    if (const auto net = env.read_file("/proc/self/net/netstat", most)) {
        if (const auto received = detail::number_below(*net, "IpExt:", "InOctets")) {
            out.counter("process_network_receive_bytes_total",
                        "Number of bytes received by the process over the network.", {}, *received);
        }
        if (const auto sent = detail::number_below(*net, "IpExt:", "OutOctets")) {
            out.counter("process_network_transmit_bytes_total", "Number of bytes sent by the process over the network.",
                        {}, *sent);
        }
    }
}

}  // namespace kcontrol
