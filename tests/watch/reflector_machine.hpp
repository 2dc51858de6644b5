// A reflector_fsm with a time of its own and a server that answers as a test says.
#pragma once

#include <kcontrol/watch/reflector_fsm.hpp>

#include <doctest/doctest.h>

#include <sstream>

namespace doctest {
template <>
struct StringMaker<kcontrol::reflector_action> {
    static String convert(const kcontrol::reflector_action& a) {
        std::ostringstream out;
        out << a;
        return out.str().c_str();
    }
};
}  // namespace doctest

namespace kcontrol::test {

using namespace std::chrono_literals;
using act = reflector_action;

inline constexpr time_point t0{std::chrono::hours(1)};

inline error from_server(int code, std::string reason, std::string message = "no") {
    api_status status;
    status.code = code;
    status.reason = std::move(reason);
    status.message = std::move(message);
    return error(std::move(status));
}

inline const error expired = from_server(410, "Expired");
inline const error gone = from_server(410, "Gone");
inline const error html_410 = from_server(410, "");
inline const error too_large = from_server(504, "Timeout", "Too large resource version: 9, current: 5");
inline const error not_found = from_server(404, "NotFound");
inline const error forbidden = from_server(403, "Forbidden");
inline const error overloaded = from_server(429, "TooManyRequests");
inline const error internal = from_server(500, "InternalError");
inline const error refused(errc::connection_refused);
inline const error lost(errc::connection_lost);
inline const error rubbish(errc::decode_failed, "rubbish");

// Time of its own, so that tests say only what matters; and the same server answers, unless it is told otherwise.
class machine {
public:
    explicit machine(reflector_policy policy = {}) : fsm(policy) {}

    // Goes on to the first step that is no question who answers.
    act known(act step) {
        while (step.step == reflector_step::identify) step = fsm.on_identity(server, now, 0);
        return step;
    }
    act start() { return known(fsm.start(now)); }
    act page(std::string_view version, std::string_view token = {}) { return known(fsm.on_page(version, token, now)); }
    act replaced() { return known(fsm.on_replaced(now)); }
    // The whole list, and on.
    act listed(std::string_view version) {
        CHECK(page(version).step == reflector_step::replace);
        return replaced();
    }
    act stream_opened() { return known(fsm.on_stream_open(now, 300s)); }
    act stream_refused(const error& why) { return known(fsm.on_stream_refused(why, now, 0)); }
    act stream_broken(const error& why = lost) { return known(fsm.on_stream_broken(why, now, 0)); }
    act unmarked() { return known(fsm.on_stream_unmarked(now)); }
    act streamed(std::string_view version) { return known(fsm.on_streamed(version, now)); }
    act list_failed(const error& why) { return known(fsm.on_list_failed(why, now, 0)); }
    act opened() { return known(fsm.on_watch_open(now, 300s)); }
    act refused_watch(const error& why) { return known(fsm.on_watch_refused(why, now, 0)); }
    act event(std::string_view version) { return known(fsm.on_event(version, now)); }
    act error_event(const error& why) { return known(fsm.on_error_event(why, now, 0)); }
    act ended(double unit = 0) { return known(fsm.on_watch_end(now, unit)); }
    act broken(const error& why = lost, double unit = 0) { return known(fsm.on_watch_broken(why, now, unit)); }
    // The wait is over.
    act timer(const act& slept) {
        REQUIRE(slept.step == reflector_step::sleep);
        now += slept.delay;
        return known(fsm.on_timer(now));
    }
    // It is due.
    act due() {
        REQUIRE(fsm.due().has_value());
        now = *fsm.due();
        return known(fsm.on_due(now));
    }
    void identify(std::string uid, std::string version = {}) {
        server_identity who;
        who.uid = std::move(uid);
        who.resource_version = std::move(version);
        server = who;
    }
    bool live() const { return fsm.state() == reflector_state::live; }
    bool says(std::string_view words) const { return fsm.reason().find(words) != std::string::npos; }

    reflector_fsm fsm;
    time_point now = t0;
    result<server_identity> server = error(api_errc::not_found, "no kube-system here");
};

// One whose first list is complete at version 10 and whose watch has been open since t0.
inline machine live(std::string uid = {}) {
    machine m;
    if (!uid.empty()) m.identify(std::move(uid), "10");
    m.start();
    m.listed("10");
    m.opened();
    return m;
}

}  // namespace kcontrol::test
