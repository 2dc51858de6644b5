// How many bindings may be on their way.
#include <kcontrol/scheduling/detail/binding_limit.hpp>

#include <doctest/doctest.h>

using namespace kcontrol;
using scheduling::detail::binding_limit;

TEST_CASE("decisions wait while too many bindings are on their way") {
    const time_point start{};
    binding_limit limit(2);
    CHECK_FALSE(limit.next_change());
    const auto first = limit.begin(start);
    CHECK_FALSE(limit.is_full(start));
    const auto second = limit.begin(start + std::chrono::milliseconds(400));
    CHECK(limit.is_full(start + std::chrono::milliseconds(400)));
    CHECK(limit.next_change() == start + binding_limit::patience);
    limit.end(first);
    CHECK_FALSE(limit.is_full(start + std::chrono::milliseconds(500)));
    limit.begin(start + std::chrono::milliseconds(500));
    CHECK(limit.is_full(start + std::chrono::milliseconds(1399)));
    // The second is slow: it holds nobody up, and may end whenever it likes.
    CHECK_FALSE(limit.is_full(start + std::chrono::milliseconds(1400)));
    limit.begin(start + std::chrono::milliseconds(1400));
    CHECK(limit.is_full(start + std::chrono::milliseconds(1400)));
    limit.end(second);
    CHECK(limit.is_full(start + std::chrono::milliseconds(1400)));
    CHECK_FALSE(limit.is_full(start + std::chrono::hours(1)));
    CHECK_FALSE(limit.next_change());
}
