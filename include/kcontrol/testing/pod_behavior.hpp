// The scripted behavior of a pod where no kubelet is: by its annotations, or by a test.
#pragma once

#include <kcontrol/documents/value.hpp>
#include <kcontrol/runtime/time.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace kcontrol::inline v0_1::testing {

/// The scripted behavior of a pod in a fake_cluster. The annotations of a pod with the same effect:
///
/// - `sim/run-ms`: how long its containers run, or `forever`; without it 2 s where restartPolicy is Never or OnFailure,
///   else forever
/// - `sim/exit-code`: what they end with; 0
/// - `sim/message`: their termination message
/// - `sim/reason`: the reason of their end: OOMKilled; else Completed or Error
/// - `sim/start-ms`: how long it takes from the node to running: images, volumes
/// - `sim/evict-ms`: after so long on its node it is evicted
/// - `sim/node-lost-ms`: after so long its node is not heard of any more
/// - `sim/unschedulable`: no node takes it; the value is the scheduler's message
/// - `sim/image-error`: its image is not there; the value is the kubelet's message
/// - `sim/log`, `sim/exec`: what its containers say when they start, and to commands (pod_commands.hpp)
///
/// `sim/run-ms` and `sim/exit-code` may be lists, "1,1,0": the first entry is for the first run of a pod of that name,
/// be the next one a restart in place or another pod; the last entry stands for all that follow.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class pod_behavior {
public:
    pod_behavior() = default;

    /// Nothing: until it is deleted.
    pod_behavior& run_for(std::optional<duration> d) { return run_for_ = d, *this; }
    /// What its containers end with. Default 0.
    pod_behavior& exit_code(int code) { return exit_code_ = code, *this; }
    /// The termination message of its containers. Default: none.
    pod_behavior& message(std::string text) { return message_ = std::move(text), *this; }
    /// Why its containers ended. Default, and if empty: Completed or Error, by the exit code.
    pod_behavior& reason(std::string text) { return reason_ = std::move(text), *this; }
    /// From its node to running. Default 500 ms.
    pod_behavior& start_after(duration d) { return start_after_ = d, *this; }
    /// From its node to its eviction. Default: never.
    pod_behavior& evict_after(duration d) { return evict_after_ = d, *this; }
    /// From its node until that is not heard of any more. Default: never.
    pod_behavior& lose_node_after(duration d) { return lose_node_after_ = d, *this; }
    /// No node takes it; `why` is the scheduler's message.
    pod_behavior& unschedulable(std::string why) { return unschedulable_ = std::move(why), *this; }
    /// It has no image, and stays Pending; `why` is the kubelet's message.
    pod_behavior& image_error(std::string why) { return image_error_ = std::move(why), *this; }

    const std::optional<duration>& run_for() const noexcept { return run_for_; }
    int exit_code() const noexcept { return exit_code_; }
    const std::string& message() const noexcept { return message_; }
    /// As its containers' status says it.
    std::string reason() const { return !reason_.empty() ? reason_ : exit_code_ == 0 ? "Completed" : "Error"; }
    duration start_after() const noexcept { return start_after_; }
    const std::optional<duration>& evict_after() const noexcept { return evict_after_; }
    const std::optional<duration>& lose_node_after() const noexcept { return lose_node_after_; }
    const std::optional<std::string>& unschedulable() const noexcept { return unschedulable_; }
    const std::optional<std::string>& image_error() const noexcept { return image_error_; }

private:
    std::optional<duration> run_for_;
    int exit_code_ = 0;
    std::string message_, reason_;
    duration start_after_ = std::chrono::milliseconds(500);
    std::optional<duration> evict_after_, lose_node_after_;
    std::optional<std::string> unschedulable_, image_error_;
};

/// What a pod's annotations say of its run number `run`, counted from 0: in place, or in pods of its name before it.
/// What is no number there is passed over.
pod_behavior pod_behavior_of(const json::value& pod, std::size_t run = 0);

}  // namespace kcontrol::testing
