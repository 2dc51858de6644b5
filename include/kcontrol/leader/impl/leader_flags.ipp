#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/leader/leader_flags.hpp>
#include <kcontrol/values/api_duration.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1 {
namespace detail {

inline constexpr flag_shape leader_flag_shapes[] = {
    {"--leader-elect", flag_value::joined}, {"--leader-election-id"},
    {"--leader-election-namespace"},        {"--leader-election-lease-duration"},
    {"--leader-election-renew-deadline"},   {"--leader-election-retry-period"}};

inline error refused_leader_flag(std::string_view flag, std::string_view value, const std::string& why) {
    return error(errc::invalid_argument, std::string(flag) + " " + escape_control(value) + ": " + why);
}

// Where Go's strconv.ParseBool is what people know.
inline std::optional<bool> parse_switch(std::string_view text) {
    if (text.empty() || text == "true" || text == "1") return true;
    if (text == "false" || text == "0") return false;
    return std::nullopt;
}

}  // namespace detail

KCONTROL_DECL std::span<const flag_shape> leader_flags::shapes() noexcept { return detail::leader_flag_shapes; }

KCONTROL_DECL std::string_view leader_flags::usage() noexcept {
    return "  --leader-elect       be one of several, of which one leads; =false: work alone\n"
           "  --leader-election-id NAME\n"
           "                       the Lease that all of them name\n"
           "  --leader-election-namespace NAME\n"
           "                       where it is; else the program's namespace, or the pod's own\n"
           "  --leader-election-lease-duration DURATION\n"
           "                       how long others wait for a leader that gives no sign; else 15s\n"
           "  --leader-election-renew-deadline DURATION\n"
           "                       how long a leader leads after its last renewal; else 10s\n"
           "  --leader-election-retry-period DURATION\n"
           "                       from one renewal to the next; else 2s\n";
}

KCONTROL_DECL bool leader_flags::knows(std::string_view flag) noexcept {
    return std::any_of(shapes().begin(), shapes().end(), [&](const flag_shape& one) { return one.name == flag; });
}

KCONTROL_DECL result<void> leader_flags::take(std::string_view flag, std::string_view value) {
    if (flag == "--leader-elect") {
        elect_ = detail::parse_switch(value);
        if (!elect_) return detail::refused_leader_flag(flag, value, "not true or false");
        return {};
    }
    if (flag == "--leader-election-id") return id_ = value, result<void>();
    if (flag == "--leader-election-namespace") return namespace_ = value, result<void>();
    const auto length = parse_duration(value);
    if (!length) return detail::refused_leader_flag(flag, value, "not a duration like 15s or 1m30s");
    const auto as_duration = std::chrono::duration_cast<duration>(*length);
    if (flag == "--leader-election-lease-duration") lease_duration_ = as_duration;
    if (flag == "--leader-election-renew-deadline") renew_deadline_ = as_duration;
    if (flag == "--leader-election-retry-period") retry_period_ = as_duration;
    return {};
}

KCONTROL_DECL result<std::optional<leader_options>> leader_flags::options(const std::optional<leader_options>& program,
                                                                          bool always) const {
    if (!elect_.value_or(always)) return std::optional<leader_options>();
    leader_options out = program.value_or(leader_options(namespaced_name()));
    namespaced_name lease = out.lease();
    if (!id_.empty()) lease.name = id_;
    if (!namespace_.empty()) lease.namespace_ = namespace_;
    if (lease.name.empty()) {
        return error(errc::invalid_argument, "--leader-elect: the Lease has no name; give --leader-election-id NAME");
    }
    out.lease(std::move(lease));
    if (lease_duration_) out.lease_duration(*lease_duration_);
    if (renew_deadline_) out.renew_deadline(*renew_deadline_);
    if (retry_period_) out.retry_period(*retry_period_);
    const auto valid = out.validate();
    if (!valid) return valid.error();
    return std::optional<leader_options>(std::move(out));
}

}  // namespace kcontrol
