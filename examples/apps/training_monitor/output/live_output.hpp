// Standard output while the monitor runs: a table that is redrawn on a terminal and steered by keys, lines elsewhere.
#pragma once

#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/wait.hpp>

#include "options.hpp"
#include "output/console.hpp"
#include "output/screen.hpp"
#include "output/terminal.hpp"
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
    live_output(const live_output&) = delete;
    live_output& operator=(const live_output&) = delete;
    ~live_output() { leave(); }

    /// A line above the table on a terminal.
    void headline(std::string text) { headline_ = std::move(text); }

    /// Where clusters come from, in words, for where there are none.
    void source(std::string text) { source_ = std::move(text); }

    /// What happens now: below the headline on a terminal, a line elsewhere.
    void caption(std::string text);
    /// A line as it is, in whatever format.
    void line(const std::string& text) { out_.write(text); }

    /// True if the output is a table that is redrawn; never where TERM is dumb.
    bool draws() const {
        return out_.is_terminal() && !is_dumb() && (format_ == output_format::table || format_ == output_format::wide);
    }

    /// What make_terminal() is given, so that the keys of `owned` steer the table.
    terminal_calls calls();
    void attach(std::unique_ptr<terminal> owned) { terminal_ = std::move(owned); }
    /// Is called when somebody wants the program to end.
    void on_quit(std::function<void()> f) { quit_ = std::move(f); }
    /// Reads what somebody at the terminal asks for; show_text() gets it.
    void on_read(std::function<void(const text_request&)> f) { read_ = std::move(f); }
    void show_text(const text_request& of, std::string title, std::vector<std::string> lines);
    /// Says what is known of the job that somebody looks at.
    void on_look(std::function<known_of_job(const job_ref&)> f) { look_ = std::move(f); }

    /// Shows changes. Lines are written at once.
    void take(const std::vector<change>& changes);

    /// Redraws the table on a terminal, at most four times a second and at least once (durations tick), and at once for
    /// a key; returns at once elsewhere. While another program has the terminal nothing is drawn. Leaves the terminal
    /// as it was.
    kcontrol::awaitable<void> run(std::stop_token stop);

    /// The terminal is as it was before the first picture, until the next one. Idempotent.
    void leave();

    /// One snapshot in the chosen format.
    void print_snapshot();

private:
    bool is_dumb() const { return env_.variable("TERM").value_or("") == "dumb"; }
    /// A terminal that has colors, whose user did not set NO_COLOR (https://no-color.org).
    bool colors() const { return out_.is_terminal() && !is_dumb() && env_.variable("NO_COLOR").value_or("").empty(); }
    void draw();
    void draw_soon();
    void take_bytes(std::string_view bytes);
    void press(const std::vector<key>& keys);
    void print_lines(const std::vector<change>& changes);

    kcontrol::environment& env_;
    job_table& table_;
    output_format format_;
    screen& out_;
    std::string headline_, caption_, source_;
    std::function<void()> quit_;
    std::function<known_of_job(const job_ref&)> look_;
    std::function<void(const text_request&)> read_;
    std::unique_ptr<terminal> terminal_;  ///< null: nothing is known of it but that it is one
    console console_;
    key_reader reader_;
    kcontrol::time_point escape_due_{};  ///< when an escape that came is a key
    bool entered_ = false;
    bool dirty_ = true;     ///< something changed since the last picture
    bool pressed_ = false;  ///< and somebody waits for the next one
    kcontrol::async_event changed_;
    std::map<std::string, std::shared_ptr<const cluster_view>> printed_;  ///< as a cluster was last printed
};

}  // namespace training_monitor
