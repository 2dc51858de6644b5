// The decisions of sharding, step by step: which Leases are written, and when a cluster is this replica's.
#include <kcontrol/multicluster/detail/shard_machine.hpp>

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using namespace kcontrol::detail;
using namespace std::chrono_literals;

const error absent(api_errc::not_found), conflict(api_errc::conflict), exists(api_errc::already_exists);
const error timeout(errc::timeout);

shard_lease peer_of(const std::string& identity, int renewal, std::uint32_t weight = 1) {
    shard_lease out;
    out.metadata.name = text(peer_lease_name("g", identity));
    out.metadata.uid = text("uid-" + identity);
    out.metadata.resource_version = text(std::to_string(renewal));
    for (const auto& [key, value] : shard_labels("g", "peer")) out.metadata.labels[key] = text(value);
    out.metadata.annotations[shard_weight_annotation] = text(std::to_string(weight));
    out.spec.holder_identity = text(identity);
    out.spec.lease_duration_seconds = 15;
    out.spec.lease_transitions = renewal;
    return out;
}

shard_lease claim_of(const std::string& cluster, const std::string& holder, int version) {
    shard_lease out;
    out.metadata.name = text(claim_name("g", cluster));
    out.metadata.uid = text("uid-" + cluster);
    out.metadata.resource_version = text(std::to_string(version));
    for (const auto& [key, value] : shard_labels("g", "cluster")) out.metadata.labels[key] = text(value);
    out.metadata.annotations[shard_cluster_annotation] = text(cluster);
    out.spec.holder_identity = text(holder);
    return out;
}

const char* name_of(shard_verb verb) {
    switch (verb) {
    case shard_verb::engage: return "engage";
    case shard_verb::disengage: return "disengage";
    case shard_verb::take: return "take";
    case shard_verb::release: return "release";
    case shard_verb::look: return "look";
    case shard_verb::expel: return "expel";
    case shard_verb::confirm: return "confirm";
    }
    return "";
}

struct replica {
    replica()
        : m([] {
              shard_settings s;
              s.identity = "me", s.group = "g", s.namespace_ = "ops";
              return s;
          }()) {}

    // What it says now, as text: "take east@7" updates version 7, "take east" creates.
    std::string says() {
        std::string out;
        for (const shard_action& one : m.next(now, wall_time())) {
            const std::string version = one.object.metadata.resource_version.str();
            const bool versioned = !version.empty() && one.verb != shard_verb::look && one.verb != shard_verb::confirm;
            out += (out.empty() ? "" : ", ") + std::string(name_of(one.verb)) + " " + one.name +
                   (versioned ? "@" + version : "");
        }
        return out;
    }
    void begin(const std::set<std::string>& clusters) {
        m.want(clusters);
        m.synced();
        m.begin_term(now);
        pass(1s);
    }
    void pass(duration d) { now += d; }
    void took(const std::string& cluster, int version) { m.took(cluster, claim_of(cluster, "me", version), now, 0.5); }
    void hold(const std::string& cluster, int version) {
        REQUIRE(says() == "take " + cluster);
        took(cluster, version);
        REQUIRE(says() == "engage " + cluster);
    }

    shard_machine m;
    time_point now{1h};
};

// A cluster that is the other's as long as that one lives.
std::string cluster_for(const std::string& owner, const std::string& other) {
    const std::vector<shard_peer> peers{{owner, 1}, {other, 1}};
    for (int i = 0;; ++i) {
        const std::string name = "c" + std::to_string(i);
        if (rendezvous(peers, name)->identity == owner) return name;
    }
}

}  // namespace

TEST_CASE("shard_machine: it takes its clusters when it is a member, knows the others and has looked round") {
    replica r;
    r.m.want({"east"});
    CHECK(r.says() == "");
    r.m.begin_term(r.now);
    CHECK(r.says() == "");
    r.m.synced();
    CHECK(r.says() == "");  // others begin at the same time
    CHECK(r.m.until() == r.now + 1s);
    r.pass(1s);
    CHECK(r.says() == "take east");
    CHECK(r.says() == "");  // an answer is due
    CHECK_FALSE(r.m.idle());
    r.took("east", 1);
    CHECK(r.says() == "engage east");
    CHECK(r.m.status().clusters == std::vector<std::string>{"east"});
}

