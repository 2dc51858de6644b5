#include "shared/log_sink.hpp"

#include <kcontrol/json/writer.hpp>
#include <kcontrol/values/time.hpp>

#include <cstdio>

namespace examples {
namespace {

std::string text_value(const std::string& value) {
    const std::string escaped = kcontrol::escape_control(value);
    const bool plain = !escaped.empty() && escaped.find_first_of(" \"=") == std::string::npos;
    if (plain) return escaped;
    std::string out = "\"";
    for (const char c : escaped) {
        if (c == '"') out += '\\';
        out += c;
    }
    return out + '"';
}

}  // namespace

std::string log_line(const kcontrol::log_record& record, log_format format, kcontrol::wall_time now) {
    const auto time = kcontrol::format_time(now);
    if (format == log_format::json) {
        kcontrol::json::writer out;
        out.begin_object();
        out.member("time", time);
        out.member("level", to_string(record.level));
        out.member("message", record.message);
        for (const auto& field : record.fields) out.member(field.name, field.value);
        out.end_object();
        return out.take() + "\n";
    }
    std::string out =
        time + " " + std::string(to_string(record.level)) + " " + kcontrol::escape_control(record.message);
    for (const auto& field : record.fields) out += " " + std::string(field.name) + "=" + text_value(field.value);
    return out + "\n";
}

kcontrol::log_sink standard_error_sink(kcontrol::environment& env, log_format format) {
    return [&env, format](const kcontrol::log_record& record) {
        const std::string line = log_line(record, format, env.wall_now());
        std::fwrite(line.data(), 1, line.size(), stderr);
    };
}

}  // namespace examples
