#pragma once

#include <kcontrol/runtime/reasoned_stop.hpp>

#include <atomic>

namespace kcontrol {
namespace detail {

class stop_state {
public:
    std::stop_token token() const { return source_.get_token(); }
    stop_reason why() const noexcept { return why_.load(); }

    void stop(stop_reason why) {
        stop_reason none = stop_reason::none;
        why_.compare_exchange_strong(none, why);  // before the token, so that whoever sees that sees the reason
        source_.request_stop();
    }

private:
    std::atomic<stop_reason> why_ = stop_reason::none;
    std::stop_source source_;
};

}  // namespace detail

KCONTROL_DECL std::string_view to_string(stop_reason why) noexcept {
    switch (why) {
    case stop_reason::none: return "not stopped";
    case stop_reason::stopped: return "stopped";
    case stop_reason::timeout: return "timeout";
    case stop_reason::lost_leadership: return "lost leadership";
    case stop_reason::disengaged: return "cluster disengaged";
    case stop_reason::deleted: return "object deleted";
    }
    return "unknown";
}

KCONTROL_DECL stop_reason reasoned_token::reason() const noexcept {
    if (!token_.stop_requested()) return stop_reason::none;
    return state_ ? state_->why() : stop_reason::stopped;
}

KCONTROL_DECL reasoned_stop::reasoned_stop(const stop_parents& parents)
    : state_(std::make_shared<detail::stop_state>()), token_(state_->token()) {
    token_.state_ = state_;
    for (const stop_parents::parent& one : parents.all_) {
        if (!one.token.token().stop_possible()) continue;
        from_parents_.emplace_back(one.token.token(), [state = state_, one] {
            state->stop(one.meaning == stop_reason::none ? one.token.reason() : one.meaning);
        });
    }
}

KCONTROL_DECL reasoned_stop::~reasoned_stop() { stop(); }

KCONTROL_DECL void reasoned_stop::stop(stop_reason why) { state_->stop(why); }

}  // namespace kcontrol
