// Three candidates, a server, and everything that can happen to either: never two fences open, never a late write.
#include "leader/stage.hpp"
#include "support/how_much.hpp"

#include <doctest/doctest.h>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using testing::link_state;

const testing::group_resource leases("coordination.k8s.io", "leases");

/// What happens in one seed.
class trial {
public:
    explicit trial(std::uint64_t seed) : s(3, seed), random(seed * 77) {
        for (auto& one : s.processes) {
            one->pace = random.between(20ms, 500ms);
            one->start();
        }
        s.server_api.set_faults([this](const http::server_request& r) { return fault_of(r); });
    }

    void run(int events) {
        for (int i = 0; i < events; ++i) {
            s.pass(random.between(0ms, 8s));
            happen();
        }
        heal();
    }
    /// All is well again: one leads.
    bool recovers() {
        const bool led = s.until([&] { return s.leader() != nullptr; }, 2min);
        s.pass(5s);
        return led;
    }

    stage s;
    int handovers() const { return static_cast<int>(s.terms_seen.size()); }

private:
    testing::fault fault_of(const http::server_request& r) {
        testing::fault f;
        if (r.target.find("/leases") == std::string::npos || !random.chance(trouble)) return f;
        switch (random.below(5)) {
        case 0: f.status(500, "InternalError", "etcd is away"); break;
        case 1: f.drop_response(); break;
        case 2: f.drop(); break;
        case 3: f.delay(random.between(0ms, 4s)); break;
        case 4: f.status(429, "TooManyRequests", "later", 1); break;
        }
        return f;
    }
    void happen() {
        process& one = s[random.below(s.processes.size())];
        auto& network = s.world.network();
        switch (random.below(14)) {
        case 0: one.link(link_state::black_hole); break;
        case 1: one.link(link_state::refused); break;
        case 2: network.freeze_connections(one.host); break;
        case 3: network.break_connections(one.host); break;
        case 4: one.stop_process(); break;
        case 5: one.env.wall_error = random.between(-100h, 100h); break;
        case 6: sleep(one); break;
        case 7: network.set_latency(one.host, 0ms, random.between(1ms, 1500ms)); break;
        case 8: trouble = static_cast<unsigned>(random.below(40)); break;
        case 9: conflict(); break;
        case 10: restart(one); break;
        case 11: s.server_api.end_watches(); break;
        case 12:
        case 13: heal(); break;
        }
    }
    // The machine is suspended, and its process with it.
    void sleep(process& one) {
        const duration length = random.between(1s, 30s);
        one.stop_process();
        s.pass(length);
        one.env.slept += length;
        one.resume();
    }
    void conflict() {
        const std::string value = std::to_string(random.next());
        const auto written = s.server_api.patch(leases, {"default", "l"}, {{"metadata", {{"labels", {{"a", value}}}}}});
        (void)written;  // there may be none yet
    }
    // A graceful end and another start.
    void restart(process& one) {
        one.resume();
        bool stopped = false;
        asio::co_spawn(one.ex, one.elector->stop(3s), [&](std::exception_ptr, bool) { stopped = true; });
        CHECK(s.until([&] { return stopped; }, 1min));
        s.pass(random.between(0ms, 3s));
        one.start();
    }
    void heal() {
        trouble = 0;
        for (auto& one : s.processes) {
            one->resume();
            one->link(link_state::up);
            s.world.network().set_latency(one->host, 100us, 5ms);
        }
    }

    testing::sim_random random;
    unsigned trouble = 0;
};

std::uint64_t seeds() { return test::asked_for("KCONTROL_LEADER_SEEDS", test::as_many_as(20)); }

}  // namespace

TEST_CASE("leader_elector: whatever happens, never two lead, and no write comes late") {
    int handovers = 0;
    std::size_t writes = 0;
    for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
        CAPTURE(seed);
        trial t(seed);
        t.run(60);
        CHECK(t.recovers());
        REQUIRE(t.s.most_open == 1);
        REQUIRE(t.s.late == std::vector<std::string>());
        handovers += t.handovers();
        writes += t.s.writes;
    }
    MESSAGE(handovers << " terms, " << writes << " writes");
    CHECK(handovers > static_cast<int>(seeds()) * 3);
    CHECK(writes > seeds() * 200);
}

TEST_CASE("leader_elector: the guard against late writes is not idle: without a fence they come") {
    // The same with the writes past the fence, by work that does not heed its token.
    bool late = false, two = false;
    for (std::uint64_t seed = 1; seed <= 20 && !late; ++seed) {
        trial t(seed);
        for (auto& one : t.s.processes) {
            one->fenced = one->direct;
            one->linger = true;
        }
        t.run(60);
        late = !t.s.late.empty();
        two = two || t.s.most_open > 1;
    }
    CHECK(late);
    CHECK_FALSE(two);
}
