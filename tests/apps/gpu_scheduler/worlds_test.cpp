// Worlds in memory: pods with whole GPUs, shares, slices and claims, GPUs and nodes that die and come back, pods of
// another scheduler, late, lost and refused answers, restarts. After each step a reader of the API alone finds nothing
// that is given twice. At rest the program's sums are those of the pods and claims.
#include <kcontrol/scheduling/dynamic_resources.hpp>
#include <kcontrol/scheduling/scheduler_core.hpp>
#include <kcontrol/testing/sim_world.hpp>

#include "allocation_checker.hpp"
#include "claim_server.hpp"
#include "plugins/registry.hpp"
#include "scheduling/profile_decider.hpp"
#include "scheduling/simulated_server.hpp"
#include "simulation/seeds.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;
using gpu_scheduler::board;
using scheduling::pod_info;
using scheduling::scheduler_core;

namespace {

constexpr int gpus_of_node = 3;

// The devices of n4: two GPUs, of which the second one has parts.
std::vector<gpu_scheduler::test::slice_device> sliced_devices() {
    return {{"gpu-0", "GPU-n4-0"},
            {"gpu-1", "GPU-n4-1", 40, false, "gpu-1"},
            {"mig-0", "GPU-n4-1", 20, true, "gpu-1", 4},
            {"mig-1", "GPU-n4-1", 20, true, "gpu-1", 4, "", 4},
            {"mig-2", "GPU-n4-1", 10, true, "gpu-1", 2}};
}

class gpu_world {
public:
    gpu_world(testing::sim_world& in, std::uint64_t seed)
        : server_(seed),
          env_(in.env()),
          metrics_(env_, registry_),
          has_tenants_(seed % 2 == 0),
          tells_hami_(seed % 3 == 0) {
        for (const auto& each : sliced_devices()) checker_.add_device("n4", each.name, each.uuid, each.slices);
        // The binding may be refused after the claims are written.
        server_.before_binding = [this](const simulated_server::request& one) {
            const auto& pod = one.of.pod()->pod();
            return claims_.write(pod) && (is_calm_ || pod.spec.resource_claims.empty() || below(10) != 0);
        };
        restart();
    }

