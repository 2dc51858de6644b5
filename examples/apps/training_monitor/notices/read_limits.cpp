#include "notices/read_limits.hpp"

#include "notices/config_error.hpp"

#include <algorithm>
#include <chrono>

namespace training_monitor::notices {
namespace {

using kcontrol::result;

struct rate {
    double per_second, burst;
};

// What Slack allows; a program's start costs something; one's own webhook is one's own business.
rate default_rate(receiver_kind kind) {
    switch (kind) {
    case receiver_kind::webhook: return {50, 100};
    case receiver_kind::command: return {5, 10};
    case receiver_kind::pagerduty: return {2, 60};  // 120 a minute
    case receiver_kind::feishu:
    case receiver_kind::teams:
    case receiver_kind::smtp:
    case receiver_kind::slack: break;
    }
    return {1, 10};
}

result<void> read_rate(const receiver_section& section, receiver_config& out) {
    rate allowed = default_rate(out.kind);
    if (section.rate) {
        allowed.per_second = section.rate->per_second.value_or(allowed.per_second);
        allowed.burst = section.rate->burst.value_or(std::max(allowed.burst, allowed.per_second));
    }
    const auto [per_second, burst] = allowed;
    if (!(per_second >= 0.001 && per_second <= 10000 && burst >= 1 && burst <= 100000)) {
        return bad_config("rate: perSecond must be between 0.001 and 10000, and burst between 1 and 100000");
    }
    // A Feishu bot and Teams have limits that are not ours to change; a slower rate comes on top.
    const bool has_limits = out.kind == receiver_kind::feishu || out.kind == receiver_kind::teams;
    if (section.rate || !has_limits) out.queue.limit(per_second, burst);
    return {};
}

result<void> read_retry(const retry_section& section, receiver_config& out) {
    retry_policy retry;
    if (section.attempts) {
        if (*section.attempts < 1 || *section.attempts > 1000) {
            return bad_config("retry.attempts: must be between 1 and 1000");
        }
        retry.attempts(static_cast<std::uint32_t>(*section.attempts));
    }
    if (section.max_age) {
        const auto age = section.max_age->length();
        if (age < kcontrol::duration::zero() || age > std::chrono::hours(24)) {
            return bad_config("retry.maxAge: " + to_string(*section.max_age) + " is not between 0s and 24h");
        }
        retry.max_age(age);
    }
    out.queue.retry(retry);
    return {};
}

}  // namespace

result<void> read_limits(const receiver_section& section, receiver_config& out) {
    if (section.timeout) {
        out.timeout = section.timeout->length();
        if (out.timeout < std::chrono::milliseconds(100) || out.timeout > std::chrono::minutes(5)) {
            return bad_config("timeout: " + to_string(*section.timeout) + " is not between 100ms and 5m");
        }
    }
    if (section.queue) {
        if (*section.queue < 1 || *section.queue > 100000) {
            return bad_config("queue: " + std::to_string(*section.queue) + " is not between 1 and 100000");
        }
        out.queue.capacity(static_cast<std::size_t>(*section.queue));
    }
    out.repeat_after = default_repeat_after;
    if (section.repeat_after) {
        out.repeat_after = section.repeat_after->length();
        if (out.repeat_after < kcontrol::duration::zero() || out.repeat_after > std::chrono::hours(24)) {
            return bad_config("repeatAfter: " + to_string(*section.repeat_after) + " is not between 0s and 24h");
        }
    }
    const auto rated = read_rate(section, out);
    if (!rated) return rated.error();
    return section.retry ? read_retry(*section.retry, out) : result<void>();
}

}  // namespace training_monitor::notices
