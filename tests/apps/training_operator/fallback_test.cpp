// What a job does that waits for GPUs for too long, restarts that somebody asks for, and what of the work is kept.
#include "decide/goodput.hpp"
#include "decide/recovery.hpp"
#include "executors/rank_template.hpp"
#include "fits/free_nodes.hpp"
#include "job/names.hpp"
#include "operator_world.hpp"
#include "support.hpp"

using namespace training_operator;
using namespace training_operator::tests;

namespace {

checkpoint at_step(std::int64_t step, double when) {
    checkpoint out;
    out.step = step;
    out.uri = "s3://b/" + std::to_string(step);
    out.time = after(when);
    return out;
}

// Waits since `begin`, and may fall back after 600 s.
training_job waiting_in(std::string_view phase) {
    training_job out = job_in(phase);
    out.status.wait_time = begin;
    out.spec.start_deadline_seconds = 5000;
    auto& how = out.spec.cpu_fallback.emplace();
    how.queue_name = "cpus";
    how.workers = 3;
    return out;
}

training_job on_cpus(std::string_view phase) {
    training_job out = waiting_in(phase);
    out.status.wait_time = {};
    out.status.on_fallback = true;
    out.status.fallback_time = begin;
    out.status.workers = 3;
    return out;
}
gang three(pod_state state) { return {one(0, state), one(1, state), one(2, state)}; }

gang on_nodes(gang ranks) {
    for (rank& each : ranks) each.node = "n1";
    return ranks;
}

std::shared_ptr<const offered_node> node(const std::string& more = "") {
    const std::string text =
        R"({"metadata":{"name":"n1","labels":{"zone":"a"}},"status":{"allocatable":{"cpu":"8","memory":"32Gi",)"
        R"("pods":"10","nvidia.com/gpu":"8"},"conditions":[{"type":"Ready","status":"True"}]})" +
        more + "}";
    return std::make_shared<const offered_node>(from_json<offered_node>(text).value());
}
std::shared_ptr<const placed_pod> pod(const std::string& spec, const std::string& phase = "Running") {
    return std::make_shared<const placed_pod>(
        from_json<placed_pod>(R"({"metadata":{"name":"p"},"spec":{"nodeName":"n1",)" + spec +
                              R"(},"status":{"phase":")" + phase + "\"}}")
            .value());
}

}  // namespace

TEST_CASE("fallback: a job that waits for GPUs for so long starts on CPUs, and no attempt is counted") {
    for (const char* phase : {"Queued", "Starting"}) {
        CAPTURE(phase);
        gang ranks = all(pod_state::waiting);
        for (rank& each : ranks) each.gated = phase == std::string("Queued");
        const training_job job = waiting_in(phase);
        CHECK_FALSE(decide(job, ranks, after(599)).moves(job));
        CHECK(decide(job, ranks, after(599)).again == after(600));
        const plan p = decide(job, ranks, after(600));
        CHECK(p.status.phase == "Restarting");
        CHECK(p.reason == "FallsBack");
        CHECK(p.status.attempt == 1);
        CHECK(p.status.on_fallback);
        REQUIRE(p.told);
        CHECK(p.told->type == "OnFallback");
        CHECK(p.told->holds);
        // Then as spec.cpuFallback says.
        training_job next = job;
        next.status = p.status;
        const plan q = decide(next, {}, after(610));
        CHECK(q.status.phase == "Queued");
        CHECK(q.status.workers == 3);
        CHECK(q.message == "attempt 1 begins with 3 ranks on CPUs, when its queue admits them");
    }
}

TEST_CASE("fallback: between two starts, too; not where all ranks have nodes, nor without the field") {
    training_job job = waiting_in("Pending");
    job.status.missed_starts = 7;
    CHECK(decide(job, {}, after(299)).again == after(300));  // the pause
    job.status.phase_time = after(550);
    const plan p = decide(job, {}, after(600));
    CHECK(p.status.on_fallback);
    CHECK(p.status.phase == "Queued");
    CHECK(p.told->type == "OnFallback");

    job = waiting_in("Starting");
    CHECK_FALSE(decide(job, on_nodes(all(pod_state::waiting)), after(700)).moves(job));
    job.spec.cpu_fallback.reset();
    CHECK_FALSE(decide(job, all(pod_state::waiting), after(700)).moves(job));
}

