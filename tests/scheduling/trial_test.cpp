// A trial on a cache: while it lasts, the cache is as if all had happened; then it is as before.
#include <kcontrol/scheduling/cycle.hpp>
#include <kcontrol/scheduling/trial.hpp>

#include "scheduling/objects.hpp"
#include "scheduling/plugin_world.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;
using scheduling::interned_name;

namespace {

std::vector<std::string> names(const std::vector<const scheduling::pod_info*>& of) {
    std::vector<std::string> out;
    for (const auto* pod : of) out.emplace_back(pod->name());
    std::sort(out.begin(), out.end());
    return out;
}

std::vector<std::string> names(const std::vector<const scheduling::node_info*>& of) {
    std::vector<std::string> out;
    for (const auto* node : of) out.emplace_back(node->name());
    std::sort(out.begin(), out.end());
    return out;
}

// All that a snapshot shows, as text: orders that are of no meaning do not show.
std::string text_of(const scheduling::cache& cluster) {
    const auto& seen = cluster.snapshot();
    std::string out = std::to_string(seen.pod_count()) + " " + std::to_string(cluster.assumed_count());
    const auto add = [&](const std::vector<std::string>& all) {
        out += " [";
        for (const auto& one : all) out.append(one).append(" ");
        out += "]";
    };
    for (const auto* node : seen.nodes()) {
        out.append("\n").append(node->name());
        add(names(node->pods()));
        add(names(node->pods_with_affinity()));
        add(names(node->pods_with_required_anti_affinity()));
        out.append(" ").append(std::to_string(node->requested().cpu_milli));
        out.append(" ").append(std::to_string(node->requested().pods));
        out.append(" ").append(std::to_string(node->scored_memory()));
        for (const auto& port : node->used_ports()) out.append(" ").append(std::to_string(port.port));
    }
    add(names(seen.nodes_with_affinity()));
    add(names(seen.nodes_with_required_anti_affinity()));
    for (const char* space : {"default", "other"}) {
        std::vector<std::string> pods;
        for (const auto* placed : seen.pods_in(space)) {
            pods.push_back(std::string(placed->pod->name()) + "@" + std::string(placed->node->name()) +
                           (placed->is_assumed ? "?" : "") + (placed->pod->uid().empty() ? "!" : ""));
        }
        std::sort(pods.begin(), pods.end());
        add(pods);
    }
    return out;
}

const char* const specs[] = {
    R"({"containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]})",
    R"({"containers":[{"name":"c","ports":[{"containerPort":1,"hostPort":80}]}]})",
    R"({"containers":[],"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[
        {"topologyKey":"rack","labelSelector":{}}]}}})",
    R"({"containers":[],"affinity":{"podAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[
        {"weight":1,"podAffinityTerm":{"topologyKey":"zone","labelSelector":{}}}]}}})",
};

std::shared_ptr<const scheduling::pod_info> random_pod(std::mt19937_64& random, int number) {
    return pod_of((random() % 2 == 0 ? "p" : "other/p") + std::to_string(number), specs[random() % std::size(specs)]);
}

}  // namespace

TEST_CASE("a trial that is undone leaves the cache as it was") {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        plugin_world world;
        for (int i = 0; i < 4; ++i) world.node("n" + std::to_string(i), R"("rack":"r","zone":"z")");
        auto& cluster = world.cache();
        std::vector<std::shared_ptr<const scheduling::pod_info>> pods;
        for (int i = 0; i < 12; ++i) {
            pods.push_back(random_pod(random, i));
            // One node is not known to the cluster: pods of it count, and are not taken away.
            if (i % 3 == 0) {
                cluster.assume(pods.back(), "n" + std::to_string(random() % 4));
            } else {
                auto bound = pods.back()->pod();
                bound.spec.node_name = "n" + std::to_string(random() % 5);
                cluster.set_pod(std::make_shared<const scheduling::pod_info>(std::make_shared<core::pod>(bound)));
            }
        }
        const std::string before = text_of(cluster);
        {
            scheduling::trial attempt(cluster);
            std::vector<std::pair<std::size_t, std::string>> marks;
            for (int step = 0; step < 30; ++step) {
                if (random() % 5 == 0) marks.emplace_back(attempt.steps(), text_of(cluster));
                const auto pod = random() % 2 == 0 ? pods[random() % pods.size()] : random_pod(random, 12 + step);
                if (random() % 2 == 0) {
                    attempt.place(pod, "n" + std::to_string(random() % 6));
                } else {
                    attempt.take_away(*pod);
                }
                if (random() % 4 == 0) cluster.prepare(*pod);
                if (random() % 10 == 0 && !marks.empty()) {
                    attempt.roll_back(marks.back().first);
                    CHECK(text_of(cluster) == marks.back().second);
                    marks.pop_back();
                }
                while (!marks.empty() && marks.back().first > attempt.steps()) marks.pop_back();
            }
        }
        CHECK(text_of(cluster) == before);
        // What the cache knows of assumed pods is there again: the watch confirms them.
        for (std::size_t i = 0; i < pods.size(); i += 3) {
            auto bound = pods[i]->pod();
            bound.spec.node_name = cluster.snapshot().find_pod(pods[i]->namespace_(), pods[i]->name())->node->name();
            const auto shown = std::make_shared<const scheduling::pod_info>(std::make_shared<core::pod>(bound));
            CHECK(cluster.set_pod(shown) == scheduling::pod_change::confirmed);
        }
        CHECK(cluster.assumed_count() == 0);
    }
}

TEST_CASE("what a trial does counts while it lasts") {
    plugin_world world;
    world.node("n1").node("n2").pod("n1", "old");
    auto& cluster = world.cache();
    const auto pod = pod_of("new", specs[0]);
    scheduling::trial attempt(cluster);
    CHECK(attempt.place(pod, "n2"));
    CHECK_FALSE(attempt.place(pod, "n1"));  // it counts already
    CHECK_FALSE(attempt.place(pod_of("more", specs[0]), "n3"));
    CHECK(cluster.snapshot().find("n2")->requested().cpu_milli == 1000);
    const auto old = attempt.take_away(*pod_of("old", R"({"containers":[]})"));
    REQUIRE(old != nullptr);
    CHECK(old->name() == "old");
    CHECK(attempt.take_away(*old) == nullptr);
    CHECK(cluster.snapshot().find_pod("default", "old") == nullptr);
    CHECK(attempt.steps() == 2);
    attempt.roll_back(1);
    CHECK(cluster.snapshot().find_pod("default", "old")->pod == old.get());
    CHECK(cluster.snapshot().find_pod("default", "new") != nullptr);
    attempt.roll_back();
    CHECK(cluster.snapshot().find_pod("default", "new") == nullptr);
}
