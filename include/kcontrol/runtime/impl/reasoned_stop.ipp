#pragma once

#include <kcontrol/runtime/reasoned_stop.hpp>

#include <atomic>
#include <functional>
#include <list>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {
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

class parent_list {
public:
    struct parent {
        parent(reasoned_token t, stop_reason m) : token(std::move(t)), meaning(m) {}

        reasoned_token token;
        stop_reason meaning;  // none: the token says
    };
    std::vector<parent> all;
};

inline parent_list& list_in(std::unique_ptr<parent_list>& place) {
    if (!place) place = std::make_unique<parent_list>();
    return *place;
}

// What the parents' tokens do when they are triggered.
class parent_links {
public:
    void add(std::stop_token from, std::function<void()> then) {
        callbacks_.emplace_back(std::move(from), std::move(then));
    }

private:
    std::list<std::stop_callback<std::function<void()>>> callbacks_;
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

KCONTROL_DECL stop_parents::stop_parents() = default;
KCONTROL_DECL stop_parents::stop_parents(const stop_parents& from)
    : all_(from.all_ ? std::make_unique<detail::parent_list>(*from.all_) : nullptr) {}
KCONTROL_DECL stop_parents::stop_parents(stop_parents&&) noexcept = default;
KCONTROL_DECL stop_parents& stop_parents::operator=(stop_parents from) noexcept {
    std::swap(all_, from.all_);
    return *this;
}
KCONTROL_DECL stop_parents::~stop_parents() = default;
KCONTROL_DECL stop_parents::stop_parents(std::stop_token token) { add(std::move(token), stop_reason::stopped); }
KCONTROL_DECL stop_parents::stop_parents(reasoned_token token) { add(std::move(token)); }

KCONTROL_DECL stop_parents& stop_parents::add(std::stop_token token, stop_reason meaning) {
    detail::list_in(all_).all.emplace_back(reasoned_token(std::move(token)), meaning);
    return *this;
}
KCONTROL_DECL stop_parents& stop_parents::add(reasoned_token token) {
    detail::list_in(all_).all.emplace_back(std::move(token), stop_reason::none);
    return *this;
}

KCONTROL_DECL reasoned_stop::reasoned_stop(const stop_parents& parents)
    : state_(std::make_shared<detail::stop_state>()), token_(state_->token()) {
    token_.state_ = state_;
    if (!parents.all_) return;
    for (const detail::parent_list::parent& one : parents.all_->all) {
        if (!one.token.token().stop_possible()) continue;
        if (!from_parents_) from_parents_ = std::make_unique<detail::parent_links>();
        from_parents_->add(one.token.token(), [state = state_, one] {
            state->stop(one.meaning == stop_reason::none ? one.token.reason() : one.meaning);
        });
    }
}

KCONTROL_DECL reasoned_stop::~reasoned_stop() { stop(); }

KCONTROL_DECL void reasoned_stop::stop(stop_reason why) { state_->stop(why); }

}  // namespace kcontrol