    void step() {
        now_ += std::chrono::milliseconds(below(10) == 0 ? below(20'000) : below(300));
        switch (below(24)) {
        case 20: change_slices(); break;
        case 21: claims_.control(server_.pods); break;
        case 22:
        case 23: deliver_claim(); break;
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
        check();
    }
    void rest() {
        is_calm_ = true;
        for (int turn = 0; turn < 100; ++turn) {
            while (!server_.requests.empty()) server_.carry_out(0, 0);
            while (!server_.answers.empty()) deliver_answer();
            while (!server_.reads.empty()) deliver_read();
            while (!evictions_.empty()) evict_one(false);
            while (!server_.events.empty()) deliver_event();
            claims_.control(server_.pods);
            while (!claims_.events.empty()) deliver_claim();
            core_->advance(now_);
            while (core_->step(now_)) {
            }
            carry_out_effects();
            check();
            now_ += 10s;
        }
        const auto evicted = evicted_count;
        core_->advance(now_ += 1s);
        while (core_->step(now_)) {
        }
        CHECK(core_->take_effects().empty());
        CHECK(evicted_count == evicted);
        // What the program counts is what pods hold, and the same as after a restart.
        const auto before = held(*known_);
        known_->set(known_->with());
        CHECK(held(*known_) == before);
        auto again = make_board();
        const auto claims = gpu_scheduler::make_claims();
        again->follow(claims);
        claims_.fill(*claims);
        for (const auto& [name, pod] : server_.pods) {
            if (pod->spec.scheduler_name == "ours") again->set_waiting(*pod);
        }
        CHECK(held(*again) == before);
    }
    std::size_t bound_count = 0;
    std::size_t evicted_count = 0;

private:
    std::uint64_t below(std::uint64_t n) { return server_.below(n); }

    std::string held(board& of) {
        of.refresh(core_->nodes().snapshot());
        std::string out;
        for (const auto& each : of.nodes()) {
            if (each == nullptr) continue;
            out += each->node->metadata.name.str() + ":";
            std::vector<std::string> pods;
            for (const auto& one : each->holdings) {
                pods.push_back(one.pod + " " + one.tenant + " " + std::to_string(one.amount) + " " +
                               gpu_scheduler::write_record(one.devices));
            }
            std::ranges::sort(pods);
            for (const auto& one : pods) out += one + ";";
        }
        for (const auto& name : {"a", "b", "default"}) {
            const auto* account = of.book("").find(name);
            if (account == nullptr) continue;
            out += " " + std::to_string(account->allocated) + "/" + std::to_string(account->fair_share) + "/" +
                   std::to_string(of.requested("", name)) + "/" + std::to_string(of.pending(name));
        }
        return out;
    }

    void create() {
        core::pod made;
        made.metadata.name = "p" + std::to_string(below(24));
        if (server_.pods.contains(made.metadata.name)) return;
        made.metadata.namespace_ = below(2) == 0 ? "team-a" : "team-b";
        made.metadata.uid = "uid" + std::to_string(++uids_);
        made.spec.scheduler_name = below(10) == 0 ? "theirs" : "ours";
        made.spec.priority = static_cast<std::int32_t>(below(3));
        made.status.phase = "Pending";
        auto& limits = made.spec.containers.emplace_back().resources.limits;
        const auto kind = made.spec.scheduler_name == "theirs" ? 0 : below(5);
        if (kind == 4) add_claims(made);
        if (kind < 3) limits["nvidia.com/gpu"] = std::to_string(1 + below(kind == 0 ? 3 : 2));
        if (kind == 1) limits["nvidia.com/gpumem"] = std::to_string(1000 * (1 + below(10)));
        if (kind == 2) limits["nvidia.com/gpumem-percentage"] = std::to_string(10 * (1 + below(10)));
        if (kind == 1 || kind == 2) limits["nvidia.com/gpucores"] = std::to_string(20 * below(6));
        const char* const profiles[] = {"1g.5gb", "2g.10gb", "3g.20gb", "7g.40gb"};
        if (kind == 3) limits[std::string("nvidia.com/mig-") + profiles[below(4)]] = std::to_string(1 + below(2));
        if (below(6) == 0 && made.spec.scheduler_name == "ours") {
            made.metadata.labels["scheduling.kcontrol.dev/gang"] = "g" + std::to_string(below(2));
            made.metadata.annotations["scheduling.kcontrol.dev/gang-size"] = "2";
        }
        server_.put(std::move(made));
    }
    // One of its own, or one of a pod of its namespace.
    void add_claims(core::pod& to) {
        std::string name = to.metadata.uid.str();
        for (const auto& [other, claim] : claims_.claims) {
            if (below(3) == 0 && claim->metadata.namespace_ == to.metadata.namespace_) name = other;
        }
        if (!claims_.claims.contains(name)) {
            const bool is_part = below(2) == 0;
            claims_.create(to.metadata.namespace_.str(), name, is_part ? "mig" : "gpu",
                           static_cast<int>(below(is_part ? 3 : 2)) + (below(10) == 0 ? 0 : 1));
        }
        auto& made = to.spec.resource_claims.emplace_back();
        made.name = "c";
        made.resource_claim_name = name;
    }
    // A GPU falls off the bus or comes back, or the driver publishes nothing; claims keep what they have.
    void change_slices() {
        auto devices = sliced_devices();
        const auto dead = "GPU-n4-" + std::to_string(below(4));
        std::erase_if(devices, [&](const auto& each) { return each.uuid == dead; });
        auto made = gpu_scheduler::test::slice_json("n4", devices);
        made.at("spec").at("pool").as_object()["generation"] = ++generation_;
        const auto before = claims_.slice;
        const bool is_deleted = before != nullptr && below(4) == 0;
        claims_.slice = is_deleted ? nullptr : claim_server::typed<scheduling::claim_catalog::slice>(made);
        if (is_deleted) {
            catalog_->remove(*before);
        } else {
            catalog_->set(claims_.slice);
        }
        tell("resource.k8s.io/ResourceSlice", any_object(before), any_object(claims_.slice));
    }
    void deliver_claim() {
        if (claims_.events.empty()) return;
        const auto one = claims_.events.front();
        claims_.events.pop_front();
        if (one.after == nullptr) {
            catalog_->remove(*one.before);
        } else {
            catalog_->set(one.after);
        }
        tell("resource.k8s.io/ResourceClaim", any_object(one.before), any_object(one.after));
    }
    void tell(const char* resource, any_object before, any_object after) {
        const auto action = !before  ? scheduling::event_actions::add
                            : !after ? scheduling::event_actions::delete_
                                     : scheduling::event_actions::update_other;
        core_->event({{scheduling::interned_name(resource), action}, std::move(before), std::move(after)}, now_);
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
    // n0, n1: shares; n2: slices; n3: nobody names its GPUs, and sometimes nobody does on n0; n4: claims.
    void change_node() {
        const auto place = below(5);
        const std::string name = "n" + std::to_string(place);
        if (below(5) == 0) return server_.erase_node(name);
        core::node made;
        made.metadata.name = name;
        auto& has = made.status.allocatable;
        has["cpu"] = "100";
        has["memory"] = "100Gi";
        has["pods"] = "100";
        has["nvidia.com/gpu"] = std::to_string(gpus_of_node);
        std::string registered, listed, matrix, paths;
        for (int i = 0; i < gpus_of_node; ++i) {
            const auto uuid = "GPU-" + name + "-" + std::to_string(i);
            if (below(6) == 0) continue;  // it fell off the bus
            registered += std::string(registered.empty() ? "" : ",") + R"({"id":")" + uuid + R"(","index":)" +
                          std::to_string(i) + R"(,"count":4,"devmem":10000,"devcore":100,"type":"T4","health":)" +
                          (below(6) == 0 ? "false" : "true") + "}";
        }
        for (int i = 0; i < gpus_of_node; ++i) {
            const auto comma = i > 0 ? "," : "";
            listed += comma + (R"({"index":)" + std::to_string(i)) + R"(,"uuid":"GPU-)" + name + "-" +
                      std::to_string(i) + R"(","mig":)" + (i > 0 ? "true" : "false") + "}";
            matrix += std::string(comma) + "[0,0,0]";
            paths += std::string(comma) + R"(["SYS","SYS","SYS"])";
        }
        if (place == 1 || (place == 0 && below(4) != 0)) {
            made.metadata.annotations["hami.io/node-nvidia-register"] = "[" + registered + "]";
            has["nvidia.com/gpu"] = std::to_string(4 * gpus_of_node);
        }
        if (place == 2) {
            made.metadata.annotations["kcontrol.dev/gpu-topology"] =
                R"({"gpus":[)" + listed + R"(],"nvlinks":[)" + matrix + R"(],"pcie":[)" + paths + "]}";
            made.metadata.labels["nvidia.com/gpu.product"] = "NVIDIA-A100-SXM4-40GB";
            made.metadata.labels["nvidia.com/gpu.memory"] = "40960";
            has["nvidia.com/gpu"] = "1";
            for (const char* profile : {"1g.5gb", "2g.10gb", "3g.20gb", "7g.40gb"}) {
                has[std::string("nvidia.com/mig-") + profile] = "14";
            }
        }
        server_.put(std::make_shared<const core::node>(std::move(made)));
    }
    void bind_elsewhere() {
        const auto pod = server_.some_pod();
        if (pod == nullptr || !pod->spec.node_name.empty() || pod->spec.scheduler_name == "ours") return;
        core::pod bound = *pod;
        bound.spec.node_name = "n" + std::to_string(below(5));
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
            known_->remove_waiting(meta.uid);
            core_->remove_pod(meta.namespace_, meta.name, meta.uid, now_);
        } else {
            if (event->pod->spec.scheduler_name == "ours") known_->set_waiting(*event->pod);
            core_->set_pod(event->pod, now_);
        }
    }
    void deliver_answer() {
        const auto one = server_.any_answer();
        if (!one) return;
        const auto& pod = one->of.pod()->pod();
        switch (one->how) {
        case simulated_server::outcome::bound:
            ++bound_count;
            claims_.show(pod, *catalog_);
            return core_->bound(one->of, now_);
        case simulated_server::outcome::refused:
            claims_.take_back(pod.metadata.uid.str());
            claims_.show(pod, *catalog_);
            return core_->refused(one->of, {0, "refused"}, now_);
        default: server_.ask_for(one->of);
        }
    }
    void deliver_read() {
        const auto one = server_.any_read();
        if (!one) return;
        claims_.show(one->of.pod()->pod(), *catalog_);
        core_->settle(one->of, one->found, now_);
    }
    void evict_one(bool fails) {
        if (evictions_.empty()) return;
        const auto pod = evictions_.front();
        evictions_.erase(evictions_.begin());
        const auto found = server_.pods.find(std::string(pod->name()));
        if (found == server_.pods.end() || found->second->metadata.uid != pod->uid()) return;
        if (fails) return core_->eviction_failed(*pod, now_);
        ++evicted_count;
        server_.erase_pod(found->first);
    }
    void carry_out_effects() {
        for (const auto& one : core_->take_effects()) {
            if (const auto* const bind = std::get_if<scheduling::bind_effect>(&one)) {
                claims_.decided(bind->place.pod->pod(), *catalog_);
                server_.requests.push_back({bind->place.assumed, bind->place.node, bind->place.annotations});
            } else if (const auto* const evict = std::get_if<scheduling::evict_effect>(&one)) {
                evictions_.push_back(evict->pod);
            }
        }
    }

