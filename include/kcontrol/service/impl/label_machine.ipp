#pragma once

#include <kcontrol/service/detail/label_machine.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::service::detail {

// What does not change soon: a right that is missing, a pod that is not there.
inline constexpr duration label_slow_retry = std::chrono::minutes(1);
inline constexpr duration label_first_pause = std::chrono::milliseconds(50);

// The first retry after a conflict is made at once: the kubelet wrote a status, which happens.
inline duration label_pause(unsigned failures, duration most) {
    duration out = label_first_pause;
    for (unsigned i = 1; i < failures && out < most; ++i) out *= 2;
    return std::min(out, most);
}

// get, list or patch.
inline std::size_t verb_of(label_request what) {
    return what == label_request::read ? 0 : what == label_request::list ? 1 : 2;
}

KCONTROL_DECL void label_machine::lead(bool on) {
    if (on_ == on) return;
    on_ = on;
    settled_ = false;
    next_try_ = {};
    listed_.reset();
    others_.clear();
    // A pod that was not there may be there by now.
    own_absent_ = false;
    conflicts_ = failures_ = 0;
}

KCONTROL_DECL label_step label_machine::next(time_point now) {
    if (now < next_try_) {
        label_step wait;
        wait.until = next_try_;
        return wait;
    }
    return decide(now);
}

KCONTROL_DECL label_step label_machine::decide(time_point now) {
    if (on_) {
        if (!listed_ || now >= *listed_ + set_.lease / 2) return ask(label_request::list, nullptr);
        if (!others_.empty()) return ask(label_request::remove, &others_.front());
    }
    if (!own_ && !own_absent_) return ask(label_request::read, nullptr);
    if (own_ && own_->labelled != on_) return ask(on_ ? label_request::add : label_request::remove, &*own_);
    settled_ = true;
    conflicts_ = failures_ = 0;
    if (std::exchange(failure_told_, false)) notices_.emplace_back(label_event::recovered, "");
    label_step wait;
    if (on_) wait.until = *listed_ + set_.lease / 2;
    return wait;
}

KCONTROL_DECL label_step label_machine::ask(label_request what, const labelled_pod* pod) {
    pending_ = what;
    settled_ = false;
    label_step step(what, pod != nullptr ? pod->name : std::string(), pod != nullptr ? pod->version : std::string());
    if (what == label_request::read) step.pod = set_.pod;
    // It takes the label from its own pod also when it does not lead any more.
    step.fenced = what == label_request::add || (what == label_request::remove && step.pod != set_.pod);
    pending_pod_ = step.pod;
    return step;
}

KCONTROL_DECL void label_machine::answered(const result<std::vector<labelled_pod>>& answer, time_point now) {
    const label_request what = std::exchange(pending_, label_request::none);
    if (!answer) return refused(answer.error(), what, now);
    forbidden_[verb_of(what)] = false;
    next_try_ = {};
    take(*answer, what, now);
}

KCONTROL_DECL void label_machine::take(const std::vector<labelled_pod>& pods, label_request what, time_point now) {
    if (what == label_request::list) {
        listed_ = now;
        others_.clear();
        own_.reset();  // unless it is listed it lacks the label, and its version is not known
        own_absent_ = false;
    }
    for (const labelled_pod& pod : pods) {
        if (pod.name == set_.pod) {
            own_ = pod;
            no_pod_told_ = false;
        } else if (what == label_request::list && pod.labelled) {
            others_.push_back(pod);
        } else {
            std::erase_if(others_, [&](const labelled_pod& one) { return one.name == pod.name; });
        }
    }
}

KCONTROL_DECL void label_machine::refused(const error& why, label_request what, time_point now) {
    if (why == condition::not_found && what != label_request::list) return absent(what, why, now);
    // What was written is read again before anything else is decided.
    if (pending_pod_ == set_.pod) {
        own_.reset();
    } else {
        listed_.reset();
    }
    if (why == condition::conflict) {
        next_try_ = conflicts_ == 0 ? time_point() : now + label_pause(conflicts_, std::chrono::seconds(1));
        ++conflicts_;
        return;
    }
    if (why == api_errc::forbidden) {
        next_try_ = now + label_slow_retry;
        if (!std::exchange(forbidden_[verb_of(what)], true)) {
            notices_.emplace_back(label_event::forbidden, why.what());
        }
        return;
    }
    next_try_ = now + label_pause(++failures_, std::chrono::seconds(5));
    // That it leads no more it is told in a moment.
    if (why == errc::not_leading || why == errc::stopped || std::exchange(failure_told_, true)) return;
    notices_.emplace_back(label_event::failed, why.what());
}

// A pod that is deleted carries nothing.
KCONTROL_DECL void label_machine::absent(label_request what, const error& why, time_point now) {
    if (what == label_request::remove && pending_pod_ != set_.pod) {
        std::erase_if(others_, [&](const labelled_pod& one) { return one.name == pending_pod_; });
        return;
    }
    own_.reset();
    own_absent_ = true;
    settled_ = !on_;
    if (!on_) return;
    next_try_ = now + label_slow_retry;
    listed_.reset();
    if (!std::exchange(no_pod_told_, true)) notices_.emplace_back(label_event::no_pod, why.what());
}

}  // namespace kcontrol::service::detail
