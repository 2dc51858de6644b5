// What is decided in each phase.
#include "job/phases.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

using namespace training_operator;
using namespace training_operator::tests;

TEST_CASE("a job without a phase is accepted, one of an unknown phase is left alone") {
    CHECK(decided(job_in(""), {}) == "Pending 0/2 attempt 1: Accepted, the job waits for its start");
    CHECK(decided(job_in("Flying"), all(pod_state::failed)) == "");
}

TEST_CASE("Pending: the attempt begins once no pod of an earlier one is there") {
    training_job job = job_in("Pending");
    job.status.attempt = 0;
    job.status.start_time = {};
    CHECK(decided(job, {}) == "Starting 0/2 attempt 1: Starting, attempt 1 begins with 2 ranks");
    const plan p = decide(job, {}, after(1.7));
    CHECK(p.status.start_time == after(1));
    CHECK(p.status.phase_time == after(1));
    CHECK(p.status.workers == 2);
    CHECK(decided(job, all(pod_state::running)) == "remove 0 1");
    gang going = all(pod_state::running);
    going[0].leaving = true;
    CHECK(decided(job, going) == "remove 1");
    job.status.attempt = 3;  // was suspended in its third
    CHECK(decided(job, {}) == "Starting 0/2 attempt 3: Starting, attempt 3 begins with 2 ranks");
}

TEST_CASE("Pending after missed starts: 5 s, doubled, 5 min at most") {
    training_job job = job_in("Pending");
    const std::pair<std::int32_t, int> rows[] = {{1, 5},  {2, 10},  {3, 20},  {4, 40},
                                                 {5, 80}, {6, 160}, {7, 300}, {1000, 300}};
    for (const auto& each : rows) {
        const auto& [missed, seconds] = each;
        CAPTURE(each.first);
        job.status.missed_starts = missed;
        CHECK(decided(job, {}, seconds - 1) == "again in 1 s");
        CHECK(decided(job, {}, seconds).starts_with("Starting 0/2 attempt 1"));
    }
}

TEST_CASE("Starting: what is missing is created, and all that run is Running") {
    const training_job job = job_in("Starting");
    CHECK(decided(job, {}) == "create 0 1, again in 5 s");
    CHECK(decided(job, {one(0, pod_state::running)}) == "ready 1/2, create 1, again in 5 s");
    CHECK(decided(job, {one(0, pod_state::running), one(1, pod_state::waiting)}) == "ready 1/2, again in 599 s");
    CHECK(decided(job, all(pod_state::waiting)) == "again in 599 s");
    CHECK(decided(job, all(pod_state::running)) == "Running 2/2 attempt 1: Running, all ranks run");
    CHECK(decided(job, {one(0, pod_state::ended_well), one(1, pod_state::running)}) ==
          "Running 2/2 attempt 1: Running, all ranks run");
    CHECK(decided(job, all(pod_state::ended_well)) ==
          "Succeeded 2/2 attempt 1: Succeeded, all ranks exited with code 0");
    training_job unlucky = job;
    unlucky.status.missed_starts = 3;
    CHECK(decide(unlucky, all(pod_state::running), after(1)).status.missed_starts == 0);
}

TEST_CASE("Starting: pods of other attempts, or of ranks that there are not, go first") {
    const training_job job = job_in("Starting");
    gang ranks = all(pod_state::running);
    ranks[1].attempt = 2;
    CHECK(decided(job, ranks) == "remove 1");
    ranks[1] = one(2, pod_state::running);
    CHECK(decided(job, ranks) == "remove 2");
    ranks[1] = one(-1, pod_state::running);  // labels of nobody's
    CHECK(decided(job, ranks) == "remove -1");
}

TEST_CASE("Starting: a missed start deletes all, names the rank and the scheduler's words, and counts no attempt") {
    training_job job = job_in("Starting");
    const gang ranks{one(0, pod_state::running), one(1, pod_state::waiting)};
    CHECK(decided(job, ranks, 599.9) == "ready 1/2, again in 0 s");
    CHECK(decided(job, ranks, 600) ==
          "Pending 0/2 attempt 1: StartDeadlineExceeded, not all ranks ran within 600 s: rank 1 waits: 0/3 nodes are "
          "available; the next start is in 5 s, warning");
    CHECK(decided(job, {one(0, pod_state::running)}, 600).find("rank 1 has no pod") != std::string::npos);
    job.status.missed_starts = 6;
    job.spec.start_deadline_seconds = 10;
    const plan p = decide(job, ranks, after(10));
    CHECK(p.status.missed_starts == 7);
    CHECK(p.message.ends_with("the next start is in 300 s"));
}

