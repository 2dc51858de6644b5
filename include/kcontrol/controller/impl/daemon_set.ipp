#pragma once

#include <kcontrol/controller/detail/daemon_set.hpp>

namespace kcontrol::inline v0_1::detail {

KCONTROL_DECL daemon_answer daemon_set::ask(const std::string& name, bool room) {
    const auto at = daemons_.find(name);
    if (at != daemons_.end()) {
        if (at->second.state == daemon_state::ending) at->second.asked_again = true;
        return daemon_answer::known;
    }
    if (!room || daemons_.size() >= most_) return daemon_answer::refused;
    daemons_.try_emplace(name, policy_);
    return daemon_answer::run;
}

KCONTROL_DECL daemon_step daemon_set::returned(const std::string& name, bool failed, time_point now, double unit) {
    const auto at = daemons_.find(name);
    if (at == daemons_.end()) return daemon_step(daemon_step::kind::leave);
    daemon& one = at->second;
    if (one.state == daemon_state::ending) {
        const bool again = one.asked_again;
        daemons_.erase(at);
        if (!again) return daemon_step(daemon_step::kind::leave);
        daemons_.try_emplace(name, policy_);
        daemon_step out(daemon_step::kind::run);
        out.newly = true;
        return out;
    }
    if (!failed) {
        one.state = daemon_state::finished;
        one.failures = 0;
        return daemon_step(daemon_step::kind::leave);
    }
    ++one.failures;
    one.state = daemon_state::waiting;
    daemon_step out(daemon_step::kind::wait);
    out.until = now + one.again_after.next(now, unit);
    return out;
}

KCONTROL_DECL daemon_step daemon_set::due(const std::string& name) {
    const auto at = daemons_.find(name);
    if (at == daemons_.end() || at->second.state == daemon_state::finished) {
        return daemon_step(daemon_step::kind::leave);
    }
    if (at->second.state == daemon_state::ending) return woken(name);
    at->second.state = daemon_state::running;
    return daemon_step(daemon_step::kind::run);
}

KCONTROL_DECL daemon_step daemon_set::woken(const std::string& name) { return returned(name, false, {}, 0); }

KCONTROL_DECL bool daemon_set::stop(const std::string& name) {
    const auto at = daemons_.find(name);
    if (at == daemons_.end()) return false;
    daemon& one = at->second;
    one.asked_again = false;
    if (one.state == daemon_state::ending) return false;
    if (one.state == daemon_state::finished) {
        daemons_.erase(at);
        return false;
    }
    one.state = daemon_state::ending;
    return true;
}

KCONTROL_DECL std::vector<std::string> daemon_set::stop_all() {
    std::vector<std::string> names, out;
    for (const auto& [name, one] : daemons_) names.push_back(name);
    for (std::string& name : names) {
        if (stop(name)) out.push_back(std::move(name));
    }
    return out;
}

KCONTROL_DECL daemon_state daemon_set::state(const std::string& name) const {
    const auto at = daemons_.find(name);
    return at == daemons_.end() ? daemon_state::absent : at->second.state;
}

KCONTROL_DECL std::size_t daemon_set::alive() const {
    std::size_t out = 0;
    for (const auto& [name, one] : daemons_) out += one.state == daemon_state::finished ? 0 : 1;
    return out;
}

KCONTROL_DECL std::uint64_t daemon_set::failures(const std::string& name) const {
    const auto at = daemons_.find(name);
    return at == daemons_.end() ? 0 : at->second.failures;
}

}  // namespace kcontrol::detail
