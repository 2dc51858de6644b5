// The suite for everything that starts and stops: twice, at once, from inside, at every step, and ten thousand times. A
// source names its lives in KCONTROL_LIVES and includes this last: all of them in one take the compiler more than 1 GB.
#pragma once

#include "lifecycle/resources.hpp"
#include "lifecycle/stage.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace kcontrol::test {

/// Something that starts and stops, stopped in the end: a context that goes takes no coroutine along.
template <class Life>
class subject : public Life {
public:
    subject() = default;
    ~subject() {
        this->inside = nullptr;
        this->awaited = nullptr;
        CHECK(stops());
        this->settle();
    }
    ending begin_stop() { return ending::of(*this, this->stop()); }
    bool stops(duration within = Life::patience) {
        const auto ended = begin_stop();
        return this->until([&] { return static_cast<bool>(ended); }, within);
    }
    bool runs_again() {
        this->start();
        return this->works();
    }
};

}  // namespace kcontrol::test

using namespace kcontrol;
using namespace kcontrol::test;

TEST_CASE_TEMPLATE("lifecycle: twice", Life, KCONTROL_LIVES) {
    subject<Life> it;
    CHECK(it.stops());  // before the first start
    for (int i = 0; i < 3; ++i) {
        it.start();
        it.start();  // while it runs
        CHECK(it.works());
        CHECK(it.works());
        CHECK(it.stops());
        CHECK(it.stops());
        it.settle();
    }
    // In no time.
    it.start();
    CHECK(it.stops());
    it.start();
    CHECK(it.works());
}

TEST_CASE_TEMPLATE("lifecycle: concurrently", Life, KCONTROL_LIVES) {
    subject<Life> it;
    it.start();
    CHECK(it.works());
    {
        const auto first = it.begin_stop();
        const auto second = it.begin_stop();
        CHECK(it.until([&] { return first && second; }));
    }
    REQUIRE(it.runs_again());
    // A start while it stops: it is running then or it is not, but a stop and a start put it right.
    for (std::size_t n = 0; n < 20; ++n) {
        CAPTURE(n);
        const auto first = it.begin_stop();
        it.steps(n);
        it.start();
        const auto second = it.begin_stop();
        CHECK(it.until([&] { return first && second; }));
        REQUIRE(it.runs_again());
    }
    // A start as soon as one of two stops has ended: the other one does not wait for what began anew.
    for (int i = 0; i < 10; ++i) {
        const auto restart = [](subject<Life>& of) -> awaitable<void> {
            co_await of.stop();
            of.start();
        };
        const auto first = ending::of(it, restart(it));
        const auto second = it.begin_stop();
        CHECK(it.until([&] { return first && second; }));
        CHECK(it.stops());
        REQUIRE(it.runs_again());
    }
}

TEST_CASE_TEMPLATE("lifecycle: from inside its own callbacks", Life, KCONTROL_LIVES) {
    subject<Life> it;
    it.start();
    CHECK(it.works());
    // In a callback that can't wait.
    std::optional<ending> stopped;
    it.inside = [&] { stopped.emplace(it.begin_stop()); };
    (void)it.works();
    it.inside = nullptr;
    REQUIRE(stopped.has_value() == Life::calls);
    if (stopped) CHECK(it.until([&] { return static_cast<bool>(*stopped); }));
    CHECK(it.stops());
    REQUIRE(it.runs_again());
    // Stopped and started again there.
    stopped.reset();
    it.inside = [&] {
        stopped.emplace(it.begin_stop());
        it.start();
    };
    (void)it.works();
    it.inside = nullptr;
    REQUIRE(stopped.has_value() == Life::calls);
    CHECK(it.stops());
    // What began there may end later: a start meanwhile is refused.
    if (stopped) CHECK(it.until([&] { return static_cast<bool>(*stopped); }));
    REQUIRE(it.runs_again());
    if constexpr (Life::awaits) {
        // In one that waits: not for itself.
        bool called = false, returned = false;
        duration took{};
        it.awaited = [&]() -> awaitable<void> {
            called = true;
            const time_point begun = it.env().now();
            co_await it.stop();
            took = it.env().now() - begun;
            returned = true;
        };
        (void)it.works();
        REQUIRE(called);
        CHECK(it.until([&] { return returned; }));
        CHECK(took < 5s);  // measures: a stop that waits for itself ends by a time-out
        CHECK(it.stops());
        CHECK(it.runs_again());
    }
}

TEST_CASE_TEMPLATE("lifecycle: in the middle of every step", Life, KCONTROL_LIVES) {
    std::size_t steps = 0;
    {
        subject<Life> whole;
        whole.settle();
        const std::size_t before = whole.steps_done();
        whole.start();
        CHECK(whole.works());
        steps = whole.steps_done() - before;
    }
    // Real sockets take another number of steps each time; of many steps some are left out.
    const std::size_t most = std::min<std::size_t>(steps + 5, 400 / static_cast<std::size_t>(Life::share));
    const std::size_t stride = under_sanitizer ? 5 : 1;
    for (std::size_t n = 0; n <= most; n += stride) {
        CAPTURE(n);
        subject<Life> it;
        it.start();
        it.steps(n);
        REQUIRE(it.stops());
        REQUIRE(it.runs_again());
        // And the stop itself is overtaken by the next start.
        const auto stopping = it.begin_stop();
        it.steps(n);
        it.start();
        it.steps(n);
        REQUIRE(it.stops());
        REQUIRE(it.until([&] { return static_cast<bool>(stopping); }));
        REQUIRE(it.runs_again());
    }
}

TEST_CASE_TEMPLATE("lifecycle: many times, and nothing is left behind", Life, KCONTROL_LIVES) {
    subject<Life> it;
    const int times = std::max(1, many_cycles() / Life::share);
    const int warm = std::max(2, times / 5);
    const auto once = [&](int i) {
        it.start();
        if (i % std::max(1, times / 10) == 0) {
            REQUIRE(it.works());
        } else {
            it.steps(static_cast<std::size_t>(i % 50));  // stopped here and there
        }
        REQUIRE(it.stops());
    };
    for (int i = 0; i < warm; ++i) once(i);
    it.settle();
    it.tidy();
    const auto before = resources::now();
    for (int i = 0; i < times; ++i) once(i);
    it.settle();
    it.tidy();
    const auto after = resources::now();
    MESSAGE(times << " times: " << after.bytes - before.bytes << " bytes more");
    CHECK(after.bytes - before.bytes < 96 * 1024);  // the simulated servers remember something of each start
    CHECK(after.descriptors <= before.descriptors);
    CHECK(after.threads <= before.threads);
    CHECK(it.runs_again());
}