TEST_CASE("shard_machine: a cluster that leaves is disengaged, and given away when what was on its way has arrived") {
    replica r;
    r.begin({"east"});
    r.hold("east", 3);
    r.m.want({});
    CHECK(r.says() == "disengage east");
    r.pass(1min);
    CHECK(r.says() == "");
    r.m.disengaged("east", r.now);
    CHECK(r.says() == "");
    r.pass(1s);
    CHECK(r.says() == "release east@3");
    r.m.released("east", {}, r.now, 0.5);
    CHECK(r.says() == "");
    CHECK(r.m.idle());
}

TEST_CASE("shard_machine: one that joins gets its share, and no more") {
    const std::string his = cluster_for("other", "me"), mine = cluster_for("me", "other");
    replica r;
    r.begin({his, mine});
    const std::string taken = r.says();
    CHECK(taken.find("take " + his) != std::string::npos);
    r.took(his, 1);
    r.took(mine, 2);
    CHECK(r.says().find("engage " + his) != std::string::npos);
    r.m.observed(peer_of("other", 1), r.now);
    CHECK(r.says() == "disengage " + his);
    r.m.disengaged(his, r.now);
    r.pass(1s);
    CHECK(r.says() == "release " + his + "@1");
    r.m.released(his, {}, r.now, 0.5);
    CHECK(r.says() == "");
    CHECK(r.m.status().clusters == std::vector<std::string>{mine});
}

TEST_CASE("shard_machine: of a replica that is silent the Lease is deleted first, then its clusters are taken") {
    const std::string his = cluster_for("other", "me");
    replica r;
    r.m.observed(peer_of("other", 1), r.now);
    r.m.observed(claim_of(his, "other", 7), r.now);
    r.begin({his});
    CHECK(r.says() == "");
    r.pass(10s);
    r.m.observed(peer_of("other", 2), r.now);
    r.pass(10s);
    CHECK(r.says() == "");  // renewed since
    r.pass(5s);
    const std::string lease = peer_lease_name("g", "other");
    CHECK(r.says() == "expel " + lease + "@2");
    CHECK(r.says() == "");
    SUBCASE("it is gone") { r.m.expelled(lease, {}, r.now, 0.5); }
    SUBCASE("another one has done it") { r.m.expelled(lease, absent, r.now, 0.5); }
    CHECK(r.says() == "take " + his + "@7");
    r.took(his, 8);
    CHECK(r.says() == "engage " + his);
}

TEST_CASE("shard_machine: a replica whose Lease has another version lives, whatever the watch says") {
    const std::string his = cluster_for("other", "me");
    replica r;
    r.m.observed(peer_of("other", 1), r.now);
    r.m.observed(claim_of(his, "other", 7), r.now);
    r.begin({his});
    r.pass(15s);
    const std::string lease = peer_lease_name("g", "other");
    CHECK(r.says() == "expel " + lease + "@1");
    r.m.expelled(lease, conflict, r.now, 0.5);
    CHECK(r.says() == "confirm " + lease);
    r.m.confirmed(lease, timeout, r.now, 0);
    CHECK(r.says() == "");
    r.pass(2s);
    CHECK(r.says() == "confirm " + lease);
    SUBCASE("it dies later, and the watch is still behind") {
        r.m.confirmed(lease, peer_of("other", 9), r.now, 0);
        CHECK(r.says() == "");
        r.pass(14s);
        CHECK(r.says() == "");
        r.pass(1s);
        const std::string both = r.says();
        CHECK(both.find("expel " + lease + "@9") != std::string::npos);
    }
    SUBCASE("it is gone by now") {
        r.m.confirmed(lease, absent, r.now, 0);
        CHECK(r.m.status().peers.size() == 2);  // as of the last look
        CHECK(r.says() == "take " + his + "@7");
        CHECK(r.m.status().peers.size() == 1);
    }
}

