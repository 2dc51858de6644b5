#include "simulation/swarm.hpp"

#include <kcontrol/codec/dynamic_object.hpp>
#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/controller/builder.hpp>
#include <kcontrol/multicluster/multicluster_manager.hpp>
#include <kcontrol/runtime/scope.hpp>
#include <kcontrol/testing/event_checker.hpp>

#include "simulation/encodings.hpp"
#include "simulation/numbered_job.hpp"
#include "simulation/swarm_host.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/strand.hpp>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

namespace kcontrol::test {
namespace {

using namespace std::chrono_literals;
using testing::event_checker;
using testing::sim_context;
using testing::sim_environment;
using testing::sim_network;

const resource_info& loose_job() {
    static const resource_info info =
        dynamic_resource(resource_of<numbered_job>().gvk, resource_of<numbered_job>().plural);
    return info;
}

// The same objects as another type, on the same watch.
struct second_view {
    explicit second_view(const std::string& cluster) : checker(cluster + " (second view)") {}

    std::shared_ptr<any_informer> watched;
    subscription held, told;
    event_checker checker;
    std::map<std::string, std::string> content;  // uid → version and value
};

constexpr auto restless_time = 60s;
constexpr auto time_to_converge = 5min;
constexpr auto watch_idle = 15s;
constexpr auto time_to_ask_again = 15s;

class swarm {
public:
    swarm(std::uint64_t seed, planted_bug bug)
        : seed_(is_of_transport(bug) ? 1 : seed),  // those bugs read JSON
          context_(seed),
          env_(context_),
          network_(context_, env_),
          bug_(bug),
          armed_(std::make_shared<bool>(true)) {
        const std::size_t count = 2 + env_.random() % 2;
        const std::uint64_t enabled = env_.random();
        for (std::size_t i = 0; i < count; ++i) {
            const std::string name(1, static_cast<char>('a' + i));
            const bool calm = i + 1 == count;
            hosts_.push_back(std::make_unique<swarm_host>(context_, env_, network_, name, calm ? 0 : enabled,
                                                          speaks_protobuf(seed_)));
            hosts_.back()->on_desired_change = [this] { asio::post(home_, [this] { tell_desired(); }); };
        }
        manager_.emplace(env_, home_, options());
    }

    swarm_verdict run() {
        tell_desired();
        for (auto& host : hosts_) host->start(restless_time);
        context_.run_for(restless_time);
        for (auto& host : hosts_) host->heal();
        tell_desired();
        wait_for_convergence();
        check_quiet();
        check_histories();
        stop();
        return take_verdict();
    }

private:
    multicluster_options options() {
        multicluster_options o;
        if (env_.random() % 2 == 0) o.cluster_executor(context_.get_executor());
        o.log(logger([this](const log_record&) { may_throw(*hosts_.front()); }));
        o.kinds({kind_choice(resource_of<numbered_job>())});
        o.informers(informer_options()
                        .probe_period(5s)
                        .watch_idle(watch_idle)
                        .watch_timeout(1h, 2h)
                        .page_size(7)
                        .streaming(env_.random() % 4 == 0 ? list_streaming::off : list_streaming::on));
        const auto connect = [this](executor ex, const http::endpoint& to,
                                    const http::tls_options& tls) -> result<std::shared_ptr<http::transport>> {
            auto inner = network_.factory()(ex, to, tls);
            if (!inner || !is_of_transport(bug_)) return inner;
            auto* host = find(to.host);
            if (host->calm()) return inner;
            return std::shared_ptr<http::transport>(std::make_shared<buggy_transport>(
                *inner, bug_, armed_, [host] { return std::to_string(host->server().resource_version()); }));
        };
        o.transport(connect).client(in_encoding_of(seed_));
        o.on_event([this](const std::string& cluster, const resource_info&, const any_event& event) {
            auto& checker = checkers_.try_emplace(cluster, cluster).first->second;
            checker.take(event);
            auto& contents = contents_[cluster];
            const auto& object = event.object();
            if (event.type == event_type::deleted) {
                contents.erase(object.meta().uid);
            } else {
                contents[object.meta().uid] = std::string(object.meta().resource_version) + "=" +
                                              std::to_string(object.as<numbered_job>()->spec.value);
            }
            context_.trace(cluster + event.object().meta().resource_version);
            if (event.type == event_type::deleted) context_.trace("-");
            may_throw(*find(cluster));
        });
        o.on_engage([this](engaged_cluster& cluster) {
            // One that is there already: this is called again.
            if (has_views() && !views_.contains(cluster.name())) add_view(cluster);
            if (!throws_of(planted_bug::give_up_engaging, [&] { may_throw(*find(cluster.name())); })) {
                build_controller(cluster);
            }
        });
        o.on_disengage([this](engaged_cluster& cluster) { may_throw(*find(cluster.name())); });
        o.on_status([this](const cluster_status& status) {
            const auto histories = count_histories(status);
            if (std::exchange(histories_[status.name], histories) != histories) {
                checkers_.try_emplace(status.name, status.name).first->second.expect_other_history();
                if (views_.contains(status.name)) views_.at(status.name)->checker.expect_other_history();
            }
            // The cluster has failed as long as its on_engage() throws; its cache is right meanwhile.
            if (derive_cluster_state(status.kinds).first == cluster_state::live) {
                find(status.name)->note_live(count_lists(status));
                for (const auto& kind : status.kinds) note_streaming(kind.informer);
            }
            may_throw(*find(status.name));
            statuses_[status.name] = status;
            context_.trace(status.name + std::string(to_string(status.state)));
        });
        o.on_removed([this](const std::string& cluster) {
            close_checker(cluster);
            find(cluster)->note_left();
            may_throw(*find(cluster));
        });
        return o;
    }

