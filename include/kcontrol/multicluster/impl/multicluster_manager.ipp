#pragma once

#include <kcontrol/multicluster/detail/cluster_board.hpp>
#include <kcontrol/multicluster/multicluster_manager.hpp>
#include <kcontrol/runtime/task_group.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <map>
#include <optional>
#include <utility>

namespace kcontrol {

struct multicluster_manager::impl : std::enable_shared_from_this<impl> {
    impl(environment& e, executor x, multicluster_options o)
        : env(e),
          home(asio::make_strand(x)),
          options(std::make_shared<const multicluster_options>(std::move(o))),
          tasks(env, home, options->log()) {
        if (!options->add_collector()) return;
        board = std::make_shared<detail::cluster_board>();
        options->add_collector()([weak = std::weak_ptr(board), &e](metrics_writer& out) {
            if (const auto all = weak.lock()) all->write(out, e.wall_now());
        });
    }

    struct member {
        executor strand;
        std::shared_ptr<engaged_cluster> object;
        std::weak_ptr<engaged_cluster> leaving;
        bool disengaging = false;
        std::optional<desired_cluster> engage_again;  // desired again while it is still disengaging
    };

    void engage(desired_cluster desired) {
        auto& m = members[desired.name];
        if (m.disengaging) {
            m.engage_again = std::move(desired);
            return;
        }
        if (!m.object) {
            m.strand = spread() ? executor(asio::make_strand(options->cluster_executor())) : home;
            m.object = std::make_shared<engaged_cluster>(env, m.strand, desired.name, options, board);
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
        for (auto& [name, m] : members) {
            if (const auto leaving = m.leaving.lock()) leaving->request_stop();
            if (!m.object) continue;
            m.object->request_stop();
            if (spread()) asio::post(m.strand, [object = std::move(m.object)] {});
        }
    }

    static awaitable<void> join(std::shared_ptr<impl> self, guest_task caller) {
        self->disengage_others({}, false, caller);
        co_await self->tasks.join();
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
        self->members.erase(name);
        if (self->board) self->board->remove(name);
        if (!left) {
            self->options->log().info("the cluster is disengaged",
                                      {{"cluster", name}, {"reason", "the manager stops"}});
        }
        if (next) self->engage(std::move(*next));
    }

    environment& env;
    executor home;
    std::shared_ptr<const multicluster_options> options;
    std::shared_ptr<detail::cluster_board> board;  // null without options->metrics()
    task_group tasks;
    std::map<std::string, member> members;
};

KCONTROL_DECL multicluster_manager::multicluster_manager(environment& env, executor ex, multicluster_options options)
    : impl_(std::make_shared<impl>(env, std::move(ex), std::move(options))) {}

KCONTROL_DECL multicluster_manager::~multicluster_manager() { impl_->abandon(); }

KCONTROL_DECL void multicluster_manager::set_desired(std::vector<desired_cluster> desired) {
    impl_->disengage_others(desired, true, {});
    for (auto& d : desired) impl_->engage(std::move(d));
}

KCONTROL_DECL awaitable<void> multicluster_manager::stop() { return impl::stop(impl_); }

KCONTROL_DECL executor multicluster_manager::get_executor() const { return impl_->home; }

KCONTROL_DECL std::vector<std::string> multicluster_manager::names() const {
    std::vector<std::string> out;
    for (const auto& [name, m] : impl_->members) {
        if (m.object) out.push_back(name);
    }
    return out;
}

}  // namespace kcontrol
