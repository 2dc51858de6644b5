// The loop at work: reads the GPUs, and keeps their marks where they belong.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/wait.hpp>

#include "inventory/inventory.hpp"
#include "node/label_store.hpp"
#include "service/labeler_status.hpp"
#include "service/run_loop.hpp"

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace gpu_labeler {

/// The GPUs, and what that makes of the node.
struct reading {
    inventory found;
    node_marks marks;
};

using read_function = std::function<kcontrol::awaitable<kcontrol::result<reading>>(std::stop_token)>;

/// Thread-safety: shared objects unsafe; use it on one strand.
/// Object lifetime: the environment outlives it, and it run().
class labeler {
public:
    labeler(kcontrol::environment& env, loop_settings settings, read_function read, std::unique_ptr<label_store> store,
            kcontrol::logger log);

    /// Until `stop`, or until a single pass is over.
    kcontrol::awaitable<void> run(std::stop_token stop);

    /// Something happened to a GPU: it is looked at now, not when the schedule says.
    void event();

    /// The Node may have been registered anew: what is there is looked at, soon.
    void node_renewed();

    /// Other settings hold from now on.
    void change(loop_settings settings);

    /// Is called after every read that succeeded.
    void on_read(std::function<void(const inventory&)> call) { on_read_ = std::move(call); }

    const labeler_status& status() const noexcept { return status_; }
    /// Of a single pass.
    bool succeeded() const noexcept { return loop_.succeeded(); }

private:
    kcontrol::awaitable<void> read(std::stop_token stop);
    kcontrol::awaitable<void> look(std::stop_token stop);
    kcontrol::awaitable<void> write(std::stop_token stop);
    kcontrol::awaitable<bool> do_without_refused(node_marks wanted, std::stop_token stop);
    node_marks wanted_of(node_marks read);
    void tell(const refused_mark& mark);
    void took(const inventory& found);
    void store_failed(const kcontrol::error& why);
    void store_works();

    kcontrol::environment& env_;
    run_loop loop_;
    read_function read_;
    std::unique_ptr<label_store> store_;
    kcontrol::logger log_;
    std::function<void(const inventory&)> on_read_;
    kcontrol::async_event happened_;
    labeler_status status_;
    std::vector<lost_gpu> lost_;
    refusals refusals_;
};

}  // namespace gpu_labeler
