#include "simulation/operator_swarm.hpp"

#include <kcontrol/cache/informer.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/testing/request_info.hpp>

#include "simulation/encodings.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/strand.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace kcontrol::test {
namespace {

using namespace std::chrono_literals;
using testing::fault;
using testing::group_resource;
using testing::link_state;

const group_resource sites{"test.kcontrol.dev", "sites"};
const group_resource leaves{"test.kcontrol.dev", "leaves"};
const group_resource leases{"coordination.k8s.io", "leases"};
constexpr auto restless_time = 120s;
constexpr auto time_to_converge = 6min;
constexpr std::uint64_t names = 6;

std::int64_t number_at(const json::value& object, std::initializer_list<std::string_view> path) {
    const auto* found = json::find(object, path);
    return found == nullptr ? 0 : found->to_number<std::int64_t>();
}

std::string text_at(const json::value& object, std::initializer_list<std::string_view> path) {
    return std::string(json::get_string(object, path));
}

std::string owner_of(const json::value& object) {
    const auto* owners = json::find(object, {"metadata", "ownerReferences"});
    if (owners == nullptr || owners->as_array().empty()) return {};
    return text_at(owners->as_array().front(), {"uid"});
}

testing::api_server_options server_options() {
    testing::api_server_options out;
    // A process whose cache is old may make a leaf of a site that has gone meanwhile: that is why clusters collect it.
    out.bookmark_period(5s).collect_garbage(true).collection_delay(3s);
    return out;
}

class operator_swarm {
public:
    operator_swarm(std::uint64_t seed, operator_bug bug)
        : seed_(seed), world_(seed), server_(world_.add_server("a", server_options())), api_(server_.api()), bug_(bug) {
        world_.register_resource(testing::resource_type_of(resource_of<site>()));
        world_.register_resource(testing::resource_type_of(resource_of<leaf>()));
        api_.set_faults([this](const http::server_request& request) { return look_at(request); });
        observe();
        for (int i = 0; i < 2 + static_cast<int>(below(2)); ++i) slots_.emplace_back();
        for (std::size_t i = 0; i < slots_.size(); ++i) begin(i);
    }

    operator_verdict run() {
        const auto stop = restless_.get_token();
        spawn(edit(stop));
        spawn(bring_up(serving_.get_token()));
        spawn(fail(stop));
        spawn(fail_in_the_end());
        world_.run_for(restless_time);
        heal();
        wait_for_convergence();
        check_quiet();
        end();
        verdict_.digest = world_.context().digest();
        return verdict_;
    }

private:
    // The place of a process: it may crash and be started anew, under another name.
    struct slot {
        std::vector<std::unique_ptr<operator_replica>> all;  // the last is the present one
        bool refuses_lease = false;                          // the server does, to this process
        operator_replica& present() { return *all.back(); }
    };

    std::uint64_t below(std::uint64_t bound) { return bound == 0 ? 0 : world_.env().random() % bound; }
    duration between(duration least, duration most) {
        return least + duration(static_cast<duration::rep>(below(static_cast<std::uint64_t>((most - least).count()))));
    }
    void spawn(awaitable<void> work) { asio::co_spawn(world_.get_executor(), std::move(work), asio::detached); }
    void violation(std::string what) { verdict_.violations.push_back(std::move(what)); }
    std::string any_name() { return "s" + std::to_string(1 + below(names)); }

    // --- processes

    void begin(std::size_t which) {
        auto& at = slots_[which];
        const std::string name = "r" + std::to_string(which) + "." + std::to_string(at.all.size());
        at.all.push_back(std::make_unique<operator_replica>(world_, server_, name, in_encoding_of(seed_), bug_,
                                                            [this](std::string what) { violation(std::move(what)); }));
        at.refuses_lease = false;
        at.present().start();
    }
    // `orderly`: it is asked to stop, and gives up the Lease.
    awaitable<void> restart(std::size_t which, bool orderly, std::stop_token stop) {
        auto& gone = slots_[which].present();
        if (!orderly) {
            gone.crash();
            ++verdict_.crashes;
        }
        awaitable<void> end = gone.stop();
        if (orderly) {
            co_await std::move(end);
        } else {
            spawn(std::move(end));
        }
        co_await sleep_for(world_.env(), between(10ms, 20s), std::move(stop));
        begin(which);
        busy_.erase(which);
    }

