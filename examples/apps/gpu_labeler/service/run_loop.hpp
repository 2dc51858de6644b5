// When the labeler reads, looks and writes: a state machine without a clock, a network or a GPU.
#pragma once

#include <kcontrol/runtime/backoff.hpp>
#include <kcontrol/runtime/time.hpp>

#include "cron/schedule.hpp"
#include "defaults.hpp"
#include "node/write_plan.hpp"

#include <chrono>
#include <optional>

namespace gpu_labeler {

/// How the loop behaves; the times are those of --help.
class loop_settings {
public:
    explicit loop_settings(cron::schedule when) : schedule_(std::move(when)) {}

    /// The first word to the API server comes at a random time in this, so that a fleet does not come at once.
    loop_settings& start_jitter(kcontrol::duration d) { return start_jitter_ = d, *this; }
    /// After so long it is looked whether somebody else changed the marks; 0: never.
    loop_settings& resync(kcontrol::duration d) { return resync_ = d, *this; }
    /// For so long the marks of GPUs that can't be read stay; 0: for ever.
    loop_settings& keep(kcontrol::duration d) { return keep_ = d, *this; }
    /// One pass, without jitter and without a second try.
    loop_settings& once(bool on) { return once_ = on, *this; }

    const cron::schedule& schedule() const noexcept { return schedule_; }
    kcontrol::duration start_jitter() const noexcept { return start_jitter_; }
    kcontrol::duration resync() const noexcept { return resync_; }
    kcontrol::duration keep() const noexcept { return keep_; }
    bool once() const noexcept { return once_; }

private:
    cron::schedule schedule_;
    kcontrol::duration start_jitter_ = defaults::start_jitter;
    kcontrol::duration resync_ = defaults::resync_interval;
    kcontrol::duration keep_ = defaults::keep_labels;
    bool once_ = false;
};

enum class loop_action {
    wait,   ///< until a time, or until something happens
    read,   ///< the GPUs
    look,   ///< what the API server has
    write,  ///< what is wanted
    end
};

struct loop_step {
    loop_action action = loop_action::end;
    kcontrol::time_point until{};  ///< of a wait
};

/// Is asked what comes next, and notified of what came of it. A failure is followed by another try, later and later.
///
/// `now` does not follow the wall clock, and is what everything is measured by but the times of a schedule that means
/// the wall clock. Where that was set forward past such a time, the GPUs are read now; where it was set back, when the
/// schedule says so next. So no wait for such a time is longer than a minute: it is looked at the clock again.
///
/// `unit` is a random number in [0, 1) each time.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class run_loop {
public:
    run_loop(loop_settings settings, kcontrol::time_point now, double unit);

    loop_step next(kcontrol::time_point now, kcontrol::wall_time wall, double unit);

    /// The GPUs were read: so the marks should be.
    void read(kcontrol::time_point now, kcontrol::wall_time wall, node_marks wanted);
    /// The GPUs could not be read.
    void read_failed(kcontrol::time_point now, kcontrol::wall_time wall, double unit);
    void looked(node_marks there);
    /// Not all of that can be had: so the marks should be instead, and at once.
    void make_do(node_marks wanted) { wanted_ = std::move(wanted); }
    void wrote();
    /// A look or a write failed, or nobody knows.
    void store_failed(kcontrol::time_point now, double unit);

    /// Other settings hold from now on; the GPUs are read at once.
    void change(loop_settings settings, kcontrol::time_point now);

    /// Something happened to a GPU: it is read again, at once unless that was done within the last second.
    void event() noexcept { event_ = true; }
    /// The Node may be another one than before: it is looked at anew at a random time within the start's jitter,
    /// whatever failed before.
    void renewed() noexcept { renewed_ = true; }
    void stop() noexcept { stopping_ = true; }

    /// What the marks should be; nothing before the GPUs were read.
    const std::optional<node_marks>& wanted() const noexcept { return wanted_; }
    /// True if what is there is what should be, as far as anybody knows.
    bool settled() const { return wanted_ && plan_.next(*wanted_) == write_step::nothing; }
    /// True while marks of GPUs that can't be read any more are kept.
    bool keeps_old() const noexcept { return failing_since_.has_value() && !given_up_; }
    /// Of a single pass: whether it came to its end.
    bool succeeded() const noexcept { return succeeded_; }

private:
    void schedule_read(kcontrol::time_point now, kcontrol::wall_time wall);
    void follow_clock(kcontrol::wall_time wall);
    kcontrol::time_point next_read(kcontrol::time_point now, kcontrol::wall_time wall) const;
    loop_step wait(kcontrol::time_point now, kcontrol::time_point until) const;

    loop_settings settings_;
    write_plan plan_;
    std::optional<node_marks> wanted_;
    kcontrol::time_point read_at_;
    std::optional<kcontrol::wall_time> due_;    ///< the next read of a schedule that follows the wall clock
    std::optional<kcontrol::wall_time> clock_;  ///< what that said last
    std::optional<kcontrol::time_point> last_read_;
    kcontrol::time_point store_at_;
    std::optional<kcontrol::time_point> resync_at_;
    std::optional<kcontrol::time_point> failing_since_;
    kcontrol::backoff read_backoff_;
    kcontrol::backoff store_backoff_;
    bool event_ = false;
    bool renewed_ = false;
    bool given_up_ = false;
    bool stopping_ = false;
    bool succeeded_ = false;
};

}  // namespace gpu_labeler
