#include "simulation/fleet_swarm.hpp"

#include <kcontrol/multicluster/multicluster_controller.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/testing/request_info.hpp>
#include <kcontrol/testing/sim_world.hpp>

#include "simulation/encodings.hpp"
#include "simulation/numbered_job.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace kcontrol::test {
namespace {

using namespace std::chrono_literals;
using testing::fault;
using testing::link_state;

const char* const hub = "hub";
const char* const calm = "calm";  // nobody touches it
constexpr auto restless_time = 4min;
constexpr auto time_to_converge = 25min;  // the longest pause of a request that fails, and more
constexpr auto time_to_leave = 35s;       // what a disengage may take
constexpr std::uint64_t names = 5;

std::int64_t value_of(const json::value& object) {
    const auto* found = json::find(object, {"spec", value_name});
    return found == nullptr ? 0 : found->to_number<std::int64_t>();
}

// What answers under a cluster's name, now or formerly: a server, with the way to it.
struct home_of_site {
    std::string address;
    testing::sim_server* server = nullptr;
    time_point left;  // when it was the cluster no more
};

// One of the clusters, as people and machines treat it.
struct site {
    std::string name;
    std::vector<home_of_site> homes;  // the last one is it; those before were, under the same name
    bool wanted = true;
    bool forbids = false;
    bool busy = false;  // some fault lasts
    int token = 0;

    home_of_site& now() { return homes.back(); }
    const home_of_site& now() const { return homes.back(); }
};

class fleet {
public:
    fleet(std::uint64_t seed, fleet_bug bug) : world_(seed), bug_(bug) {
        sites_.emplace_back();
        sites_.back().name = hub;
        sites_.emplace_back();
        sites_.back().name = calm;
        // Some fleets are large.
        for (std::uint64_t i = 0, n = seed % 20 == 7 ? 20 + below(29) : 1 + below(6); i < n; ++i) {
            sites_.emplace_back();
            sites_.back().name = "c" + std::to_string(i);
        }
        for (site& s : sites_) move_in(s, s.name);
        verdict_.clusters = sites_.size();
        manager_.emplace(world_.env(), world_.get_executor(),
                         multicluster_options()
                             .informers(informer_options().probe_period(5s).watch_idle(15s).page_size(3))
                             .transport(world_.network().factory())
                             .client(in_encoding_of(seed))
                             .graceful_shutdown_timeout(20s)
                             .on_engage([this](engaged_cluster& c) {
                                 if (c.name() == hub) hub_ = &c;
                             }));
        build();
    }

    fleet_verdict run() {
        tell_desired();
        spawn(edit(restless_.get_token()));
        spawn(fail(restless_.get_token()));
        world_.run_for(restless_time);
        heal();
        for (duration waited{}; waited < time_to_converge && !converged(); waited += 2s) world_.run_for(2s);
        if (!converged()) violation("it is not all right:" + state());
        check_calm();
        end();
        verdict_.digest = world_.context().digest();
        return verdict_;
    }

private:
    std::uint64_t below(std::uint64_t bound) { return world_.env().random() % bound; }
    duration between(duration least, duration most) {
        return least + duration(static_cast<duration::rep>(below(static_cast<std::uint64_t>((most - least).count()))));
    }
    void spawn(awaitable<void> work) { asio::co_spawn(world_.get_executor(), std::move(work), asio::detached); }
    void violation(std::string what) { verdict_.violations.push_back(std::move(what)); }
    std::string any_name() { return "w" + std::to_string(below(names)); }
    site& any_site() { return sites_[below(sites_.size())]; }
    static testing::api_server& api(const site& s) { return s.now().server->api(); }

    // From then on that server, which is new and empty, is the cluster.
    void move_in(site& s, const std::string& address) {
        if (!s.homes.empty()) s.now().left = world_.env().now();
        s.homes.push_back(
            {address, &world_.add_server(address, testing::api_server_options().bookmark_period(5s)), {}});
        const std::size_t number = s.homes.size() - 1;
        api(s).set_faults(
            [this, &s, number](const http::server_request& request) { return look_at(s, number, request); });
    }
    fault look_at(const site& s, std::size_t number, const http::server_request& request) {
        fault f;
        const home_of_site& home = s.homes[number];
        const bool gone = !s.wanted || number + 1 < s.homes.size();
        if (gone && world_.env().now() - home.left > time_to_leave)
            violation("a request to " + home.address + ", which is not " + s.name + " any more");
        const auto asked = testing::parse_request(request);
        if (!asked || asked->id() != jobs) return f;
        if (asks_for_protobuf(request)) ++verdict_.protobuf_requests;
        if (s.forbids) return f.status(403, "Forbidden", "not you");
        if (s.name == calm) ++calm_asked_[asked->verb];
        return f;
    }

