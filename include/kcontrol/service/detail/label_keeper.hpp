// Drives a label_machine with a client.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/runtime/scope.hpp>
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/service/detail/label_machine.hpp>
#include <kcontrol/service/lead.hpp>

#include <memory>
#include <optional>
#include <string>

namespace kcontrol::inline v0_1::service::detail {

/// The leader's label on the own pod, and on no other.
///
/// Thread-safety: shared objects unsafe; it belongs to the executor. Cancellation: stop(). Object lifetime: its tasks
/// keep it alive; the environment outlives them.
class label_keeper : public std::enable_shared_from_this<label_keeper> {
public:
    /// `fenced` refuses writes while this process does not lead; `lease` is how long it leads without a renewal.
    label_keeper(environment& env, executor ex, client direct, client fenced, const lead_label& label,
                 const std::string& lease_namespace, duration lease, logger log);

    void start();        ///< begins; the label shall be off
    void lead(bool on);  ///< whether it shall be on
    /// Waits until the own pod is as it shall be, or for that long. True if it is.
    awaitable<bool> settle(duration limit);
    /// Ends it, wherever it is, and waits for that.
    awaitable<void> stop();
    void abandon() noexcept { lifetime_.stop(); }  ///< ends it without a wait

private:
    static awaitable<void> run(std::shared_ptr<label_keeper> self, std::stop_token stop);
    awaitable<result<std::vector<labelled_pod>>> send(label_step step, std::stop_token stop);
    awaitable<result<std::vector<labelled_pod>>> list(std::stop_token stop);
    awaitable<result<std::vector<labelled_pod>>> read(std::string pod, std::stop_token stop);
    awaitable<result<std::vector<labelled_pod>>> patch(label_step step, std::stop_token stop);
    labelled_pod pod_of(const object_meta& meta) const;
    void report();

    environment& env_;
    const client direct_, fenced_;
    const lead_label label_;  // pod and namespace filled in
    const logger log_;
    const duration request_time_;
    label_machine machine_;
    scope lifetime_;
    task_group tasks_;
    async_event changed_, settled_;
    bool usable_ = true, running_ = false;
};

}  // namespace kcontrol::service::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/service/impl/label_keeper.ipp>
#endif