TEST_CASE("fallback: the wait begins with the start and ends when all run") {
    training_job job = job_in("Restarting");
    const plan p = decide(job, {}, after(5));
    CHECK(p.status.wait_time == after(5));
    job.status = p.status;
    CHECK(decide(job, on_nodes(all(pod_state::waiting)), after(6)).status.wait_time == after(5));
    const plan q = decide(job, on_nodes(all(pod_state::running)), after(9));
    CHECK(q.status.phase == "Running");
    CHECK_FALSE(q.status.wait_time.present());
}

TEST_CASE("fallback: back at a checkpoint, if the gang fits, and not before afterSeconds") {
    const training_job job = on_cpus("Running");
    const auto seen = [](bool fits, bool saves) {
        facts out(three(pod_state::running));
        out.gang_fits = fits;
        if (saves) out.ranks[0].told.saved = at_step(7, 0);
        return out;
    };
    CHECK_FALSE(decide(job, seen(true, true), after(599)).moves(job));
    CHECK_FALSE(decide(job, seen(false, true), after(700)).moves(job));
    CHECK_FALSE(decide(job, seen(true, false), after(700)).moves(job));
    const plan p = decide(job, seen(true, true), after(700));
    CHECK(p.status.phase == "Restarting");
    CHECK(p.reason == "ReturnsToGPUs");
    CHECK(p.status.attempt == 1);
    CHECK_FALSE(p.status.on_fallback);
    CHECK(p.status.fallback_time == after(700));
    CHECK(p.status.wait_time == after(700));
    CHECK(p.told->reason == "GPUsFree");
    CHECK_FALSE(p.told->holds);
    training_job next = job;
    next.status = p.status;
    CHECK(decide(next, {}, after(701)).message == "attempt 1 begins with 2 ranks at step 8");
    // What does not run yet loses nothing.
    const training_job queued = on_cpus("Queued");
    facts waiting(three(pod_state::waiting));
    waiting.gang_fits = true;
    CHECK(decide(queued, waiting, after(700)).reason == "ReturnsToGPUs");
    // The field is removed: at once.
    training_job without = job;
    without.spec.cpu_fallback.reset();
    CHECK(decide(without, seen(false, false), after(2)).told->reason == "NoFallback");
}

TEST_CASE("fallback: the pod asks for CPUs in place of GPUs, with its own variables and queue") {
    training_job job = on_cpus("Queued");
    job.spec.accelerator.emplace().per_worker = 8;
    job.metadata.labels["kueue.x-k8s.io/queue-name"] = "gpus";
    job.spec.cpu_fallback->resources.cpu = "16";
    job.spec.cpu_fallback->resources.memory = "64Gi";
    auto& variable = job.spec.cpu_fallback->env.emplace_back();
    variable.name = "DEVICE";
    variable.value = "cpu";
    auto& pod = job.spec.template_.spec;
    pod.node_selector["nvidia.com/gpu.product"] = "H200";
    pod.node_selector["zone"] = "a";
    auto& trainer = pod.containers.emplace_back();
    trainer.resources.limits["nvidia.com/gpu"] = "8";
    trainer.resources.limits["cpu"] = "4";
    trainer.env.emplace_back().name = "DEVICE";
    trainer.resources.claims.emplace_back().name = "gpu";
    pod.resource_claims.emplace_back().name = "gpu";
    const auto made = make_rank_pod(job, 2);
    const auto& on = made.spec.containers.front();
    CHECK(on.resources.limits.get("nvidia.com/gpu") == nullptr);
    CHECK(on.resources.requests.get("nvidia.com/gpu") == nullptr);
    CHECK(*on.resources.limits.get("cpu") == "16");
    CHECK(*on.resources.requests.get("memory") == "64Gi");
    CHECK(on.resources.claims.empty());
    CHECK(made.spec.resource_claims.empty());
    CHECK(made.spec.node_selector.size() == 1);
    std::string devices;
    for (const auto& each : on.env) {
        if (each.name == "DEVICE") devices += each.value.str() + " ";
    }
    CHECK(devices == "cpu ");
    CHECK(*made.metadata.labels.get("kueue.x-k8s.io/queue-name") == "cpus");
    job.status.on_fallback = false;
    CHECK(*make_rank_pod(job, 0).metadata.labels.get("kueue.x-k8s.io/queue-name") == "gpus");
    CHECK(*make_rank_pod(job, 0).spec.containers.front().resources.limits.get("nvidia.com/gpu") == "8");
}

