// Random sequences of operations against a model that is too simple to be wrong.
#include <kcontrol/workqueue/workqueue.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <vector>

using namespace kcontrol;
using namespace std::chrono_literals;

namespace {

// A list of what is ready, a list of what is delayed, a list of what is in processing; every question is a search.
class naive_queue {
public:
    void add(int key) {
        if (closed) return;
        std::erase_if(delayed, [&](const auto& d) { return d.key == key; });
        auto& list = contains(processing, key) ? again : ready;
        if (!contains(list, key)) list.push_back(key);
    }
    void add_after(int key, time_point when) {
        if (closed || contains(ready, key) || contains(again, key)) return;
        const auto there = std::find_if(delayed.begin(), delayed.end(), [&](const auto& d) { return d.key == key; });
        if (there != delayed.end() && there->when <= when) return;
        if (there != delayed.end()) delayed.erase(there);
        delayed.push_back({key, when});
    }
    std::optional<int> get(time_point now) {
        for (;;) {
            const auto first = std::min_element(delayed.begin(), delayed.end(),
                                                [](const auto& a, const auto& b) { return a.when < b.when; });
            if (first == delayed.end() || first->when > now) break;
            add_due(first->key);
        }
        if (ready.empty()) return std::nullopt;
        const int key = ready.front();
        ready.erase(ready.begin());
        processing.push_back(key);
        return key;
    }
    void done(int key) {
        if (std::erase(processing, key) != 0 && std::erase(again, key) != 0) ready.push_back(key);
    }
    void drain() { closed = true, delayed.clear(); }
    void shut_down() { drain(), ready.clear(), again.clear(); }
    void restart() { shut_down(), closed = false; }

    static bool contains(const std::vector<int>& list, int key) {
        return std::find(list.begin(), list.end(), key) != list.end();
    }
    struct delay {
        int key;
        time_point when;
    };
    std::vector<int> ready, again, processing;
    std::vector<delay> delayed;
    bool closed = false;

private:
    void add_due(int key) {
        const bool was = std::exchange(closed, false);
        add(key);
        closed = was;
    }
};

void run_seed(std::uint32_t seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t n) { return static_cast<int>(random() % n); };
    workqueue<int> queue;
    naive_queue model;
    time_point now{1h};
    for (int step = 0; step < 400; ++step) {
        const int key = below(6);
        switch (below(40)) {
        case 0: queue.shut_down_with_drain(), model.drain(); break;
        case 1: queue.shut_down(), model.shut_down(); break;
        case 2:
        case 3:
        case 4: queue.restart(), model.restart(); break;
        default: break;
        }
        switch (below(8)) {
        case 0:
        case 1: queue.add(key, now), model.add(key); break;
        case 2: {
            const auto when = now + std::chrono::milliseconds(below(30));
            queue.add_after(key, when), model.add_after(key, when);
            break;
        }
        case 3: {
            const auto delay = queue.add_rate_limited(key, now, 0);
            model.add_after(key, now + delay);
            break;
        }
        case 4: queue.done(key), model.done(key); break;
        case 5: queue.forget(key); break;
        default: {
            const auto got = queue.get(now);
            REQUIRE(got == model.get(now));
        }
        }
        now += std::chrono::milliseconds(below(5));
        REQUIRE(queue.size() == model.ready.size());
        REQUIRE(queue.processing() == model.processing.size());
        REQUIRE(queue.delayed() == model.delayed.size());
        REQUIRE(queue.is_drained() == (model.closed && model.ready.empty() && model.processing.empty()));
    }
}

}  // namespace

TEST_CASE("any sequence of operations does what the naive queue does") {
    for (std::uint32_t seed = 1; seed <= 1000; ++seed) {
        CAPTURE(seed);
        run_seed(seed);
    }
}
