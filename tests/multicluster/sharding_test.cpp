// Replicas that share clusters: who has which, what a death, a join and a stop do, and that nobody ever asks a cluster
// that is another's.
#include "multicluster/sharding_world.hpp"
#include "support/how_much.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using testing::link_state;

std::string all_of(const std::vector<std::string>& lines) {
    std::string out;
    for (const auto& one : lines) out += "\n  " + one;
    return out;
}

/// What happens in one seed.
class trial {
public:
    explicit trial(std::uint64_t seed, std::size_t parts = 0) : w(6, seed, parts), random(seed * 131) {
        for (int i = 0; i < 3; ++i) w.start(1 + static_cast<std::uint32_t>(random.below(3)));
        w.leases.set_faults([this](const http::server_request& r) { return fault_of(r); });
    }

    void run(int events) {
        for (int i = 0; i < events; ++i) {
            w.world.run_for(random.between(0ms, 12s));
            happen();
        }
        heal();
    }
    bool recovers() { return w.until_owned(3min); }

    sharding_world w;
    int kills = 0;

private:
    testing::fault fault_of(const http::server_request& r) {
        testing::fault f;
        if (!random.chance(trouble)) return f;
        switch (random.below(5)) {
        case 0: f.status(500, "InternalError", "etcd is away"); break;
        case 1: f.drop_response(); break;
        case 2: f.drop(); break;
        case 3: f.delay(random.between(0ms, 4s)); break;
        case 4: f.status(429, "TooManyRequests", "later", 1); break;
        }
        static_cast<void>(r);
        return f;
    }
    replica_process* any() {
        replica_process& one = *w.replicas[random.below(w.replicas.size())];
        return one.alive() ? &one : nullptr;
    }
    std::string any_cluster() {
        auto at = w.names.begin();
        std::advance(at, random.below(w.names.size()));
        return sharding_world::server_of(*at);
    }
    void happen() {
        replica_process* one = any();
        if (one == nullptr) return;
        auto& network = w.network;
        switch (random.below(16)) {
        case 0: one->link("home", link_state::black_hole); break;
        case 1: one->link("home", link_state::refused); break;
        case 2: network.freeze_connections(one->way("home")); break;
        case 3: network.break_connections(one->way("home")); break;
        case 4: one->gate->stopped = true; break;
        case 5: one->env.wall_error = random.between(-100h, 100h); break;
        case 6: sleep(*one); break;
        case 7: network.set_latency(one->way("home"), 0ms, random.between(1ms, 900ms)); break;
        case 8: trouble = static_cast<unsigned>(random.below(30)); break;
        case 9: w.leases.end_watches(); break;
        case 10: one->link(any_cluster(), link_state::black_hole); break;
        case 11: network.set_latency(one->way(any_cluster()), 0ms, random.between(1ms, 400ms)); break;
        case 12: replace(*one); break;
        case 13: restart(*one); break;
        default: heal(); break;
        }
    }
    void sleep(replica_process& one) {
        const duration length = random.between(1s, 40s);
        one.gate->stopped = true;
        w.world.run_for(length);
        one.env.slept += length;
        one.gate->resume();
    }
    // Its successor is another one.
    void replace(replica_process& one) {
        one.kill();
        ++kills;
        w.world.run_for(random.between(0ms, 20s));
        w.start(1 + static_cast<std::uint32_t>(random.below(3)));
    }
    // A graceful end, and the same again.
    void restart(replica_process& one) {
        one.gate->resume();
        bool stopped = false;
        asio::co_spawn(one.ex, one.m->stop(), [&](std::exception_ptr) { stopped = true; });
        CHECK(w.world.run_until([&] { return stopped; }, 5min));
        w.world.run_for(random.between(0ms, 3s));
        one.want(w.names);
    }
    void heal() {
        trouble = 0;
        for (auto& one : w.replicas) {
            if (!one->alive()) continue;
            one->gate->resume();
            for (const auto& server : w.servers()) {
                one->link(server, link_state::up);
                w.network.set_latency(one->way(server), 100us, 5ms);
            }
        }
    }

    testing::sim_random random;
    unsigned trouble = 0;
};

std::uint64_t seeds() { return test::asked_for("KCONTROL_SHARDING_SEEDS", test::as_many_as(5)); }

}  // namespace

TEST_CASE("sharding: every cluster is one replica's, each has its share, and works on nothing else") {
    sharding_world w(12);
    for (int i = 0; i < 3; ++i) w.start();
    CHECK_MESSAGE(w.until_owned(30s), w.logs());
    CHECK(w.counts().size() == 3);
    for (auto& one : w.replicas) {
        const auto status = one->m->sharding();
        REQUIRE(status);
        CHECK(status->member);
        CHECK(status->peers.size() == 3);
        CHECK(status->waiting == std::vector<std::string>());
        CHECK(status->clusters == one->m->names());
        CHECK(static_cast<int>(status->clusters.size()) == w.counts()[one->name]);
    }
    CHECK_MESSAGE(w.late.empty(), all_of(w.late));
}