    // Two types on one watch are JSON: of three seeds that speak Protocol Buffers one has it change for that.
    bool has_views() const noexcept { return !speaks_protobuf(seed_) || seed_ % 3 == 0; }

    void add_view(engaged_cluster& c) {
        const auto view = std::make_shared<second_view>(c.name());
        auto& host = *find(c.name());
        view->watched = c.informer_of(loose_job());
        view->held = view->watched->subscribe([this, &host, weak = std::weak_ptr(view)](const any_event& event) {
            const auto mine = weak.lock();
            if (!mine) return;
            mine->checker.take(event);
            const auto& object = event.object();
            if (event.type == event_type::deleted) {
                mine->content.erase(object.meta().uid);
                may_throw(host);
                return;
            }
            const auto value = object.get<dynamic_object>().content.get({"spec", value_name});
            mine->content[object.meta().uid] =
                std::string(object.meta().resource_version) + "=" + json::serialize(value);
            context_.trace("2" + object.meta().resource_version.str());
            may_throw(host);
        });
        view->told = view->watched->on_status_change([this, &host](const informer_status&) { may_throw(host); });
        views_[c.name()] = view;
        // Each return lists, which mends what a planted bug has spoiled: so it is rare.
        const bool restless = !host.calm() && env_.random() % 6 == 0;
        if (restless) asio::co_spawn(c.get_executor(), leave_and_join(view, c.name()), asio::detached);
    }

    // The view misses what happens between, and the watch is exchanged for it.
    awaitable<void> leave_and_join(std::shared_ptr<second_view> view, std::string cluster) {
        const auto end = env_.now() + restless_time;
        const auto some_time = [this] { return 1ms * (env_.random() % 8000); };
        while (env_.now() < end) {
            co_await sleep_for(env_, some_time(), {});
            co_await view->watched->stop();
            co_await sleep_for(env_, some_time(), {});
            // One that is started after its cluster has gone runs for ever.
            const auto present = views_.find(cluster);
            if (present == views_.end() || present->second != view) co_return;
            view->watched->start();
        }
    }

    // A std::exception, or anything else.
    void may_throw(swarm_host& host) {
        if (!host.callback_throws()) return;
        ++verdict_.thrown;
        if (env_.random() % 2 == 0) throw 7;
        throw std::runtime_error("a callback throws");
    }

    // Whether the call throws, where that bug is planted; else what it throws is thrown.
    template <class F>
    bool throws_of(planted_bug bug, F call) {
        if (bug_ != bug) return call(), false;
        try {
            call();
        } catch (...) {
            *armed_ = false;
            return true;
        }
        return false;
    }

