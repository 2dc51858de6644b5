// Random sequences of operations against a model that is too simple to be wrong.
#include <kcontrol/workqueue/workqueue.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace kcontrol;
using namespace std::chrono_literals;

namespace {

constexpr duration starvation_limit = 40ms;

std::string_view lane_of(int key) { return key % 3 == 0 ? "thrice" : "other"; }

// A list of what is ready, a list of what is delayed, a list of what is in processing; every question is a search.
class naive_queue {
public:
    struct queued {
        int key;
        int priority;
        time_point when;  // ready since, or delayed until
    };

    void add(int key, int priority, time_point now) {
        if (closed) return;
        enqueue(key, priority);
        make_ready(key, now);
    }
    void add_after(int key, int priority, time_point when) {
        if (closed) return;
        enqueue(key, priority);
        if (contains(ready, key) || contains(again, key)) return;
        const auto there = find(delayed, key);
        if (there != delayed.end() && there->when <= when) return;
        if (there != delayed.end()) delayed.erase(there);
        delayed.push_back({key, wanted[key], when});
    }
    duration add_rate_limited(int key, int priority, time_point now) {
        if (closed) return duration::zero();
        retry& of = retries[key];
        if (of.early && of.failures > 0 && of.at > now && contains(processing, key)) {
            add_after(key, priority, of.at);
            return of.at - now;
        }
        const duration wait = std::min<duration>(5ms * (1 << std::min(of.failures, 20)), 1000s);
        of = {of.failures + 1, now + wait, false};
        add_after(key, priority, of.at);
        return wait;
    }
    std::optional<int> get(time_point now, admission let) {
        for (;;) {
            const auto first = std::min_element(delayed.begin(), delayed.end(),
                                                [](const auto& a, const auto& b) { return a.when < b.when; });
            if (first == delayed.end() || first->when > now) break;
            make_ready(first->key, first->when);
        }
        const auto chosen = choose(now, let);
        if (!chosen) return std::nullopt;
        leave(find(ready, *chosen), true);
        retries[*chosen].early = retries[*chosen].at > now;
        processing.push_back({*chosen, wanted[*chosen], now});
        return chosen;
    }
    void done(int key) {
        const auto there = find(processing, key);
        if (there == processing.end()) return;
        processing.erase(there);
        const auto added = find(again, key);
        if (added == again.end()) return;
        const queued back = *added;
        again.erase(added);
        join(back);
    }
    void drain() {
        closed = true, delayed.clear();
        for (auto& [key, of] : retries) {
            if (!contains(ready, key) && !contains(processing, key)) of.failures = 0;
        }
    }
    void shut_down() { drain(), retries.clear(), ready.clear(), again.clear(), turns.clear(); }
    void restart() { shut_down(), closed = false, passed_over = 0; }

    static std::vector<queued>::iterator find(std::vector<queued>& list, int key) {
        return std::find_if(list.begin(), list.end(), [&](const auto& q) { return q.key == key; });
    }
    static bool contains(std::vector<queued>& list, int key) { return find(list, key) != list.end(); }

    std::vector<queued> ready, again, processing, delayed;
    struct retry {
        int failures = 0;
        time_point at{};
        bool early = false;  // handed out before that time
    };
    std::map<int, retry> retries;
    std::map<int, int> wanted;  // the priority with which a key is queued
    bool fair = false;
    bool closed = false;
    int passed_over = 0;

private:
    void enqueue(int key, int priority) {
        const bool is_queued = contains(ready, key) || contains(again, key) || contains(delayed, key);
        if (!is_queued) wanted[key] = priority;
        if (priority <= wanted[key]) return;
        wanted[key] = priority;
        const auto there = find(ready, key);
        if (there == ready.end()) return;
        queued raised = *there;
        leave(there, false);
        raised.priority = priority;
        join(raised);
    }
    void make_ready(int key, time_point since) {
        std::erase_if(delayed, [&](const auto& d) { return d.key == key; });
        if (contains(ready, key) || contains(again, key)) return;
        if (contains(processing, key)) {
            again.push_back({key, 0, since});
        } else {
            join({key, 0, since});
        }
    }
    void join(queued q) {
        q.priority = wanted[q.key];
        ready.push_back(q);
        auto& of_level = turns[q.priority];
        const std::string lane(lane_of(q.key));
        if (std::find(of_level.begin(), of_level.end(), lane) == of_level.end()) of_level.push_back(lane);
    }
    void leave(std::vector<queued>::iterator there, bool turn) {
        const queued q = *there;
        ready.erase(there);
        auto& of_level = turns[q.priority];
        const std::string lane(lane_of(q.key));
        const bool others = std::any_of(ready.begin(), ready.end(), [&](const auto& r) {
            return r.priority == q.priority && lane_of(r.key) == lane;
        });
        if (!others || turn) std::erase(of_level, lane);
        if (others && turn) of_level.push_back(lane);
    }
    std::optional<int> choose(time_point now, admission let) {
        std::map<int, std::vector<queued>, std::greater<>> levels;
        for (const queued& r : ready) levels[r.priority].push_back(r);
        const std::pair<const int, std::vector<queued>>* due = nullptr;
        std::optional<queued> starved;
        for (const auto& level : levels) {
            const queued& first = level.second.front();
            if (!due && let.allows(work_class_of(level.first))) {
                due = &level;
            } else if (now - first.when >= starvation_limit && (!starved || first.when < starved->when)) {
                starved = first;
            }
        }
        if (starved && (!due || ++passed_over == 4)) return passed_over = 0, starved->key;
        if (!due) return std::nullopt;
        if (!fair) return due->second.front().key;
        const std::string& lane = turns[due->first].front();
        for (const queued& q : due->second) {
            if (lane_of(q.key) == lane) return q.key;
        }
        return std::nullopt;
    }

    std::map<int, std::vector<std::string>> turns;
};

void run_seed(std::uint32_t seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t n) { return static_cast<int>(random() % n); };
    naive_queue model;
    model.fair = below(2) == 1;
    workqueue_options<int> options;
    options.starvation_limit(starvation_limit);
    if (model.fair) options.fair_by([](const int& key) { return lane_of(key); });
    workqueue<int> queue(options);
    time_point now{1h};
    for (int step = 0; step < 400; ++step) {
        const int key = below(8);
        const int priority = below(3) * 100 - 100;
        switch (below(40)) {
        case 0: queue.shut_down_with_drain(), model.drain(); break;
        case 1: queue.shut_down(), model.shut_down(), model.passed_over = 0; break;
        case 2:
        case 3:
        case 4: queue.restart(), model.restart(); break;
        default: break;
        }
        switch (below(8)) {
        case 0:
        case 1: queue.add(key, now, add_options().priority(priority)), model.add(key, priority, now); break;
        case 2: {
            const auto when = now + std::chrono::milliseconds(below(30));
            queue.add_after(key, when, priority), model.add_after(key, priority, when);
            break;
        }
        case 3: {
            const duration delay = model.add_rate_limited(key, priority, now);
            REQUIRE(queue.add_rate_limited(key, now, 0, priority) == delay);
            break;
        }
        case 4: queue.done(key), model.done(key); break;
        case 5: queue.forget(key), model.retries[key].failures = 0; break;
        default: {
            const int strain = below(4);
            const admission let(strain < 2, strain < 3);
            const auto got = queue.get(now, let);
            const auto expected = model.get(now, let);
            REQUIRE(got.has_value() == expected.has_value());
            if (got) REQUIRE(got->key() == *expected);
            if (got) REQUIRE(got->priority() == model.wanted[*expected]);
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
