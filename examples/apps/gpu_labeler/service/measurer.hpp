// Measures the GPUs, at an interval and when something happens to one.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/service/pod_resources_client.hpp>

#include "pods/pod_resources.hpp"
#include "reader/gpu_reader.hpp"

#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace gpu_labeler {

using kcontrol::service::pod_resources_client;

/// Thread-safety: used on one strand, that of the reader's executor. Object lifetime: environment and reader outlive
/// it, and it its coroutines.
class measurer {
public:
    /// `pods` may be missing: then nobody is named as a GPU's user.
    measurer(kcontrol::environment& env, gpu_reader& gpus, std::optional<pod_resources_client> pods,
             kcontrol::duration interval, kcontrol::logger log);

    /// Is called with every sample, its GPUs' users in it.
    void on_sample(std::function<void(const node_sample&)> call) { on_sample_ = std::move(call); }
    /// Is called when labels may be wrong: a GPU is lost, out of order, or divided otherwise.
    void on_change(std::function<void()> call) { on_change_ = std::move(call); }

    /// Another time between samples from now on; the next one comes at once.
    void change_interval(kcontrol::duration interval);

    /// Measures until it is stopped.
    kcontrol::awaitable<void> measure(std::stop_token stop);
    /// Asks the kubelet at the same interval who uses which GPU, until it is stopped; nothing where nobody is to be
    /// asked. Beside measure(), so that a kubelet that does not answer delays no sample.
    kcontrol::awaitable<void> ask_kubelet(std::stop_token stop);
    /// Waits for events until it is stopped; they are logged, and measured at once, but not more often than every 500
    /// ms.
    kcontrol::awaitable<void> watch(std::stop_token stop);

private:
    kcontrol::awaitable<void> take(std::stop_token stop);
    void publish(node_sample sample);
    void note(const gpu_event& event);
    void log_event(const gpu_event& event, bool of_program);
    void log_changes(const node_sample& sample);

    kcontrol::environment& env_;
    gpu_reader& gpus_;
    std::optional<pod_resources_client> pods_;
    kcontrol::duration interval_;
    kcontrol::logger log_;
    std::function<void(const node_sample&)> on_sample_;
    std::function<void()> on_change_;
    kcontrol::async_event happened_;
    kcontrol::async_event changed_;
    kcontrol::time_point next_{};  ///< sample, if nothing happens before
    bool has_happened_ = false;
    std::vector<device_user> users_;  ///< as the kubelet said last
    std::string pods_error_;
    node_sample last_;
    std::map<unsigned, gpu_health> told_;  ///< by index, as the log has it
};

}  // namespace gpu_labeler
