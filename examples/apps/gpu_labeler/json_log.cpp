#include "json_log.hpp"

#include <kcontrol/json/writer.hpp>
#include <kcontrol/logging/log_sink.hpp>
#include <kcontrol/values/time.hpp>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string_view>

namespace gpu_labeler {
namespace {

// This program's, and those of the library's server and client that end up in its log.
constexpr std::string_view counts[] = {"gpus",   "lost",    "labels",  "index",   "xid",   "milliseconds", "points",
                                       "closed", "dropped", "refused", "retries", "times", "tried"};

// Digits, and a fraction perhaps: what JSON has as a number, too. Longer ones are not exact everywhere.
bool is_number(std::string_view text) {
    const auto digits = [&] {
        const auto end = std::min(text.find_first_not_of("0123456789"), text.size());
        text.remove_prefix(end);
        return end;
    };
    if (text.size() > 15 || (text.size() > 1 && text[0] == '0' && text[1] != '.')) return false;
    if (digits() == 0) return false;
    if (text.empty()) return true;
    if (text.front() != '.') return false;
    text.remove_prefix(1);
    return digits() > 0 && text.empty();
}

bool counts_something(std::string_view name) {
    return std::find(std::begin(counts), std::end(counts), name) != std::end(counts);
}

}  // namespace

std::string json_log_line(const kcontrol::log_record& record, kcontrol::wall_time at) {
    kcontrol::json::writer out;
    out.begin_object();
    out.member("time", kcontrol::format_time(at));
    out.member("level", to_string(record.level));
    out.member("message", record.message);
    for (const auto& [name, value] : record.fields) {
        if (counts_something(name) && is_number(value)) {
            out.key(name);
            out.raw(value);
        } else {
            out.member(name, value);
        }
    }
    out.end_object();
    return out.take() + "\n";
}

kcontrol::log_sink log_to_standard_error(kcontrol::environment& env, kcontrol::log_format format) {
    if (format != kcontrol::log_format::json) return kcontrol::standard_error_sink(env, format);
    return [&env](const kcontrol::log_record& record) {
        const std::string line = json_log_line(record, env.wall_now());
        std::fwrite(line.data(), 1, line.size(), stderr);
    };
}

}  // namespace gpu_labeler
