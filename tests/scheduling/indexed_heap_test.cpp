// The heap of the queue beside a sorted set.
#include <kcontrol/scheduling/detail/indexed_heap.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <random>
#include <set>
#include <utility>

namespace {

struct element {
    std::size_t heap_place = 0;
    int key = 0;
    bool is_in = false;
};

struct smaller_key {
    bool operator()(const element& a, const element& b) const { return a.key < b.key; }
};

}  // namespace

TEST_CASE("indexed_heap: the first of all, whatever is taken out of the middle") {
    std::mt19937 random(1);
    std::array<element, 64> all;
    kcontrol::scheduling::detail::indexed_heap<element, smaller_key> heap{smaller_key()};
    std::multiset<int> sorted;
    for (int step = 0; step < 20'000; ++step) {
        element& one = all[random() % all.size()];
        if (one.is_in) {
            heap.erase(one);
            sorted.erase(sorted.find(one.key));
        } else {
            one.key = static_cast<int>(random() % 1000);
            heap.insert(one);
            sorted.insert(one.key);
        }
        one.is_in = !one.is_in;
        if (step % 100 == 0) {  // another order
            sorted.clear();
            for (element& other : all) {
                if (!other.is_in) continue;
                other.key = static_cast<int>(random() % 1000);
                sorted.insert(other.key);
            }
            heap.rebuild();
        }
        REQUIRE(heap.size() == sorted.size());
        if (!sorted.empty()) REQUIRE(heap.front().key == *sorted.begin());
    }
}
