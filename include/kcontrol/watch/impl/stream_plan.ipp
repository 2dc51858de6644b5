#pragma once

#include <kcontrol/watch/detail/stream_plan.hpp>

#include <chrono>
#include <utility>

namespace kcontrol::inline v0_1::detail {

KCONTROL_DECL void stream_plan::give_up(std::string why) {
    if (!why_not_.empty()) return;
    why_not_ = std::move(why);
    shared_ = proved_ = false;
}

KCONTROL_DECL void stream_plan::refused(const error& why) { give_up("the server refuses them: " + why.what()); }

KCONTROL_DECL void stream_plan::late() {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(deadline_);
    give_up("the initial events did not end within " + std::to_string(seconds.count()) + " s");
}

KCONTROL_DECL void stream_plan::unmarked() {
    give_up("a bookmark came that does not end the initial events: the server does not know streamed lists");
}

KCONTROL_DECL void stream_plan::broke(const error& why) {
    if (++broken_ < patience) return;
    give_up(std::to_string(broken_) + " in a row broke off before all objects had come, the last: " + why.what());
}

KCONTROL_DECL void stream_plan::listed() {
    broken_ = put_off_ = 0;
    if (open_ || why_not_.empty() || proved_) return;
    if (std::exchange(shared_, false)) {
        why_not_.clear();
    } else {
        proved_ = true;
    }
}

KCONTROL_DECL void stream_plan::restart() {
    open_ = false;
    broken_ = put_off_ = 0;
    if (!proved_) forget();
}

KCONTROL_DECL void stream_plan::forget() {
    put_off_ = 0;
    why_not_.clear();
    shared_ = proved_ = false;
}

}  // namespace kcontrol::detail