    void restart() {
        server_.cut_off(15);
        evictions_.clear();
        core_.reset();
        known_ = make_board();
        auto how = known_->with();
        how.takes_turns = below(2) == 0;
        known_->set(how);
        catalog_ = gpu_scheduler::make_claims();
        known_->follow(catalog_);
        claims_.events.clear();
        claims_.fill(*catalog_);
        scheduling::preemption_policy policy;
        policy.may_evict([this](const pod_info& a, const pod_info& b) { return known_->may_evict(a, b); });
        policy.keeps_from_all(has_tenants_);
        auto plugins = scheduling::default_registry(volumes_);
        plugins.add(scheduling::default_preemption(policy));
        plugins.add(scheduling::dynamic_resources(catalog_));
        // In a third of the worlds HAMi's device plugin is told.
        const auto hami = std::make_shared<gpu_scheduler::hami_protocol>([] { return std::optional<client>(); });
        gpu_scheduler::add_gpu_plugins(plugins, known_, {}, tells_hami_ ? hami : nullptr);
        decider_ = std::make_unique<test::profile_decider>(env_, metrics_, policy, [](const test::round_report&) {});
        core_ = std::make_unique<scheduler_core>(
            *decider_, scheduling::scheduler_core_options().queue(scheduling::scheduling_queue_options().rank(
                           [this](const scheduling::queued_pod& pod) { return decider_->rank_of(pod); })));
        std::vector<scheduling::profile> profiles;
        profiles.push_back(std::move(*plugins.make_default("ours")));
        REQUIRE(decider_->set_profiles(std::move(profiles), *core_));
        for (const auto& [name, node] : server_.nodes) core_->set_node(node, now_);
        for (const auto& [name, pod] : server_.pods) {
            if (pod->spec.scheduler_name == "ours") known_->set_waiting(*pod);
            core_->set_pod(pod, now_);
        }
    }
    std::shared_ptr<board> make_board() {
        auto out =
            std::make_shared<board>([this] { return env_.wall_now(); }, [](std::string_view) { return dict<text>(); });
        if (has_tenants_) out->set_tenants({tenant_named("a", 4), tenant_named("b", 2)});
        return out;
    }
    static gpu_scheduler::tenant tenant_named(const std::string& name, std::int64_t gpus) {
        gpu_scheduler::tenant out;
        out.metadata.name = name;
        out.spec.namespaces.push_back("team-" + name);
        auto& quota = out.spec.quotas.emplace_back();
        quota.product = "*";
        quota.gpus = gpus;
        return out;
    }
    void check() { REQUIRE(checker_.check(server_.pods, server_.nodes, claims_.claims) == ""); }