TEST_CASE("shard_machine: what a living one is to give away is asked for, too: the watch may never tell of it") {
    const std::string mine = cluster_for("me", "other");
    const std::string lease = peer_lease_name("g", "other");
    replica r;
    r.m.observed(peer_of("other", 1), r.now);
    r.begin({mine});
    // It was there between two looks of the watch.
    CHECK(r.says() == "take " + mine);
    r.m.took(mine, exists, r.now, 0.5);
    CHECK(r.says() == "look " + mine);
    r.m.looked(mine, claim_of(mine, "other", 4), r.now, 0.5);
    CHECK(r.says() == "");
    const auto lives = [&](int renewal) { r.m.observed(peer_of("other", renewal), r.now); };
    r.pass(10s);
    lives(2);
    CHECK(r.says() == "");
    CHECK(r.m.until() == r.now + 5s);
    r.pass(5s);
    lives(3);
    CHECK(r.says() == "look " + mine);
    SUBCASE("he has it still") {
        r.m.looked(mine, claim_of(mine, "other", 4), r.now, 0.5);
        CHECK(r.says() == "");
        r.pass(14s);
        lives(4);
        CHECK(r.says() == "");
        r.pass(1s);
        CHECK(r.says() == "look " + mine);
    }
    SUBCASE("he has given it away") {
        r.m.looked(mine, absent, r.now, 0.5);
        CHECK(r.says() == "take " + mine);
    }
    SUBCASE("there is no answer") {
        r.m.looked(mine, timeout, r.now, 0);
        CHECK(r.says() == "");
        r.pass(2s);
        CHECK(r.says() == "look " + mine);
    }
}

TEST_CASE("shard_machine: what is claimed by one that is not to be seen is taken after a question at the server") {
    replica r;
    r.m.observed(claim_of("east", "other", 7), r.now);
    r.begin({"east"});
    const std::string lease = peer_lease_name("g", "other");
    CHECK(r.says() == "confirm " + lease);
    SUBCASE("it lives") {
        r.m.confirmed(lease, peer_of("other", 5), r.now, 0.5);
        CHECK(r.says() == "");
        CHECK(r.m.status().peers.size() == 2);
    }
    SUBCASE("nobody knows") {
        r.m.confirmed(lease, timeout, r.now, 0);
        CHECK(r.says() == "");
        r.pass(2s);
        CHECK(r.says() == "confirm " + lease);
    }
    SUBCASE("it is gone") {
        r.m.confirmed(lease, absent, r.now, 0.5);
        CHECK(r.says() == "take east@7");
    }
    SUBCASE("it is gone, but meanwhile it was back and claimed the cluster again") {
        r.m.observed(claim_of("east", "other", 9), r.now);
        r.m.confirmed(lease, absent, r.now, 0.5);
        CHECK(r.says() == "confirm " + lease);
    }
    SUBCASE("it is gone, and the same version was told twice") {
        r.m.observed(claim_of("east", "other", 7), r.now);
        r.m.confirmed(lease, absent, r.now, 0.5);
        CHECK(r.says() == "take east@7");
    }
}

TEST_CASE("shard_machine: where another one was faster it looks before it writes") {
    replica r;
    r.begin({"east"});
    CHECK(r.says() == "take east");
    r.m.took("east", exists, r.now, 0.5);
    CHECK(r.says() == "look east");
    r.m.looked("east", claim_of("east", "other", 4), r.now, 0.5);
    CHECK(r.says() == "confirm " + peer_lease_name("g", "other"));
}

TEST_CASE("shard_machine: a write of which nothing is known is looked after, and done again") {
    replica r;
    r.begin({"east"});
    CHECK(r.says() == "take east");
    r.m.took("east", timeout, r.now, 0);
    CHECK(r.says() == "");
    r.pass(2s);
    CHECK(r.says() == "look east");
    SUBCASE("it went through") {
        r.m.looked("east", claim_of("east", "me", 4), r.now, 0.5);
        CHECK(r.says() == "take east@4");
    }
    SUBCASE("it did not") {
        r.m.looked("east", absent, r.now, 0.5);
        CHECK(r.says() == "take east");
    }
    SUBCASE("it went through, and the cluster has left") {
        r.m.looked("east", absent, r.now, 0.5);  // before it arrived
        r.m.want({});
        CHECK(r.says() == "");
        r.m.observed(claim_of("east", "me", 4), r.now);
        CHECK(r.says() == "release east@4");
    }
}

