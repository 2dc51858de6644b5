#pragma once

#include <kcontrol/runtime/guarded_calls.hpp>

#include <vector>

namespace kcontrol::inline v0_1 {
namespace detail {

inline std::string describe_about(std::string (*about)(const void*), const void* state) {
    try {
        return about(state);
    } catch (...) {
        return "unknown, for its description threw";
    }
}

}  // namespace detail

KCONTROL_DECL guarded_calls::guarded_calls(environment& env, logger log) : env_(env), log_(std::move(log)) {}

// Where there is no memory for telling it, it is counted all the same.
KCONTROL_DECL void guarded_calls::tell(std::string_view what, about_call about, const void* state) noexcept {
    ++thrown_;
    try {
        const std::string text = describe_thrown();
        const std::string where = detail::describe_about(about, state);
        last_thrown_ = std::string(what) + (where.empty() ? "" : " (" + where + ")") + " threw: " + text;
        auto pace = paces_.find(what);
        if (pace == paces_.end()) pace = paces_.emplace(what, log_rate_limit(std::chrono::minutes(1))).first;
        const auto times = pace->second.count(env_.now());
        if (!times) return;
        std::vector<log_field> fields{{"function", std::string(what)}};
        if (!where.empty()) fields.push_back({"about", where});
        fields.push_back({"error", text});
        if (*times > 1) fields.push_back({"times", std::to_string(*times)});
        log_.error("a function of the program threw", std::move(fields));
    } catch (...) {
    }
}

}  // namespace kcontrol