    // --- what people and machines do

    // Somebody changes, adds and deletes, and some also change what is the operator's. But not to the end: what fails
    // then is tried again by nobody but the operator.
    awaitable<void> edit(std::stop_token stop) {
        const time_point end = world_.env().now() + restless_time - 3s;
        while (!stop.stop_requested() && world_.env().now() < end) {
            edit_once();
            co_await sleep_for(world_.env(), between(50ms, 4s), stop);
        }
    }
    void edit_once() {
        const namespaced_name key{"default", any_name()};
        const std::int64_t value = 1 + static_cast<std::int64_t>(below(1000));
        ++verdict_.edits;
        switch (below(9)) {
        case 0:
        case 1:
        case 2:
            (void)api_.create({{"apiVersion", "test.kcontrol.dev/v1"},
                               {"kind", "Site"},
                               {"metadata", {{"name", key.name}, {"namespace", key.namespace_}}},
                               {"spec", {{"value", value}}}});
            break;
        case 3:
        case 4: (void)api_.patch(sites, key, {{"spec", {{"value", value}}}}); break;
        case 5: (void)api_.patch(sites, key, {{"metadata", {{"labels", {{"team", std::to_string(value)}}}}}}); break;
        case 6: (void)api_.remove(sites, key); break;
        case 7: (void)api_.patch(leaves, key, {{"spec", {{"value", value}}}}); break;
        case 8: (void)api_.remove(leaves, key); break;
        default: break;
        }
    }

    // What a kubelet does: leaves become what they are to be, after a while.
    awaitable<void> bring_up(std::stop_token stop) {
        while (!stop.stop_requested()) {
            for (const auto& one : api_.list(leaves)) {
                const auto wanted = number_at(one, {"spec", "value"});
                if (number_at(one, {"status", "value"}) == wanted || below(3) != 0) continue;
                const namespaced_name key{"default", text_at(one, {"metadata", "name"})};
                (void)api_.patch(leaves, key, {{"status", {{"value", wanted}}}}, "status");
            }
            co_await sleep_for(world_.env(), between(200ms, 3s), stop);
        }
    }

    awaitable<void> fail(std::stop_token stop) {
        while (!stop.stop_requested()) {
            co_await sleep_for(world_.env(), between(1s, 12s), stop);
            if (!stop.stop_requested()) fail_once(stop);
        }
    }
    void fail_once(const std::stop_token& stop) {
        const std::size_t which = below(slots_.size());
        if (busy_.contains(which)) return;
        const std::string host = slots_[which].present().host();
        auto& network = world_.network();
        ++verdict_.faults;
        static constexpr std::uint64_t kinds[] = {0, 1, 2, 3, 4, 4, 4, 5, 5, 5, 6, 7, 8, 9, 10, 10};
        const std::uint64_t kind = kinds[below(std::size(kinds))];
        world_.context().trace("!" + std::to_string(kind));
        switch (kind) {
        case 0:
        case 1:
            busy_.insert(which);
            spawn(restart(which, kind == 1, stop));
            break;
        case 2:
            network.set_link(host, link_state::black_hole);
            network.freeze_connections(host);
            lasting(
                1s, 40s, [&network, host] { network.set_link(host, link_state::up); }, which);
            break;
        case 3: network.break_connections(host); break;
        case 4:
            slots_[which].refuses_lease = true;
            lasting(
                5s, 40s, [this, which] { slots_[which].refuses_lease = false; }, which);
            break;
        case 5:
            storm_percent_ = 30;
            lasting(2s, 10s, [this] { storm_percent_ = 0; });
            break;
        case 6:
            api_.freeze("old", api_.resource_version());
            stale_percent_ = 50;
            network.break_connections(host);
            lasting(2s, 20s, [this] {
                stale_percent_ = 0;
                api_.thaw("old");
            });
            break;
        case 7: api_.compact(api_.resource_version()); break;
        case 8:
            network.set_latency(host, 10ms, 3s);
            lasting(5s, 20s, [&network, host] { network.set_latency(host, 100us, 5ms); });
            break;
        case 9: api_.end_watches(); break;
        case 10:
            if (!std::exchange(unheard_, true)) spawn(act_unheard(stop));
            break;
        default: break;
        }
    }
    // Of leaves that are made and deleted meanwhile no watch of a process ever tells. That of sites goes on: what it
    // tells late would have the operator look again.
    awaitable<void> act_unheard(std::stop_token stop) {
        // Those are heard of, and made again.
        for (const auto& one : api_.list(leaves)) {
            if (below(2) == 0) (void)api_.remove(leaves, {"default", text_at(one, {"metadata", "name"})});
        }
        co_await sleep_for(world_.env(), 20ms, stop);
        std::set<std::string> before;
        for (const auto& one : api_.list(leaves)) before.insert(text_at(one, {"metadata", "uid"}));
        api_.freeze("of leaves", api_.resource_version());
        for (auto left = 3 + below(12); left > 0 && !stop.stop_requested(); --left) {
            co_await sleep_for(world_.env(), between(100ms, 1s), stop);
            for (const auto& one : api_.list(leaves)) {
                if (before.contains(text_at(one, {"metadata", "uid"})) || below(2) == 0) continue;
                (void)api_.remove(leaves, {"default", text_at(one, {"metadata", "name"})});
            }
        }
        api_.compact(api_.resource_version());
        api_.thaw("of leaves");
        unheard_ = false;
    }
    void lasting(duration least, duration most, std::function<void()> restore,
                 std::optional<std::size_t> which = std::nullopt) {
        if (which) busy_.insert(*which);
        spawn(restore_after(between(least, most), std::move(restore), which));
    }
    awaitable<void> restore_after(duration d, std::function<void()> restore, std::optional<std::size_t> which) {
        co_await sleep_for(world_.env(), d, restless_.get_token());
        restore();
        if (which) busy_.erase(*which);
    }
    // The last that people ask for meets a server that fails every other request, or one whose watches tell nothing:
    // nobody but the operator tries again.
    awaitable<void> fail_in_the_end() {
        const std::uint64_t how = below(3);
        if (how == 0) co_return;
        co_await sleep_for(world_.env(), restless_time - 12s, restless_.get_token());
        last_storm_ = how == 1;
        if (how == 2 && !std::exchange(unheard_, true)) co_await act_unheard(restless_.get_token());
    }
    void heal() {
        last_storm_ = false;
        restless_.request_stop();
        world_.run_for(1s);
    }

