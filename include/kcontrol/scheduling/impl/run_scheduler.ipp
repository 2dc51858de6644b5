#pragma once

#include <kcontrol/manager/run.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/scheduling/run_scheduler.hpp>

#include <functional>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {
namespace detail {

// The name of the scheduler, or what is wrong.
inline result<std::string> check_scheduler(const command_line& flags, bool is_named, scheduler_options& how) {
    if (!flags.namespace_.empty()) {
        return error(
            errc::invalid_argument,
            "--namespace: a scheduler must see the pods of all namespaces, which fill the nodes; leave it out");
    }
    if (how.configuration_file().empty()) return how.scheduler_name();
    if (is_named) {
        return error(errc::invalid_argument,
                     "--scheduler-name, --config: give one of them; the file has the names of its profiles");
    }
    system_environment env;
    const auto profiles = read_profiles(env, how);
    if (!profiles) return profiles.error();
    return profiles->front().scheduler_name();
}

}  // namespace detail

KCONTROL_DECL int run_scheduler(int argc, char** argv, scheduler_options how, run_options program,
                                scheduler_set_up more) {
    bool is_named = false;
    const auto take_name = [&](std::string_view name) -> result<void> {
        if (name.empty()) return error(errc::invalid_argument, "a name is expected");
        is_named = true;
        how.scheduler_name(std::string(name));
        return {};
    };
    const auto take_file = [&](std::string_view file) -> result<void> {
        if (file.empty()) return error(errc::invalid_argument, "a file is expected");
        how.configuration_file(std::string(file));
        return {};
    };
    program.flag("--scheduler-name", "NAME",
                 "schedule the pods with this spec.schedulerName; else " + how.scheduler_name(), take_name);
    program.flag("--config", "FILE", "the profiles and their plugins, as YAML; it is read again when it changes",
                 take_file);
    const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
    const auto flags = command_line::parse(words, program.user_flags());
    if (flags && !flags->help && !flags->version) {
        auto name = detail::check_scheduler(*flags, is_named, how);
        if (!name) {
            std::cerr << (argc > 0 ? argv[0] : "program") << ": " << escape_control(name.error().what()) << "\n";
            return 2;
        }
        if (!program.leader_election()) program.leader_election(leader_options(namespaced_name("", std::move(*name))));
    }
    using setup_function = std::function<awaitable<result<void>>(manager&, std::stop_token)>;
    const setup_function set_up = [&how, &more](manager& m, std::stop_token stop) -> awaitable<result<void>> {
        if (more.before()) {
            auto done = co_await more.before()(m, std::move(stop));
            if (!done) co_return done;
        }
        const auto made = scheduler::add_to(m, how);
        if (!made) co_return made.error();
        if (more.after()) co_return more.after()(m, *made);
        co_return result<void>();
    };
    return run(argc, argv, set_up, std::move(program));
}

}  // namespace kcontrol::scheduling
