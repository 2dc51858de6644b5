// The swarm of a fleet: many seeds, each run twice, none may break a promise; and planted bugs, which some seed must
// find.
#include "simulation/fleet_swarm.hpp"

#include "simulation/seeds.hpp"

#include <doctest/doctest.h>

#include <iostream>
#include <string>

namespace {

using namespace kcontrol::test;

TEST_CASE("fleet swarm: no seed breaks a promise, and every seed runs the same way twice") {
    // A fleet is several clusters: of those that are asked for, a quarter are run.
    const seed_range seeds(400, 50);
    const std::uint64_t last = seeds.first + (seeds.count() + 3) / 4 - 1;
    fleet_verdict sum;
    for (std::uint64_t seed = seeds.first; seed <= last; ++seed) {
        const auto verdict = run_fleet(seed);
        const auto again = run_fleet(seed);
        CHECK_MESSAGE(verdict.violations.empty(), "seed ", seed, describe(verdict.violations));
        CHECK_MESSAGE(verdict.digest == again.digest, "seed ", seed, " does not replay");
        sum.clusters += verdict.clusters, sum.edits += verdict.edits, sum.faults += verdict.faults;
        sum.protobuf_requests += verdict.protobuf_requests;
        sum.moves += verdict.moves, sum.reconciles += verdict.reconciles,
            sum.requests_between += verdict.requests_between;
    }
    std::cout << "fleet swarm: seeds=" << last - seeds.first + 1 << " clusters=" << sum.clusters
              << " edits=" << sum.edits << " faults=" << sum.faults << " moves=" << sum.moves
              << " reconciles=" << sum.reconciles << " requests-between-clusters=" << sum.requests_between
              << " asked-for-protobuf=" << sum.protobuf_requests << "\n";
    CHECK(sum.reconciles > 0);
    CHECK(sum.moves > 0);
    CHECK(sum.requests_between > 0);
    if (!seeds.one) CHECK(sum.protobuf_requests > 0);
}

TEST_CASE("fleet swarm: seeds that have found something") {
    // A write was answered by a server that was the cluster no more, and the reconcile took that for done.
    for (const std::uint64_t seed : {19009U}) {
        const auto verdict = run_fleet(seed);
        CHECK_MESSAGE(verdict.violations.empty(), "seed ", seed, describe(verdict.violations));
    }
}

void find_planted(fleet_bug bug, const char* name) {
    constexpr std::uint64_t patience = 200;
    std::uint64_t seed = 1;
    while (seed <= patience && run_fleet(seed, bug).violations.empty()) ++seed;
    CHECK(seed <= patience);
    std::cout << "fleet swarm: planted " << name << ": found by seed " << seed << "\n";
}

TEST_CASE("fleet swarm: finds copies that nobody looks after") {
    find_planted(fleet_bug::deaf_to_copies, "deaf to copies");
}

TEST_CASE("fleet swarm: finds requests between clusters that are lost") {
    find_planted(fleet_bug::loses_requests, "loses requests");
}

TEST_CASE("fleet swarm: finds writes to a wrong cluster") { find_planted(fleet_bug::wrong_cluster, "wrong cluster"); }

}  // namespace