    // --- the program

    void build() {
        const auto same = [](const numbered_job& w) { return request(key_of(w.metadata)); };
        auto copies = multicluster_controller(*manager_, "copies").for_in<numbered_job>(hub).all_clusters_except({hub});
        if (bug_ != fleet_bug::deaf_to_copies) copies.watches<numbered_job>(same);
        const auto follow = [this](reconcile_context ctx, request req, std::shared_ptr<const numbered_job> wanted) {
            return copy(std::move(ctx), std::move(req), std::move(wanted));
        };
        if (const auto made = copies.complete(follow); !made) violation(made.error().what());

        const auto report = [this](const numbered_job& w) { return report_to_hub(w); };
        const auto receive = [this](reconcile_context ctx, request req) {
            world_.context().trace("received " + req.name);
            if (ctx.get_cluster().name() != hub || req.cluster != hub)
                violation("a report is received by " + req.cluster);
            received_[req.name] = sent_[req.name];
            return reconcile_result::done();
        };
        const auto made =
            multicluster_controller(*manager_, "reports")
                .for_<numbered_job>()
                .watches<numbered_job>(report)
                .complete([receive](reconcile_context ctx, request req) {
                    return req.cluster == hub ? receive(std::move(ctx), std::move(req)) : reconcile_result::done();
                });
        if (!made) violation(made.error().what());
    }
    std::vector<request> report_to_hub(const numbered_job& w) {
        const std::string name = w.metadata.uid.str();
        ++sent_[name];
        ++verdict_.requests_between;
        if (bug_ == fleet_bug::loses_requests && sites_.front().busy) return {};
        return {request(hub, "default", name)};
    }
    reconciliation copy(reconcile_context ctx, request req, std::shared_ptr<const numbered_job> wanted) {
        ++verdict_.reconciles;
        const std::string of = ctx.get_cluster().name();
        world_.context().trace(of + ":" + req.name);
        if (of != req.cluster) violation("a request of " + req.cluster + " in " + of);
        if (!under_way_.insert(of + ":" + req.name).second) violation("two reconciles of " + of + ":" + req.name);
        result<reconcile_result> outcome = co_await copy_once(ctx, req, wanted);
        under_way_.erase(of + ":" + req.name);
        co_return outcome;
    }
    reconciliation copy_once(reconcile_context ctx, request req, std::shared_ptr<const numbered_job> wanted) {
        if (below(8) == 0) co_await sleep_for(world_.env(), between(1s, 15s), ctx.stop());
        if (ctx.stop().stop_requested()) co_return error(errc::stopped, "stopped");
        cluster& of = bug_ == fleet_bug::wrong_cluster && hub_ != nullptr ? *hub_ : ctx.get_cluster();
        client c = of.get_client();
        if (!wanted) {
            const auto removed =
                co_await c.delete_<numbered_job>(req, delete_options().ignore_not_found().stop(ctx.stop()));
            if (!removed) co_return removed.error();
            co_return reconcile_result::done();
        }
        numbered_job next;
        next.metadata.namespace_ = wanted->metadata.namespace_;
        next.metadata.name = wanted->metadata.name;
        next.spec = wanted->spec;
        const auto stored = co_await c.apply(next, apply_options("fleet").force().stop(ctx.stop()));
        if (!stored) co_return stored.error();
        co_return reconcile_result::done();
    }

    // --- what people and machines do

    awaitable<void> edit(std::stop_token stop) {
        while (!stop.stop_requested()) {
            edit_once();
            co_await sleep_for(world_.env(), between(50ms, 3s), stop);
        }
    }
    void edit_once() {
        site& at = below(2) == 0 ? sites_.front() : any_site();
        if (at.name == calm) return;
        const namespaced_name key{"default", any_name()};
        const auto value = static_cast<std::int64_t>(below(1000));
        ++verdict_.edits;
        switch (below(5)) {
        case 0:
        case 1: (void)api(at).create(job_json(key.name, value)); break;
        case 2:
        case 3: (void)api(at).patch(jobs, key, {{"spec", {{value_name, value}}}}); break;
        default: (void)api(at).remove(jobs, key); break;
        }
    }

