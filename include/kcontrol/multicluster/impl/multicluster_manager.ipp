#pragma once

#include <kcontrol/multicluster/multicluster_manager.hpp>
#include <kcontrol/runtime/task_group.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <map>
#include <optional>
#include <utility>

namespace kcontrol {

struct multicluster_manager::impl : std::enable_shared_from_this<impl> {
    impl(environment& e, executor x, multicluster_options o)
        : env(e),
          ex(std::move(x)),
          on_removed(std::move(o.on_removed)),
          log(o.log),
          options(std::make_shared<const cluster_options>(std::move(o))),
          tasks(env, ex, log) {}

    struct member {
        executor strand;
        std::shared_ptr<cluster> object;
        bool leaving = false;
        std::optional<desired_cluster> comes_back;  // wanted again while it is still leaving
    };

    void want(desired_cluster desired) {
        auto& m = members[desired.name];
        if (m.leaving) {
            m.comes_back = std::move(desired);
            return;
        }
        if (!m.object) {
            m.strand = asio::make_strand(ex);
            m.object = std::make_shared<cluster>(env, m.strand, desired.name, options);
        }
        asio::post(m.strand, [object = m.object, desired = std::move(desired)] {
            if (desired.config) {
                object->apply(*desired.config, desired.warning);
            } else {
                object->fail(desired.config.error());
            }
        });
    }

    // `left`: it is no longer wanted. Otherwise everything stops, which is nothing to tell of each cluster.
    void let_go(const std::string& name, bool left) {
        auto& m = members.at(name);
        m.comes_back.reset();
        if (std::exchange(m.leaving, true)) return;
        if (left) log.info("the cluster left", {{"cluster", name}});
        tasks.spawn(remove(shared_from_this(), name));
    }

    void let_go_of_others(const std::vector<desired_cluster>& desired, bool left) {
        std::vector<std::string> gone;
        for (const auto& [name, m] : members) {
            bool wanted = false;
            for (const auto& d : desired) wanted = wanted || d.name == name;
            if (!wanted) gone.push_back(name);
        }
        for (const auto& name : gone) let_go(name, left);
    }

    static awaitable<void> stop_one(std::shared_ptr<cluster> object) { co_await object->stop(); }

    static awaitable<void> remove(std::shared_ptr<impl> self, std::string name) {
        // By value: the map may change while this waits.
        const executor strand = self->members.at(name).strand;
        auto object = std::exchange(self->members.at(name).object, nullptr);
        co_await asio::co_spawn(strand, stop_one(object), asio::use_awaitable);
        auto next = std::move(self->members.at(name).comes_back);
        self->members.erase(name);
        if (self->on_removed) self->on_removed(name);
        if (next) self->want(std::move(*next));
    }

    environment& env;
    executor ex;
    std::function<void(const std::string&)> on_removed;
    logger log;
    std::shared_ptr<const cluster_options> options;
    task_group tasks;
    std::map<std::string, member> members;
};

KCONTROL_DECL multicluster_manager::multicluster_manager(environment& env, executor ex, multicluster_options options)
    : impl_(std::make_shared<impl>(env, std::move(ex), std::move(options))) {}

KCONTROL_DECL multicluster_manager::~multicluster_manager() = default;

KCONTROL_DECL void multicluster_manager::set_desired(std::vector<desired_cluster> desired) {
    impl_->let_go_of_others(desired, true);
    for (auto& d : desired) impl_->want(std::move(d));
}

KCONTROL_DECL awaitable<void> multicluster_manager::stop() {
    const auto self = impl_;
    self->let_go_of_others({}, false);
    co_await self->tasks.join();
}

KCONTROL_DECL std::vector<std::string> multicluster_manager::names() const {
    std::vector<std::string> out;
    for (const auto& [name, m] : impl_->members) {
        if (m.object) out.push_back(name);
    }
    return out;
}

}  // namespace kcontrol
