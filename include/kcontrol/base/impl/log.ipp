#pragma once

#include <kcontrol/base/log.hpp>

namespace kcontrol {

KCONTROL_DECL std::string_view to_string(log_level level) noexcept {
    switch (level) {
    case log_level::debug: return "debug";
    case log_level::info: return "info";
    case log_level::warning: return "warning";
    case log_level::error: return "error";
    }
    return "unknown";
}

KCONTROL_DECL logger::logger() = default;
KCONTROL_DECL logger::logger(const logger&) = default;
KCONTROL_DECL logger::logger(logger&&) noexcept = default;
KCONTROL_DECL logger& logger::operator=(const logger&) = default;
KCONTROL_DECL logger& logger::operator=(logger&&) noexcept = default;
KCONTROL_DECL logger::~logger() = default;

KCONTROL_DECL logger::logger(log_sink sink, log_level threshold)
    : sink_(std::make_shared<const log_sink>(std::move(sink))), threshold_(threshold) {}

KCONTROL_DECL logger logger::with(std::string_view name, std::string value) const {
    logger copy = *this;
    if (sink_) copy.fields_.push_back({name, std::move(value)});
    return copy;
}

KCONTROL_DECL bool logger::enabled(log_level level) const noexcept { return sink_ && level >= threshold_; }

KCONTROL_DECL void logger::write(log_level level, std::string_view message) const { write(level, message, {}); }

KCONTROL_DECL void logger::write(log_level level, std::string_view message, std::vector<log_field> fields) const {
    if (!enabled(level)) return;
    std::vector<log_field> all = fields_;
    for (auto& field : fields) all.push_back(std::move(field));
    (*sink_)(log_record{level, message, all});
}

KCONTROL_DECL std::string escape_control(std::string_view text) {
    static constexpr char hex[] = "0123456789abcdef";
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f) {
            out += "\\x";
            out += hex[byte >> 4];
            out += hex[byte & 15];
        } else {
            out += c;
        }
    }
    return out;
}

}  // namespace kcontrol
