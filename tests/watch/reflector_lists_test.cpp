#include "watch/reflector_machine.hpp"

namespace {

using namespace kcontrol;
using namespace kcontrol::test;

TEST_CASE("reflector_fsm: every shape of 410 lists at the last version, unpaged, then at the newest") {
    for (const auto& shape : {expired, gone, html_410}) {
        auto by_event = live();
        CHECK(by_event.error_event(shape) == act::list("10", "", 0));
        CHECK(by_event.list_failed(shape) == act::list("", "", 500));
        const auto wait = by_event.list_failed(shape);
        CHECK(wait == act::sleep(800ms));
        CHECK(by_event.timer(wait) == act::list("", "", 500));
        CHECK(by_event.listed("90") == act::watch("90"));

        auto by_status = live();
        by_status.now += 2s;
        by_status.ended();
        CHECK(by_status.refused_watch(shape) == act::list("10", "", 0));
    }
}

TEST_CASE("reflector_fsm: a deletion of nobody knows whom is found by a list, and by no storm of them") {
    auto m = live();
    const time_point begin = m.now;
    int lists = 0;
    while (m.now < begin + 5min) {
        m.now += 1ms;
        act next = m.known(m.fsm.on_unknown_deletion(rubbish, "", m.now, 0));
        while (next.step == reflector_step::sleep) next = m.timer(next);
        CHECK(next == act::list("10", "", 0));
        ++lists;
        m.now += 1ms;
        next = m.listed("10");
        while (next.step == reflector_step::sleep) next = m.timer(next);
        m.opened();
    }
    CHECK(lists < 18);
}

TEST_CASE("reflector_fsm: equal versions mean equal objects only within one history") {
    machine m;
    CHECK_FALSE(m.fsm.is_of_known_history("10"));  // nothing is known yet
    auto known = live();
    CHECK(known.fsm.is_of_known_history("10"));
    CHECK(known.fsm.is_of_known_history("11"));
    CHECK_FALSE(known.fsm.is_of_known_history("9"));
    known.fsm.forget_version();
    CHECK_FALSE(known.fsm.is_of_known_history("11"));
}

TEST_CASE("reflector_fsm: 410 on a later page lists once more without pages") {
    machine m;
    m.start();
    m.page("10", "more");
    CHECK(m.list_failed(expired) == act::list("", "", 0));
    CHECK(m.listed("12") == act::watch("12"));
}

TEST_CASE("reflector_fsm: a list that does not fit is asked for in pages, then in halves, and says so") {
    const error over_budget(errc::too_large, "larger than 256 MiB");
    machine m;
    CHECK(m.start() == act::list("0", "", 500));
    CHECK(m.list_failed(over_budget) == act::list("", "", 500));
    CHECK(m.page("10", "t") == act::list("", "t", 500));
    // The page that failed is asked for again, not those before it.
    act next = m.list_failed(over_budget);
    CHECK(next == act::list("", "t", 250));
    CHECK(m.says("larger than 256 MiB"));
    CHECK(m.says("250 objects"));
    for (const std::int64_t size : {125, 62, 31, 15, 7, 3, 1}) {
        next = m.list_failed(over_budget);
        if (next.step == reflector_step::sleep) next = m.timer(next);
        CHECK(next == act::list("", "t", size));
    }
    // One object above the budget is nothing that the next request would mend.
    CHECK(m.list_failed(over_budget).step == reflector_step::sleep);
    CHECK(m.fsm.state() == reflector_state::failed);

    machine all_at_once(reflector_policy().page_size(0));
    CHECK(all_at_once.start() == act::list("0", "", 0));
    CHECK(all_at_once.list_failed(over_budget) == act::list("", "", 500));
}

TEST_CASE("reflector_fsm: a version the server has not reached yet is given up for the newest state") {
    auto m = live();
    m.error_event(expired);
    CHECK(m.list_failed(too_large) == act::list("", "", 500));
}

TEST_CASE("reflector_fsm: an object that the server can't read any more is found missing by a list") {
    auto m = live();
    const auto wait = m.error_event(from_server(500, "StorageReadError"));
    CHECK(wait == act::sleep(800ms));
    CHECK(m.timer(wait) == act::list("10", "", 0));
    auto refused = live();
    refused.now += 2s;
    refused.ended();
    const auto later = refused.refused_watch(from_server(500, "StorageReadError"));
    CHECK(refused.timer(later) == act::list("10", "", 0));
}

TEST_CASE("reflector_fsm: a kind that is not installed is probed") {
    machine m(reflector_policy().probe_period(7s));
    m.start();
    const auto wait = m.list_failed(not_found);
    CHECK(wait == act::sleep(7s));
    CHECK(m.fsm.state() == reflector_state::not_installed);
    CHECK(m.timer(wait) == act::list("", "", 500));
    CHECK(m.fsm.state() == reflector_state::not_installed);
    CHECK(m.listed("10") == act::watch("10"));
    m.opened();
    CHECK(m.live());
}

TEST_CASE("reflector_fsm: a kind that vanishes is asked for twice before its objects are gone") {
    auto m = live();
    CHECK(m.refused_watch(not_found) == act::list("10", "", 0));
    auto back = m;
    auto wait = m.list_failed(not_found);
    CHECK(wait == act::sleep(2s));
    CHECK(m.fsm.synced());
    CHECK(m.timer(wait) == act::list("", "", 500));
    CHECK(m.list_failed(not_found) == act::clear());
    CHECK(m.fsm.on_cleared() == act::sleep(15s));
    CHECK_FALSE(m.fsm.synced());

    back.timer(back.list_failed(not_found));
    CHECK(back.listed("12") == act::watch("12"));
}

TEST_CASE("reflector_fsm: without rights it probes, and resumes when they come") {
    auto m = live();
    auto wait = m.refused_watch(forbidden);
    CHECK(wait == act::sleep(15s));
    CHECK(m.fsm.state() == reflector_state::forbidden);
    CHECK(m.timer(wait) == act::watch("10"));

    machine fresh;
    fresh.start();
    wait = fresh.list_failed(forbidden);
    CHECK(wait == act::sleep(15s));
    CHECK(fresh.timer(wait) == act::list("0", "", 500));
}

TEST_CASE("reflector_fsm: a version that makes no sense to the server leads to the newest list") {
    auto m = live();
    const auto wait = m.refused_watch(from_server(400, "BadRequest"));
    CHECK(wait == act::sleep(800ms));
    CHECK(m.timer(wait) == act::list("", "", 500));
}

TEST_CASE("reflector_fsm: a list whose version the server makes no sense of is asked for at the newest state") {
    auto m = live();
    CHECK(m.error_event(expired) == act::list("10", "", 0));
    CHECK(m.known(m.list_failed(from_server(400, "BadRequest"))).step == reflector_step::sleep);
    CHECK(m.known(m.fsm.on_timer(m.now)) == act::list("", "", 500));
}

}  // namespace