    // --- what the server is asked

    fault look_at(const http::server_request& request) {
        const auto token = request.headers.get("Authorization");
        const std::string who = token.starts_with("Bearer ") ? std::string(token.substr(7)) : "";
        if (who == "observer") return {};
        const auto asked = testing::parse_request(request);
        if (!asked) return {};
        const bool of_lease = asked->id() == leases;
        fault f;
        if (of_lease) {
            const auto at =
                std::find_if(slots_.begin(), slots_.end(), [&](slot& s) { return s.present().name() == who; });
            if (at != slots_.end() && at->refuses_lease) return f.status(500, "InternalError", "no lease for you");
            return f;
        }
        if (asked->verb == "watch" && asked->id() == leaves) f.replica("of leaves");
        if (below(100) < stale_percent_) f.replica("old");
        if (below(100) < (last_storm_ ? 50 : storm_percent_)) {
            switch (below(5)) {
            case 0: return f.status(429, "TooManyRequests", "slow down", 1);
            case 1: return f.status(500, "InternalError", "etcdserver: no leader");
            case 2: return f.status(503, "ServiceUnavailable", "not ready");
            case 3: return f.drop();
            case 4: f.drop_response(); break;
            default: break;
            }
        }
        if (asked->verb != "get" && asked->verb != "list" && asked->verb != "watch") note_write(who);
        return f;
    }

    // A process that does not hold the Lease any more may not write once its successor has.
    void note_write(const std::string& who) {
        ++verdict_.writes;
        const auto lease = api_.get(leases, {"default", "operator"});
        const std::string holder = lease ? text_at(*lease, {"spec", "holderIdentity"}) : "";
        if (who == holder) {
            if (std::exchange(last_writer_, who) != who) ++verdict_.terms;
        } else if (last_writer_ == holder && !holder.empty()) {
            violation(who + " writes though " + holder + " leads and has written");
        }
        const auto leading = std::count_if(slots_.begin(), slots_.end(), [](slot& s) { return s.present().leading(); });
        if (leading > 1) violation("two lead at once");
    }

    // --- what is stored, each version of it

