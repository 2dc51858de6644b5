#pragma once

#include <kcontrol/schema/impl/schema_formats.hpp>
#include <kcontrol/schema/text_checks.hpp>

#include <deque>

namespace kcontrol::inline v0_1 {

struct text_checks::kept {
    // pattern_set refers to its patterns.
    std::string_view own(std::string_view pattern) {
        for (const auto& one : patterns) {
            if (one == pattern) return one;
        }
        return patterns.emplace_back(pattern);
    }

    std::deque<std::string> patterns;
    detail::pattern_set compiled;
};

KCONTROL_DECL text_checks::text_checks() : kept_(std::make_unique<kept>()) {}
KCONTROL_DECL text_checks::~text_checks() = default;

KCONTROL_DECL bool text_checks::matches(std::string_view pattern, std::string_view text) {
    const std::string_view own = kept_->own(pattern);
    return kept_->compiled.fault(own).empty() && kept_->compiled.matches(own, text);
}

KCONTROL_DECL std::string text_checks::problem_of(std::string_view pattern) {
    return kept_->compiled.fault(kept_->own(pattern));
}

KCONTROL_DECL bool text_checks::knows_format(std::string_view name) {
    return detail::find_schema_format(name) != nullptr;
}

KCONTROL_DECL bool text_checks::has_format(std::string_view name, std::string_view text) {
    const auto* format = detail::find_schema_format(name);
    return format == nullptr || detail::has_schema_format(*format, text, kept_->compiled);
}

}  // namespace kcontrol
