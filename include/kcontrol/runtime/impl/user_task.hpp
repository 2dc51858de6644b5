// What a user_task refers to, and the executor by which a coroutine is known to belong to one.
#pragma once

#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/runtime/user_task.hpp>

#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution/context_as.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>

#include <cstdint>
#include <memory>
#include <utility>

namespace kcontrol::inline v0_1 {

// Touched on its group's executor only, but for what never changes.
struct user_task::state {
    state(std::shared_ptr<task_group::shared> g, std::uint64_t n) : group(std::move(g)), number(n) {}

    const std::shared_ptr<task_group::shared> group;
    const std::uint64_t number;
    bool excluded = false;  // nobody waits for it
    bool ended = false;
};

// Another executor that tells to which task its work belongs. It fits into an any_io_executor.
class user_task::task_executor {
public:
    task_executor(executor inner, std::shared_ptr<state> task)
        : shared_(std::make_shared<const parts>(std::move(inner), std::move(task))) {}

    const std::shared_ptr<state>& task() const noexcept { return shared_->task; }

    boost::asio::execution_context& query(boost::asio::execution::context_t) const {
        return boost::asio::query(inner(), boost::asio::execution::context_as<boost::asio::execution_context&>);
    }
    template <class Property>
    requires boost::asio::can_query_v<const executor&, Property>
    decltype(auto) query(const Property& property) const { return boost::asio::query(inner(), property); }
    template <class Property>
    requires boost::asio::can_require_v<const executor&, Property> task_executor require(const Property& property)
    const { return task_executor(boost::asio::require(inner(), property), task()); }
    template <class Property>
    requires boost::asio::can_prefer_v<const executor&, Property> task_executor prefer(const Property& property)
    const { return task_executor(boost::asio::prefer(inner(), property), task()); }
    template <class Function>
    void execute(Function&& function) const {
        inner().execute(std::forward<Function>(function));
    }

    friend bool operator==(const task_executor& a, const task_executor& b) noexcept {
        return a.shared_ == b.shared_ || (a.task() == b.task() && a.inner() == b.inner());
    }

private:
    struct parts {
        parts(executor i, std::shared_ptr<state> t) : inner(std::move(i)), task(std::move(t)) {}
        executor inner;
        std::shared_ptr<state> task;
    };
    const executor& inner() const noexcept { return shared_->inner; }

    std::shared_ptr<const parts> shared_;
};

}  // namespace kcontrol