TEST_CASE("shard_machine: at the end of a term all is disengaged; the next one writes every claim anew") {
    replica r;
    r.begin({"east"});
    r.hold("east", 1);
    r.m.end_term();
    CHECK(r.says() == "disengage east");
    CHECK_FALSE(r.m.idle());
    r.m.disengaged("east", r.now);
    r.pass(1s);
    CHECK(r.says() == "");
    CHECK(r.m.idle());
    r.m.begin_term(r.now);
    CHECK(r.says() == "look east");
    r.m.looked("east", claim_of("east", "me", 1), r.now, 0.5);
    CHECK(r.says() == "");
    r.pass(1s);
    CHECK(r.says() == "take east@1");
}

TEST_CASE("shard_machine: what was taken in the term before is not engaged in the next") {
    replica r;
    r.begin({"east"});
    CHECK(r.says() == "take east");
    r.m.end_term();
    CHECK(r.says() == "");
    r.took("east", 1);
    CHECK(r.says() == "");
    r.m.begin_term(r.now);
    r.pass(1s);
    CHECK(r.says() == "look east");
}

TEST_CASE("shard_machine: a claim that somebody else writes or deletes is looked at, and lost") {
    replica r;
    r.begin({"east"});
    r.hold("east", 2);
    SUBCASE("an old event") {
        r.m.vanished(claim_of("east", "other", 1));
        CHECK(r.says() == "look east");
        r.m.looked("east", claim_of("east", "me", 2), r.now, 0.5);
        CHECK(r.says() == "");
        CHECK(r.m.status().clusters.size() == 1);
        return;
    }
    SUBCASE("it is another's") {
        r.m.observed(claim_of("east", "other", 3), r.now);
        CHECK(r.says() == "look east");
        r.m.looked("east", claim_of("east", "other", 3), r.now, 0.5);
    }
    SUBCASE("it was deleted") {
        r.m.vanished(claim_of("east", "me", 2));
        CHECK(r.says() == "look east");
        r.m.looked("east", absent, r.now, 0.5);
    }
    CHECK(r.says() == "disengage east");
    r.m.disengaged("east", r.now);
    r.pass(1s);
    CHECK(r.says() == "look east");  // and nothing is released
}

TEST_CASE("shard_machine: at a stop everything is given away, and nothing taken") {
    replica r;
    r.begin({"east", "west"});
    CHECK(r.says() == "take east, take west");
    r.took("east", 1);
    CHECK(r.says() == "engage east");
    r.m.drain(true);
    CHECK(r.says() == "disengage east");
    r.took("west", 2);
    CHECK(r.says() == "release west@2");
    r.m.released("west", {}, r.now, 0.5);
    r.m.disengaged("east", r.now);
    r.pass(1s);
    CHECK(r.says() == "release east@1");
    r.m.released("east", conflict, r.now, 0.5);
    CHECK(r.says() == "look east");
    r.m.looked("east", claim_of("east", "me", 5), r.now, 0.5);
    CHECK(r.says() == "release east@5");
    r.m.released("east", absent, r.now, 0.5);
    CHECK(r.says() == "");
    CHECK(r.m.idle());
}

TEST_CASE("shard_machine: a Lease that says nothing of use is nobody's") {
    replica r;
    r.begin({"east"});
    shard_lease nameless = claim_of("east", "other", 4);
    nameless.metadata.annotations.clear();
    r.m.observed(nameless, r.now);
    shard_lease false_name = peer_of("other", 1);
    false_name.metadata.name = text("g-peer-another");
    r.m.observed(false_name, r.now);
    CHECK(r.says() == "take east");
    CHECK(r.m.status().peers.size() == 1);
    CHECK(weight_of(peer_of("x", 1, 7)) == 7);
    CHECK(weight_of(peer_of("x", 1, 5000)) == 1);
}

TEST_CASE("shard_machine: so many requests at once, and the others when those are answered") {
    std::set<std::string> many;
    for (int i = 0; i < 40; ++i) many.insert("c" + std::to_string(100 + i));
    replica r;
    r.begin(many);
    std::vector<shard_action> first = r.m.next(r.now, wall_time());
    CHECK(first.size() == 16);
    for (const auto& one : first) r.took(one.name, 1);
    const auto second = r.m.next(r.now, wall_time());
    CHECK(second.size() == 32);  // 16 are engaged, 16 more are taken
}
