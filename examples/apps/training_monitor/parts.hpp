// The monitor and all that gets its changes, from the table to the screen.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/runtime/environment.hpp>

#include "demo/notice_sink.hpp"
#include "history/acknowledgements.hpp"
#include "history/history.hpp"
#include "monitor.hpp"
#include "notices/center.hpp"
#include "options.hpp"
#include "output/live_output.hpp"
#include "output/screen.hpp"
#include "pipeline.hpp"
#include "table/totals.hpp"
#include "web/event_hub.hpp"
#include "web/job_metrics.hpp"
#include "web/job_offers.hpp"

#include <memory>
#include <optional>
#include <stop_token>

namespace training_monitor {

/// What reads the last lines of the container that the reason of a failure is about; no lines where they can't be read.
/// Empty where messages carry no logs. The monitor outlives it.
notices::dispatcher::log_reader failure_log_reader(const options& o, monitor& core);

/// Thread-safety: shared objects unsafe; use it on the executor given, a single-threaded context.
/// Object lifetime: the environment and what stands here by reference outlive it.
class parts {
public:
    parts(kcontrol::environment& env, kcontrol::executor ex, const options& o, history& remembered, gpu_hours& counted,
          memory* state_file, std::optional<notices::notice_config> notify, kcontrol::auth::cluster_config home,
          const kcontrol::logger& log);

    /// What gets every change of the monitor.
    change_handler publish();

    /// Who sits at a terminal looks at jobs, and ends the program by keys.
    void attach_terminal(kcontrol::executor ex, std::stop_source ending);

    history& past;
    gpu_hours& hours;
    memory* kept;  ///< null without --state
    acknowledgements care;
    monitor core;
    event_hub stream;
    std::unique_ptr<screen> out;
    live_output output;
    job_metrics metrics;
    totals points;
    std::optional<notices::center> center;  ///< --notify-config
    demo::notice_sink* sink = nullptr;      ///< of the demo's notices
    std::optional<pipeline> changes;

private:
    void remember(kcontrol::wall_time now);
    void tell_idle_jobs();
    known_of_job look(const job_ref& job);
    void read(kcontrol::executor ex, const text_request& asked, std::stop_token stop);
    kcontrol::awaitable<void> read_log(text_request asked, std::stop_token stop);
    kcontrol::awaitable<void> read_object(text_request asked, std::stop_token stop);

    job_offers offers_;
};

}  // namespace training_monitor
