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

namespace {

using namespace kcontrol;
using namespace std::chrono_literals;
using act = reflector_action;

constexpr time_point t0{std::chrono::hours(1)};

error from_server(int code, std::string reason, std::string message = "no") {
    api_status status;
    status.code = code;
    status.reason = std::move(reason);
    status.message = std::move(message);
    return error(std::move(status));
}

const error expired = from_server(410, "Expired");
const error gone = from_server(410, "Gone");
const error html_410 = from_server(410, "");
const error too_large = from_server(504, "Timeout", "Too large resource version: 9, current: 5");
const error not_found = from_server(404, "NotFound");
const error forbidden = from_server(403, "Forbidden");
const error overloaded = from_server(429, "TooManyRequests");
const error internal = from_server(500, "InternalError");
const error refused(errc::connection_refused);
const error lost(errc::connection_lost);

// A reflector whose first list is complete at version 10 and whose watch is open since t0.
reflector_fsm live() {
    reflector_fsm fsm;
    fsm.start();
    fsm.on_page("10", "");
    fsm.on_watch_open(t0);
    return fsm;
}

TEST_CASE("reflector_fsm: lists at 0, page by page, then watches from the list's version") {
    reflector_fsm fsm;
    CHECK(fsm.state() == reflector_state::idle);
    CHECK(fsm.start() == act::list("0", "", 500));
    CHECK(fsm.state() == reflector_state::listing);
    CHECK(fsm.on_page("10", "next") == act::list("", "next", 500));
    CHECK_FALSE(fsm.synced());
    CHECK(fsm.on_page("10", "") == act::watch("10"));
    CHECK(fsm.synced());
    CHECK(fsm.on_watch_open(t0) == act::read());
    CHECK(fsm.state() == reflector_state::live);
}

TEST_CASE("reflector_fsm: events and bookmarks move the version, a proper end resumes from it") {
    auto fsm = live();
    CHECK(fsm.on_event("11") == act::read());
    CHECK(fsm.on_event("") == act::read());
    CHECK(fsm.on_watch_end(t0 + 5min, 0) == act::watch("11"));
    CHECK(fsm.state() == reflector_state::live);
}

TEST_CASE("reflector_fsm: a watch that ends at once without events backs off and stays live") {
    auto fsm = live();
    CHECK(fsm.on_watch_end(t0 + 10ms, 0) == act::sleep(800ms));
    CHECK(fsm.state() == reflector_state::live);
    CHECK(fsm.on_timer() == act::watch("10"));
    fsm.on_watch_open(t0 + 1s);
    CHECK(fsm.on_watch_end(t0 + 1s, 0.5) == act::sleep(2400ms));
}

TEST_CASE("reflector_fsm: every shape of 410 lists at the last version, unpaged, then at the newest") {
    for (const auto& shape : {expired, gone, html_410}) {
        auto by_event = live();
        CHECK(by_event.on_error_event(shape, t0, 0) == act::list("10", "", 0));
        CHECK(by_event.on_list_failed(shape, t0, 0) == act::list("", "", 500));
        CHECK(by_event.on_list_failed(shape, t0, 0) == act::sleep(800ms));
        CHECK(by_event.on_timer() == act::list("", "", 500));
        CHECK(by_event.on_page("90", "") == act::watch("90"));

        auto by_status = live();
        by_status.on_watch_end(t0 + 2s, 0);
        CHECK(by_status.on_watch_refused(shape, t0, 0) == act::list("10", "", 0));
    }
}

TEST_CASE("reflector_fsm: 410 on a later page lists once more without pages") {
    reflector_fsm fsm;
    fsm.start();
    fsm.on_page("10", "more");
    CHECK(fsm.on_list_failed(expired, t0, 0) == act::list("", "", 0));
    CHECK(fsm.on_page("12", "") == act::watch("12"));
}

TEST_CASE("reflector_fsm: a list above the budget is asked for in pages") {
    const error over_budget(errc::too_large, "larger than 256 MiB");
    reflector_fsm fsm;
    CHECK(fsm.start() == act::list("0", "", 500));
    CHECK(fsm.on_list_failed(over_budget, t0, 0) == act::list("", "", 500));
    // One page above the budget is nothing that the next request would mend.
    CHECK(fsm.on_list_failed(over_budget, t0, 0) == act::sleep(800ms));
}

TEST_CASE("reflector_fsm: a version the server has not reached yet is given up for the newest state") {
    auto fsm = live();
    fsm.on_error_event(expired, t0, 0);
    CHECK(fsm.on_list_failed(too_large, t0, 0) == act::list("", "", 500));
}

TEST_CASE("reflector_fsm: trouble of the server resumes with backoff and never lists") {
    for (const auto& trouble : {overloaded, internal, from_server(503, "ServiceUnavailable"), too_large}) {
        auto fsm = live();
        fsm.on_event("11");
        CHECK(fsm.on_error_event(trouble, t0, 0) == act::sleep(800ms));
        CHECK(fsm.state() == reflector_state::failed);
        CHECK(fsm.on_timer() == act::watch("11"));
        CHECK(fsm.on_watch_refused(trouble, t0, 0) == act::sleep(1600ms));
        CHECK(fsm.on_timer() == act::watch("11"));
        CHECK(fsm.on_watch_open(t0) == act::read());
        CHECK(fsm.state() == reflector_state::live);
    }
}

TEST_CASE("reflector_fsm: an object that the server can't read any more is found missing by a list") {
    auto fsm = live();
    CHECK(fsm.on_error_event(from_server(500, "StorageReadError"), t0, 0) == act::sleep(800ms));
    CHECK(fsm.on_timer() == act::list("10", "", 0));
}

TEST_CASE("reflector_fsm: Retry-After is honoured and capped") {
    auto with_delay = [](std::chrono::seconds s) {
        api_status status;
        status.code = 429;
        status.reason = "TooManyRequests";
        status.retry_after = s;
        return error(std::move(status));
    };
    auto fsm = live();
    CHECK(fsm.on_error_event(with_delay(7s), t0, 0) == act::sleep(7s));
    fsm = live();
    CHECK(fsm.on_error_event(with_delay(1h), t0, 0) == act::sleep(120s));
    fsm = live();
    CHECK(fsm.on_error_event(with_delay(-5s), t0, 0) == act::sleep(800ms));
}

TEST_CASE("reflector_fsm: a broken connection resumes at once; if it breaks at once again, with backoff") {
    auto fsm = live();
    fsm.on_event("11");
    CHECK(fsm.on_watch_broken(lost, t0 + 3s, 0) == act::watch("11"));
    fsm.on_watch_open(t0 + 3s);
    CHECK(fsm.on_watch_broken(lost, t0 + 3s, 0) == act::sleep(800ms));
    CHECK(fsm.state() == reflector_state::failed);
    CHECK(fsm.failure() == errc::connection_lost);
    CHECK(fsm.on_timer() == act::watch("11"));
}

TEST_CASE("reflector_fsm: backoff doubles to its cap and starts afresh after a quiet time") {
    auto fsm = live();
    duration last{};
    for (int i = 0; i < 10; ++i) {
        last = fsm.on_watch_refused(refused, t0 + i * 1s, 0).delay;
        fsm.on_timer();
    }
    CHECK(last == 30s);
    CHECK(fsm.on_watch_refused(refused, t0 + 10min, 0) == act::sleep(800ms));
}

TEST_CASE("reflector_fsm: a kind that is not installed is probed") {
    reflector_fsm fsm(reflector_policy().probe_period(7s));
    fsm.start();
    CHECK(fsm.on_list_failed(not_found, t0, 0) == act::sleep(7s));
    CHECK(fsm.state() == reflector_state::not_installed);
    CHECK(fsm.on_timer() == act::list("", "", 500));
    CHECK(fsm.state() == reflector_state::not_installed);
    CHECK(fsm.on_page("10", "") == act::watch("10"));
    fsm.on_watch_open(t0);
    CHECK(fsm.state() == reflector_state::live);
}

TEST_CASE("reflector_fsm: a kind that vanishes is asked for twice before its objects are gone") {
    auto fsm = live();
    CHECK(fsm.on_watch_refused(not_found, t0, 0) == act::list("10", "", 0));
    CHECK(fsm.on_list_failed(not_found, t0, 0) == act::sleep(2s));
    CHECK(fsm.synced());
    CHECK(fsm.on_timer() == act::list("", "", 500));
    CHECK(fsm.on_list_failed(not_found, t0, 0) == act::clear());
    CHECK(fsm.on_cleared() == act::sleep(15s));
    CHECK_FALSE(fsm.synced());

    auto back = live();
    back.on_watch_refused(not_found, t0, 0);
    back.on_list_failed(not_found, t0, 0);
    back.on_timer();
    CHECK(back.on_page("12", "") == act::watch("12"));
}

TEST_CASE("reflector_fsm: without rights it probes, and resumes when they come") {
    auto fsm = live();
    CHECK(fsm.on_watch_refused(forbidden, t0, 0) == act::sleep(15s));
    CHECK(fsm.state() == reflector_state::forbidden);
    CHECK(fsm.on_timer() == act::watch("10"));

    reflector_fsm fresh;
    fresh.start();
    CHECK(fresh.on_list_failed(forbidden, t0, 0) == act::sleep(15s));
    CHECK(fresh.on_timer() == act::list("0", "", 500));
}

TEST_CASE("reflector_fsm: a version that makes no sense to the server leads to the newest list") {
    auto fsm = live();
    CHECK(fsm.on_watch_refused(from_server(400, "BadRequest"), t0, 0) == act::sleep(800ms));
    CHECK(fsm.on_timer() == act::list("", "", 500));
}

TEST_CASE("reflector_fsm: start() at any point resumes if it can and lists if it must") {
    auto fsm = live();
    fsm.on_event("12");
    CHECK(fsm.start() == act::watch("12"));
    fsm.on_watch_refused(expired, t0, 0);  // stopped in the middle of the list that follows
    CHECK(fsm.start() == act::watch("12"));
    fsm.forget_version();
    CHECK(fsm.start() == act::list("", "", 500));
    CHECK(fsm.on_page("3", "") == act::watch("3"));

    reflector_fsm fresh;
    fresh.start();
    fresh.on_page("10", "more");  // stopped between pages
    CHECK(fresh.start() == act::list("0", "", 500));
}

TEST_CASE("reflector_fsm: the diagnosis of a failure stays until the server has answered") {
    reflector_fsm fsm;
    fsm.start();
    fsm.on_list_failed(refused, t0, 0);
    CHECK(fsm.reason() == "connection refused");
    fsm.on_timer();
    CHECK(fsm.state() == reflector_state::failed);
    fsm.on_page("1", "");
    fsm.on_watch_open(t0);
    CHECK(fsm.reason().empty());
}

}  // namespace