TEST_CASE("fits: what nodes have free beside what pods hold") {
    training_job job = job_in("Running");
    job.spec.accelerator.emplace().per_worker = 2;
    job.spec.template_.spec.containers.emplace_back().resources.requests["cpu"] = "1";
    const auto fit = [&](const std::shared_ptr<const offered_node>& on,
                         std::vector<std::shared_ptr<const placed_pod>> pods = {}) {
        return workers_that_fit(job, {on}, pods);
    };
    const std::string five = R"("containers":[{"resources":{"limits":{"nvidia.com/gpu":"5"}}}])";
    CHECK(fit(node()) == 4);
    CHECK(fit(node(), {pod(five)}) == 1);
    CHECK(fit(node(), {pod(five, "Succeeded")}) == 4);
    CHECK(fit(node(), {pod(R"("containers":[{"resources":{"requests":{"cpu":"6500m"}}}])")}) == 1);
    CHECK(fit(node(), {pod(R"("containers":[],"initContainers":[{"resources":{"requests":{"cpu":"7"}}}])")}) == 1);
    CHECK(fit(node(R"(,"spec":{"unschedulable":true})")) == 0);
    const std::string tainted = R"(,"spec":{"taints":[{"key":"kcontrol.dev/gpu-unhealthy","effect":"NoSchedule"}]})";
    CHECK(fit(node(tainted)) == 0);
    auto& tolerated = job.spec.template_.spec.tolerations.emplace_back();
    tolerated.key = "kcontrol.dev/gpu-unhealthy";
    tolerated.operator_ = "Exists";
    CHECK(fit(node(tainted)) == 4);
    job.spec.template_.spec.node_selector["zone"] = "b";
    CHECK(fit(node()) == 0);
    job.spec.template_.spec.node_selector["zone"] = "a";
    CHECK(fit(node()) == 4);
    job.spec.accelerator->resource = "amd.com/gpu";
    CHECK(fit(node()) == 0);
    CHECK(*read_fits(200, R"({"now":true,"largestGang":7})"));
    CHECK_FALSE(*read_fits(200, R"({"now":false})"));
    for (const char* bad : {"", "[]", R"({"now":"yes"})"}) CHECK_FALSE(read_fits(200, bad));
    CHECK_FALSE(read_fits(503, R"({"now":true})"));
}

TEST_CASE("a token restarts the gang once, in the same attempt, also where a rank has failed because of it") {
    for (const char* phase : {"Queued", "Starting", "Running"}) {
        CAPTURE(phase);
        training_job job = job_in(phase);
        job.metadata.annotations[restart_annotation] = "t1";
        for (const gang& ranks : {all(pod_state::running), gang{failed(0, 137), one(1, pod_state::running)}}) {
            const plan p = decide(job, ranks, after(3));
            CHECK(p.status.phase == "Restarting");
            CHECK(p.reason == "RestartRequested");
            CHECK(p.message == "ai.kcontrol.dev/restart is t1");
            CHECK(p.status.attempt == 1);
            CHECK(p.status.restart_token == "t1");
            CHECK(p.status.lost_time == after(3));
        }
        job.status.restart_token = "t1";
        CHECK(decide(job, all(pod_state::running), after(3)).reason != "RestartRequested");
        job.metadata.annotations[restart_annotation] = std::string(300, 'x');
        job.status.restart_token = std::string(253, 'x');
        CHECK(decide(job, all(pod_state::running), after(3)).reason != "RestartRequested");
    }
    // A start follows the token that is there.
    training_job job = job_in("Restarting");
    job.metadata.annotations[restart_annotation] = "t2";
    CHECK(decide(job, {}, after(1)).status.restart_token == "t2");
}

TEST_CASE("what of the work is kept, and which steps are repeated") {
    training_job job = job_in("Running");
    gang ranks{failed(0, 137, 90), one(1, pod_state::running)};
    ranks[1].told.step = 130;
    job.status.checkpoints.push_back(at_step(120, 80));
    plan p = decide(job, ranks, after(100));
    CHECK(p.status.kept_seconds == 80);
    CHECK(p.lost_steps == 10);
    job.status.checkpoints.clear();
    p = decide(job, ranks, after(100));
    CHECK(p.status.kept_seconds == 0);
    CHECK(p.lost_steps == 130);
    job.status.kept_seconds = 40;
    p = decide(job, all(pod_state::ended_well), after(100));
    CHECK(p.status.kept_seconds == 140);
    CHECK(p.lost_steps == 0);

    goodput sum;
    CHECK_FALSE(sum.ratio());
    sum.add(job, after(100));  // 40 s kept before, and 100 s now, of 100 s: no more than all
    CHECK(sum.ratio() == doctest::Approx(1));
    training_job other = job_in("Restarting");
    other.status.kept_seconds = 50;
    sum.add(other, after(100));
    CHECK(sum.ratio() == doctest::Approx(0.75));
    training_job ended = job_in("Failed");
    ended.status.phase_time = after(200);
    ended.status.kept_seconds = 100;
    goodput of_ended;
    of_ended.add(ended, after(10000));
    CHECK(of_ended.ratio() == doctest::Approx(0.5));
}