    // What its map loses by throwing comes to the queue by the other way.
    void build_controller(engaged_cluster& cluster) {
        const std::string name = cluster.name();
        auto& host = *find(name);
        const auto any = [this, &host](const any_event&) {
            return !throws_of(planted_bug::deaf_predicate, [&] { may_throw(host); });
        };
        const auto itself = [this, &host](const numbered_job& w) {
            may_throw(host);
            return request(std::string(w.metadata.namespace_), std::string(w.metadata.name));
        };
        const auto reconcile = [this, name, &host](reconcile_context, std::shared_ptr<const numbered_job> w) {
            may_throw(host);
            reconciled_[name][w->metadata.uid] =
                std::string(w->metadata.resource_version) + "=" + std::to_string(w->spec.value);
            context_.trace("r" + name + w->metadata.resource_version);
            return reconcile_result::done();
        };
        auto builder = controller_builder(cluster, "jobs").for_<numbered_job>(any);
        // The other way brings what a deaf predicate has swallowed, and would hide it but for a seed in thirty.
        if (bug_ != planted_bug::deaf_predicate) builder.watches<numbered_job>(itself);
        const auto made = builder.complete(reconcile);
        if (!made) verdict_.violations.push_back(name + ": no controller can be built: " + made.error().what());
        may_throw(host);
    }

    static std::uint64_t count_lists(const cluster_status& status) {
        std::uint64_t out = 0;
        for (const auto& kind : status.kinds) out += kind.informer.lists;
        return out;
    }
    void note_streaming(const informer_status& status) {
        if (!status.not_streamed.empty()) refused_.insert(status.not_streamed.substr(0, 24));
        verdict_.kinds_of_refusal = refused_.size();
    }
    static std::uint64_t count_histories(const cluster_status& status) {
        std::uint64_t out = 0;
        for (const auto& kind : status.kinds) out += kind.informer.server_changes + kind.informer.rollbacks;
        return out;
    }

    swarm_host* find(const std::string& name) {
        for (auto& host : hosts_) {
            if (host->name() == name) return host.get();
        }
        return nullptr;
    }

    void tell_desired() {
        std::vector<desired_cluster> desired;
        for (const auto& host : hosts_) {
            if (host->wanted()) desired.emplace_back(host->name(), host->config());
        }
        manager_->set_desired(std::move(desired));
    }

    bool converged(const swarm_host& host) const {
        const auto status = statuses_.find(host.name());
        if (status == statuses_.end() || status->second.state != cluster_state::live) return false;
        const auto known = contents_.find(host.name());
        const auto present = host.present();
        if ((known == contents_.end() ? std::map<std::string, std::string>() : known->second) != present) return false;
        const auto view = views_.find(host.name());
        return !has_views() || (view != views_.end() && view->second->content == present);
    }

    // The last that was reconciled of each object that is there is what it is.
    bool reconciled(const swarm_host& host) {
        const auto& last = reconciled_[host.name()];
        for (const auto& [uid, state] : host.present()) {
            const auto found = last.find(uid);
            if (found == last.end() || found->second != state) return false;
        }
        return true;
    }

    void wait_for_convergence() {
        const auto limit = env_.now() + time_to_converge;
        for (const auto& host : hosts_) {
            while (!converged(*host) && env_.now() < limit) context_.run_for(1s);
            if (!converged(*host))
                verdict_.violations.push_back(host->name() + ": the cache does not equal the server");
            while (!reconciled(*host) && env_.now() < limit) context_.run_for(1s);
            if (!reconciled(*host))
                verdict_.violations.push_back(host->name() + ": not all that the server holds was reconciled");
        }
    }

    // Nothing more may happen once all is said. An object that came and went while a connection was frozen leaves
    // nothing to compare: it is told when the silence has been noticed, as late as that.
    void check_quiet() {
        context_.run_for(watch_idle + time_to_ask_again);
        const auto before = count_events();
        context_.run_for(30s);
        if (count_events() != before) verdict_.violations.push_back("events after everything was quiet");
    }

