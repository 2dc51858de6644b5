// Standard output while the monitor runs: a table that is redrawn on a terminal, lines elsewhere.
#pragma once

#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/wait.hpp>

#include "options.hpp"
#include "output/screen.hpp"
#include "table/job_table.hpp"

#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>

namespace training_monitor {

/// Thread-safety: shared objects unsafe; use it on the monitor's executor.
/// Object lifetime: the environment, the table and the screen outlive it.
class live_output {
public:
    live_output(kcontrol::environment& env, job_table& table, output_format format, screen& out)
        : env_(env), table_(table), format_(format), out_(out) {}

    /// A line above the table on a terminal.
    void headline(std::string text) { headline_ = std::move(text); }

    /// What happens now: below the headline on a terminal, a line elsewhere.
    void caption(std::string text);
    /// A line as it is, in whatever format.
    void line(const std::string& text) { out_.write(text); }

    /// True if the output is a table that is redrawn; never where TERM is dumb.
    bool draws() const {
        return out_.is_terminal() && !is_dumb() && (format_ == output_format::table || format_ == output_format::wide);
    }

    /// Shows changes. Lines are written at once.
    void take(const std::vector<change>& changes);

    /// Redraws the table on a terminal, at most four times a second and at least once (durations tick); returns at once
    /// elsewhere. Leaves the last picture standing.
    kcontrol::awaitable<void> run(std::stop_token stop);

    /// One snapshot in the chosen format.
    void print_snapshot();

private:
    bool is_dumb() const { return env_.variable("TERM").value_or("") == "dumb"; }
    /// A terminal that has colors, whose user did not set NO_COLOR (https://no-color.org).
    bool colors() const { return out_.is_terminal() && !is_dumb() && env_.variable("NO_COLOR").value_or("").empty(); }
    void draw();
    void print_lines(const std::vector<change>& changes);

    kcontrol::environment& env_;
    job_table& table_;
    output_format format_;
    screen& out_;
    std::string headline_, caption_;
    bool dirty_ = true;
    kcontrol::async_event changed_;
    std::map<std::string, std::shared_ptr<const cluster_view>> printed_;  ///< as a cluster was last printed
};

}  // namespace training_monitor