    void observe() {
        const executor home = asio::make_strand(world_.context().get_executor());
        auto c = client::connect(world_.env(), home, server_.config("observer"), world_.network().factory());
        observer_.emplace(world_.env(), home, std::move(*c), informer_options());
        seen_ = observer_->subscribe([this](const any_event& event) { take(event); });
        observer_->start();
        world_.run_for(1s);
    }
    void take(const any_event& event) {
        if (event.type == event_type::deleted) return check_gone(event.old_object.get<site>());
        // Where its watch ended and what was between is compacted, the observer lists, and sees no step of that time.
        const std::uint64_t lists = observer_->status().lists;
        const bool saw_each = std::exchange(listed_[event.object().meta().uid.str()], lists) == lists;
        if (event.type != event_type::updated || !saw_each) return;
        const std::string from = event.old_object.get<site>().status.phase.str();
        const std::string to = event.new_object.get<site>().status.phase.str();
        if (from == to) return;
        ++verdict_.steps;
        if (const auto ok = site_phases.check(from, to); !ok) violation("a site's " + ok.error().message());
    }
    void check_gone(const site& gone) {
        for (const auto& one : api_.list(leaves)) {
            if (owner_of(one) == gone.metadata.uid.str())
                violation(gone.metadata.name.str() + ": its leaf outlives it");
        }
    }

    // --- the end

    bool served() const {
        std::set<std::string> uids;
        for (const auto& one : api_.list(sites)) {
            const std::string name = text_at(one, {"metadata", "name"});
            uids.insert(text_at(one, {"metadata", "uid"}));
            const auto made = api_.get(leaves, {"default", name});
            const auto value = number_at(one, {"spec", "value"});
            if (!text_at(one, {"metadata", "deletionTimestamp"}).empty() || !made) return false;
            if (number_at(*made, {"spec", "value"}) != value || number_at(one, {"status", "served"}) != value)
                return false;
            if (text_at(one, {"status", "phase"}) != "Ready") return false;
            if (owner_of(*made) != text_at(one, {"metadata", "uid"})) return false;
        }
        const auto all = api_.list(leaves);
        return std::all_of(all.begin(), all.end(), [&](const auto& one) { return uids.contains(owner_of(one)); });
    }
    void wait_for_convergence() {
        if (world_.run_until([this] { return served(); }, time_to_converge)) return;
        std::string state;
        for (const auto& one : api_.list(sites)) state += "\n    " + json::serialize(one);
        for (const auto& one : api_.list(leaves)) state += "\n    " + json::serialize(one);
        violation("not all is as it should be:" + state);
    }
    void check_quiet() {
        world_.run_for(2min);  // the longest reconcile, and what has to be put right after it
        const auto before = verdict_.writes;
        world_.run_for(2min);
        if (verdict_.writes != before) violation("it goes on writing when all is done");
        if (!served()) violation("what was right does not stay");
    }
    void end() {
        serving_.request_stop();
        for (auto& at : slots_) {
            for (auto& one : at.all) {
                if (!world_.ends_within(40s, one->stop())) violation(one->name() + ": it does not stop");
                verdict_.reconciles += one->reconciles();
            }
        }
        world_.run_for(3min);  // reconciles that did not heed the stop
        for (auto& at : slots_) {
            for (auto& one : at.all) {
                if (world_.network().open_exchanges(one->host()) != 0) violation(one->name() + ": requests are left");
            }
        }
        world_.ends_within(10s, observer_->stop());
        world_.run_for(1s);
    }

    std::uint64_t seed_;  // Leases travel as it says; the operator's own kinds are JSON
    testing::sim_world world_;
    testing::sim_server& server_;
    testing::api_server& api_;
    operator_bug bug_;
    operator_verdict verdict_;
    std::vector<slot> slots_;
    std::set<std::size_t> busy_;  // slots with a fault that lasts
    std::stop_source restless_, serving_;
    unsigned storm_percent_ = 0, stale_percent_ = 0;
    bool last_storm_ = false;
    bool unheard_ = false;  // no watch of leaves brings anything
    std::string last_writer_;
    std::map<std::string, std::uint64_t> listed_;  // by uid: how often the observer had listed when it heard of it
    std::optional<informer<site>> observer_;
    subscription seen_;
};

}  // namespace

operator_verdict run_operator_swarm(std::uint64_t seed, operator_bug bug) {
    operator_swarm swarm(seed, bug);
    return swarm.run();
}

}  // namespace kcontrol::test
