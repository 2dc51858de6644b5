#include <kcontrol/watch/detail/watch_health.hpp>

#include "watch/reflector_machine.hpp"

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using detail::watch_health;

constexpr duration silence = 20s;

watch_health opened(bool odd = false) {
    watch_health h(silence);
    h.opened(t0, 300s, odd);
    return h;
}

TEST_CASE("watch_health: an open watch that nothing speaks against needs no look") {
    const watch_health h = opened();
    CHECK(h.is_open());
    CHECK(!h.due());
}

TEST_CASE("watch_health: what speaks against it is looked at after half a minute") {
    struct row {
        bool fruitless, expired, odd;
    };
    for (const row& r : {row{true, false, false}, row{false, true, false}, row{false, false, true}}) {
        watch_health h(silence);
        if (r.fruitless) h.add_fruitless();
        if (r.expired) h.add_expired();
        h.opened(t0, 300s, r.odd);
        REQUIRE(h.due());
        CHECK(*h.due() == t0 + 30s);
        CHECK(!h.is_healthy(t0 + 29s));
        CHECK(h.is_healthy(t0 + 30s));
        h.ended();
        CHECK(!h.due());
        CHECK(!h.is_open());
    }
}

TEST_CASE("watch_health: silence after trouble is a sign once, after two periods") {
    watch_health h(silence);
    h.suspect();
    h.opened(t0, 300s, false);
    CHECK(*h.due() == t0 + 2 * silence);
    CHECK(!h.take_silence(t0 + 2 * silence - 1s));
    CHECK(h.take_silence(t0 + 2 * silence));
    CHECK(!h.take_silence(t0 + 3 * silence));
}

TEST_CASE("watch_health: a question that failed is asked again two periods later") {
    watch_health h(silence);
    h.suspect();
    h.opened(t0, 300s, false);
    CHECK(h.take_silence(t0 + 2 * silence));
    h.suspect();
    h.plan_look(t0 + 2 * silence, false);
    CHECK(*h.due() == t0 + 4 * silence);
}

TEST_CASE("watch_health: signs are followed no more often than every half minute") {
    watch_health h = opened();
    CHECK(h.take_sign(t0));
    CHECK(!h.take_sign(t0 + 29s));
    CHECK(h.take_sign(t0 + 30s));
    h.probed(t0 + 40s);
    CHECK(!h.take_sign(t0 + 61s));
}

TEST_CASE("watch_health: progress ends trouble, and says whether there was some") {
    watch_health h = opened();
    CHECK(!h.progressed());
    CHECK(h.has_progressed());
    h.add_fruitless();
    h.add_expired();
    CHECK(h.progressed());
    CHECK(h.fruitless() == 0);
    CHECK(!h.add_expired());
    h.suspect();
    CHECK(h.progressed());
    CHECK(!h.take_silence(t0 + 10 * silence));
}

TEST_CASE("watch_health: three in a row that bring nothing are too many, until one lasts or another server answers") {
    watch_health h(silence);
    for (int i = 0; i < 3; ++i) {
        CHECK(!h.is_out_of_patience());
        h.add_fruitless();
    }
    CHECK(h.is_out_of_patience());
    watch_health other = h, again = h, lasted = h;
    other.start_over();
    CHECK(!other.is_out_of_patience());
    again.restart();
    CHECK(!again.is_out_of_patience());
    lasted.forget_trouble();
    CHECK(!lasted.is_out_of_patience());
}

TEST_CASE("watch_health: an end when it was asked for is none before its time") {
    const watch_health h = opened();
    CHECK(!h.was_asked_to_end(t0 + 269s));
    CHECK(h.was_asked_to_end(t0 + 270s));
    watch_health endless(silence);
    endless.opened(t0, 0s, false);
    CHECK(!endless.was_asked_to_end(t0 + 24h));
}

}  // namespace
