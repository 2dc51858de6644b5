// `--device-protocol hami`: tells HAMi's device plugin which GPUs a pod gets, by the node's lock and the pod's
// annotations.
#pragma once

#include <kcontrol/client/client.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/scheduling/placement.hpp>
#include <kcontrol/scheduling/status.hpp>

#include "devices/gpu.hpp"
#include "devices/record.hpp"

#include <deque>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace gpu_scheduler {

/// The plugin gives the GPUs of the pod that holds its node's lock. So the lock is written before the binding, and the
/// annotations are part of the binding. The plugin releases the lock when it has given the GPUs. A binding that does
/// not come about releases it here.
///
/// Source: HAMi's pkg/util/nodelock and pkg/device-plugin, as of August 2026.
///
/// Thread-safety: shared objects unsafe; it belongs to the scheduler's executor.
class hami_protocol {
public:
    /// The client for reads and writes; none: there is no cluster yet.
    using client_function = std::function<std::optional<kcontrol::client>()>;

    explicit hami_protocol(client_function api) : api_(std::move(api)) {}

    /// Adds the annotations for these devices to the Binding.
    void annotate(kcontrol::scheduling::placement& to, const std::vector<device_hold>& devices, const node_devices& on,
                  kcontrol::wall_time now) const;

    /// Waits until the lock of the placement's node is free, and writes it. `held` is the value that may have been
    /// written, whatever is returned. Errors: no answer, a lock that can't be read, or the placement's time is over.
    kcontrol::awaitable<kcontrol::scheduling::status> lock(std::string& held, kcontrol::scheduling::placement& of);

    /// The binding does not come about: run() releases the lock if it still has this value.
    void release(std::string node, std::string held);

    /// A node has changed: who waits for a lock looks again.
    void notify() { news_.notify_all(); }

    /// Releases locks, until it is stopped.
    kcontrol::awaitable<result<void>> run(std::stop_token stop);

private:
    kcontrol::awaitable<result<bool>> try_lock(kcontrol::client api, std::string& held,
                                               kcontrol::scheduling::placement& of, kcontrol::wall_time& look_again);

    client_function api_;
    kcontrol::async_event news_, left_;
    std::deque<std::pair<std::string, std::string>> releases_;  // node, value
};

}  // namespace gpu_scheduler