    awaitable<void> fail(std::stop_token stop) {
        while (!stop.stop_requested()) {
            co_await sleep_for(world_.env(), between(1s, 10s), stop);
            if (!stop.stop_requested()) fail_once();
        }
    }
    void fail_once() {
        site& at = any_site();
        if (at.busy || at.name == calm) return;
        auto& network = world_.network();
        ++verdict_.faults;
        const std::string address = at.now().address;
        switch (below(11)) {
        case 0:
        case 1:
            if (at.name == hub) break;  // what it has not been told by then it is not to be told
            at.wanted = false;
            at.now().left = world_.env().now();
            tell_desired();
            lasting(at, 1s, 100s, [this, &at] {
                at.wanted = true;
                tell_desired();
            });
            break;
        case 2:
            ++at.token;
            tell_desired();
            break;
        case 3:
            network.set_link(address, link_state::black_hole);
            network.freeze_connections(address);
            lasting(at, 1s, 90s, [&network, address] { network.set_link(address, link_state::up); });
            break;
        case 4:
            network.set_link(address, link_state::refused);
            network.break_connections(address);
            lasting(at, 1s, 60s, [&network, address] { network.set_link(address, link_state::up); });
            break;
        case 5:
            at.forbids = true;
            network.break_connections(address);
            lasting(at, 1s, 60s, [&at] { at.forbids = false; });
            break;
        case 6:
            network.set_latency(address, 1s, 20s);
            lasting(at, 10s, 60s, [&network, address] { network.set_latency(address, 100us, 5ms); });
            break;
        case 7:  // it moves: the same name, another server, while it is at work
            if (at.name == hub || at.homes.size() > 3) break;
            move_in(at, at.name + "-" + std::to_string(at.homes.size()));
            ++verdict_.moves;
            tell_desired();
            break;
        case 8:  // it leaves, and comes back as another
            if (at.name == hub || at.homes.size() > 3) break;
            at.wanted = false;
            at.now().left = world_.env().now();
            tell_desired();
            lasting(at, 1s, 100s, [this, &at] {
                const time_point left = at.now().left;
                move_in(at, at.name + "-" + std::to_string(at.homes.size()));
                at.homes[at.homes.size() - 2].left = left;
                at.wanted = true;
                ++verdict_.moves;
                tell_desired();
            });
            break;
        case 9: api(at).compact(api(at).resource_version()); break;
        default: api(at).end_watches(); break;
        }
    }
    void lasting(site& at, duration least, duration most, std::function<void()> restore) {
        at.busy = true;
        spawn(restore_after(at, between(least, most), std::move(restore)));
    }
    awaitable<void> restore_after(site& at, duration d, std::function<void()> restore) {
        co_await sleep_for(world_.env(), d, restless_.get_token());
        restore();
        at.busy = false;
    }
    void tell_desired() {
        std::vector<desired_cluster> desired;
        for (const site& s : sites_) {
            if (!s.wanted) continue;
            ++verdict_.joins;
            desired.emplace_back(s.name, s.now().server->config("token-" + std::to_string(s.token)));
        }
        manager_->set_desired(std::move(desired));
    }
    void heal() {
        restless_.request_stop();
        world_.run_for(1s);
    }

    // --- the end

    bool converged() {
        std::map<std::string, std::int64_t> wanted;
        for (const auto& one : api(sites_.front()).list(jobs)) wanted[name_of(one)] = value_of(one);
        for (const site& s : sites_) {
            std::map<std::string, std::int64_t> there;
            for (const auto& one : api(s).list(jobs)) there[name_of(one)] = value_of(one);
            if (there != wanted) return false;
        }
        return received_ == sent_;
    }
    std::string state() {
        std::string out;
        for (const site& s : sites_) {
            out += "\n    " + s.name + ":";
            for (const auto& one : api(s).list(jobs)) out += " " + name_of(one) + "=" + std::to_string(value_of(one));
        }
        for (const auto& [name, times] : sent_) {
            if (received_[name] != times) out += "\n    not received: " + name;
        }
        return out;
    }
    static std::string name_of(const json::value& object) {
        return std::string(json::get_string(object, {"metadata", "name"}));
    }
    // Two controllers share one informer; a watch is renewed after some minutes.
    void check_calm() {
        if (calm_asked_["list"] != 1) violation("calm was listed " + std::to_string(calm_asked_["list"]) + " times");
    }
    void end() {
        if (!world_.ends_within(1min, manager_->stop())) violation("it does not stop");
        world_.run_for(1min);
        for (const site& s : sites_) {
            for (const auto& home : s.homes) {
                if (world_.network().open_exchanges(home.address) != 0)
                    violation("requests to " + home.address + " are left");
            }
        }
        if (!under_way_.empty()) violation("reconciles have not returned");
    }

    testing::sim_world world_;
    fleet_bug bug_;
    std::vector<site> sites_;
    std::stop_source restless_;
    std::map<std::string, std::uint64_t> sent_, received_;  // by uid
    std::map<std::string, std::uint64_t> calm_asked_;       // by verb
    std::set<std::string> under_way_;
    cluster* hub_ = nullptr;
    fleet_verdict verdict_;
    std::optional<multicluster_manager> manager_;
};

}  // namespace

fleet_verdict run_fleet(std::uint64_t seed, fleet_bug bug) { return fleet(seed, bug).run(); }

}  // namespace kcontrol::test
