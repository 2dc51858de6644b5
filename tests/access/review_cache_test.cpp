// What reviews have said, and for how long it is believed.
#include <kcontrol/access/review_cache.hpp>

#include <doctest/doctest.h>

using namespace kcontrol;
using namespace std::chrono_literals;

namespace {

review_cache<int>::key key_of_number(std::uint8_t n) {
    review_cache<int>::key out{};
    out[0] = n;
    out[31] = 1;
    return out;
}

}  // namespace

TEST_CASE("an answer is believed until its time is over, and then it is gone") {
    review_cache<int> cache(10);
    const time_point start(1h);
    cache.put(key_of_number(1), 7, start + 60s);
    REQUIRE(cache.find(key_of_number(1), start));
    CHECK(*cache.find(key_of_number(1), start + 59s) == 7);
    CHECK(cache.find(key_of_number(2), start) == nullptr);
    CHECK(cache.find(key_of_number(1), start + 60s) == nullptr);
    CHECK(cache.size() == 0);
}

TEST_CASE("a later answer replaces the one before") {
    review_cache<int> cache(10);
    const time_point start(1h);
    cache.put(key_of_number(1), 7, start + 60s);
    cache.put(key_of_number(1), 8, start + 90s);
    CHECK(cache.size() == 1);
    CHECK(*cache.find(key_of_number(1), start + 70s) == 8);
}

TEST_CASE("where there is no room, the one that was asked for the longest ago goes") {
    review_cache<int> cache(3);
    const time_point start(1h);
    for (std::uint8_t n = 1; n <= 3; ++n) cache.put(key_of_number(n), n, start + 60s);
    CHECK(cache.find(key_of_number(1), start));
    cache.put(key_of_number(4), 4, start + 60s);
    CHECK(cache.size() == 3);
    CHECK(cache.find(key_of_number(1), start));
    CHECK(cache.find(key_of_number(2), start) == nullptr);
    for (int n = 0; n < 1000; ++n) cache.put(key_of_number(static_cast<std::uint8_t>(n)), n, start + 60s);
    CHECK(cache.size() == 3);
    review_cache<int> none(0);
    none.put(key_of_number(1), 1, start + 1s);
    none.put(key_of_number(2), 2, start + 1s);
    CHECK(none.size() == 1);
}
