// The inside of a multicluster_manager: its clusters, and what they are engaged and disengaged by.
#pragma once

#include <kcontrol/multicluster/detail/cluster_board.hpp>
#include <kcontrol/multicluster/detail/cluster_book.hpp>
#include <kcontrol/multicluster/detail/cluster_sharding.hpp>
#include <kcontrol/multicluster/detail/held_transport.hpp>
#include <kcontrol/multicluster/impl/engaged_cluster_impl.hpp>
#include <kcontrol/multicluster/multicluster_manager.hpp>
#include <kcontrol/runtime/guarded_calls.hpp>
#include <kcontrol/runtime/scope.hpp>
#include <kcontrol/runtime/task_group.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {
namespace detail {

// What works on every cluster. Clusters ask where they work, which may be on several threads.
class aware_list {
public:
    result<void> add(std::shared_ptr<cluster_aware> work) {
        const std::lock_guard lock(mutex_);
        for (const auto& one : all_) {
            if (one->name() == work->name())
                return error(errc::invalid_argument, "the name " + work->name() + " is taken");
        }
        all_.push_back(std::move(work));
        return {};
    }
    std::vector<std::shared_ptr<cluster_aware>> all() const {
        const std::lock_guard lock(mutex_);
        return all_;
    }

private:
    mutable std::mutex mutex_;
    std::vector<std::shared_ptr<cluster_aware>> all_;
};

// Everybody that works on clusters is told before the embedding program is.
inline multicluster_options introduce_to(std::shared_ptr<const aware_list> works, std::shared_ptr<cluster_book> book,
                                         multicluster_options options) {
    auto last_status = options.on_status();
    options.on_status([book = std::move(book), last = std::move(last_status)](const cluster_status& now) {
        book->set(now);
        if (last) last(now);
    });
    auto last = options.on_engage();
    options.on_engage([works = std::move(works), last = std::move(last)](engaged_cluster& of) {
        for (const auto& one : works->all()) one->engage(of).value();
        if (last) last(of);
    });
    return options;
}

}  // namespace detail

struct multicluster_manager::impl : std::enable_shared_from_this<impl> {
    impl(environment& e, executor x, multicluster_options o)
        : env(e),
          home(asio::make_strand(x)),
          options(std::make_shared<const multicluster_options>(detail::introduce_to(works, book, std::move(o)))),
          calls(env, options->log()),
          tasks(env, home, options->log()) {
        counting.stop();  // contend() begins it
        if (options->leader_election() && !options->sharding()) prepare_to_lead();
        if (options->sharding()) prepare_to_share();
        if (!options->add_collector()) return;
        board = std::make_shared<detail::cluster_board>(options->metrics_clusters());
        if (elector) board->set_leadership(elector->options().lease().name, elector->stats());
        options->add_collector()([weak = std::weak_ptr(board), &e](metrics_writer& out) {
            if (const auto all = weak.lock()) all->write(out, e.wall_now());
        });
    }

    struct member {
        executor strand;
        std::shared_ptr<engaged_cluster> object;
        std::weak_ptr<engaged_cluster> leaving;
        std::shared_ptr<scope> led;  // its part of the present term of leadership
        // What it was told and has not heard yet.
        std::shared_ptr<std::size_t> untold = std::make_shared<std::size_t>(0);
        bool disengaging = false;
        std::unique_ptr<desired_cluster> engage_again;  // desired again while it is still disengaging
    };

    // Why one is disengaged: it is no longer desired, another replica has it from now on, or everything stops.
    enum class farewell { left, given_away, stops };

    void engage(desired_cluster desired) {
        auto& m = members[desired.name];
        if (m.disengaging) {
            m.engage_again = std::make_unique<desired_cluster>(std::move(desired));
            return;
        }
        const bool other =
            m.object && (m.object->labels() != desired.labels || m.object->namespaces() != desired.namespaces ||
                         m.object->part() != desired.part);
        if (other) {
            const std::string name = desired.name;
            disengage(name, farewell::left, {});
            members.at(name).engage_again = std::make_unique<desired_cluster>(std::move(desired));
            return;
        }
        if (!m.object) {
            m.strand = spread() ? executor(asio::make_strand(options->cluster_executor())) : home;
            m.object = std::make_shared<engaged_cluster>(env, m.strand, desired.name, options_for(desired.name), board,
                                                         fence, desired.labels, desired.namespaces, desired.part);
            book->expect(desired.name);
            if (term) lead_in(m);
        }
        if (knows(m, desired)) return;
        ++*m.untold;
        asio::post(m.strand, [object = m.object, untold = m.untold, here = !spread(), desired = std::move(desired)] {
            if (here) --*untold;
            if (desired.config) {
                object->engage(*desired.config, desired.warning);
            } else {
                object->refuse(desired.config.error());
            }
        });
    }

    // It is engaged with just that. As one of a thousand clusters leaves, 999 are told nothing new: without being asked
    // on their turn, which would take longer than the leaving does. On strands of their own they are.
    bool knows(const member& m, const desired_cluster& desired) const {
        if (spread() || *m.untold > 0 || !desired.config) return false;
        return m.object->impl_->life.has(*desired.config, desired.warning);
    }

    void disengage(const std::string& name, farewell why, const user_task& caller) {
        auto& m = members.at(name);
        m.engage_again.reset();
        if (std::exchange(m.disengaging, true)) {
            if (auto leaving = m.leaving.lock()) {
                asio::post(m.strand, [object = std::move(leaving), caller] { object->exclude(caller); });
            }
            return;
        }
        if (why == farewell::left) options->log().info("the cluster left", {{"cluster", name}});
        auto object = std::exchange(m.object, nullptr);
        m.leaving = object;
        tasks.spawn(remove(shared_from_this(), name, std::move(object), caller, why));
    }

