// Keys of different fairness keys take turns.
#include <kcontrol/workqueue/workqueue.hpp>

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

using namespace kcontrol;
using namespace std::chrono_literals;

namespace {

using queue = workqueue<std::string>;
constexpr time_point start{1h};

// The first letter is the namespace.
workqueue_options<std::string> by_first_letter() {
    return workqueue_options<std::string>().fair_by(
        [](const std::string& key) { return std::string_view(key).substr(0, 1); });
}

std::string drain(queue& q, time_point now = start) {
    std::string out;
    while (auto got = q.get(now)) {
        out += got->key() + " ";
        q.done(std::move(*got));
    }
    return out;
}

}  // namespace

TEST_CASE("however many keys one namespace has, the others get their turn") {
    queue q(by_first_letter());
    for (int i = 0; i < 5; ++i) q.add("a" + std::to_string(i), start);
    q.add("b0", start);
    q.add("c0", start);
    q.add("b1", start);
    CHECK(drain(q) == "a0 b0 c0 a1 b1 a2 a3 a4 ");
    CHECK(q.tracked() == 0);
}

TEST_CASE("a priority is above fairness, and each has turns of its own") {
    queue q(by_first_letter());
    for (const char* key : {"a0", "a1", "a2", "b0"}) q.add(key, start);
    for (const char* key : {"b1", "b2", "a3"}) q.add(key, start, add_options().priority(1));
    CHECK(drain(q) == "b1 a3 b2 a0 b0 a1 a2 ");
}

TEST_CASE("a raise does not cost the others of its namespace their turn") {
    queue q(by_first_letter());
    for (const char* key : {"a0", "a1", "b0"}) q.add(key, start);
    q.add("a0", start, add_options().priority(1));
    CHECK(drain(q) == "a0 a1 b0 ");
}

TEST_CASE("a namespace that is served while it is alone does not lose its turn later") {
    queue q(by_first_letter());
    q.add("a0", start);
    CHECK(drain(q) == "a0 ");
    q.add("a1", start);
    q.add("b0", start);
    CHECK(drain(q) == "a1 b0 ");
}

TEST_CASE("what is starved is the oldest, whatever its namespace") {
    queue q(by_first_letter());
    q.add("a0", start, add_options().priority(-1));
    q.add("b0", start, add_options().priority(-1));
    const admission high_only(false, false);
    CHECK(q.get(start + 60s, high_only)->key() == "a0");
    CHECK(q.get(start + 60s, high_only)->key() == "b0");
}

TEST_CASE("keys whose namespace can't be told share one") {
    queue q(workqueue_options<std::string>().fair_by([](const std::string& key) -> std::string_view {
        if (key[0] == 'x') throw std::runtime_error("no idea");
        return std::string_view(key).substr(0, 1);
    }));
    for (const char* key : {"x0", "x1", "a0"}) q.add(key, start);
    CHECK(drain(q) == "x0 a0 x1 ");
}