    using claim_server = gpu_scheduler::test::claim_server;
    simulated_server server_;
    claim_server claims_;
    std::shared_ptr<scheduling::claim_catalog> catalog_;
    int generation_ = 0;
    bool is_calm_ = false;
    environment& env_;
    metrics_registry registry_;
    scheduling::detail::scheduler_metrics metrics_;
    scheduling::volume_catalog volumes_;
    bool has_tenants_, tells_hami_;
    time_point now_{1000s};
    std::uint64_t uids_ = 0;
    std::shared_ptr<board> known_;
    std::unique_ptr<test::profile_decider> decider_;
    std::unique_ptr<scheduler_core> core_;
    std::vector<std::shared_ptr<const pod_info>> evictions_;
    allocation_checker checker_;
};

}  // namespace

TEST_CASE("worlds: no GPU, share or slice is given twice") {
    testing::sim_world surroundings(1);
    const seed_range seeds(150, 15);
    std::size_t bound = 0, evicted = 0;
    for (auto seed = seeds.first; seed <= seeds.last; ++seed) {
        CAPTURE(seed);
        gpu_world one(surroundings, seed);
        for (int step = 0; step < 400; ++step) {
            CAPTURE(step);
            one.step();
        }
        one.rest();
        bound += one.bound_count;
        evicted += one.evicted_count;
    }
    MESSAGE("bound " << bound << ", evicted " << evicted);
    CHECK(bound > 4 * seeds.count());
}
