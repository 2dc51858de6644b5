// What answers the reads of a client in the server's place, and is told of its writes: the caches of a cluster.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/client/any_list.hpp>
#include <kcontrol/client/options.hpp>
#include <kcontrol/model/resource.hpp>
#include <kcontrol/runtime/executor.hpp>
#include <kcontrol/runtime/time.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>

namespace kcontrol::inline v0_1 {

class client;

/// The writes of one task, so that what follows can wait until the caches have seen them.
///
/// Thread-safety: shared objects unsafe; use it on the client's executor.
class own_writes {
public:
    virtual ~own_writes() = default;

    /// Those that some cache is to see and has not been waited for.
    virtual std::size_t pending() const = 0;

    /// Waits until the caches have seen what is pending now. Errors: timeout, stopped; none disturbs a cache.
    virtual awaitable<result<void>> seen(std::stop_token stop, time_point deadline) = 0;
};

/// Caches behind a client (client::reading_from). A cluster has one.
///
/// Thread-safety: shared objects unsafe; it is called on the client's executor.
class client_cache {
public:
    virtual ~client_cache() = default;

    /// The answer to a read of `from`, with which the cache may ask the server; nothing: the client is to ask it, with
    /// the options as they are then, whose deadline may be shorter. `from`, `info` and `options` outlive the call.
    virtual awaitable<std::optional<result<any_object>>> get(const client& from, const resource_info& info,
                                                             namespaced_name key, get_options& options) = 0;
    /// The same of a list.
    virtual awaitable<std::optional<result<any_list>>> list(const client& from, const resource_info& info,
                                                            list_options& options) = 0;

    /// The server has answered a get() that the cache left to the client.
    virtual void on_read(const resource_info& info, const namespaced_name& key, const result<any_object>& answer) = 0;

    /// A write has been made by the task whose coroutine runs on `by`; `stored` is the object as the server has it.
    virtual void on_write(const executor& by, const resource_info& info, const any_object& stored) = 0;
    /// The same of a deletion that the server has accepted; finalizers may still hold the object. `what` has namespace
    /// and name, and as far as the answer said them uid, version, and whether it is on its way out.
    virtual void deleted(const executor& by, const resource_info& info, const object_meta& what) = 0;
    /// A write has failed; without a name, one of all objects of the namespace.
    virtual void refused(const resource_info& info, const namespaced_name& key, const error& why) = 0;

    /// Begins to note the writes of the task on `by`, until what it returns is destroyed.
    virtual std::shared_ptr<own_writes> follow(const executor& by) = 0;
};

}  // namespace kcontrol
