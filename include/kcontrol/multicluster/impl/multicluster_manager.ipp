#pragma once

#include <kcontrol/multicluster/detail/cluster_board.hpp>
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
#include <utility>

namespace kcontrol {
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
inline multicluster_options introduce_to(std::shared_ptr<const aware_list> works, multicluster_options options) {
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
          options(std::make_shared<const multicluster_options>(detail::introduce_to(works, std::move(o)))),
          calls(env, options->log()),
          tasks(env, home, options->log()) {
        counting.stop();  // contend() begins it
        if (options->leader_election()) prepare_to_lead();
        if (!options->add_collector()) return;
        board = std::make_shared<detail::cluster_board>();
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
        bool disengaging = false;
        std::optional<desired_cluster> engage_again;  // desired again while it is still disengaging
    };

    void engage(desired_cluster desired) {
        auto& m = members[desired.name];
        if (m.disengaging) {
            m.engage_again = std::move(desired);
            return;
        }
        const bool other =
            m.object && (m.object->labels() != desired.labels || m.object->namespaces() != desired.namespaces);
        if (other) {
            const std::string name = desired.name;
            disengage(name, true, {});
            members.at(name).engage_again = std::move(desired);
            return;
        }
        if (!m.object) {
            m.strand = spread() ? executor(asio::make_strand(options->cluster_executor())) : home;
            m.object = std::make_shared<engaged_cluster>(env, m.strand, desired.name, options, board, fence,
                                                         desired.labels, desired.namespaces);
            if (term) lead_in(m);
        }
        asio::post(m.strand, [object = m.object, desired = std::move(desired)] {
            if (desired.config) {
                object->engage(*desired.config, desired.warning);
            } else {
                object->refuse(desired.config.error());
            }
        });
    }

    // `left`: it is no longer desired. Otherwise everything stops.
    void disengage(const std::string& name, bool left, const guest_task& caller) {
        auto& m = members.at(name);
        m.engage_again.reset();
        if (std::exchange(m.disengaging, true)) {
            if (auto leaving = m.leaving.lock()) {
                asio::post(m.strand, [object = std::move(leaving), caller] { object->leave_out(caller); });
            }
            return;
        }
        if (left) options->log().info("the cluster left", {{"cluster", name}});
        auto object = std::exchange(m.object, nullptr);
        m.leaving = object;
        tasks.spawn(remove(shared_from_this(), name, std::move(object), caller, left));
    }

    void disengage_others(const std::vector<desired_cluster>& desired, bool left, const guest_task& caller) {
        std::vector<std::string> gone;
        for (const auto& [name, m] : members) {
            bool wanted = false;
            for (const auto& d : desired) wanted = wanted || d.name == name;
            if (!wanted) gone.push_back(name);
        }
        for (const auto& name : gone) disengage(name, left, caller);
    }

    bool spread() const { return static_cast<bool>(options->cluster_executor()); }

    // What a cluster has on a strand of its own is not to be destroyed here while it is at work there.
    void abandon() {
        elector.reset();  // its fence shuts, and nothing is called any more
        counting.stop();
        for (auto& [name, m] : members) {
            if (const auto leaving = m.leaving.lock()) leaving->request_stop();
            if (!m.object) continue;
            m.object->request_stop();
            if (spread()) asio::post(m.strand, [object = std::move(m.object)] {});
        }
    }

    // The Lease is given up last, when what the leader does has returned.
    static awaitable<void> join(std::shared_ptr<impl> self, guest_task caller) {
        const std::uint64_t number = self->offers;
        const time_point deadline = self->env.now() + self->options->graceful_shutdown_timeout();
        self->disengage_others({}, false, caller);
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
        co_await asio::co_spawn(self->home, join(self, guest_task::of(mine)), asio::use_awaitable);
    }

    static awaitable<void> disengage_one(std::shared_ptr<engaged_cluster> object, guest_task caller) {
        co_await object->disengage_for(caller);
    }

    static awaitable<void> remove(std::shared_ptr<impl> self, std::string name, std::shared_ptr<engaged_cluster> object,
                                  guest_task caller, bool left) {
        // By value: the map may change while this waits.
        const executor strand = self->members.at(name).strand;
        co_await asio::co_spawn(strand, disengage_one(object, std::move(caller)), asio::use_awaitable);
        auto next = std::move(self->members.at(name).engage_again);
        if (const auto& led = self->members.at(name).led) led->stop();
        self->members.erase(name);
        if (self->board) self->board->remove(name);
        if (left && !next) {
            for (const auto& one : self->works->all()) one->removed(name);
        }
        if (!left) {
            self->options->log().info("the cluster is disengaged",
                                      {{"cluster", name}, {"reason", "the manager stops"}});
        }
        if (next) self->engage(std::move(*next));
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
    static awaitable<void> count_leadership(std::weak_ptr<impl> weak, environment& env, std::stop_token stop);

    environment& env;
    executor home;
    const std::shared_ptr<detail::aware_list> works = std::make_shared<detail::aware_list>();
    std::shared_ptr<const multicluster_options> options;
    guarded_calls calls;                      // of the options' functions about all clusters
    std::unique_ptr<leader_elector> elector;  // null without leader election
    std::optional<leader_fence> fence;        // none: all controllers run
    std::optional<error> lead_error;          // why it does not contend
    std::shared_ptr<task_group> term;         // of leadership: a task for each cluster
    std::stop_token term_stop;
    std::uint64_t offers = 0;                      // counts set_desired()
    scope counting;                                // of the metrics of leadership
    std::shared_ptr<detail::cluster_board> board;  // null without options->metrics()
    task_group tasks;
    std::map<std::string, member> members;
};

// Where nothing can be contended for the fence stays shut.
inline void multicluster_manager::impl::prepare_to_lead() {
    const leader_options& how = *options->leader_election();
    auto cl = client::connect(env, home, *options->home(), options->transport(), options->log());
    if (!cl) {
        fence.emplace(env, to_string(how.lease()));
        refuse_to_lead(cl.error().with_context("the cluster of the Lease"));
        return;
    }
    leader_callbacks on;
    on.on_started_leading([this](std::stop_token stop) { return lead_work(shared_from_this(), std::move(stop)); });
    on.on_stopped_leading([this] { tell_leading(false); });
    elector = std::make_unique<leader_elector>(env, home, std::move(*cl), how, on, options->log());
    fence = elector->fence();
}

inline void multicluster_manager::impl::refuse_to_lead(const error& why) {
    if (!lead_error) {
        options->log().error("no controller runs, for leadership can't be contended for", {{"error", why.what()}});
    }
    lead_error = why;
}

inline void multicluster_manager::impl::contend() {
    ++offers;
    if (!elector) return;
    const auto contends = elector->start();
    if (!contends) return refuse_to_lead(contends.error());
    lead_error.reset();
    if (!board || !counting.stopped()) return;
    asio::co_spawn(home, count_leadership(weak_from_this(), env, counting.rebuild()), asio::detached);
}

// A term of leadership. The elector says how long the end of it is waited for.
inline awaitable<void> multicluster_manager::impl::lead_work(std::shared_ptr<impl> self, std::stop_token stop) {
    const executor mine = co_await asio::this_coro::executor;
    const auto group = std::make_shared<task_group>(self->env, self->home, self->options->log(), guest_task::of(mine));
    if (stop.stop_requested()) co_return;
    self->term = group;
    self->term_stop = stop;
    for (auto& [name, m] : self->members) {
        if (m.object) self->lead_in(m);
    }
    self->tell_leading(true);
    async_event never;
    co_await never.wait(self->env, stop);
    co_await group->join();
    if (self->term == group) self->term.reset();
}

inline void multicluster_manager::impl::lead_in(member& m) {
    m.led = std::make_shared<scope>(term_stop);
    term->spawn(lead_one(m.strand, m.object, m.led));
}

// A cluster that leaves ends its part of the term.
inline awaitable<void> multicluster_manager::impl::lead_one(executor strand, std::shared_ptr<engaged_cluster> object,
                                                            std::shared_ptr<scope> led) {
    awaitable<void> leading = object->lead(led->token());
    object.reset();
    co_await asio::co_spawn(strand, std::move(leading), asio::use_awaitable);
}

inline void multicluster_manager::impl::tell_leading(bool leads) {
    publish_leadership();
    const auto& tell = options->on_leading();
    if (tell) calls.call("on_leading()", [&] { tell(leads); });
}

inline void multicluster_manager::impl::publish_leadership() {
    if (board && elector) board->set_leadership(elector->options().lease().name, elector->stats());
}

inline awaitable<void> multicluster_manager::impl::count_leadership(std::weak_ptr<impl> weak, environment& env,
                                                                    std::stop_token stop) {
    while (!stop.stop_requested()) {
        if (const auto self = weak.lock()) self->publish_leadership();
        co_await sleep_for(env, std::chrono::seconds(1), stop);
    }
}

KCONTROL_DECL multicluster_manager::multicluster_manager(environment& env, executor ex, multicluster_options options)
    : impl_(std::make_shared<impl>(env, std::move(ex), std::move(options))) {}

KCONTROL_DECL multicluster_manager::~multicluster_manager() { impl_->abandon(); }

KCONTROL_DECL void multicluster_manager::set_desired(std::vector<desired_cluster> desired) {
    impl_->contend();
    impl_->disengage_others(desired, true, {});
    for (auto& d : desired) impl_->engage(std::move(d));
}

KCONTROL_DECL result<void> multicluster_manager::add(std::shared_ptr<cluster_aware> work) {
    result<void> taken = impl_->works->add(work);
    if (!taken) return taken;
    for (auto& [name, m] : impl_->members) {
        if (!m.object) continue;
        asio::post(m.strand, [object = m.object, work] { object->introduce_to(*work); });
    }
    return {};
}

KCONTROL_DECL environment& multicluster_manager::env() const noexcept { return impl_->env; }
KCONTROL_DECL const logger& multicluster_manager::log() const noexcept { return impl_->options->log(); }

KCONTROL_DECL awaitable<void> multicluster_manager::stop() { return impl::stop(impl_); }

KCONTROL_DECL executor multicluster_manager::get_executor() const { return impl_->home; }

KCONTROL_DECL const leader_elector* multicluster_manager::get_elector() const noexcept { return impl_->elector.get(); }
KCONTROL_DECL const std::optional<error>& multicluster_manager::last_error() const noexcept {
    return impl_->lead_error;
}

KCONTROL_DECL std::vector<std::string> multicluster_manager::names() const {
    std::vector<std::string> out;
    for (const auto& [name, m] : impl_->members) {
        if (m.object) out.push_back(name);
    }
    return out;
}

}  // namespace kcontrol
