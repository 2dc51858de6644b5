// Jobs of the demo that stay, each with a cause to be found: pods, events, logs, GPU nodes and what their labelers say.
#pragma once

#include <kcontrol/documents/value.hpp>
#include <kcontrol/http/message.hpp>
#include <kcontrol/runtime/environment.hpp>

#include "demo/simulated_cluster.hpp"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace training_monitor::demo {

/// Fills a cluster. Its jobs fail of memory, a Python exception, an XID, eviction, a preemption; can't pull an image,
/// start a container, be scheduled, keep to a quota; crash loop, hang, idle, and wait in a queue of Kueue.
///
/// Thread-safety: shared objects unsafe. Object lifetime: the environment and the cluster outlive it.
class showcase {
public:
    showcase(kcontrol::environment& env, simulated_cluster& on) : env_(env), on_(on) {}

    /// Makes all objects and logs, and answers for the GPU labelers and Kueue's visibility API from now on.
    void fill();
    /// A while later a GPU falls off the bus (XID 79), and then the job on its node fails.
    kcontrol::awaitable<void> lose_a_gpu(std::stop_token stop);

private:
    struct pod_of_job {
        std::string name_space, job, type;
        int index = 0;
        std::string node;  ///< empty: none
        int gpus = 8;
    };
    std::string text(std::string_view with_times) const;
    std::string make(std::string_view object);
    void set_status(const std::string& kind, const std::string& name_space, const std::string& name,
                    std::string_view status);
    std::string pytorch(const std::string& name_space, const std::string& name, int workers,
                        std::string_view conditions, std::string_view more_status = "");
    std::string batch(const std::string& name_space, const std::string& name, std::string_view status,
                      std::string_view spec = "");
    std::string pod(const pod_of_job& of, std::string_view status, std::string_view log = "");
    void event(std::string_view kind, const std::string& name_space, const std::string& name, const std::string& uid,
               std::string_view reason, std::string_view message, int count = 1);
    void make_nodes();
    void make_failures();
    void make_waiting();
    void make_running();
    void make_queue();
    std::optional<kcontrol::http::response> answer(std::string_view target) const;
    std::string labeler_report(std::string_view node) const;

    kcontrol::environment& env_;
    simulated_cluster& on_;
    std::optional<kcontrol::wall_time> gpu_lost_;
};

}  // namespace training_monitor::demo
