// Who makes room for whom.
#include <kcontrol/transport/impl/connection_ledger.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::http;
using namespace std::chrono_literals;
using http::detail::connection_ledger;

namespace {

struct fixture {
    explicit fixture(const server_options& limits) : ledger(limits) {}

    // The name, or 0: refused. Time goes on by a second before each.
    connection_ledger::id enter(std::string address = "a") {
        now += 1s;
        auto outcome = ledger.enter(std::move(address), now);
        closed.insert(closed.end(), outcome.made_room.begin(), outcome.made_room.end());
        return outcome.name;
    }
    void wait(connection_ledger::id one) { ledger.waits(one, now += 1s); }
    // It had a request answered.
    connection_ledger::id guest(std::string address = "a") {
        const auto one = enter(std::move(address));
        ledger.works(one);
        ledger.admit(one);
        wait(one);
        return one;
    }
    std::vector<connection_ledger::id> take_closed() { return std::exchange(closed, {}); }

    connection_ledger ledger;
    time_point now{1h};
    std::vector<connection_ledger::id> closed;
};

using ids = std::vector<connection_ledger::id>;

}  // namespace

TEST_CASE("ledger: who waits the longest makes room; who works does not") {
    fixture f(server_options().max_connections(3));
    const auto a = f.enter(), b = f.enter(), c = f.enter();
    f.ledger.works(a);
    CHECK(f.enter() != 0);
    CHECK(f.take_closed() == ids{b});
    f.wait(a);  // after c
    const auto e = f.enter();
    CHECK(f.take_closed() == ids{c});
    CHECK(f.ledger.size() == 3);
    f.ledger.leave(e);
    f.ledger.leave(b);  // it has left already
    CHECK(f.ledger.size() == 2);
    const auto g = f.enter();
    CHECK(f.take_closed().empty());
    for (const auto one : ids{a, g}) f.ledger.works(one);
    f.ledger.works(f.enter());
    CHECK(f.take_closed().size() == 1);
    CHECK(f.enter() == 0);  // nobody waits
    CHECK(f.take_closed().empty());
    CHECK(f.ledger.stats().shed_for(shed_reason::connections) == 3);
    CHECK(f.ledger.stats().refused_for(shed_reason::connections) == 1);
    CHECK(f.ledger.stats().connections == 3);
}

TEST_CASE("ledger: who has only just begun to wait is spared while one of the others has waited for longer") {
    fixture f(server_options().max_connections(4));
    const auto stranger = f.enter(), busy = f.guest(), other = f.guest(), known = f.guest();
    for (const auto one : ids{busy, other}) f.ledger.works(one);
    f.ledger.waits(known, f.now);  // as a guest does whose answer is being written; strangers are few
    f.now -= 900ms;                // another one comes 100 ms later
    CHECK(f.enter() != 0);
    CHECK(f.take_closed() == ids{stranger});
    CHECK(f.ledger.has(known));
}

TEST_CASE("ledger: it is pressed while who came just now would make room") {
    fixture f(server_options().max_connections(2));
    const auto a = f.enter();
    CHECK_FALSE(f.ledger.is_pressed(f.now));
    const auto b = f.enter();
    f.ledger.waits(a, f.now);
    CHECK(f.ledger.is_pressed(f.now));
    CHECK_FALSE(f.ledger.is_pressed(f.now + connection_ledger::fair_stay));
    for (const auto one : ids{a, b}) f.ledger.works(one);
    CHECK(f.ledger.is_pressed(f.now + 1h));  // it would be refused
    f.ledger.leave(b);
    CHECK_FALSE(f.ledger.is_pressed(f.now));
}

TEST_CASE("ledger: strangers go first while they are more than half, and those who are known otherwise") {
    fixture f(server_options().max_connections(4));
    const auto known = f.guest();
    const auto first = f.enter(), second = f.enter();
    f.enter();
    const auto another = f.guest();  // three strangers of four: the longest waiting of them goes
    CHECK(f.take_closed() == ids{first});
    CHECK(f.ledger.stats().known == 2);
    f.enter();  // two strangers of four: they are not many
    CHECK(f.take_closed() == ids{known});
    f.enter();
    CHECK(f.take_closed() == ids{second});
    f.ledger.works(another);
    f.enter();
    CHECK(f.take_closed().size() == 1);
    CHECK(f.ledger.stats().known == 1);
}