TEST_CASE("Running: ends well, goes on, or loses a rank") {
    training_job job = job_in("Running");
    job.status.ready = "2/2";
    CHECK(decided(job, all(pod_state::running)) == "");
    CHECK(decided(job, {one(0, pod_state::ended_well), one(1, pod_state::running)}) == "");
    CHECK(decided(job, all(pod_state::ended_well)) ==
          "Succeeded 2/2 attempt 1: Succeeded, all ranks exited with code 0");
    CHECK(decided(job, {one(0, pod_state::running)}) ==
          "Restarting 0/2 attempt 2: PodDeleted, rank 1 is lost: its pod is gone; attempt 1 ends, warning");
}

TEST_CASE("an exit that is worth another attempt restarts, up to backoffLimit; any other one fails the job") {
    for (const char* phase : {"Starting", "Running"}) {
        CAPTURE(phase);
        training_job job = job_in(phase);
        const gang killed{failed(0, 137), one(1, pod_state::running)};
        CHECK(decided(job, killed) ==
              "Restarting 0/2 attempt 2: RankFailed, rank 0 exited with code 137; attempt 1 ends, warning");
        job.status.attempt = 3;
        gang third = killed;
        third[0].attempt = third[1].attempt = 3;
        third[0].words = "OOMKilled";
        CHECK(decided(job, third) ==
              "Failed 0/2 attempt 3: BackoffLimitExceeded, rank 0 exited with code 137: OOMKilled; attempt 3 was the "
              "last one, warning");
        job = job_in(phase);
        job.spec.backoff_limit = 0;
        CHECK(decided(job, killed).starts_with("Failed 0/2 attempt 1: BackoffLimitExceeded"));
        CHECK(decided(job_in(phase), {one(0, pod_state::running), failed(1, 1)}) ==
              "Failed 0/2 attempt 1: RankFailed, rank 1 exited with code 1, warning");
    }
}

TEST_CASE("Restarting: begins when all pods are gone") {
    training_job job = job_in("Restarting");
    job.status.attempt = 2;
    CHECK(decided(job, all(pod_state::failed)) == "remove 0 1");
    gang going = all(pod_state::failed);
    going[0].leaving = going[1].leaving = true;
    CHECK(decided(job, going) == "");
    CHECK(decided(job, {}) == "Starting 0/2 attempt 2: Starting, attempt 2 begins with 2 ranks");
}

TEST_CASE("pods on a lost node are deleted again, for nobody says that they are gone") {
    const training_job job = job_in("Restarting");
    gang going = all(pod_state::running);
    going[0].leaving = going[1].leaving = true;
    going[1].unready_since = after(0);
    CHECK(decided(job, going, 30) == "again in 30 s");
    CHECK(decided(job, going, 60) == "remove 1");
}

TEST_CASE("a job that is resized restarts, in the same attempt") {
    training_job job = job_in("Running");
    job.spec.workers = 3;
    CHECK(decided(job, all(pod_state::running)) ==
          "Restarting 0/2 attempt 1: Resized, spec.workers has changed from 2 to 3");
    job.status.phase = "Restarting";
    CHECK(decided(job, {}) == "Starting 0/3 attempt 1: Starting, attempt 1 begins with 3 ranks");
    CHECK(decide(job, {}, after(1)).status.workers == 3);
}

TEST_CASE("suspend and resume keep the attempt; the deadline begins anew") {
    for (const char* phase : {"Pending", "Starting", "Running", "Restarting"}) {
        CAPTURE(phase);
        training_job job = job_in(phase);
        job.spec.suspend = true;
        job.status.attempt = 2;
        CHECK(decided(job, all(pod_state::running)) == "Suspended 0/2 attempt 2: Suspended, spec.suspend is set");
    }
    training_job job = job_in("Suspended");
    job.spec.suspend = true;
    job.spec.active_deadline_seconds = 10;
    CHECK(decided(job, all(pod_state::running), 100) == "remove 0 1");
    CHECK(decided(job, {}, 100) == "");
    job.spec.suspend = false;
    CHECK(decided(job, all(pod_state::running), 100) == "remove 0 1");
    CHECK(decided(job, {}, 100) == "Pending 0/2 attempt 1: Resumed, spec.suspend is not set any more");
    job.status.missed_starts = 4;
    const plan p = decide(job, {}, after(100));
    CHECK_FALSE(p.status.start_time.present());
    CHECK(p.status.missed_starts == 0);
    CHECK(p.status.attempt == 1);
}