    void disengage_others(const std::vector<desired_cluster>& desired, farewell why, const user_task& caller) {
        std::set<std::string> wanted;
        for (const auto& d : desired) wanted.insert(d.name);
        std::vector<std::string> gone;
        for (const auto& [name, m] : members) {
            // What is shared leaves when its hold has ended.
            const bool shared = sharding && sharding->holds(name);
            if (wanted.count(name) == 0 && !shared) gone.push_back(name);
        }
        for (const auto& name : gone) disengage(name, why, caller);
    }

    bool spread() const { return static_cast<bool>(options->cluster_executor()); }

    // What a cluster has on a strand of its own is not to be destroyed here while it is at work there.
    void abandon() {
        elector.reset();  // its fence shuts, and nothing is called any more
        if (sharding) sharding->abandon();
        counting.stop();
        for (auto& [name, m] : members) {
            if (const auto leaving = m.leaving.lock()) leaving->request_stop();
            if (!m.object) continue;
            m.object->request_stop();
            if (spread()) asio::post(m.strand, [object = std::move(m.object)] {});
        }
    }

    // The Lease is given up last, when what the leader does has returned.
    static awaitable<void> join(std::shared_ptr<impl> self, user_task caller) {
        const std::uint64_t number = self->offers;
        const time_point deadline = self->env.now() + self->options->graceful_shutdown_timeout();
        if (self->sharding) {
            for (auto& [name, m] : self->members) {
                if (m.object) asio::post(m.strand, [object = m.object, caller] { object->exclude(caller); });
            }
            co_await detail::cluster_sharding::stop(self->sharding, deadline);
            if (self->offers != number) co_return;
        }
        self->disengage_others({}, farewell::stops, caller);
        co_await self->tasks.join();
        if (!self->elector || self->offers != number) co_return;
        const duration left = std::max(deadline - self->env.now(), duration::zero());
        const bool returned = co_await self->elector->stop(left);
        static_cast<void>(returned);  // what has not is told by its cluster
        if (self->offers != number) co_return;
        self->counting.stop();
        self->publish_leadership();
    }

    // Whoever awaits it does so on an executor of its own, by which it is known.
    static awaitable<void> stop(std::shared_ptr<impl> self) {
        const executor mine = co_await asio::this_coro::executor;
        co_await asio::co_spawn(self->home, join(self, user_task::of(mine)), asio::use_awaitable);
    }

    static awaitable<void> disengage_one(std::shared_ptr<engaged_cluster> object, user_task caller) {
        co_await object->disengage_for(caller);
    }

    static awaitable<void> remove(std::shared_ptr<impl> self, std::string name, std::shared_ptr<engaged_cluster> object,
                                  user_task caller, farewell why) {
        // By value: the map may change while this waits.
        const executor strand = self->members.at(name).strand;
        co_await asio::co_spawn(strand, disengage_one(object, std::move(caller)), asio::use_awaitable);
        auto next = std::move(self->members.at(name).engage_again);
        if (const auto& led = self->members.at(name).led) led->stop();
        self->members.erase(name);
        if (self->board) self->board->remove(name);
        self->book->remove(name);
        if (why != farewell::stops && !next) {
            for (const auto& one : self->works->all()) one->removed(name);
        }
        if (why == farewell::stops) {
            self->options->log().info("the cluster is disengaged",
                                      {{"cluster", name}, {"reason", "the manager stops"}});
        }
        if (next) {
            self->engage(std::move(*next));
        } else if (self->sharding) {
            self->sharding->disengaged(name);
        }
    }

    void prepare_to_lead();
    void refuse_to_lead(const error& why);
    void contend();
    static awaitable<void> lead_work(std::shared_ptr<impl> self, std::stop_token stop);
    void lead_in(member& m);
    static awaitable<void> lead_one(executor strand, std::shared_ptr<engaged_cluster> object,
                                    std::shared_ptr<scope> led);
    void tell_leading(bool leads);
    void publish_leadership();
    void prepare_to_share();
    void share(std::vector<desired_cluster> desired);
    std::shared_ptr<const multicluster_options> options_for(const std::string& name) const;
    static awaitable<void> count_leadership(std::weak_ptr<impl> weak, environment& env, std::stop_token stop);

    environment& env;
    executor home;
    const std::shared_ptr<detail::aware_list> works = std::make_shared<detail::aware_list>();
    const std::shared_ptr<detail::cluster_book> book = std::make_shared<detail::cluster_book>();
    std::shared_ptr<const multicluster_options> options;
    guarded_calls calls;                      // of the options' functions about all clusters
    std::unique_ptr<leader_elector> elector;  // null without leader election
    std::optional<leader_fence> fence;        // none: all controllers run
    std::optional<error> lead_error;          // why it does not contend
    std::shared_ptr<task_group> term;         // of leadership: a task for each cluster
    std::stop_token term_stop;
    std::shared_ptr<detail::cluster_sharding> sharding;  // null without
    std::map<std::string, desired_cluster> offered;      // those that are shared, whoever has them
    std::uint64_t offers = 0;                            // counts set_desired()
    scope counting;                                      // of the metrics of leadership
    std::shared_ptr<detail::cluster_board> board;        // null without options->metrics()
    task_group tasks;
    std::map<std::string, member> members;
};

}  // namespace kcontrol