TEST_CASE("the parts of a recovery") {
    using enum recovery_part;
    const auto part = [](const char* phase, const facts& seen) { return recovery_part_of(job_in(phase), seen); };
    gang working = on_nodes(all(pod_state::running));
    working[1].told.step = 3;
    gang old = working;
    for (rank& each : old) each.attempt = 0;
    CHECK(part("Restarting", all(pod_state::failed)) == drain);
    CHECK(part("Restarting", gang{}) == queue);
    CHECK(part("Queued", all(pod_state::waiting)) == queue);
    CHECK(part("Starting", gang{one(0, pod_state::waiting)}) == place);
    CHECK(part("Starting", all(pod_state::waiting)) == place);
    CHECK(part("Starting", on_nodes(all(pod_state::waiting))) == start);
    CHECK(part("Running", on_nodes(all(pod_state::running))) == load);
    CHECK(part("Running", old) == load);
    CHECK(part("Running", working) == none);
    CHECK(part("Succeeded", working) == none);
}

TEST_CASE_FIXTURE(operator_world, "a token on a job restarts its gang once, whatever happens to the operator then") {
    add_job();
    run_all();
    CHECK(phase() == "Running");
    const auto ask = [&](const std::string& token) {
        (void)server.api()
            .patch(jobs_id, {"default", "bert"}, {{"metadata", {{"annotations", {{restart_annotation, token}}}}}})
            .value();
        settle();
    };
    ask("case-7");
    CHECK(told() == "Restarting, attempt 1, 0/2, RestartRequested: ai.kcontrol.dev/restart is case-7");
    let_go();
    run_all();
    CHECK(told() == "Running, attempt 1, 2/2, Running: all ranks run");
    restart();
    settle(1min);
    CHECK(phase() == "Running");
    ask("case-7");
    CHECK(phase() == "Running");
    CHECK(events("RestartRequested") == 1);
    ask("case-8");
    CHECK(phase() == "Restarting");
}

TEST_CASE_FIXTURE(operator_world, "a job without GPUs runs on CPUs, and returns when they are free") {
    json::object spec{{"accelerator", {{"perWorker", 4}}},
                      {"startDeadlineSeconds", 3600},
                      {"cpuFallback", {{"afterSeconds", 60}, {"workers", 1}, {"resources", {{"cpu", "2"}}}}}};
    add_job(spec);
    settle(50s);
    CHECK(phase() == "Starting");
    settle(15s);
    CHECK(condition("OnFallback").starts_with("OnFallback=True WaitedForGPUs"));
    let_go();
    CHECK(pods() == "bert-0");
    run_all();
    CHECK(told() == "Running, attempt 1, 1/1, Running: all ranks run");
    const auto checkpoint = [&](int step) {
        const std::string report = R"({"checkpoint":{"step":)" + std::to_string(step) + R"(,"uri":"s3://b/c"}})";
        patch_pod(0, {{"metadata", {{"annotations", {{"ai.kcontrol.dev/progress", report}}}}}}, "");
        settle();
    };
    settle(60s);
    checkpoint(5);
    CHECK(phase() == "Running");  // no node has GPUs
    (void)server.api()
        .patch({"", "nodes"}, {"", "n0"},
               {{"status", {{"allocatable", {{"nvidia.com/gpu", "8"}, {"pods", "9"}, {"cpu", "9"}}}}}}, "status")
        .value();
    settle(20s);
    CHECK(phase() == "Running");  // up to its next checkpoint
    checkpoint(9);
    CHECK(told().starts_with("Restarting, attempt 1, 0/1, ReturnsToGPUs"));
    CHECK(condition("OnFallback") == "OnFallback=False GPUsFree: its gang fits on GPUs");
    let_go();
    CHECK(pods() == "bert-0 bert-1");
    CHECK(told() == "Starting, attempt 1, 0/2, Starting: attempt 1 begins with 2 ranks at step 10");
}
