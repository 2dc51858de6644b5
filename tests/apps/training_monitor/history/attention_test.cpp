#include "history/attention.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

using namespace training_monitor;
using kcontrol::wall_time;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

namespace {

const wall_time now{seconds(1'800'000'000)};

struct past_state {
    job_state state;
    std::chrono::seconds ago;
};

job_record record(const std::vector<past_state>& states, std::int64_t active = 8, std::string_view kind = "MPIJob") {
    job_view view;
    view.state = states.back().state;
    view.kind = kind;
    view.replicas = {{"Worker", 8, active, 0, 0}};
    job_record out;
    for (const auto& each : states) {
        if (!out.spans.empty()) out.spans.back().to = now - each.ago;
        out.spans.push_back(span{each.state, "", "", now - each.ago, std::nullopt});
    }
    out.view = std::make_shared<const job_view>(std::move(view));
    return out;
}

std::string asked(const job_record& job, std::optional<wall_time> idle_since = std::nullopt) {
    const auto found = need_of(job, now, idle_since);
    if (!found) return "";
    return std::string(to_string(found->what)) + " " + std::to_string((now - found->since) / seconds(1));
}

}  // namespace

TEST_CASE("attention: what needs somebody, since when, and what can be left alone") {
    using enum job_state;
    CHECK(asked(record({{running, hours(3)}, {failed, hours(1)}})) == "failed 3600");
    CHECK(asked(record({{failed, hours(24)}})) == "failed 86400");
    CHECK(asked(record({{failed, hours(24) + seconds(1)}})).empty());
    CHECK(asked(record({{running, hours(3)}, {succeeded, seconds(5)}})).empty());
    CHECK(asked(record({{suspended, hours(300)}})).empty());

    CHECK(asked(record({{pending, minutes(15)}})) == "waiting 900");
    CHECK(asked(record({{pending, minutes(15) - seconds(1)}})).empty());
    // One wait, though its states change.
    CHECK(asked(record({{created, minutes(40)}, {queued, minutes(39)}, {pending, seconds(1)}})) == "waiting 2400");
    CHECK(asked(record({{created, minutes(40)}, {running, minutes(9)}, {pending, minutes(1)}})).empty());

    CHECK(asked(record({{running, hours(3)}, {restarting, seconds(1)}})) == "restarting 1");
    CHECK(asked(record({{restarting, minutes(9)},
                        {running, minutes(8)},
                        {restarting, minutes(6)},
                        {running, minutes(5)},
                        {restarting, minutes(2)},
                        {running, minutes(1)}})) == "restarting 60");
    CHECK(asked(record({{restarting, minutes(11)},
                        {running, minutes(8)},
                        {restarting, minutes(6)},
                        {running, minutes(5)},
                        {restarting, minutes(2)},
                        {running, minutes(1)}}))
              .empty());
    CHECK(asked(record({{running, minutes(5)}}, 7)) == "incomplete 300");
    CHECK(asked(record({{running, minutes(5) - seconds(1)}}, 7)).empty());
    CHECK(asked(record({{running, minutes(5)}}, 8)).empty());
    CHECK(asked(record({{running, minutes(5)}}, 7, "Job")).empty());

    CHECK(asked(record({{running, hours(5)}}), now - minutes(15)) == "idle 900");
    CHECK(asked(record({{running, hours(5)}}, 7, "Job"), now - hours(2)) == "idle 7200");
    CHECK(asked(record({{running, hours(5)}}), now - minutes(15) + seconds(1)).empty());
    CHECK(asked(record({{running, hours(5)}}, 7), now - hours(2)) == "incomplete 18000");  // the more urgent
    CHECK(asked(record({{running, minutes(4)}}, 7), now - minutes(20)) == "idle 1200");
    CHECK(asked(record({{pending, minutes(20)}}), now - hours(2)) == "waiting 1200");
}

TEST_CASE("attention: what keeps a job from training, before it has waited for long") {
    using enum job_state;
    const auto stuck = [](job_record job, trouble what, std::chrono::seconds ago) {
        job_view view = *job.view;
        view.stuck = what;
        view.stuck_count = 3;
        job.view = std::make_shared<const job_view>(std::move(view));
        job.stuck_since = now - ago;
        return asked(job);
    };
    const auto fresh = record({{pending, minutes(1)}});
    for (const auto what : {trouble::image, trouble::configuration, trouble::volume, trouble::quota,
                            trouble::limit_range, trouble::webhook}) {
        CAPTURE(to_string(what));
        CHECK(stuck(fresh, what, seconds(20)) == "stuck 20");
        CHECK(stuck(fresh, what, seconds(19)).empty());
        CHECK(stuck(record({{running, minutes(1)}}, 8, "Job"), what, seconds(20)) == "stuck 20");
        CHECK(stuck(record({{unknown, minutes(1)}}), what, seconds(20)) == "stuck 20");
    }
    // A wait for a node is one like others; a pod of a running job that finds none is not.
    CHECK(stuck(fresh, trouble::unschedulable, seconds(50)).empty());
    CHECK(stuck(record({{pending, minutes(15)}}), trouble::unschedulable, minutes(15)) == "waiting 900");
    CHECK(stuck(record({{running, hours(1)}}, 8, "Job"), trouble::unschedulable, seconds(50)) == "stuck 50");
    CHECK(stuck(record({{restarting, seconds(30)}}), trouble::crash_loop, seconds(30)) == "crash-loop 30");
    CHECK(stuck(record({{failed, minutes(2)}}), trouble::holds_gpus, seconds(59)) == "failed 120");
    CHECK(stuck(record({{failed, minutes(2)}}), trouble::holds_gpus, minutes(1)) == "holding-gpus 60");
    CHECK(stuck(record({{failed, hours(30)}}), trouble::holds_gpus, hours(29)) == "holding-gpus 104400");
    CHECK(asked(record({{unknown, minutes(2)}})) == "unknown 120");
    CHECK(asked(record({{unknown, minutes(2) - seconds(1)}})).empty());
}

TEST_CASE("attention: jobs that ended long ago need not be looked up") {
    job_view job;
    job.state = job_state::failed;
    CHECK(may_need(job, now));
    job.completion_time = 1'800'000'000 - 86'400;
    CHECK(may_need(job, now));
    job.completion_time = 1'800'000'000 - 86'401;
    CHECK(!may_need(job, now));
    job.stuck = trouble::holds_gpus;
    CHECK(may_need(job, now));
    job.stuck = trouble::none;
    job.completion_time = -62'135'596'800;  // the year 1, which nanoseconds do not reach
    CHECK(!may_need(job, now));
    job.state = job_state::running;
    CHECK(may_need(job, now));
    job.state = job_state::succeeded;
    CHECK(!may_need(job, now));
}