TEST_CASE("activeDeadlineSeconds ends a job in each phase in which it is due") {
    for (const char* phase : {"Pending", "Starting", "Running", "Restarting"}) {
        CAPTURE(phase);
        training_job job = job_in(phase);
        job.spec.active_deadline_seconds = 50;
        CHECK(decided(job, all(pod_state::running), 50) ==
              "Failed 0/2 attempt 1: DeadlineExceeded, activeDeadlineSeconds have passed since the first start, "
              "warning");
    }
    training_job job = job_in("Running");
    job.spec.active_deadline_seconds = 50;
    job.status.ready = "2/2";
    CHECK(decided(job, all(pod_state::running), 20) == "again in 30 s");
    job.status.start_time = {};
    CHECK(decided(job, all(pod_state::running), 5000) == "");
}

TEST_CASE("after the end: what runs is deleted, logs stay, and the job goes when its time is over") {
    for (const char* phase : {"Succeeded", "Failed"}) {
        CAPTURE(phase);
        training_job job = job_in(phase);
        CHECK(decided(job, {failed(0, 1), one(1, pod_state::running)}) == "remove 1");
        CHECK(decided(job, all(pod_state::ended_well)) == "");
        rank with_sidecar = one(0, pod_state::ended_well);
        with_sidecar.over = false;
        CHECK(decided(job, {with_sidecar}) == "remove 0");
        job.spec.suspend = true;
        job.spec.workers = 5;
        CHECK(decided(job, {}) == "");
        job.spec.ttl_seconds_after_finished = 30;
        CHECK(decided(job, {}, 10) == "again in 20 s");
        CHECK(decided(job, {}, 30) == "remove the job");
    }
}

TEST_CASE("a job that is being deleted goes after its ranks, in each phase") {
    for (const auto& each : phases.phases()) {
        CAPTURE(each.name());
        training_job job = job_in(each.name());
        job.metadata.deletion_timestamp = begin;
        job.spec.suspend = true;
        CHECK(decided(job, all(pod_state::running)) == "remove 0 1");
        gang going = all(pod_state::running);
        going[0].leaving = going[1].leaving = true;
        CHECK(decided(job, going) == "");
        CHECK(decided(job, {}) == "release");
    }
}

TEST_CASE("an executor that there is not ends the job with a sentence") {
    training_job job = job_in("Pending");
    job.spec.executor = "slurm";
    CHECK(decided(job, {}) ==
          "Failed 0/2 attempt 1: UnknownExecutor, spec.executor: there is no executor \"slurm\", warning");
}

TEST_CASE("each move of these is one of the table") {
    // decide() over all phases and what may be there: no plan leads where the table does not.
    for (const auto& phase : phases.phases()) {
        for (const gang& ranks : {gang{}, all(pod_state::waiting), all(pod_state::running), all(pod_state::ended_well),
                                  gang{failed(0, 137), one(1, pod_state::running)}, gang{failed(0, 1)}}) {
            for (const double when : {1.0, 700.0}) {
                for (int flags = 0; flags < 16; ++flags) {
                    training_job job = job_in(phase.name());
                    job.spec.suspend = (flags & 1) != 0;
                    if ((flags & 2) != 0) job.spec.active_deadline_seconds = 650;
                    if ((flags & 4) != 0) job.spec.workers = 3;
                    if ((flags & 8) != 0) job.spec.gates.emplace_back().name = "eval";
                    const plan p = decide(job, ranks, after(when));
                    if (!p.moves(job)) continue;
                    CAPTURE(decided(job, ranks, when));
                    CHECK(phases.allows(job.status.phase, p.status.phase));
                    CHECK(p.create.empty());
                    CHECK(p.remove.empty());
                    CHECK_FALSE(p.reason.empty());
                }
            }
        }
    }
}
