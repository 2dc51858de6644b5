// When a kind that is missing is to be asked for again, seen from changes of CustomResourceDefinitions.
#pragma once

#include <kcontrol/model/resource.hpp>
#include <kcontrol/runtime/time.hpp>

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// The name that the CustomResourceDefinition of a kind has, or nothing: kinds of a group without a dot are built in.
inline std::optional<std::string> crd_name_of(const resource_info& info) {
    if (info.gvk.group.find('.') == std::string::npos) return std::nullopt;
    return info.plural + "." + info.gvk.group;
}

/// Each change of the definition of a missing kind is a reason to ask for the kind, at once and a few times more: one
/// of the changes is the condition Established, which metadata does not show, and a server may serve the kind a moment
/// after it. Then the slow probe goes on alone.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class crd_rule {
public:
    /// The names of the definitions whose kinds are missing now. What was planned for others is forgotten.
    void set_missing(const std::set<std::string>& names) {
        std::map<std::string, plan> next;
        for (const std::string& name : names) {
            const auto known = missing_.find(name);
            next.emplace(name, known == missing_.end() ? plan() : known->second);
        }
        missing_ = std::move(next);
    }

    /// Whether definitions are to be watched.
    bool wanted() const noexcept { return !missing_.empty(); }

    /// A definition is there, or changed.
    void on_change(const std::string& name, time_point now) {
        const auto found = missing_.find(name);
        if (found == missing_.end()) return;
        found->second.due = now;
        found->second.asked = 0;
    }

    std::optional<time_point> next_due() const {
        std::optional<time_point> out;
        for (const auto& [name, one] : missing_) {
            if (one.due && (!out || *one.due < *out)) out = one.due;
        }
        return out;
    }

    /// The definitions whose kinds are to be asked for now.
    std::vector<std::string> take_due(time_point now) {
        std::vector<std::string> out;
        for (auto& [name, one] : missing_) {
            if (!one.due || *one.due > now) continue;
            out.push_back(name);
            one.due = one.asked < most ? std::optional(now + first_pause * (1 << one.asked)) : std::nullopt;
            ++one.asked;
        }
        return out;
    }

private:
    static constexpr int most = 4;  // after the first
    static constexpr duration first_pause = std::chrono::milliseconds(500);

    struct plan {
        std::optional<time_point> due;
        int asked = 0;
    };

    std::map<std::string, plan> missing_;
};

}  // namespace kcontrol::detail
