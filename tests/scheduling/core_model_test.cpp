// A whole scheduler without surroundings beside a plain list: random events of a cluster, late, lost and refused
// answers, evictions and restarts.
//
// After each step no node holds more than its allocatable, but through other schedulers. When nothing happens any more,
// each pod that fits is bound, gangs have their minimum or hold nothing, and each pod that waits has a reason.
#include <kcontrol/scheduling/scheduler_core.hpp>

#include "scheduling/first_fit.hpp"
#include "scheduling/objects.hpp"
#include "scheduling/simulated_server.hpp"
#include "support/how_much.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;
using scheduling::bind_effect;
using scheduling::condition_effect;
using scheduling::effect;
using scheduling::evict_effect;
using scheduling::nominate_effect;
using scheduling::pod_info;
using scheduling::scheduler_core;

namespace {

class world {
public:
    world(std::uint64_t seed, bool has_gangs, bool has_preemption)
        : server_(seed), has_gangs_(has_gangs), has_preemption_(has_preemption) {
        restart();
    }

    void step() {
        now_ += std::chrono::milliseconds(below(10) == 0 ? below(20'000) : below(300));
        switch (below(20)) {
        case 0:
        case 1: create(); break;
        case 2: remove(); break;
        case 3: change_node(); break;
        case 4: bind_elsewhere(); break;
        case 5: end(); break;
        case 6:
        case 7:
        case 8:
        case 9: deliver_event(); break;
        case 10: server_.carry_out(15, 25); break;
        case 11:
        case 12: deliver_answer(); break;
        case 13: deliver_read(); break;
        case 14: evict_one(below(3) == 0); break;
        case 15: core_->advance(now_); break;
        case 16:
            if (below(60) == 0) restart();
            break;
        default: core_->step(now_);
        }
        carry_out_effects();
        check_capacity();
    }

    /// Nothing happens any more but what is under way, and time.
    void rest() {
        for (int turn = 0; turn < 400; ++turn) {
            while (!server_.requests.empty()) server_.carry_out(0, 0);
            while (!server_.answers.empty()) deliver_answer();
            while (!server_.reads.empty()) deliver_read();
            while (!evictions_.empty()) evict_one(false);
            while (!server_.events.empty()) deliver_event();
            core_->advance(now_);
            while (core_->step(now_)) check_capacity();
            carry_out_effects();
            check_capacity();
            now_ += 5s;
        }
        // At rest a pod is tried again by the flush only, which comes every five minutes, and nothing follows.
        const std::size_t decisions = decider_.decisions;
        for (int second = 0; second < 240; ++second) {
            core_->advance(now_ += 1s);
            while (core_->step(now_)) CHECK(core_->take_effects().empty());
        }
        CHECK(decider_.decisions - decisions <= server_.pods.size());
        CHECK(core_->take_effects().empty());
        check_rest();
    }

private:
    std::uint64_t below(std::uint64_t n) { return server_.below(n); }

    void create() {
        core::pod made;
        made.metadata.name = "p" + std::to_string(below(24));
        if (server_.pods.contains(made.metadata.name)) return;
        made.metadata.namespace_ = "default";
        made.metadata.uid = "uid" + std::to_string(++uids_);
        made.spec.containers.emplace_back().resources.requests["cpu"] = std::to_string(1 + below(3));
        made.spec.scheduler_name = below(8) == 0 ? "theirs" : "ours";
        made.spec.priority = static_cast<std::int32_t>(below(3));
        made.status.phase = "Pending";
        if (has_gangs_ && below(2) == 0 && made.spec.scheduler_name == "ours") {
            made.metadata.labels["scheduling.kcontrol.dev/gang"] = "g" + std::to_string(below(3));
            made.metadata.annotations["scheduling.kcontrol.dev/gang-size"] = "3";
        }
        server_.put(std::move(made));
    }
    void remove() {
        if (const auto pod = server_.some_pod()) server_.erase_pod(pod->metadata.name);
    }
    void end() {
        const auto pod = server_.some_pod();
        if (pod == nullptr || pod->spec.node_name.empty()) return;
        core::pod changed = *pod;
        changed.status.phase = below(2) == 0 ? "Succeeded" : "Failed";
        server_.put(std::move(changed));
    }
    void change_node() {
        const std::string name = "n" + std::to_string(below(4));
        if (below(4) == 0) return server_.erase_node(name);
        // A node never loses what it has while it is there: its pods would be too many for it.
        const auto found = server_.nodes.find(name);
        const std::uint64_t before =
            found == server_.nodes.end() ? 0 : std::stoull(found->second->status.allocatable.get("cpu")->str());
        server_.put(node_of(name, R"({"cpu":")" + std::to_string(before + below(4)) + R"(","pods":"99"})"));
    }
    void bind_elsewhere() {
        const auto pod = server_.some_pod();
        if (pod == nullptr || !pod->spec.node_name.empty() || pod->spec.scheduler_name == "ours") return;
        core::pod bound = *pod;
        bound.spec.node_name = "n" + std::to_string(below(4));
        server_.put(std::move(bound));
    }

    void deliver_event() {
        const auto event = server_.next_event();
        if (!event) return;
        if (event->node != nullptr) {
            event->is_deleted ? core_->remove_node(event->node->metadata.name, now_)
                              : core_->set_node(event->node, now_);
        } else if (event->is_deleted) {
            const auto& meta = event->pod->metadata;
            core_->remove_pod(meta.namespace_, meta.name, meta.uid, now_);
        } else {
            core_->set_pod(event->pod, now_);
        }
    }
    void deliver_answer() {
        const auto one = server_.any_answer();
        if (!one) return;
        switch (one->how) {
        case simulated_server::outcome::bound: return core_->bound(one->of, now_);
        case simulated_server::outcome::refused: return core_->refused(one->of, {0, "refused"}, now_);
        default: server_.ask_for(one->of);
        }
    }
    void deliver_read() {
        if (const auto one = server_.any_read()) core_->settle(one->of, one->found, now_);
    }
    void evict_one(bool fails) {
        if (evictions_.empty()) return;
        const auto pod = evictions_.front();
        evictions_.erase(evictions_.begin());
        const auto found = server_.pods.find(std::string(pod->name()));
        const bool is_there = found != server_.pods.end() && found->second->metadata.uid == pod->uid();
        if (!is_there) return;  // a 404: the watch shows it
        if (fails) return core_->eviction_failed(*pod, now_);
        server_.erase_pod(found->first);
    }

    void carry_out_effects() {
        for (const auto& one : core_->take_effects()) {
            if (const auto* const bind = std::get_if<bind_effect>(&one)) {
                server_.requests.push_back({bind->place.assumed, bind->place.node, bind->place.annotations});
            } else if (const auto* const evict = std::get_if<evict_effect>(&one)) {
                // No pod is evicted twice, unless it failed.
                for (const auto& other : evictions_) REQUIRE(other->uid() != evict->pod->uid());
                evictions_.push_back(evict->pod);
            } else if (const auto* const place = std::get_if<nominate_effect>(&one)) {
                edit(*place->pod, [&](core::pod& pod) { pod.status.nominated_node_name = place->node; });
            } else if (const auto* const wrong = std::get_if<condition_effect>(&one)) {
                edit(*wrong->pod, [&](core::pod& pod) {
                    pod.status.conditions.clear();
                    auto& condition = pod.status.conditions.emplace_back();
                    condition.type = "PodScheduled";
                    condition.status = "False";
                    condition.reason = wrong->reason;
                    condition.message = wrong->message;
                });
            }
        }
    }
    template <class F>
    void edit(const pod_info& pod, const F& f) {
        const auto found = server_.pods.find(std::string(pod.name()));
        if (found == server_.pods.end() || found->second->metadata.uid != pod.uid()) return;
        core::pod changed = *found->second;
        f(changed);
        server_.put(std::move(changed));
    }

    void restart() {
        server_.cut_off(15);
        evictions_.clear();
        core_ = std::make_unique<scheduler_core>(decider_);
        decider_.begin(*core_);
        decider_.may_preempt = has_preemption_;
        for (const auto& [name, node] : server_.nodes) core_->set_node(node, now_);
        for (const auto& [name, pod] : server_.pods) core_->set_pod(pod, now_);
    }

    static bool counts(const core::pod& pod) { return pod.status.phase != "Succeeded" && pod.status.phase != "Failed"; }
    static std::int64_t cpu_of(const core::pod& pod) {
        return pod_info(std::make_shared<const core::pod>(pod)).requests().cpu_milli;
    }
    std::int64_t capacity(const std::string& node) const {
        const auto found = server_.nodes.find(node);
        return found == server_.nodes.end() ? 0
                                            : std::stoll(found->second->status.allocatable.get("cpu")->str()) * 1000;
    }

    // The API server's truth. A node that is made again with less, and pods of other schedulers, may be too much.
    void check_capacity() {
        std::map<std::string, std::int64_t> used;
        std::set<std::string> has_others;
        for (const auto& [name, pod] : server_.pods) {
            if (pod->spec.node_name.empty() || !counts(*pod)) continue;
            used[pod->spec.node_name] += cpu_of(*pod);
            if (pod->spec.scheduler_name != "ours") has_others.insert(pod->spec.node_name);
        }
        for (const auto& event : server_.events) {
            if (event.node != nullptr && event.is_deleted) was_gone_.insert(event.node->metadata.name);
        }
        for (const auto& each : used) {
            const auto& [node, cpu] = each;
            if (has_others.contains(node)) was_shared_.insert(node);
            if (was_shared_.contains(node) || was_gone_.contains(node)) continue;
            CAPTURE(each.first);
            REQUIRE(cpu <= capacity(node));
        }
    }

    void check_rest() {
        REQUIRE(core_->binding_count() == 0);
        REQUIRE(core_->nodes().assumed_count() == 0);
        std::map<std::string, std::int64_t> used;
        std::map<std::string, std::pair<int, int>> gangs;  // members that wait, and that are placed or succeeded
        for (const auto& [name, pod] : server_.pods) {
            if (!pod->spec.node_name.empty() && counts(*pod)) used[pod->spec.node_name] += cpu_of(*pod);
            const auto* const gang = pod->metadata.labels.get("scheduling.kcontrol.dev/gang");
            if (gang == nullptr || pod->status.phase == "Failed") continue;
            ++(pod->spec.node_name.empty() ? gangs[*gang].first : gangs[*gang].second);
        }
        std::int64_t most_free = 0;
        for (const auto& [name, node] : server_.nodes) {
            const auto* const known = core_->nodes().snapshot().find(name);
            REQUIRE(known != nullptr);
            REQUIRE(known->requested().cpu_milli == used[name]);
            most_free = std::max(most_free, capacity(name) - used[name]);
        }
        for (const auto& each : server_.pods) {
            const auto& [name, pod] = each;
            if (!pod->spec.node_name.empty() || pod->spec.scheduler_name != "ours" || !counts(*pod)) continue;
            CAPTURE(each.first);
            const auto* const waits = core_->queue().find("default", name);
            REQUIRE(waits != nullptr);
            REQUIRE(waits->pod->uid() == pod->metadata.uid);
            REQUIRE_MESSAGE(!pod->status.conditions.empty(), "nobody knows why it waits");
            const auto* const gang = pod->metadata.labels.get("scheduling.kcontrol.dev/gang");
            const bool is_alone = gang == nullptr || gangs[*gang].second >= 3;
            if (is_alone) REQUIRE(cpu_of(*pod) > most_free);
        }
        for (const auto& each : gangs) {
            const auto& [name, of] = each;
            CAPTURE(each.first);
            // A waiting gang holds nothing: after the timeout its pods were evicted.
            if (of.second < 3) {
                for (const auto& [pod_name, pod] : server_.pods) {
                    const auto* const gang = pod->metadata.labels.get("scheduling.kcontrol.dev/gang");
                    if (gang != nullptr && *gang == name) REQUIRE((pod->spec.node_name.empty() || !counts(*pod)));
                }
            }
        }
        REQUIRE(core_->nominations().empty());
    }

    simulated_server server_;
    bool has_gangs_;
    bool has_preemption_;
    time_point now_{1000s};
    std::uint64_t uids_ = 0;
    first_fit decider_;
    std::unique_ptr<scheduler_core> core_;
    std::vector<std::shared_ptr<const pod_info>> evictions_;
    std::set<std::string> was_shared_;  // with another scheduler, at some time
    std::set<std::string> was_gone_;    // nodes that were deleted at some time
};

void run(bool has_gangs, bool has_preemption) {
    const auto steps = test::asked_for("KCONTROL_SCHEDULING_STEPS", test::as_many_as(10'000));
    constexpr std::uint64_t steps_of_world = 500;
    for (std::uint64_t seed = 1; seed <= std::max<std::uint64_t>(1, steps / steps_of_world); ++seed) {
        CAPTURE(seed);
        world one(seed, has_gangs, has_preemption);
        for (std::uint64_t step = 0; step < steps_of_world; ++step) {
            CAPTURE(step);
            one.step();
        }
        one.rest();
    }
}

}  // namespace

TEST_CASE("scheduler_core: pods beside a plain list") { run(false, false); }
TEST_CASE("scheduler_core: pods and gangs beside a plain list") { run(true, false); }
TEST_CASE("scheduler_core: preemption beside a plain list") { run(false, true); }
TEST_CASE("scheduler_core: gangs and preemption beside a plain list") { run(true, true); }