TEST_CASE("sharding: a replica that dies hands its clusters over within its lease time") {
    sharding_world w(12);
    for (int i = 0; i < 3; ++i) w.start();
    REQUIRE_MESSAGE(w.until_owned(30s), w.logs());
    for (int kill = 0; kill < 3; ++kill) {
        w.replicas[static_cast<std::size_t>(kill)]->kill();
        CHECK_MESSAGE(w.until_owned(15s + 2s), w.logs());
        w.start();
        CHECK_MESSAGE(w.until_owned(10s), w.logs());
    }
    CHECK_MESSAGE(w.late.empty(), all_of(w.late));
}

TEST_CASE("sharding: one that joins disturbs only what becomes its own") {
    sharding_world w(12);
    w.start();
    w.start();
    REQUIRE_MESSAGE(w.until_owned(30s), w.logs());
    std::map<std::string, std::string> before;
    for (const auto& name : w.names) before[name] = w.holder(name);
    const auto lists_of = [&](const std::string& name) { return w.add(name).lists(); };
    std::map<std::string, std::size_t> lists;
    for (const auto& name : w.names) lists[name] = lists_of(name);
    replica_process& last = w.start(2);
    CHECK_MESSAGE(w.until_owned(10s), w.logs());
    int moved = 0;
    for (const auto& name : w.names) {
        if (w.holder(name) == before[name]) {
            CHECK(lists_of(name) == lists[name]);
        } else {
            CHECK(w.holder(name) == last.name);
            ++moved;
        }
    }
    CHECK(moved > 0);
    CHECK(moved < 12);
    CHECK_MESSAGE(w.late.empty(), all_of(w.late));
}

TEST_CASE("sharding: one that stops gives everything away at once") {
    sharding_world w(8);
    w.start();
    w.start();
    REQUIRE_MESSAGE(w.until_owned(30s), w.logs());
    CHECK(w.world.ends_within(5s, w.replicas[0]->m->stop()));
    w.replicas[0]->killed = true;  // it counts no more
    CHECK_MESSAGE(w.until_owned(3s), w.logs());
    CHECK(w.counts().size() == 1);
    CHECK_MESSAGE(w.late.empty(), all_of(w.late));
}

TEST_CASE("sharding: who is cut off from the Leases stops before another one begins, and comes back") {
    sharding_world w(8);
    w.start();
    w.start();
    REQUIRE_MESSAGE(w.until_owned(30s), w.logs());
    w.replicas[0]->link("home", link_state::black_hole);
    w.world.run_for(11s);
    const std::size_t then = w.requests;
    CHECK(w.replicas[0]->m->names() == std::vector<std::string>());
    w.replicas[0]->killed = true;
    CHECK_MESSAGE(w.until_owned(8s), w.logs());
    CHECK(w.requests > then);
    w.replicas[0]->killed = false;
    w.replicas[0]->link("home", link_state::up);
    CHECK_MESSAGE(w.until_owned(30s), w.logs());
    CHECK_MESSAGE(w.late.empty(), all_of(w.late));
}

TEST_CASE("sharding: one that was stopped gets its clusters back though it may watch the Leases no more") {
    sharding_world w(8);
    for (int i = 0; i < 3; ++i) w.start();
    REQUIRE_MESSAGE(w.until_owned(30s), w.logs());
    replica_process& one = *w.replicas[0];
    const int had = w.counts()[one.name];
    REQUIRE(had > 0);
    one.gate->stopped = one.killed = true;
    CHECK_MESSAGE(w.until_owned(20s), w.logs());
    one.deaf = true;
    w.leases.set_faults([](const http::server_request& r) {
        testing::fault f;
        if (r.target == "/refused") f.status(503, "ServiceUnavailable", "too much to do");
        return f;
    });
    w.network.break_connections(one.way("home"));
    one.killed = false;
    one.gate->resume();
    CHECK_MESSAGE(w.until_owned(15s + 5s), w.logs());
    CHECK(w.counts()[one.name] == had);
    // It notices deaths as well.
    w.replicas[1]->kill();
    CHECK_MESSAGE(w.until_owned(2 * 15s + 5s), w.logs());
    CHECK_MESSAGE(w.late.empty(), all_of(w.late));
}

