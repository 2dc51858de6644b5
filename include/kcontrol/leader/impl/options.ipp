#pragma once

#include <kcontrol/leader/options.hpp>

#include <string>

namespace kcontrol::inline v0_1 {
namespace detail {

inline std::string lease_seconds(duration d) {
    std::string text = std::to_string(std::chrono::duration<double>(d).count());
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text + " s";
}

}  // namespace detail

KCONTROL_DECL result<void> leader_options::validate() const {
    const auto refuse = [this](const std::string& what) -> result<void> {
        return error(errc::invalid_argument, "lease " + to_string(lease_) + ": " + what);
    };
    if (lease_.name.empty()) return refuse("it has no name");
    if (retry_period_ <= duration::zero()) return refuse("retry_period must be longer than zero");
    const auto least = std::chrono::duration<double>(retry_period_) * 1.2;
    if (std::chrono::duration<double>(renew_deadline_) <= least) {
        return refuse("renew_deadline is " + detail::lease_seconds(renew_deadline_) +
                      "; it must be longer than 1.2 times retry_period, which is " +
                      detail::lease_seconds(retry_period_));
    }
    if (lease_duration_ <= renew_deadline_) {
        return refuse("lease_duration is " + detail::lease_seconds(lease_duration_) +
                      "; it must be longer than renew_deadline, which is " + detail::lease_seconds(renew_deadline_));
    }
    if (lease_duration_ % std::chrono::seconds(1) != duration::zero() ||
        lease_duration_ > std::chrono::hours(24 * 365)) {
        return refuse("lease_duration is " + detail::lease_seconds(lease_duration_) +
                      "; a Lease holds whole seconds, a year at most");
    }
    return {};
}

}  // namespace kcontrol