    std::uint64_t count_events() const {
        std::uint64_t n = 0;
        for (const auto& [name, checker] : checkers_) n += checker.events();
        for (const auto& [name, view] : views_) n += view->checker.events();
        return n;
    }

    void check_histories() {
        for (const auto& host : hosts_) {
            const auto checker = checkers_.find(host->name());
            const auto status = statuses_.find(host->name());
            if (checker == checkers_.end() || status == statuses_.end()) continue;
            const std::uint64_t lists = count_lists(status->second);
            std::uint64_t watches = 0;
            for (const auto& kind : status->second.kinds) watches += kind.informer.watches;
            verdict_.streams += host->streams();
            // The first list may have pages, and before them a stream that was refused; later ones are counted as
            // relists.
            const bool never_relisted = lists == host->first_list_requests();
            host->check_history(checker->second, never_relisted, verdict_.violations);
            if (!never_relisted) ++verdict_.relists;
            verdict_.rebuilds += status->second.generation - 1;
            if (!host->calm()) continue;
            if (!never_relisted || watches != 1 || status->second.generation != 1) {
                verdict_.violations.push_back(
                    host->name() + ": a cluster without faults was touched: " + std::to_string(lists) + " lists, " +
                    std::to_string(watches) + " watches, generation " + std::to_string(status->second.generation));
            }
        }
    }

    void stop() {
        bool stopped = false;
        asio::co_spawn(home_, manager_->stop(), [&](std::exception_ptr) { stopped = true; });
        if (!context_.run_until([&] { return stopped; }, env_.now() + 1s)) {
            verdict_.violations.push_back("the manager did not stop within a second");
        }
        context_.run_for(1s);
        for (const auto& host : hosts_) {
            if (network_.open_exchanges(host->name()) != 0) {
                verdict_.violations.push_back(host->name() + ": requests are left after the stop");
            }
            host->stop();
        }
        context_.run_for(1s);
    }

    void close_checker(const std::string& cluster) {
        if (const auto view = views_.find(cluster); view != views_.end()) {
            collect(view->second->checker);
            views_.erase(view);
        }
        const auto found = checkers_.find(cluster);
        if (found == checkers_.end()) return;
        collect(found->second);
        checkers_.erase(found);
        contents_.erase(cluster);
        histories_.erase(cluster);
        reconciled_.erase(cluster);
    }

    void collect(const event_checker& checker) {
        verdict_.events += checker.events();
        for (const auto& v : checker.violations()) verdict_.violations.push_back(v);
    }

    swarm_verdict take_verdict() {
        for (const auto& [name, checker] : checkers_) collect(checker);
        for (const auto& [name, view] : views_) collect(view->checker);
        for (const auto& host : hosts_) {
            verdict_.writes += host->writes();
            verdict_.faults += host->faults();
            verdict_.spoiled += host->spoiled() ? 1U : 0U;
            verdict_.protobuf_requests += host->protobuf_requests();
        }
        verdict_.digest = context_.digest();
        verdict_.bug_triggered = !*armed_;
        return verdict_;
    }

    std::uint64_t seed_;
    sim_context context_;
    sim_environment env_;
    sim_network network_;
    planted_bug bug_;
    std::shared_ptr<bool> armed_;
    executor home_ = asio::make_strand(context_.get_executor());
    std::vector<std::unique_ptr<swarm_host>> hosts_;
    std::map<std::string, event_checker> checkers_;
    std::map<std::string, std::map<std::string, std::string>> contents_;  // of the caches: uid → version and value
    std::map<std::string, std::shared_ptr<second_view>> views_;
    std::map<std::string, std::map<std::string, std::string>> reconciled_;  // uid → version and value
    std::map<std::string, std::uint64_t> histories_;  // changes of server or history that were told
    std::map<std::string, cluster_status> statuses_;
    std::set<std::string> refused_;  // reasons against streamed lists
    swarm_verdict verdict_;
    std::optional<multicluster_manager> manager_;
};

}  // namespace

swarm_verdict run_swarm(std::uint64_t seed, planted_bug bug) {
    swarm s(seed, bug);
    return s.run();
}

}  // namespace kcontrol::test
