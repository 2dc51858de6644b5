#pragma once

#include <kcontrol/logging/log_levels.hpp>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

struct log_rules {
    log_level otherwise = log_level::info;
    std::map<std::string, log_level, std::less<>> components;  // "name" or "name=value"
};

inline std::optional<log_level> log_level_of(std::string_view text) {
    for (const log_level level : {log_level::debug, log_level::info, log_level::warning, log_level::error}) {
        if (text == to_string(level)) return level;
    }
    return std::nullopt;
}

inline error refused_log_level(std::string_view part) {
    return error(errc::invalid_argument,
                 "log level \"" + escape_control(part) +
                     "\": not one of debug, info, warning, error, and not a component like controller=websites:debug");
}

// A value may have colons: the last one counts.
inline result<log_rules> parse_log_rules(std::string_view text) {
    log_rules out;
    bool first = true, more = true;
    while (more) {
        const auto comma = text.find(',');
        more = comma != std::string_view::npos;
        const std::string_view part = text.substr(0, comma);
        text.remove_prefix(more ? comma + 1 : text.size());
        const auto colon = part.rfind(':');
        const auto level = log_level_of(colon == std::string_view::npos ? part : part.substr(colon + 1));
        const bool nameless = colon == 0 || part.starts_with('=');
        if (!level || nameless || (colon == std::string_view::npos && !first)) return refused_log_level(part);
        if (colon == std::string_view::npos) {
            out.otherwise = *level;
        } else {
            out.components[std::string(part.substr(0, colon))] = *level;
        }
        first = false;
    }
    return out;
}

inline log_level threshold_of(const log_rules& rules, const log_record& record) {
    std::optional<log_level> named, valued;
    const auto lower = [](std::optional<log_level>& so_far, log_level level) {
        so_far = so_far ? std::min(*so_far, level) : level;
    };
    std::string key;
    for (const log_field& field : record.fields) {
        if (const auto by_name = rules.components.find(field.name); by_name != rules.components.end()) {
            lower(named, by_name->second);
        }
        key.assign(field.name).append("=").append(field.value);
        if (const auto by_value = rules.components.find(key); by_value != rules.components.end()) {
            lower(valued, by_value->second);
        }
    }
    return valued ? *valued : named.value_or(rules.otherwise);
}

}  // namespace detail

struct log_levels::shared {
    template <class F>
    auto with(F f) {
        const std::lock_guard lock(mutex);
        return f(rules);
    }
    std::mutex mutex;
    detail::log_rules rules;
};

KCONTROL_DECL log_levels::log_levels(log_level otherwise) : shared_(std::make_shared<shared>()) {
    shared_->rules.otherwise = otherwise;
}

KCONTROL_DECL result<log_levels> log_levels::parse(std::string_view text) {
    log_levels out;
    const auto assigned = out.assign(text);
    if (!assigned) return assigned.error();
    return out;
}

KCONTROL_DECL void log_levels::set(log_level otherwise) const {
    shared_->with([&](detail::log_rules& rules) { rules.otherwise = otherwise; });
}

KCONTROL_DECL void log_levels::set(const std::string& component, log_level level) const {
    shared_->with([&](detail::log_rules& rules) { rules.components[component] = level; });
}

KCONTROL_DECL void log_levels::reset(const std::string& component) const {
    shared_->with([&](detail::log_rules& rules) { rules.components.erase(component); });
}

KCONTROL_DECL result<void> log_levels::assign(std::string_view text) const {
    auto read = detail::parse_log_rules(text);
    if (!read) return read.error();
    shared_->with([&](detail::log_rules& rules) { rules = std::move(*read); });
    return {};
}

KCONTROL_DECL bool log_levels::takes(const log_record& record) const {
    return shared_->with([&](const detail::log_rules& rules) {
        if (rules.components.empty()) return record.level >= rules.otherwise;
        return record.level >= detail::threshold_of(rules, record);
    });
}

KCONTROL_DECL std::string log_levels::text() const {
    return shared_->with([](const detail::log_rules& rules) {
        std::string out(to_string(rules.otherwise));
        for (const auto& [component, level] : rules.components) {
            out += "," + component + ":" + std::string(to_string(level));
        }
        return out;
    });
}

KCONTROL_DECL logger log_levels::logger_to(log_sink sink) const {
    const log_levels levels = *this;
    return logger(
        [levels, sink = std::move(sink)](const log_record& record) {
            if (levels.takes(record)) sink(record);
        },
        log_level::debug);
}

}  // namespace kcontrol
