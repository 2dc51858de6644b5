// What the GPUs are and measure, for the program: one NVML, asked with a deadline for every call.
#pragma once

#include "health/known_gpus.hpp"
#include "health/nvlink_rates.hpp"
#include "inventory/inventory.hpp"
#include "nvml/guarded_calls.hpp"
#include "reader/event_watch.hpp"
#include "topology/topology.hpp"

namespace gpu_labeler {

/// Asks NVML. A question that comes while another is asked waits for it.
///
/// Thread-safety, cancellation and object lifetime: as guarded_calls.
class gpu_reader {
public:
    using session_factory = guarded_calls::session_factory;

    gpu_reader(kcontrol::environment& env, kcontrol::executor ex, session_factory make_session,
               reader_limits most = {});

    /// Errors: those of read_inventory; timeout, naming the call that hangs; stopped.
    kcontrol::awaitable<kcontrol::result<inventory>> read(std::stop_token stop);

    /// What the GPUs measure now, with their health; pods are not asked. A failure of NVML is a state of the sample,
    /// and the next call tries again. Errors: stopped.
    kcontrol::awaitable<kcontrol::result<node_sample>> sample(std::stop_token stop);

    /// How the GPUs are connected; see topology_annotation. It changes when the inventory does. Errors: as read().
    kcontrol::awaitable<kcontrol::result<topology>> connections(std::stop_token stop);

    /// Calls `on_event` on the executor for each event of a GPU until it is stopped; the XIDs count for the next
    /// samples. A good answer to an event is to take a sample at once, and after mig_changed, released and unwatched
    /// the inventory too.
    kcontrol::awaitable<void> watch_events(std::function<void(const gpu_event&)> on_event, std::stop_token stop);

    const watch_status& watching() const noexcept { return events_.status(); }

    /// How many threads hang now. A process that has some must leave with _Exit: they hold on to the library.
    int hanging() const noexcept { return calls_.hanging() + events_.hanging(); }

private:
    template <class T>
    kcontrol::awaitable<kcontrol::result<T>> ask_those_that_answer(std::function<T(nvml_session&)> question,
                                                                   std::stop_token stop);

    kcontrol::environment& env_;
    std::shared_ptr<nvml_users> users_ = std::make_shared<nvml_users>();
    guarded_calls calls_;
    event_watch events_;
    known_gpus known_;
    nvlink_rates rates_;
};

}  // namespace gpu_labeler