TEST_CASE("ledger: an address makes room for itself, and for nobody else") {
    fixture f(server_options().max_connections(100).max_connections_per_address(2));
    const auto other = f.enter("other");
    const auto first = f.enter(), second = f.enter();
    f.enter();
    CHECK(f.take_closed() == ids{first});
    f.ledger.works(second);
    f.ledger.works(f.enter());
    CHECK(f.take_closed().size() == 1);
    CHECK(f.enter() == 0);
    CHECK(f.take_closed().empty());
    CHECK(f.enter("third") != 0);
    CHECK(f.ledger.stats().refused_for(shed_reason::address) == 1);
    CHECK(f.ledger.stats().shed_for(shed_reason::address) == 2);
    f.ledger.leave(second);
    CHECK(f.enter() != 0);
    CHECK(f.take_closed().empty());
    f.ledger.leave(other);
    CHECK(f.ledger.size() == 3);
}

TEST_CASE("ledger: bytes are taken back from those whose peers do nothing, the longest first, never from the asker") {
    fixture f(server_options().max_buffered_bytes(100'000));
    const auto idle = f.enter(), slow = f.enter(), slower = f.guest(), asks = f.enter();
    CHECK(f.ledger.hold(slow, 50'000, f.now, f.closed));
    CHECK(f.ledger.hold(slower, 50'000, f.now, f.closed));
    f.ledger.waits(slow, f.now += 10s);
    CHECK(f.ledger.hold(asks, 10'000, f.now, f.closed));
    CHECK(f.take_closed() == ids{slower});
    CHECK(f.ledger.stats().buffered_bytes == 60'000);
    CHECK_FALSE(f.ledger.hold(asks, 60'000, f.now, f.closed));  // the other one did something just now
    CHECK(f.take_closed().empty());
    CHECK(f.ledger.hold(asks, 30'000, f.now, f.closed));
    f.now += connection_ledger::stalled;
    CHECK(f.ledger.hold(asks, 60'000, f.now, f.closed));
    CHECK(f.take_closed() == ids{slow});
    CHECK_FALSE(f.ledger.hold(asks, 200'000, f.now, f.closed));
    f.ledger.waits(asks, f.now);
    CHECK(f.ledger.hold(idle, connection_ledger::always_granted, f.now, f.closed));
    CHECK_FALSE(f.ledger.hold(idle, connection_ledger::always_granted + 1, f.now, f.closed));
    CHECK(f.ledger.hold(idle, 0, f.now, f.closed));     // less is never too much
    CHECK(f.ledger.hold(slow, 1000, f.now, f.closed));  // it has left, and counts no more
    f.ledger.leave(asks);
    CHECK(f.ledger.stats().buffered_bytes == 0);
    CHECK(f.ledger.stats().shed_for(shed_reason::bytes) == 2);
}

TEST_CASE("ledger: an answer gets its bytes from who waits the longest, and does not take little ones") {
    fixture f(server_options().max_buffered_bytes(100'000));
    const auto small = f.guest(), first = f.guest(), second = f.guest(), asks = f.guest();
    f.ledger.must_hold(small, 16'000, f.now, f.closed);
    f.ledger.must_hold(first, 40'000, f.now, f.closed);
    f.ledger.must_hold(second, 40'000, f.now, f.closed);
    for (const auto one : ids{small, first, second}) f.ledger.waits(one, f.now += 1ms);
    f.ledger.must_hold(asks, 40'000, f.now, f.closed);
    CHECK(f.take_closed() == ids{first});
    f.ledger.must_hold(asks, 500'000, f.now, f.closed);
    CHECK(f.take_closed() == ids{second});
    CHECK(f.ledger.has(small));
    CHECK(f.ledger.stats().buffered_bytes == 516'000);
    f.ledger.must_hold(asks, 10, f.now, f.closed);
    CHECK(f.take_closed().empty());
}

TEST_CASE("ledger: a descriptor comes from who waits, if somebody has for a while") {
    fixture f(server_options{});
    CHECK_FALSE(f.ledger.give_up_one(f.now));
    const auto one = f.enter(), two = f.enter();
    f.ledger.works(one);
    CHECK_FALSE(f.ledger.give_up_one(f.now + connection_ledger::fair_stay - 1ns));
    CHECK(f.ledger.give_up_one(f.now + connection_ledger::fair_stay) == two);
    CHECK_FALSE(f.ledger.give_up_one(f.now + 1h));
    CHECK(f.ledger.stats().shed_for(shed_reason::descriptors) == 1);
}
