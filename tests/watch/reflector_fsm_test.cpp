#include "watch/reflector_machine.hpp"

#include <functional>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;

TEST_CASE("reflector_fsm: lists at 0, page by page, then watches from the list's version") {
    machine m;
    CHECK(m.fsm.state() == reflector_state::idle);
    CHECK(m.fsm.start(t0) == act::identify());
    CHECK(m.fsm.on_identity(m.server, t0, 0) == act::list("0", "", 500));
    CHECK(m.fsm.state() == reflector_state::listing);
    CHECK(m.page("10", "next") == act::list("", "next", 500));
    CHECK_FALSE(m.fsm.synced());
    CHECK(m.page("10", "") == act::replace());
    CHECK_FALSE(m.fsm.synced());
    CHECK(m.replaced() == act::watch("10"));
    CHECK(m.fsm.synced());
    CHECK(m.opened() == act::read());
    CHECK(m.live());
    CHECK_FALSE(m.fsm.due().has_value());
}

TEST_CASE("reflector_fsm: events and bookmarks move the version, a proper end resumes from it") {
    auto m = live();
    CHECK(m.event("11") == act::read());
    CHECK(m.event("") == act::read());
    m.now += 5min;
    CHECK(m.fsm.on_watch_end(m.now, 0) == act::watch("11"));
    CHECK(m.live());
}

TEST_CASE("reflector_fsm: a watch that ends at once without events backs off, and the third is a failure") {
    auto m = live();
    m.now += 10ms;
    auto wait = m.ended();
    CHECK(wait == act::sleep(790ms));
    CHECK(m.live());
    CHECK(m.timer(wait) == act::watch("10"));
    m.opened();
    wait = m.ended(0.5);
    CHECK(wait == act::sleep(2400ms));
    CHECK(m.live());
    CHECK(m.timer(wait) == act::watch("10"));
    m.opened();
    wait = m.ended();
    CHECK(wait == act::sleep(3200ms));
    CHECK(m.fsm.state() == reflector_state::failed);
    CHECK(m.says("3 watches in a row"));
    // One that is opened does not mend it; what lasts does, or what brings something.
    m.timer(wait);
    m.opened();
    CHECK(m.fsm.state() == reflector_state::failed);
    auto by_event = m;
    by_event.event("11");
    CHECK(by_event.live());
    CHECK(by_event.fsm.reason().empty());
    CHECK(m.due() == act::read());
    CHECK(m.now - t0 > 30s);
    CHECK(m.live());
}

TEST_CASE("reflector_fsm: what brings news each time is opened once a second after a burst, and says why") {
    auto m = live();
    int version = 10, opened = 1;
    const time_point begin = m.now;
    for (; m.now < begin + 60s; ++opened) {
        m.now += 1ms;
        m.event(std::to_string(++version));
        act next = m.ended();
        while (next.step == reflector_step::sleep) next = m.timer(next);
        REQUIRE(next == act::watch(std::to_string(version)));
        m.opened();
        CHECK(m.live());
    }
    CHECK(opened > 60);
    CHECK(opened <= 60 + 6);
    CHECK(m.says("no more than one a second"));
    m.due();
    CHECK(m.fsm.reason().empty());
}

TEST_CASE("reflector_fsm: what fails always, however late, is opened ever more seldom and is a failure") {
    for (const auto& [lasts, most] : {std::pair(1ms, 18), std::pair(1500ms, 18), std::pair(10000ms, 20)}) {
        auto m = live();
        const time_point begin = m.now;
        int opened = 1;
        for (; m.now < begin + 5min; ++opened) {
            m.now += lasts;
            act next = m.broken(opened % 2 == 0 ? lost : rubbish);
            if (opened >= 3) CHECK(m.fsm.state() == reflector_state::failed);
            while (next.step == reflector_step::sleep) next = m.timer(next);
            m.opened();
            if (opened >= 3) CHECK(m.fsm.state() == reflector_state::failed);
        }
        CHECK(opened <= most);
    }
}

TEST_CASE("reflector_fsm: a proxy that cuts quiet watches after a minute is no failure") {
    auto m = live();
    for (int i = 0; i < 20; ++i) {
        m.now += 60s;
        CHECK(m.broken() == act::watch("10"));
        m.opened();
        CHECK(m.live());
        CHECK(m.fsm.reason().empty());
    }
}

