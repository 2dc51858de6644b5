#include "watch/reflector_machine.hpp"

namespace {

using namespace kcontrol;
using namespace kcontrol::test;

TEST_CASE("reflector_fsm: who answers is asked at each start and after each failure, and not after a proper end") {
    auto m = live("A");
    m.event("11");
    m.now += 5min;
    CHECK(m.fsm.on_watch_end(m.now, 0) == act::watch("11"));
    m.opened();
    m.now += 1min;
    CHECK(m.fsm.on_watch_broken(lost, m.now, 0) == act::identify());
    CHECK(m.fsm.on_identity(m.server, m.now, 0).step != reflector_step::identify);
    CHECK(m.fsm.start(m.now) == act::identify());
}

TEST_CASE("reflector_fsm: another server is listed anew and compared by content, and is told") {
    auto m = live("A");
    m.now += 1min;
    CHECK(m.fsm.on_watch_broken(lost, m.now, 0) == act::identify());
    m.identify("B", "2000");
    CHECK(m.known(act::identify()) == act::list("", "", 500));
    CHECK(m.fsm.state() == reflector_state::listing);
    CHECK(m.says("uid A, now it has B"));
    CHECK(m.fsm.server_changes() == 1);
    CHECK(m.page("7") == act::replace(true));
    CHECK(m.replaced() == act::watch("7"));
    m.opened();
    CHECK(m.live());
    CHECK(m.says("another server"));
    m.due();
    CHECK(m.fsm.reason().empty());
    CHECK(m.fsm.rollbacks() == 0);
}

TEST_CASE("reflector_fsm: nobody who answers is a failure like that of the list; no answer to the question is none") {
    machine m;
    CHECK(m.fsm.start(t0) == act::identify());
    const auto wait = m.fsm.on_identity(refused, t0, 0);
    CHECK(wait == act::sleep(800ms));
    CHECK(m.fsm.state() == reflector_state::failed);
    CHECK(m.fsm.failure() == errc::connection_refused);
    for (const auto& why : {forbidden, not_found, internal, error(errc::timeout), rubbish}) {
        machine other;
        CHECK(other.fsm.start(t0) == act::identify());
        CHECK(other.fsm.on_identity(why, t0, 0) == act::list("0", "", 500));
    }
}

// A server that was known breaks off, and then answers so in place of telling who it is: it is asked again, `times` in
// all. Returns the machine after that, with its watch resumed and broken once more.
machine asked_again(const error& why, int times) {
    auto m = live("A");
    m.now += 1min;
    CHECK(m.fsm.on_watch_broken(lost, m.now, 0) == act::identify());
    CHECK(m.fsm.on_identity(why, m.now, 0) == act::sleep(1s));
    CHECK(m.says(why.message()));
    CHECK_FALSE(m.live());
    auto hidden = m;
    m.now += 1s;
    CHECK(m.fsm.on_timer(m.now) == act::identify());
    m.identify("B", "30");
    CHECK(m.known(act::identify()) == act::list("", "", 500));
    CHECK(m.fsm.server_changes() == 1);
    // It never tells: versions decide.
    int asked = 1;
    auto step = act::sleep(1s);
    for (; step.step == reflector_step::sleep && asked < 100; ++asked) {
        hidden.now += 1s;
        CHECK(hidden.fsm.on_timer(hidden.now) == act::identify());
        step = hidden.fsm.on_identity(why, hidden.now, 0);
    }
    CHECK(step == act::watch("10"));
    CHECK(asked == times);
    hidden.opened();
    hidden.now += 1min;
    CHECK(hidden.fsm.on_watch_broken(lost, hidden.now, 0) == act::identify());
    return hidden;
}

TEST_CASE("reflector_fsm: a server without a kube-system is one that begins with an empty store, and is asked again") {
    auto m = asked_again(not_found, 11);
    // After the next failure it is waited for again.
    CHECK(m.fsm.on_identity(not_found, m.now, 0) == act::sleep(1s));
}

// As a real one does for a moment after its start, before it has read its roles.
TEST_CASE("reflector_fsm: a server that has told who it is and forbids it is asked again, three times in all") {
    auto m = asked_again(forbidden, 4);
    // The right is gone for good: nothing waits for it again.
    CHECK(m.fsm.on_identity(forbidden, m.now, 0) == act::watch("10"));
}

TEST_CASE("reflector_fsm: a server that is behind what is known is asked for a consistent list, which proves it") {
    auto m = live("A");
    m.now += 1min;
    m.fsm.on_watch_broken(lost, m.now, 0);
    m.identify("A", "5");
    CHECK(m.known(act::identify()) == act::probe());
    auto elsewhere = m;
    // Proved.
    CHECK(m.known(m.fsm.on_probe(std::string("5"), m.now)) == act::list("", "", 500));
    CHECK(m.says("went back from 10 to 5"));
    CHECK(m.fsm.rollbacks() == 1);
    CHECK(m.page("6") == act::replace(true));
    CHECK(m.replaced() == act::watch("6"));
    // Or this kind is stored elsewhere.
    CHECK(elsewhere.known(elsewhere.fsm.on_probe(std::string("10"), elsewhere.now)) == act::watch("10"));
    CHECK(elsewhere.fsm.rollbacks() == 0);
}

TEST_CASE("reflector_fsm: a watch resumed after trouble that stays silent for two periods is held against a list") {
    auto m = live();
    m.now += 1min;
    CHECK(m.broken() == act::watch("10"));
    m.opened();
    const time_point opened = m.now;
    auto event_comes = m;
    event_comes.event("11");
    CHECK_FALSE(event_comes.fsm.due().has_value());
    CHECK(m.due() == act::probe());
    CHECK(m.now - opened == 40s);
    CHECK(m.live());
    auto in_order = m;
    CHECK(in_order.fsm.on_probe(std::string("10"), in_order.now) == act::read());
    CHECK_FALSE(in_order.fsm.due().has_value());
    auto no_answer = m;
    CHECK(no_answer.fsm.on_probe(lost, no_answer.now) == act::read());
    CHECK(no_answer.due() == act::probe());
    CHECK(m.known(m.fsm.on_probe(std::string("9"), m.now)) == act::list("", "", 500));
    CHECK(m.fsm.rollbacks() == 1);
    CHECK(m.page("9") == act::replace(true));
}

TEST_CASE("reflector_fsm: a lower version in a watch is a sign, and is not taken") {
    auto m = live();
    CHECK(m.fsm.is_news("11"));
    CHECK(m.fsm.is_news("10"));
    CHECK(m.fsm.is_news(""));
    CHECK(m.fsm.is_news("opaque"));
    CHECK_FALSE(m.fsm.is_news("9"));
    CHECK(m.event("9") == act::probe());
    CHECK(m.fsm.resource_version() == "10");
    CHECK(m.fsm.on_probe(std::string("12"), m.now) == act::read());
    // One that goes on so is not asked more than twice a minute.
    CHECK(m.event("8") == act::read());
    m.now += 31s;
    CHECK(m.event("8") == act::probe());
    CHECK(m.known(m.fsm.on_probe(std::string("8"), m.now)) == act::list("", "", 500));
}

TEST_CASE("reflector_fsm: a list older than what is known is a replica that lags, unless it is consistent") {
    auto m = live();
    CHECK(m.error_event(expired) == act::list("10", "", 0));
    CHECK(m.page("8") == act::list("", "", 500));
    CHECK(m.fsm.resource_version() == "10");
    auto lagged = m;
    CHECK(lagged.page("12") == act::replace());
    CHECK(lagged.replaced() == act::watch("12"));
    CHECK(lagged.fsm.rollbacks() == 0);
    CHECK(m.page("8") == act::replace(true));
    CHECK(m.replaced() == act::watch("8"));
    CHECK(m.fsm.rollbacks() == 1);
}

}  // namespace
