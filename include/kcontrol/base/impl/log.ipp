#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/utf8.hpp>

#include <atomic>

namespace kcontrol::inline v0_1 {

struct logger::target {
    explicit target(log_sink s) : sink(std::move(s)) {}

    // False if it threw.
    bool take(const log_record& record) noexcept {
        try {
            sink(record);
            return true;
        } catch (...) {
            return false;
        }
    }

    void tell_lost() noexcept {
        const std::uint64_t all = lost.load();
        std::uint64_t before = told.load();
        if (all == before || !told.compare_exchange_strong(before, all)) return;
        try {
            const std::vector<log_field> fields{{"records", std::to_string(all - before)}};
            const log_record record{log_level::warning, "the log's sink threw, and records are lost", fields};
            if (take(record)) return;
        } catch (...) {
        }
        told -= all - before;
    }

    const log_sink sink;
    std::atomic<std::uint64_t> lost{0}, told{0};
};

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
    : target_(sink ? std::make_shared<target>(std::move(sink)) : nullptr), threshold_(threshold) {}

KCONTROL_DECL logger logger::with(std::string_view name, std::string value) const {
    logger copy = *this;
    if (target_) copy.fields_.push_back({name, std::move(value)});
    return copy;
}

KCONTROL_DECL bool logger::enabled(log_level level) const noexcept { return target_ && level >= threshold_; }

KCONTROL_DECL void logger::write(log_level level, std::string_view message) const { write(level, message, {}); }

KCONTROL_DECL void logger::write(log_level level, std::string_view message, std::vector<log_field> fields) const {
    if (!enabled(level)) return;
    try {
        std::vector<log_field> all = fields_;
        for (auto& field : fields) all.push_back(std::move(field));
        if (target_->take(log_record{level, message, all})) {
            if (enabled(log_level::warning)) target_->tell_lost();
            return;
        }
    } catch (...) {
    }
    ++target_->lost;
}

KCONTROL_DECL std::uint64_t logger::lost() const noexcept { return target_ ? target_->lost.load() : 0; }

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
