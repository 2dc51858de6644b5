// All that works on the node while its labels are kept, each part connected to those that it feeds.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/metrics/metrics_registry.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/executor.hpp>
#include <kcontrol/runtime/task_group.hpp>

#include "guarded_serving/guarded_server.hpp"
#include "options.hpp"
#include "push/pusher.hpp"
#include "service/gpu_marks.hpp"
#include "service/health_reporter.hpp"
#include "service/history_file.hpp"
#include "service/labeler.hpp"
#include "service/measurer.hpp"
#include "service/opened_store.hpp"
#include "service/served_ports.hpp"
#include "service/site.hpp"
#include "web/handlers.hpp"

#include <optional>
#include <stop_token>
#include <string>

namespace gpu_labeler {

/// What `o` says about when the labels are looked at. Errors: --schedule.
kcontrol::result<loop_settings> settings_of(const options& o);

/// Thread-safety: shared objects unsafe; use it on the executor given, a single-threaded context.
/// Object lifetime: the environment and the options outlive it. The options may change; see take_over().
class parts {
public:
    parts(kcontrol::environment& env, kcontrol::executor ex, const options& o, loop_settings settings,
          guarded_serving::serving_secrets secrets, opened_store opened, const kcontrol::logger& log);
    parts(const parts&) = delete;
    parts& operator=(const parts&) = delete;

    /// All but the labels' loop and the listening: `tasks` runs it until `stop`.
    void start(kcontrol::task_group& tasks, std::stop_token stop);

    /// The options have changed; what may hold at once does.
    void take_over();

    gpu_marks gpus;
    labeler keeper;
    web_handlers shown;
    site pages;
    kcontrol::metrics_registry counts;
    served_ports serving;
    std::optional<health_reporter> health;  ///< --report-health
    std::optional<history_file> past;       ///< --history-file
    std::optional<pusher> pushing;          ///< --push-url
    measurer meter;
    node_sample measured;  ///< last

private:
    std::string host() const;  // what metrics have as their host
    void feed();
    void add_metrics(std::optional<kcontrol::client> asks);
    void node_renewed();

    kcontrol::environment& env_;
    const options& o_;
    kcontrol::logger log_;
    std::string token_file_;
};

}  // namespace gpu_labeler
