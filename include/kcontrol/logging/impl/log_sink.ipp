#pragma once

#include <kcontrol/json/writer.hpp>
#include <kcontrol/logging/log_sink.hpp>
#include <kcontrol/values/time.hpp>

#include <cstdio>

namespace kcontrol::inline v0_1 {
namespace detail {

inline std::string log_value_text(const std::string& value) {
    const bool plain = !value.empty() && value.find_first_of(" \"=") == std::string::npos;
    if (plain) return escape_control(value);
    std::string out;
    for (const char c : value) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return "\"" + escape_control(out) + "\"";
}

inline std::string log_line_json(const log_record& record, const std::string& time) {
    json::writer out;
    out.begin_object();
    out.member("time", time);
    out.member("level", to_string(record.level));
    out.member("message", record.message);
    for (const auto& field : record.fields) out.member(field.name, field.value);
    out.end_object();
    return out.take() + "\n";
}

}  // namespace detail

KCONTROL_DECL std::string log_line(const log_record& record, log_format format, wall_time at) {
    const std::string time = format_time(at);
    if (format == log_format::json) return detail::log_line_json(record, time);
    std::string out = time + " " + std::string(to_string(record.level)) + " " + escape_control(record.message);
    for (const auto& field : record.fields) {
        out += " " + std::string(field.name) + "=" + detail::log_value_text(field.value);
    }
    return out + "\n";
}

KCONTROL_DECL log_sink standard_error_sink(environment& env, log_format format) {
    return [&env, format](const log_record& record) {
        const std::string line = log_line(record, format, env.wall_now());
        std::fwrite(line.data(), 1, line.size(), stderr);
    };
}

}  // namespace kcontrol
