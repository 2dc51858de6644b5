// How the garbage collector acts on the server: it observes every change, and carries out its actions after a while.
#pragma once

#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/time.hpp>

#include "testserver/admission_chain.hpp"
#include "testserver/cluster_events.hpp"
#include "testserver/direct_writes.hpp"
#include "testserver/garbage_collector.hpp"
#include "testserver/object_store.hpp"

#include <stop_token>
#include <string>

namespace kcontrol::inline v0_1::testing::detail {

/// Runs a garbage_collector on what is stored. Touched on the server's executor only.
class collector_shell {
public:
    /// It acts `delay` after a change, until `stop`. The first four outlive it.
    collector_shell(environment& env, object_store& store, direct_writes& writes, const task_spawner& spawn,
                    duration delay, std::stop_token stop)
        : env_(env), store_(store), writes_(writes), spawn_(spawn), delay_(delay), stop_(std::move(stop)) {}

    /// An object was written or deleted.
    void changed(const resource_table& table, change what, const stored_object& object);
    /// Shows the collector all there is, as when it starts.
    void restart();

private:
    void show(const resource_table& table, change what, const stored_object& object);
    void start();
    awaitable<void> collect();
    void carry_out(const collector_action& action);
    /// Writes an Event about each owner of an object that is in another namespace.
    void report_owners(const resource_table& table, const collector_action& action);
    void record_event(const event_note& note, const std::string& manager);

    environment& env_;
    object_store& store_;
    direct_writes& writes_;
    const task_spawner& spawn_;
    duration delay_;
    std::stop_token stop_;
    garbage_collector collector_;
    event_maker events_;
    bool collecting_ = false;
};

}  // namespace kcontrol::testing::detail
