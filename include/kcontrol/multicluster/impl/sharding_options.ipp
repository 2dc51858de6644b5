#pragma once

#include <kcontrol/leader/options.hpp>
#include <kcontrol/multicluster/sharding_options.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL result<void> sharding_options::validate() const {
    const auto refuse = [this](const std::string& what) -> result<void> {
        return error(errc::invalid_argument, "sharding " + to_string(group_) + ": " + what);
    };
    const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
    const std::string& name = group_.name;
    if (name.empty() || name.size() > 63 || name.front() == '-' || name.back() == '-' ||
        !std::all_of(name.begin(), name.end(), plain)) {
        return refuse("the group's name must be 1 to 63 lower-case letters, digits and inner dashes");
    }
    if (weight_ < 1 || weight_ > 1000) {
        return refuse("weight is " + std::to_string(weight_) + "; it must be from 1 to 1000");
    }
    if (settle_period_ < duration::zero()) return refuse("settle_period is below zero");
    leader_options times(group_);
    times.lease_duration(lease_duration_).renew_deadline(renew_deadline_).retry_period(retry_period_);
    return times.validate();
}

}  // namespace kcontrol