TEST_CASE("sharding: a cluster that leaves is nobody's, and its Lease is gone") {
    sharding_world w(6);
    w.start();
    w.start();
    REQUIRE_MESSAGE(w.until_owned(30s), w.logs());
    w.names.erase("c3");
    for (auto& one : w.replicas) one->want(w.names);
    w.world.run_for(5s);
    CHECK(w.holder("c3").empty());
    CHECK_MESSAGE(w.until_owned(5s), w.logs());
    CHECK_MESSAGE(w.late.empty(), all_of(w.late));
}

TEST_CASE("sharding: what is everywhere is engaged by all, and nobody's") {
    sharding_world w(6);
    w.everywhere = {"c0"};
    w.start();
    replica_process& second = w.start();
    w.world.run_for(10s);
    const auto has = [](const replica_process& one, const std::string& cluster) {
        const auto names = one.m->names();
        return std::find(names.begin(), names.end(), cluster) != names.end();
    };
    CHECK(w.holder("c0").empty());
    for (const auto& one : w.replicas) {
        CHECK(has(*one, "c0"));
        CHECK(one->m->names().size() == one->m->sharding()->clusters.size() + 1);
    }
    w.names.erase("c0");
    second.want(w.names);
    w.world.run_for(5s);
    CHECK_FALSE(has(second, "c0"));
    CHECK(has(*w.replicas[0], "c0"));
    CHECK_MESSAGE(w.until_owned(5s), w.logs());
    CHECK_MESSAGE(w.late.empty(), all_of(w.late));
}

TEST_CASE("sharding: what can't be is told, and no cluster is engaged") {
    sharding_world w(1);
    auth::cluster_config home = w.add("home").config();
    const auto why = [&](multicluster_options o) {
        o.transport(w.network.factory());
        multicluster_manager m(w.env, w.home, std::move(o));
        m.set_desired({desired_cluster("c0", w.add("c0").config())});
        w.world.run_for(5s);
        CHECK(m.names().empty());
        CHECK_FALSE(m.sharding());
        const std::string out = m.last_error() ? m.last_error()->what() : "";
        w.world.run(m.stop());
        return out;
    };
    multicluster_options both;
    both.sharding(sharding_options({"default", "fleet"}), home).leader_election(leader_options({"default", "l"}), home);
    CHECK(why(both).find("both leader_election() and sharding()") != std::string::npos);
    CHECK(why(multicluster_options().sharding(sharding_options({"default", "Fleet"}), home)).find("lower-case") !=
          std::string::npos);
    CHECK(
        why(multicluster_options().sharding(sharding_options({"default", "f"}).weight(0), home)).find("weight is 0") !=
        std::string::npos);
}

TEST_CASE("sharding: the look at requests is not idle: who shares with nobody is found") {
    sharding_world w(2);
    w.start();
    w.start(1, "another-fleet");
    w.world.run_for(10s);
    CHECK_FALSE(w.late.empty());
}

TEST_CASE("sharding: whatever happens, nobody asks a cluster that is another's") {
    int kills = 0;
    std::size_t requests = 0;
    for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
        CAPTURE(seed);
        trial t(seed);
        t.run(40);
        CHECK_MESSAGE(t.recovers(), t.w.logs());
        REQUIRE_MESSAGE(t.w.late.empty(), all_of(t.w.late));
        kills += t.kills;
        requests += t.w.requests;
    }
    MESSAGE(kills << " kills, " << requests << " requests");
    CHECK(requests > seeds() * 500);
}

TEST_CASE("sharding: whatever happens, an object of a cluster that is divided has one owner at any time") {
    int kills = 0;
    std::size_t requests = 0;
    for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
        CAPTURE(seed);
        trial t(seed + 500, 6);
        t.run(40);
        CHECK_MESSAGE(t.recovers(), t.w.logs());
        REQUIRE_MESSAGE(t.w.late.empty(), all_of(t.w.late));
        kills += t.kills;
        requests += t.w.requests;
    }
    MESSAGE(kills << " kills, " << requests << " requests");
    CHECK(requests > seeds() * 500);
}

TEST_CASE("sharding: the parts of a cluster are shared like clusters, and handed over at a death") {
    sharding_world w(0, 1, 8);
    for (int i = 0; i < 3; ++i) w.start();
    REQUIRE_MESSAGE(w.until_owned(1min), w.logs());
    for (const auto& each : w.counts()) CHECK_MESSAGE(each.second >= 1, each.first);
    w.replicas[0]->kill();
    CHECK_MESSAGE(w.until_owned(1min), w.logs());
    CHECK(w.counts().count("r0") == 0);
    CHECK_MESSAGE(w.late.empty(), all_of(w.late));
}

TEST_CASE("sharding: the look at the parts is not idle: who shares with nobody is found") {
    sharding_world w(0, 1, 2);
    w.start();
    w.start(1, "another-fleet");
    w.world.run_for(10s);
    CHECK_FALSE(w.late.empty());
}
