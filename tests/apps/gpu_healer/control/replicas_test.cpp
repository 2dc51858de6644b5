// Two replicas with leader election, of which the leader is killed in each phase of a case: the other one goes on, and
// each effect is there once a token.
#include <kcontrol/leader/options.hpp>

#include "heal_world.hpp"

#include <set>

using namespace gpu_healer;
using namespace gpu_healer::tests;

namespace {

std::unique_ptr<manager> replica(heal_world& w, const char* name) {
    auto options = watched();
    options.leader_election(leader_options({"default", "gpu-healer"}).identity(name));
    auto out = std::make_unique<manager>(w.world.env(), w.world.get_executor(), w.world.connect(w.server), options);
    REQUIRE(set_up(*out, w.steps));
    out->start();
    w.settle(3s);
    return out;
}

}  // namespace

TEST_CASE("the leader of two replicas is killed in each phase: the other one ends the case, each step is begun once") {
    for (const std::string phase : {"Suspected", "Held", "Quarantined", "Draining", "Repairing", "Verifying",
                                    "NeedsHuman", "Released", "Cancelled"}) {
        CAPTURE(phase);
        heal_world w;
        w.stop();
        auto leader = replica(w, "one");
        const auto other = replica(w, "two");
        w.add_nodes(3);
        w.add_pod("train", "n0");
        const json::object condition{{"type", "kcontrol.dev/GPUHealthy"}, {"status", "False"}};
        w.add_policy({{"triggers", {{{"condition", condition}, {"forSeconds", 3}}}},
                      {"breaker", {{"minNodes", 1}, {"maxPercent", 1}, {"windowSeconds", 1}}},
                      {"drain", {{"mode", "Evict"}}},
                      {"verify", {{"holdSeconds", 5}}}});
        const auto begun = w.world.env().now();
        w.steps->outcome = [&](const step_request& what) {
            const bool fails = phase == "NeedsHuman" && what.node == "n0";
            const bool over = w.world.env().now() - begun > 20s;
            return step_outcome(!over   ? step_outcome::state::running
                                : fails ? step_outcome::state::failed
                                        : step_outcome::state::succeeded,
                                "words");
        };
        w.fail("n0");
        w.settle(1s);
        w.fail("n1");
        const auto in_phase = [&] {
            for (const auto& each : w.repairs()) {
                if (each.status.phase == phase) return true;
            }
            return false;
        };
        bool removed = false;
        std::set<std::string> healed;
        for (int second = 0; second < 1200; ++second) {
            if (leader) w.world.run_until(in_phase, 1s);
            if (leader && in_phase()) leader.reset();  // as it is
            if (!leader || !in_phase()) w.world.run_for(1s);
            (void)w.end_pods();
            for (const std::string node : {"n0", "n1"}) {
                const auto now = w.phase(node);
                const bool waits = now.starts_with("Verifying") || now.starts_with("NeedsHuman");
                if (phase == "Cancelled" && node == "n0" && waits && !removed) {
                    w.edit_node("n0", {{"spec", {{"taints", nullptr}}}});
                    removed = true;
                } else if (waits && (leader == nullptr || phase != now.substr(0, phase.size()))) {
                    if (healed.insert(node).second) w.heal(node);
                }
            }
            if (w.phase("n0").starts_with(phase == "Cancelled" ? "Cancelled" : "Released") &&
                w.phase("n1") == "Released" && w.tainted() == 0)
                break;
        }
        w.settle(30s);
        CHECK_FALSE(leader);
        CHECK(w.phase("n0") == (phase == "Cancelled" ? "Cancelled TaintRemoved" : "Released"));
        CHECK(w.phase("n1") == "Released");
        CHECK(w.tainted() == 0);
        CHECK(w.repairs().size() == 2);
        CHECK(w.steps->begun.size() == 2);
        for (const auto& [token, times] : w.steps->begun) CHECK(times == 1);
        for (const auto& each : w.repairs()) {
            CHECK(each.metadata.finalizers.empty());
            CHECK(is_true(each.status.conditions, "Complete"));
        }
        CHECK(w.annotation("n0", overridden_annotation).empty() == (phase != "Cancelled"));
        if (phase == "Released") {  // an idle hour: nothing but the Lease is written
            const auto others = [&] {
                std::size_t leases = 0;
                for (const char* verb : {"create", "update", "patch", "delete"})
                    leases += w.server.api().request_log().count(verb, "leases");
                return std::pair(w.writes() - leases, leases);
            };
            const auto before = others();
            w.world.run_for(1h);
            CHECK(others().first == before.first);
            CHECK(others().second > before.second);
        }
        w.world.run(other->stop());
    }
}
