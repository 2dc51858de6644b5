#include <kcontrol/cache/detail/delivery.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

using kcontrol::detail::delivery;
using kcontrol::detail::most_calls_without_memory;

struct listener {
    std::string heard;
};

struct fixture {
    std::vector<std::weak_ptr<listener>> present() const { return {one, two}; }

    // Tells of the rest; the call with this number, counted from 1 over all runs, finds no memory. True if all is told.
    bool run(delivery<int, listener>& of, unsigned fails = 0) {
        const auto tell = [&](listener& to, int thing, bool again) {
            ++calls;
            if (calls == fails || always_fails == &to) {
                if (again) throw std::bad_alloc();
                to.heard += "!";
            }
            to.heard += std::to_string(thing);
        };
        try {
            of.run([this] { return present(); }, tell);
        } catch (const std::bad_alloc&) {
            return false;
        }
        return true;
    }

    std::shared_ptr<listener> one = std::make_shared<listener>();
    std::shared_ptr<listener> two = std::make_shared<listener>();
    const listener* always_fails = nullptr;
    unsigned calls = 0;
};

TEST_CASE_FIXTURE(fixture, "delivery: each is told of each thing, in order, wherever memory runs out once") {
    for (unsigned fails = 0; fails <= 6; ++fails) {
        CAPTURE(fails);
        one->heard = two->heard = "";
        calls = 0;
        delivery<int, listener> of({1, 2, 3});
        CHECK_FALSE(of.over());
        CHECK(run(of, fails) == (fails == 0));
        CHECK(of.over() == (fails == 0));
        CHECK(run(of));
        CHECK(of.over());
        CHECK(one->heard == "123");
        CHECK(two->heard == "123");
        CHECK(run(of));  // nothing more
        CHECK(calls == (fails == 0 ? 6 : 7));
    }
}

TEST_CASE_FIXTURE(fixture, "delivery: where there is no memory even for the list of who is told, all is told later") {
    delivery<int, listener> of({1, 2});
    const auto nobody = []() -> std::vector<std::weak_ptr<listener>> { throw std::bad_alloc(); };
    CHECK_THROWS_AS(of.run(nobody, [](listener&, int, bool) {}), std::bad_alloc);
    CHECK_FALSE(of.over());
    CHECK(run(of));
    CHECK(one->heard + two->heard == "1212");
}

TEST_CASE_FIXTURE(fixture, "delivery: who never has memory is called so many times, and then keeps nobody waiting") {
    always_fails = one.get();
    delivery<int, listener> of({1, 2});
    unsigned runs = 0;
    while (!run(of)) ++runs;
    CHECK(runs == 2 * (most_calls_without_memory - 1));
    CHECK(one->heard == "!1!2");
    CHECK(two->heard == "12");
}

TEST_CASE_FIXTURE(fixture, "delivery: who has left meanwhile is told nothing, nor who has come") {
    delivery<int, listener> of({1, 2});
    CHECK_FALSE(run(of, 3));
    const auto before = std::move(two);
    const std::weak_ptr<listener> left = std::exchange(one, std::make_shared<listener>());
    two = std::make_shared<listener>();
    CHECK(left.expired());
    CHECK(run(of));
    CHECK(before->heard == "12");
    CHECK(one->heard + two->heard == "");
}

TEST_CASE_FIXTURE(fixture, "delivery: of nothing asks nobody") {
    delivery<int, listener> of;
    CHECK(of.over());
    of.run([]() -> std::vector<std::weak_ptr<listener>> { throw std::bad_alloc(); }, [](listener&, int, bool) {});
    CHECK(calls == 0);
}

}  // namespace
