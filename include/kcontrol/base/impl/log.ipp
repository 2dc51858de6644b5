#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/utf8.hpp>

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
    while (!text.empty()) {
        const auto byte = static_cast<unsigned char>(text[0]);
        const std::size_t length = utf8_sequence_length(text);
        const bool second_set = length == 2 && byte == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0;
        const bool plain = length != 0 && byte >= 0x20 && byte != 0x7f && !second_set;
        const std::string_view taken = text.substr(0, length == 0 ? 1 : length);
        text.remove_prefix(taken.size());
        if (plain) {
            out += taken;
            continue;
        }
        for (const char c : taken) {
            const auto value = static_cast<unsigned char>(c);
            out += "\\x";
            out += hex[value >> 4];
            out += hex[value & 15];
        }
    }
    return out;
}

}  // namespace kcontrol
