// What a registration is made of.
#pragma once

#include <kcontrol/documents/value.hpp>
#include <kcontrol/runtime/failure_log.hpp>
#include <kcontrol/runtime/scope.hpp>
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/service/detail/registration_machine.hpp>
#include <kcontrol/service/registration.hpp>

#include <memory>
#include <optional>
#include <string>

namespace kcontrol::inline v0_1::service {

struct registration::impl : std::enable_shared_from_this<impl> {
    using answer = result<detail::registration_answer>;

    // From a start to the end of its run.
    struct turn {
        turn(std::stop_token parent, detail::registration_settings settings)
            : lifetime(std::move(parent)), machine(settings) {}

        scope lifetime;
        scope watching;  // ends with the run
        detail::registration_machine machine;
        bool closing = false;  // the machine was told
        bool ended = false;
        duration limit = std::chrono::seconds(10);
    };

    impl(environment& e, executor x, client c, registration_options o, logger l);

    result<void> read(result<json::value> parsed);
    result<void> read_object(const json::object& object);
    result<void> start(std::stop_token parent);

    static awaitable<void> run(std::shared_ptr<impl> self, std::shared_ptr<turn> mine, std::shared_ptr<turn> before);
    static awaitable<answer> send(std::shared_ptr<impl> self, detail::registration_step step, std::stop_token stop);
    awaitable<answer> resolve(std::stop_token stop);
    awaitable<answer> find_pod(std::stop_token stop);
    awaitable<answer> apply(std::stop_token stop);
    awaitable<answer> remove(duration limit);
    static awaitable<void> watch(std::shared_ptr<impl> self, std::shared_ptr<turn> mine);
    awaitable<error> follow(turn& mine, std::stop_token stop);

    std::string applied_text() const;
    void report(turn& mine);
    void report_unwatched(const error& why);
    std::string rule() const;

    environment& env;
    const client cl;
    const registration_options options;
    const logger log;
    task_group tasks;

    result<void> usable;  // or why the object is not
    json::object object;  // as it is applied, but for the owner
    group_version_kind gvk;
    namespaced_name key;                // without a namespace where none is written
    std::optional<resource_info> kind;  // of the metadata alone; once it is known
    detail::registration_answer owner;
    std::shared_ptr<turn> present;
    async_event changed;   // for the run and the watch
    async_event finished;  // something in status() has changed
    failure_log<error_code> watches;
    bool gone = false;  // its registration has been destroyed
};

}  // namespace kcontrol::service
