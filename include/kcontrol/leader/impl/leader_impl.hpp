// What a leader_elector is made of.
#pragma once

#include <kcontrol/base/thrown.hpp>
#include <kcontrol/leader/detail/lease_machine.hpp>
#include <kcontrol/leader/leader_elector.hpp>
#include <kcontrol/runtime/backoff.hpp>
#include <kcontrol/runtime/failure_log.hpp>
#include <kcontrol/runtime/guarded_calls.hpp>
#include <kcontrol/runtime/scope.hpp>
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1 {

struct leader_elector::impl : std::enable_shared_from_this<impl> {
    // From a start to the end of its run.
    struct turn {
        turn(std::stop_token parent, const detail::lease_settings& settings)
            : lifetime(std::move(parent)), machine(settings) {}

        scope lifetime;
        scope watching;             // ends with the run, later than lifetime
        std::optional<scope> term;  // of the work
        detail::lease_machine machine;
        std::optional<time_point> drain_until;  // it stops
        bool closing = false;                   // the machine has been told
        bool returned = true;                   // the work, in time
        bool ended = false;
    };

    impl(environment& e, executor x, client c, leader_options o, leader_callbacks cb, logger l);

    static awaitable<void> run(std::shared_ptr<impl> self, std::shared_ptr<turn> mine, std::shared_ptr<turn> before);
    static awaitable<void> ask(std::shared_ptr<impl> self, std::shared_ptr<turn> mine, detail::lease_step step);
    awaitable<result<detail::coordination_lease>> send(detail::lease_step step, std::stop_token stop);
    static awaitable<void> watch(std::shared_ptr<impl> self, std::shared_ptr<turn> mine);
    awaitable<error> follow(turn& mine, std::stop_token stop);
    void tell_unwatched(const error& why);
    void see(turn& mine, const watch_event& event);
    static awaitable<void> work_of(std::shared_ptr<impl> self, std::shared_ptr<turn> mine, std::stop_token stop);
    static awaitable<void> await_return(std::shared_ptr<impl> self, std::shared_ptr<turn> mine);

    void approach_end(turn& mine);
    void tell(const std::shared_ptr<turn>& mine);
    void tell_started(const std::shared_ptr<turn>& mine);
    void tell_stopped(turn& mine, const std::string& why);
    void tell_answer(const result<detail::coordination_lease>& answer);
    void publish(const turn& mine);

    environment& env;
    executor ex;
    client cl;
    leader_options options;
    leader_callbacks callbacks;
    logger log;
    leader_fence fence;
    std::shared_ptr<guarded_calls> calls;
    task_group tasks;  // its own
    task_group work;   // the program's
    std::shared_ptr<turn> present;
    async_event changed;  // for the run
    async_event finished;
    duration drain = std::chrono::seconds(30);
    failure_log<error_code> answers, watches;
    std::uint64_t terms = 0, slow_paths = 0;  // of the turns before, the latter
    bool gone = false;                        // its elector has been destroyed
};

}  // namespace kcontrol