TEST_CASE("reflector_fsm: a watch that is always refused as too old, or unknown, lists with backoff") {
    for (const auto& why : {expired, not_found}) {
        for (const bool as_event : {false, true}) {
            auto m = live();
            const time_point begin = m.now;
            int lists = 0;
            act next = m.error_event(why);
            for (; m.now < begin + 5min; ++lists) {
                while (next.step == reflector_step::sleep) next = m.timer(next);
                REQUIRE(next.step == reflector_step::list);
                m.now += 1ms;
                next = m.listed(std::to_string(100 + lists));  // the cluster is busy
                while (next.step == reflector_step::sleep) next = m.timer(next);
                REQUIRE(next.step == reflector_step::watch);
                if (as_event) m.opened();
                next = as_event ? m.error_event(why) : m.refused_watch(why);
                CHECK(m.fsm.state() == reflector_state::failed);
                CHECK(m.says("no"));
            }
            CHECK(lists < 18);
        }
    }
}

TEST_CASE("reflector_fsm: trouble of the server resumes with backoff and never lists") {
    for (const auto& trouble : {overloaded, internal, from_server(503, "ServiceUnavailable")}) {
        auto m = live();
        m.event("11");
        act wait = m.error_event(trouble);
        CHECK(wait == act::sleep(800ms));
        CHECK(m.fsm.state() == reflector_state::failed);
        CHECK(m.timer(wait) == act::watch("11"));
        wait = m.refused_watch(trouble);
        CHECK(wait == act::sleep(1600ms));
        CHECK(m.timer(wait) == act::watch("11"));
        CHECK(m.opened() == act::read());
        CHECK(m.live());
    }
}

TEST_CASE("reflector_fsm: Retry-After is honoured and capped") {
    auto with_delay = [](std::chrono::seconds s) {
        api_status status;
        status.code = 429;
        status.reason = "TooManyRequests";
        status.retry_after = s;
        return error(std::move(status));
    };
    CHECK(live().error_event(with_delay(7s)) == act::sleep(7s));
    CHECK(live().error_event(with_delay(1h)) == act::sleep(120s));
    CHECK(live().error_event(with_delay(-5s)) == act::sleep(800ms));
}

TEST_CASE("reflector_fsm: a broken connection resumes at once; if it breaks at once again, with backoff") {
    auto m = live();
    m.event("11");
    m.now += 3s;
    CHECK(m.broken() == act::watch("11"));
    m.opened();
    const auto wait = m.broken();
    CHECK(wait == act::sleep(800ms));
    CHECK(m.fsm.state() == reflector_state::failed);
    CHECK(m.fsm.failure() == errc::connection_lost);
    CHECK(m.timer(wait) == act::watch("11"));
}

// With one of the others, as when a proxy that they share is restarted.
TEST_CASE("reflector_fsm: watches that end before their time are resumed within a second, each at its own time") {
    for (const bool progressed : {false, true}) {
        for (const bool properly : {false, true}) {
            for (const double unit : {0.0, 0.25, 0.999}) {
                CAPTURE(unit);
                auto m = live();
                if (progressed) m.event("11");
                m.now += 60s;
                const auto next = properly ? m.ended(unit) : m.broken(lost, unit);
                const auto resumed = act::watch(progressed ? "11" : "10");
                CHECK(m.live());
                CHECK(m.fsm.reason().empty());
                if (unit == 0) {
                    CHECK(next == resumed);
                } else {
                    CHECK(next == act::sleep(std::chrono::duration_cast<duration>(1s * unit)));
                    CHECK(m.timer(next) == resumed);
                }
            }
        }
    }
    auto m = live();
    m.now += 299s;  // it was asked to end then
    CHECK(m.ended(0.999) == act::watch("10"));
}

TEST_CASE("reflector_fsm: no memory for an event is a failure at once, however long the watch lasted") {
    for (const bool progressed : {false, true}) {
        auto m = live();
        m.now += 60s;
        if (progressed) m.event("11");
        const error why(errc::out_of_memory, "no memory");
        for (const auto delay : {800ms, 1600ms, 3200ms}) {
            const auto next = m.broken(why);
            CHECK(m.fsm.state() == reflector_state::failed);
            CHECK(m.fsm.failure() == errc::out_of_memory);
            CHECK(next == act::sleep(delay));
            CHECK(m.timer(next) == act::watch(progressed ? "11" : "10"));
            m.opened();
        }
    }
}

