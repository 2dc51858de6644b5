#include "service/run_loop.hpp"

#include <doctest/doctest.h>

#include <map>
#include <vector>

using namespace gpu_labeler;
using namespace std::chrono_literals;
using kcontrol::time_point;

namespace {

const kcontrol::wall_time epoch{1'795'262'400s};

node_marks marks(int count) { return {{{"nvidia.com/gpu.count", std::to_string(count)}}, {}}; }

loop_settings settings(std::string_view when = "@every 60s") {
    return loop_settings(cron::schedule::parse(when, cron::time_zone::utc()).value()).start_jitter(0s);
}

// A world around the loop: GPUs that can be read or not, a server that takes what is written or not, and a clock that
// goes on only while the loop waits.
struct world {
    explicit world(loop_settings s, double jitter = 0) : loop(std::move(s), now, jitter) {}

    kcontrol::wall_time wall() const { return epoch + (now - time_point{}) + clock_set; }

    // One step. False: the loop has ended.
    bool step(time_point end) {
        const auto what = loop.next(now, wall(), unit);
        switch (what.action) {
        case loop_action::end: return false;
        case loop_action::wait:
            REQUIRE(what.until > now);
            now = std::min(end, what.until);
            return true;
        case loop_action::read:
            ++reads;
            last_read = now;
            if (gpus) {
                loop.read(now, wall(), marks(*gpus));
            } else {
                loop.read_failed(now, wall(), unit);
            }
            return true;
        case loop_action::look:
            ++looks;
            stored_at.push_back(now);
            if (server_up) {
                loop.looked(there);
            } else {
                loop.store_failed(now, unit);
            }
            return true;
        case loop_action::write:
            ++writes;
            if (!server_up || !writable) {
                loop.store_failed(now, unit);
            } else {
                there = *loop.wanted();
                loop.wrote();
            }
            return true;
        }
        return false;
    }

    bool run(kcontrol::duration how_long) {
        const auto end = now + how_long;
        bool goes_on = true;
        while (now < end && (goes_on = step(end))) {
        }
        return goes_on;
    }

    time_point now{1h};
    kcontrol::duration clock_set{};  ///< by how much the wall clock was set since the start
    double unit = 0;
    std::optional<int> gpus = 8;
    bool server_up = true;
    bool writable = true;
    node_marks there;
    int reads = 0, looks = 0, writes = 0;
    time_point last_read{};
    std::vector<time_point> stored_at;
    run_loop loop;
};

}  // namespace

TEST_CASE("run loop: writes once, and in an idle hour nothing") {
    world w(settings());
    CHECK(!w.loop.settled());
    w.run(1s);
    CHECK(w.there == marks(8));
    CHECK(w.loop.settled());
    const int before = w.reads;
    w.writes = w.looks = 0;
    w.run(1h);
    CHECK(w.reads - before == 60);
    CHECK(w.writes == 0);
    CHECK(w.looks == 0);
}

TEST_CASE("run loop: a restart where all is as it was writes nothing") {
    world w(settings());
    w.there = marks(8);
    w.run(1h);
    CHECK(w.looks == 1);
    CHECK(w.writes == 0);
}

TEST_CASE("run loop: a GPU that is lost is known one read later") {
    world w(settings());
    w.run(10s);
    w.gpus = 7;
    w.run(60s);
    CHECK(w.there == marks(7));
    CHECK(w.writes == 2);
    CHECK(w.looks == 1);
}

TEST_CASE("run loop: an event reads at once, a storm of them once a second") {
    world w(settings("@hourly"));
    w.run(10s);
    w.reads = 0;
    w.gpus = 7;
    w.loop.event();
    w.step(w.now + 1s);
    CHECK(w.reads == 1);
    w.run(1ms);
    CHECK(w.there == marks(7));
    const auto end = w.now + 10s;
    while (w.now < end) {
        w.loop.event();
        w.step(std::min(end, w.now + 1ms));
    }
    CHECK(w.reads >= 9);
    CHECK(w.reads <= 12);
}

TEST_CASE("run loop: an event during a read is not lost") {
    world w(settings("@hourly"));
    REQUIRE(w.loop.next(w.now, w.wall(), 0).action == loop_action::read);
    w.loop.event();
    w.loop.read(w.now, w.wall(), marks(8));
    w.run(2s);
    CHECK(w.reads == 1);
}

TEST_CASE("run loop: the schedule is the clock's") {
    world w(settings("0 30 * * * *"));  // half past
    w.run(29min);
    CHECK(w.reads == 1);
    w.run(2min);
    CHECK(w.reads == 2);
    CHECK(w.last_read == time_point(1h + 30min));
    world never(settings("0 0 30 2 *"));
    never.run(4h);
    CHECK(never.reads == 1);
}

// Nothing else than a schedule of such times looks at the wall clock.
TEST_CASE("run loop: a wall clock that is set moves the times of a schedule") {
    struct row {
        const char* name;
        const char* schedule;
        kcontrol::duration set;
        kcontrol::duration until_read;  // after the clock was set, at 01:10
    };
    const row rows[] = {
        {"not at all", "0 30 2 * * *", 0h, 80min},
        {"forward, to 02:10", "0 30 2 * * *", 1h, 20min},
        {"forward past the time, to 04:10: now", "0 30 2 * * *", 3h, 0min},
        {"forward by days: now, and once", "0 30 2 * * *", 72h, 0min},
        {"back, to 00:10", "0 30 2 * * *", -1h, 140min},
        {"back by half a day, to 13:10", "0 30 2 * * *", -12h, 13h + 20min},
        {"back, to times that were due before: 20:00", "0 30 * * * *", -5h - 10min, 30min},
        {"forward by hours, every hour", "0 30 * * * *", 7h, 0min},
        {"an interval is none of the clock's: forward", "@every 30m", 9h, 20min},
        {"an interval is none of the clock's: back", "@every 30m", -9h, 20min},
    };
    for (const auto& r : rows) {
        CAPTURE(r.name);
        world w(settings(r.schedule).resync(0s));
        w.clock_set = -12h;  // so that it shows 01:00
        w.run(10min);
        REQUIRE(w.reads == 1);
        w.clock_set += r.set;
        const auto set_at = w.now;
        w.run(r.until_read);
        CHECK(w.reads == 1);
        w.run(1min + 1ms);  // it is looked at the clock so often
        CHECK(w.reads == 2);
        CHECK(w.last_read - set_at - r.until_read >= 0s);
        CHECK(w.last_read - set_at - r.until_read <= 1min);
        if (r.until_read > 1min) CHECK(w.last_read - set_at == r.until_read);
        w.run(15min);
        CHECK(w.reads == 2);
    }
}

TEST_CASE("run loop: backoff, jitter, resync and the time that labels are kept do not follow the wall clock") {
    for (const kcontrol::duration set : {-9h, 9h}) {
        CAPTURE(set.count());
        world waits(settings().start_jitter(10s), 0.5);
        waits.clock_set = set;
        waits.run(4s);
        CHECK(waits.looks == 0);
        waits.run(2s);
        CHECK(waits.looks == 1);

        world w(settings());
        w.server_up = false;
        w.run(2s);
        w.clock_set = set;
        w.run(10s);
        REQUIRE(w.stored_at.size() == 4);
        CHECK(w.stored_at[2] - w.stored_at[1] == 2s);
        CHECK(w.stored_at[3] - w.stored_at[2] == 4s);
        w.server_up = true;
        w.run(1min);
        REQUIRE(w.there == marks(8));
        w.looks = w.writes = 0;
        w.clock_set = -set;
        w.run(4h);
        CHECK(w.looks == 0);
        CHECK(w.writes == 0);
        w.gpus.reset();
        w.run(2min);
        w.clock_set = set;
        w.run(2min);
        CHECK(w.there == marks(8));  // kept for five minutes
        w.run(3min);
        CHECK(w.there == node_marks());
    }
}

TEST_CASE("run loop: what can't be read is asked again, later and later") {
    world w(settings("@hourly"));
    w.gpus.reset();
    w.run(100s);
    CHECK(w.reads == 7);  // after 0, 1, 3, 7, 15, 31 and 63 s
    w.gpus = 8;
    w.run(60s);
    CHECK(w.there == marks(8));
    w.gpus.reset();
    w.loop.event();
    w.reads = 0;
    w.run(2s);
    CHECK(w.reads == 2);  // from the beginning again
}

TEST_CASE("run loop: labels survive a reload of the driver, and go if it does not come back") {
    world w(settings());
    w.run(10s);
    w.gpus.reset();
    w.run(4min);
    CHECK(w.there == marks(8));
    CHECK(w.loop.keeps_old());
    w.run(3min);
    CHECK(w.there == node_marks());
    CHECK(!w.loop.keeps_old());
    CHECK(w.loop.settled());
    w.gpus = 8;
    w.run(2min);
    CHECK(w.there == marks(8));
    world keeps(settings().keep(0s));
    keeps.run(10s);
    keeps.gpus.reset();
    keeps.run(24h);
    CHECK(keeps.there == marks(8));
}

TEST_CASE("run loop: a node whose GPUs were never read is left alone until it is clear that nothing comes") {
    world w(settings());
    w.there = marks(8);  // of the program that ran before
    w.gpus.reset();
    w.run(4min);
    CHECK(w.looks == 0);
    w.run(3min);
    CHECK(w.there == node_marks());
}

TEST_CASE("run loop: a server that refuses is asked again, at last every five minutes") {
    world w(settings());
    w.server_up = false;
    w.run(1h);
    CHECK(w.writes == 0);
    CHECK(w.looks >= 15);
    CHECK(w.looks <= 21);
    REQUIRE(w.stored_at.size() > 3);
    CHECK(w.stored_at[1] - w.stored_at[0] == 1s);
    CHECK(w.stored_at[2] - w.stored_at[1] == 2s);
    CHECK(w.stored_at.back() - *(w.stored_at.end() - 2) == 5min);
    CHECK(w.reads >= 60);  // goes on
    w.server_up = true;
    w.run(6min);
    CHECK(w.there == marks(8));
    // A server that can be read and not written.
    w.gpus = 7;
    w.writable = false;
    w.run(1h);
    CHECK(w.there == marks(8));
    CHECK(w.writes <= 25);
    w.writable = true;
    w.run(11min);
    CHECK(w.there == marks(7));
}

TEST_CASE("run loop: what others change is found by the resync") {
    world w(settings().resync(10h));
    w.run(1s);
    w.there = marks(3);
    w.run(4h + 59min);
    CHECK(w.there == marks(3));
    w.run(2min);
    CHECK(w.there == marks(8));
    world never(settings().resync(0s));
    never.run(1s);
    never.there = marks(3);
    never.run(48h);
    CHECK(never.there == marks(3));
}

TEST_CASE("run loop: a single pass") {
    world good(settings().once(true), 0.9);
    CHECK(!good.run(1s));
    CHECK(good.loop.succeeded());
    CHECK(good.there == marks(8));
    world blind(settings().once(true));
    blind.gpus.reset();
    CHECK(!blind.run(1s));
    CHECK(!blind.loop.succeeded());
    CHECK(blind.reads == 1);
    world refused(settings().once(true));
    refused.server_up = false;
    CHECK(!refused.run(1s));
    CHECK(!refused.loop.succeeded());
    CHECK(refused.looks == 1);
    world unwritable(settings().once(true));
    unwritable.writable = false;
    CHECK(!unwritable.run(1s));
    CHECK(!unwritable.loop.succeeded());
    CHECK(unwritable.writes == 1);
}

TEST_CASE("run loop: stopping, at every step") {
    for (int steps = 0; steps < 12; ++steps) {
        world w(settings().start_jitter(30s), 0.5);
        for (int i = 0; i < steps; ++i) REQUIRE(w.step(w.now + 1min));
        w.loop.stop();
        CHECK(w.loop.next(w.now, w.wall(), 0).action == loop_action::end);
        w.loop.event();
        CHECK(w.loop.next(w.now + 1h, w.wall() + 1h, 0).action == loop_action::end);
    }
}

TEST_CASE("run loop: 5,000 that start together come without a peak") {
    std::map<std::int64_t, int> looks_of_second;
    std::uint64_t state = 20261121;
    const auto random = [&state] {  // splitmix64
        std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1.0p-53;
    };
    const auto jitter = loop_settings(settings().schedule()).start_jitter();
    for (int i = 0; i < 5000; ++i) {
        world w(settings().start_jitter(jitter), random());
        const auto begin = w.now;
        w.run(1min);
        REQUIRE(w.stored_at.size() == 1);
        ++looks_of_second[std::chrono::floor<std::chrono::seconds>(w.stored_at.front() - begin).count()];
    }
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(jitter).count();
    int most = 0;
    for (const auto& [second, looks] : looks_of_second) {
        CHECK(second < seconds);
        most = std::max(most, looks);
    }
    const auto mean = 5000.0 / static_cast<double>(seconds);
    MESSAGE("first requests a second: mean " << mean << ", most " << most);
    CHECK(most < 3 * mean);
}

TEST_CASE("run loop: other settings hold at once") {
    world w(settings("@yearly").resync(0s).keep(0s));
    w.run(1h);
    CHECK(w.reads == 1);
    w.loop.change(settings("@every 10s").resync(2min).keep(30s), w.now);
    w.run(1min);
    CHECK(w.reads == 7);
    w.there = {};
    w.run(2min);
    CHECK(w.looks > 1);  // each one to two minutes
    CHECK(w.there == marks(8));
    w.gpus.reset();
    w.run(2min);
    CHECK(w.there == node_marks());
}
