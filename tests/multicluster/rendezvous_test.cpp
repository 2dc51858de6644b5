// Rendezvous hashing: everyone agrees, shares follow the weights, and only what has to move moves.
#include <kcontrol/multicluster/detail/rendezvous.hpp>
#include <kcontrol/multicluster/detail/shard_lease.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace kcontrol::detail;

using assignment = std::map<std::string, std::string>;

assignment shares(const std::vector<shard_peer>& peers, int clusters) {
    assignment out;
    for (int i = 0; i < clusters; ++i) {
        const std::string name = "fleet/cluster-" + std::to_string(i);
        const shard_peer* owner = rendezvous(peers, name);
        out[name] = owner == nullptr ? "" : owner->identity;
    }
    return out;
}

std::map<std::string, int> counts(const assignment& of) {
    std::map<std::string, int> out;
    for (const auto& [cluster, owner] : of) ++out[owner];
    return out;
}

}  // namespace

TEST_CASE("rendezvous: the hash is the same in every process and of every version") {
    CHECK(rendezvous_hash("", "") == 0x5509f800bdaef57eU);
    CHECK(rendezvous_hash("a", "east") == 0x5d23fd168f13ea1dU);
    CHECK(rendezvous_hash("a", "b") != rendezvous_hash("b", "a"));
    CHECK(rendezvous_hash("ab", "c") != rendezvous_hash("a", "bc"));
    CHECK(rendezvous({}, "east") == nullptr);
}

TEST_CASE("rendezvous: it does not matter in which order the peers stand") {
    std::vector<shard_peer> peers{{"a", 1}, {"b", 3}, {"c", 2}, {"d", 1}};
    const assignment first = shares(peers, 200);
    do {
        REQUIRE(shares(peers, 200) == first);
    } while (std::next_permutation(peers.begin(), peers.end(),
                                   [](const auto& x, const auto& y) { return x.identity < y.identity; }));
}

TEST_CASE("rendezvous: each has the share that its weight says") {
    auto by = counts(shares({{"a", 1}, {"b", 1}, {"c", 2}, {"d", 4}}, 8000));
    CHECK(std::abs(by["a"] - 1000) < 120);
    CHECK(std::abs(by["b"] - 1000) < 120);
    CHECK(std::abs(by["c"] - 2000) < 200);
    CHECK(std::abs(by["d"] - 4000) < 250);
}

TEST_CASE("rendezvous: who comes, goes or changes his weight moves only his own share") {
    std::mt19937_64 random(7);
    std::vector<shard_peer> peers{{"p0", 1}};
    assignment before = shares(peers, 1000);
    int next = 1, moved_by_joins = 0;
    for (int step = 0; step < 200; ++step) {
        const std::size_t which = random() % peers.size();
        const std::string who = peers[which].identity;
        enum { joins, goes, heavier, lighter } what = joins;
        std::string changed;
        if (peers.size() > 1 && random() % 3 == 0) {
            what = goes;
            changed = who;
            peers.erase(peers.begin() + static_cast<std::ptrdiff_t>(which));
        } else if (random() % 3 == 0) {
            what = random() % 2 == 0 ? heavier : lighter;
            changed = who;
            const auto w = peers[which].weight;
            peers[which].weight = what == heavier ? w + 1 : std::max(1U, w - 1);
        } else if (peers.size() < 12) {
            changed = "p" + std::to_string(next++);
            peers.emplace_back(changed, 1 + random() % 4);
        } else {
            continue;
        }
        const assignment after = shares(peers, 1000);
        for (const auto& each : after) {
            const auto& [cluster, owner] = each;
            const std::string& former = before.at(cluster);
            if (owner == former) continue;
            // To the one that came or grew, or from the one that went or shrank; never between two others.
            const bool right = what == joins || what == heavier ? owner == changed : former == changed;
            REQUIRE_MESSAGE(right,
                            "step " << step << ": " << each.first << " from " << former << " to " << each.second);
            moved_by_joins += what == joins ? 1 : 0;
        }
        before = after;
    }
    CHECK(moved_by_joins > 500);
}

TEST_CASE("sharding: names of Leases are valid and differ") {
    const std::vector<std::string> texts{
        "east", "East", "ns/east", "ns-east", "prod#east", "", "ü", std::string(300, 'x'), std::string(301, 'x'), "-"};
    std::set<std::string> seen;
    for (const std::string& one : texts) {
        const std::string name = claim_name("g", one);
        CHECK(seen.insert(name).second);
        CHECK(name.size() <= 253);
        CHECK(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos);
        CHECK(name.find("--") == std::string::npos);
    }
    CHECK(claim_name("g", "ns/East").starts_with("g-shard-ns-east-"));
}