// As the shell tells it where it waits, or asks who answers.
TEST_CASE("reflector_fsm: a list that is due still comes where there was no memory before it") {
    const error why(errc::out_of_memory, "no memory");
    struct row {
        const char* what;
        std::function<act(machine&)> before;
        act list;
    };
    const row rows[] = {
        {"another view",
         [](machine& m) {
             m.fsm.list_at_start();
             return m.fsm.start(m.now);
         },
         act::list("10", "", 0)},
        {"a version that is too old again",
         [](machine& m) {
             m.error_event(expired);
             m.listed("10");
             m.opened();
             return m.error_event(expired);
         },
         act::list("10", "", 0)},
        {"another server",
         [&why](machine& m) {
             m.identify("A");
             m.start();
             m.opened();
             m.identify("B");
             m.now += 1min;
             m.broken();
             return m.list_failed(why);
         },
         act::list("", "", 500)},
        {"a deletion of nobody knows whom",
         [&why](machine& m) {
             m.known(m.fsm.on_unknown_deletion(rubbish, "11", m.now, 0));
             return m.list_failed(why);
         },
         act::list("11", "", 0)},
    };
    for (const row& row : rows) {
        CAPTURE(row.what);
        auto m = live();
        const act before = row.before(m);
        CHECK((before.step == reflector_step::identify || before.step == reflector_step::sleep));
        m.broken(why);
        const auto wait = m.broken(why);
        CHECK(m.fsm.failure() == errc::out_of_memory);
        CHECK(m.timer(wait) == row.list);
        act next = m.listed("12");
        while (next.step == reflector_step::sleep) next = m.timer(next);
        CHECK(next == act::watch("12"));
        m.opened();
        CHECK(m.timer(m.broken(why)) == act::watch("12"));
    }
}

TEST_CASE("reflector_fsm: backoff doubles to its cap and starts afresh after a quiet time") {
    auto m = live();
    act wait = act::read();
    for (int i = 0; i < 10; ++i) {
        wait = m.refused_watch(refused);
        m.timer(wait);
    }
    CHECK(wait == act::sleep(30s));
    m.now += 10min;
    CHECK(m.refused_watch(refused) == act::sleep(800ms));
}

TEST_CASE("reflector_fsm: start() at any point resumes if it can and lists if it must") {
    auto m = live();
    m.event("12");
    CHECK(m.start() == act::watch("12"));
    m.refused_watch(expired);  // stopped in the middle of the list that follows
    CHECK(m.start() == act::watch("12"));
    m.opened();
    m.now += 1min;
    CHECK(m.broken() == act::watch("12"));  // that list is not due any more
    m.fsm.forget_version();
    CHECK(m.start() == act::list("", "", 500));
    // Versions of another server mean nothing here.
    CHECK(m.page("3") == act::replace(true));
    CHECK(m.replaced() == act::watch("3"));

    machine fresh;
    fresh.start();
    fresh.page("10", "more");  // stopped between pages
    CHECK(fresh.start() == act::list("0", "", 500));

    // Stopped in the middle of a list without which the watch would not tell all.
    auto other = live("A");
    other.identify("B");
    other.now += 1min;
    CHECK(other.broken() == act::list("", "", 500));
    CHECK(other.start() == act::list("", "", 500));
    CHECK(other.page("3") == act::replace(true));
    auto unknown = live();
    CHECK(unknown.known(unknown.fsm.on_unknown_deletion(rubbish, "11", unknown.now, 0)) == act::list("11", "", 0));
    CHECK(unknown.start() == act::list("11", "", 0));
}

TEST_CASE("reflector_fsm: many starts in a row open no more than a watch a second") {
    auto m = live();
    int opened = 0;
    for (int i = 0; i < 100; ++i, m.now += 10ms) {
        if (m.start().step == reflector_step::watch) ++opened;
    }
    CHECK(opened == 5);
}

TEST_CASE("reflector_fsm: the diagnosis of a failure stays until the server has answered") {
    machine m;
    m.start();
    const auto wait = m.list_failed(refused);
    CHECK(m.fsm.reason() == "connection refused");
    m.timer(wait);
    CHECK(m.fsm.state() == reflector_state::failed);
    m.listed("1");
    m.opened();
    CHECK(m.fsm.reason().empty());
}

TEST_CASE("reflector_fsm: a watch that can't be resumed, for the server told no version, is begun again by a list") {
    machine m;
    m.start();
    CHECK(m.page("") == act::replace());
    CHECK(m.replaced() == act::watch(""));
    auto refused_one = m;
    CHECK(refused_one.known(refused_one.fsm.on_watch_refused(forbidden, m.now, 0)) == act::sleep(15s));
    CHECK(refused_one.known(refused_one.fsm.on_timer(m.now)) == act::list("0", "", 500));
    m.opened();
    auto told = m;
    m.now += 1min;
    CHECK(m.known(m.fsm.on_watch_broken(lost, m.now, 0)) == act::list("0", "", 500));
    told.event("7");
    told.now += 1min;
    CHECK(told.known(told.fsm.on_watch_broken(lost, told.now, 0)) == act::watch("7"));
}

}  // namespace
