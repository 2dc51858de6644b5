// The daemons of one object at work: what daemon_set decides is done here.
#pragma once

#include <kcontrol/controller/daemon.hpp>
#include <kcontrol/controller/detail/daemon_set.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1 {

class task_group;

namespace detail {

/// What a controller counts of its daemons.
struct daemon_counts {
    std::size_t alive = 0;
    std::uint64_t started = 0;
    std::uint64_t failures = 0;
    std::uint64_t refused = 0;
};

/// The run of a controller in which a daemon was asked for.
class daemon_term {
public:
    daemon_term(std::shared_ptr<task_group> t, reasoned_token s, logger l, std::shared_ptr<daemon_counts> c)
        : tasks(std::move(t)), stop(std::move(s)), log(std::move(l)), counts(std::move(c)) {}

    std::shared_ptr<task_group> tasks;
    reasoned_token stop;
    logger log;
    std::shared_ptr<daemon_counts> counts;
};

/// Thread-safety: shared objects unsafe; use it on the controller's executor. Its coroutines keep it alive.
class object_daemons : public std::enable_shared_from_this<object_daemons> {
public:
    /// `reconcile` has the object reconciled; `emptied` is called when nothing is left to be known of any daemon.
    object_daemons(environment& env, backoff_policy policy, std::size_t most, std::function<void()> reconcile,
                   std::function<void()> emptied)
        : env_(env),
          quiet_(policy.reset_after()),
          set_(policy, most),
          reconcile_(std::move(reconcile)),
          emptied_(std::move(emptied)) {}

    /// `room`: the controller may have one more.
    KCONTROL_DECL daemon_answer ask(const std::string& name, daemon_function f, daemon_term within, bool room);
    KCONTROL_DECL void stop(const std::string& name);
    KCONTROL_DECL void stop_all(stop_reason why);
    bool empty() const noexcept { return set_.empty(); }

private:
    struct run;
    KCONTROL_DECL void begin(const std::string& name, std::shared_ptr<run> one);
    static awaitable<void> work(std::shared_ptr<object_daemons> self, std::string name, std::shared_ptr<run> one);
    static awaitable<bool> call(environment& env, std::shared_ptr<run> one, daemon_context ctx, duration quiet);
    void tell_to_stop(const std::string& name, stop_reason why);
    void tell_emptied();

    environment& env_;
    duration quiet_;
    daemon_set set_;
    std::function<void()> reconcile_;
    std::function<void()> emptied_;
    std::map<std::string, std::shared_ptr<run>> runs_;     // that run, wait or are ending
    std::map<std::string, std::shared_ptr<run>> pending_;  // to follow those that are ending
};

}  // namespace detail
}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/controller/impl/object_daemons.ipp>
#endif
