// What becomes of a streamed list: its end, a refusal, a list in its place.
#pragma once

#include <kcontrol/watch/detail/failure_meaning.hpp>
#include <kcontrol/watch/reflector_fsm.hpp>

namespace kcontrol::inline v0_1 {
namespace detail {

// What went wrong here, or with the size of it.
inline bool concerns_this_process(const error& why) {
    return why == errc::out_of_memory || why == errc::limit_exceeded;
}

}  // namespace detail

KCONTROL_DECL reflector_action reflector_fsm::on_stream_open(time_point now, duration asked) {
    streams_.opened(now, asked);
    return reflector_action::receive();
}

KCONTROL_DECL reflector_action reflector_fsm::on_streamed(std::string_view version, time_point now) {
    const auto next = on_page(version, {}, now);
    if (next.step != reflector_step::replace) streams_.closed();
    return next;
}

// The list that is asked for in its place tells whether it was the streaming.
KCONTROL_DECL reflector_action reflector_fsm::list_instead(time_point now) {
    streams_.closed();
    list_.begin(version_);
    return open(next_step::list, now);
}

KCONTROL_DECL reflector_action reflector_fsm::on_stream_refused(const error& why, time_point now, double unit) {
    if (why.code().category() != api_category()) return on_stream_broken(why, now, unit);
    const auto what = detail::failure_row_of(why).stream;
    if (what == detail::remedy::list_instead) {
        streams_.refused(why);
        return list_instead(now);
    }
    if (what == detail::remedy::again_or_list_once) streams_.put_off();
    streams_.closed();
    return after_list(why, now, unit);
}

KCONTROL_DECL reflector_action reflector_fsm::on_stream_unmarked(time_point now) {
    streams_.unmarked();
    return list_instead(now);
}

KCONTROL_DECL reflector_action reflector_fsm::on_stream_broken(const error& why, time_point now, double unit) {
    if (streams_.is_late(now)) {
        streams_.late();
        return list_instead(now);
    }
    const bool began = streams_.is_open() || !detail::nobody_answers(why);
    if (began && !detail::concerns_this_process(why)) streams_.broke(why);
    streams_.closed();
    list_.begin(version_);
    return back_off(why, now, unit, next_step::list);
}

}  // namespace kcontrol
