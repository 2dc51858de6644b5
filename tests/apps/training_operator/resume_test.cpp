// How an attempt goes on after a loss: with fewer ranks, and with a checkpoint whose hash its server confirms.
#include "dataset/version.hpp"
#include "job/names.hpp"
#include "operator_world.hpp"
#include "support.hpp"

using namespace training_operator;
using namespace training_operator::tests;

namespace {

const std::string good(64, 'a'), bad(64, 'b');

checkpoint saved(std::int64_t step, const std::string& uri, const std::string& hash) {
    checkpoint out;
    out.step = step;
    out.uri = uri;
    out.sha256 = hash;
    return out;
}
training_job restarting(const std::string& uri, const std::string& hash = good) {
    training_job out = job_in("Restarting");
    out.status.attempt = 2;
    out.status.checkpoints.push_back(saved(120, uri, hash));
    out.status.checkpoints.push_back(saved(100, "s3://b/100", good));
    out.status.checkpoint = out.status.checkpoints.front();
    return out;
}
facts saying(result<std::string> hash) {
    facts out;
    out.checkpoint_hash = std::move(hash);
    return out;
}
const std::string behind = "http://store.example/120";

}  // namespace

TEST_CASE("a server's hash: the first word of 64 digits; 404 is none") {
    const auto answer = [](int status, const std::string& body) {
        const auto read = hash_of(http::response(status, "text/plain", body));
        return read ? *read : std::string(read.error().what());
    };
    CHECK(answer(200, good) == good);
    CHECK(answer(200, good + "  model.pt\n") == good);
    CHECK(answer(404, "no") == "");
    CHECK(answer(403, good).find("the answer is 403") != std::string::npos);
    for (const std::string& body : {std::string(), good + "a", std::string("<html>"), std::string(64, 'G')}) {
        CAPTURE(body);
        CHECK(answer(200, body).find("64 hexadecimal digits") != std::string::npos);
    }
}

TEST_CASE("where the hash of a checkpoint is") {
    CHECK(hash_url(restarting(behind)) == behind + ".sha256");
    CHECK(hash_url(restarting("https://h/x?sig=1")) == "https://h/x.sha256?sig=1");
    CHECK(hash_url(restarting("s3://b/120")) == "");
    training_job never = restarting(behind);
    never.spec.checkpoint.emplace().resume = "Never";
    CHECK(hash_url(never) == "");
}

TEST_CASE("over http(s) no attempt begins before the hash is read, and a wrong one refuses the checkpoint") {
    const training_job job = restarting(behind);
    CHECK(decided(job, {}) == "");  // it is asked for
    CHECK(decided_on(job, saying(good))
              .starts_with("Starting 0/2 attempt 2: Starting, attempt 2 begins with 2 ranks "
                           "at step 121, CheckpointGood=True HashMatches"));
    CHECK(decided_on(job, saying(std::string())).starts_with("Starting"));  // the ranks look themselves
    CHECK(decided_on(job, saying(error(errc::timeout, "no answer"))) ==
          "CheckpointGood=False HashUnreadable: the checkpoint of step 120: its hash can't be read: no answer");
    const plan p = decide(job, saying(bad), after(1));
    CHECK(p.status.phase == "Restarting");
    CHECK(p.told->reason == "HashMismatch");
    CHECK(p.status.checkpoints[0].refused);
    REQUIRE(p.status.checkpoint);
    CHECK(p.status.checkpoint->step == 100);
    CHECK(decided(restarting("s3://b/120"), {}).starts_with("Starting"));
}

TEST_CASE("after a lost node: as many ranks as are left, minWorkers at least, and all again after that") {
    training_job job = job_in("Running");
    job.spec.workers = job.status.workers = 4;
    job.spec.min_workers = 2;
    gang ranks;
    for (int i = 0; i < 4; ++i) ranks.push_back(one(i, pod_state::running));
    const auto lose = [&](int count) {
        gang out = ranks;
        for (int i = 0; i < count; ++i) {
            out[static_cast<std::size_t>(i)].node = "n7";
            out[static_cast<std::size_t>(i)].unready_since = after(-70);
        }
        return out;
    };
    for (const auto& each : {std::pair(1, 3), {2, 2}, {3, 2}}) {
        const auto& [lost, left] = each;
        CAPTURE(each.first);
        training_job next = job;
        next.status = decide(job, lose(lost), after(1)).status;
        CHECK(next.status.phase == "Restarting");
        CHECK(next.status.lost_workers == lost);
        CHECK(next.status.lost_time == after(-70));
        const plan p = decide(next, {}, after(2));
        CHECK(p.status.workers == left);
        CHECK(p.status.ready == "0/" + std::to_string(left));
        next.status = p.status;
        gang fewer;
        for (int i = 0; i < left; ++i) fewer.push_back(one(i, pod_state::running));
        for (auto& pod : fewer) pod.attempt = 2;
        CHECK(decide(next, fewer, after(3)).status.phase == "Running");
        CHECK_FALSE(decide(next, fewer, after(3)).status.lost_time.present());
        // What is lost without a node brings all back.
        next.status = decide(next, fewer, after(3)).status;
        fewer.pop_back();
        next.status = decide(next, fewer, after(4)).status;
        CHECK(next.status.phase == "Restarting");
        CHECK(decide(next, {}, after(5)).status.workers == 4);
    }
    job.spec.min_workers.reset();
    training_job whole = job;
    whole.status = decide(job, lose(1), after(1)).status;
    CHECK(decide(whole, {}, after(2)).status.workers == 4);
}

TEST_CASE("a job of fewer ranks that is resized begins anew with all that are asked for") {
    training_job job = job_in("Running");
    job.spec.workers = 4;
    job.spec.min_workers = 2;
    job.status.lost_workers = 2;
    job.status.workers = 2;
    CHECK(decided(job, all(pod_state::running)) == "ready 2/2");
    job.spec.workers = 5;
    const plan p = decide(job, all(pod_state::running), after(1));
    CHECK(p.reason == "Resized");
    job.status = p.status;
    CHECK(decide(job, {}, after(2)).status.workers == 5);
}

TEST_CASE_FIXTURE(operator_world,
                  "a checkpoint whose server says another hash is refused, and the one before is taken") {
    const auto report = [&](int step, const std::string& uri) {
        const std::string text = R"({"checkpoint":{"step":)" + std::to_string(step) + R"(,"uri":")" + uri +
                                 R"(","sha256":")" + good + R"("}})";
        patch_pod(0, {{"metadata", {{"annotations", {{progress_annotation, text}}}}}}, "");
        settle();
    };
    serve(http::response(200, "text/plain", bad + "  120.pt\n"));
    add_job();
    run_all();
    report(100, "s3://b/100");
    report(120, "http://data.example/120.pt");
    CHECK(job()->status.checkpoint->step == 120);
    CHECK(world.network().requests("data.example") == 0);
    end(0, 137);
    settle();
    let_go();
    CHECK(told() == "Starting, attempt 2, 0/2, Starting: attempt 2 begins with 2 ranks at step 101");
    CHECK(condition("CheckpointGood").find("HashMismatch: the checkpoint of step 120 has the hash " + good) !=
          std::string::npos);
    CHECK(world.network().requests("data.example") == 1);
    CHECK(job()->status.checkpoints[0].refused);

    // One that is good; while its server is away, no rank begins.
    run_all();
    serve(http::response(500));
    report(140, "http://data.example/140.pt");
    end(1, 137);
    settle();
    let_go();
    CHECK(phase() == "Restarting");
    CHECK(condition("CheckpointGood").find("HashUnreadable") != std::string::npos);
    const auto before = writes();
    settle(10min);
    CHECK(writes() == before);
    CHECK(pods() == "");
    serve(http::response(200, "text/plain", good));
    settle(2min);
    CHECK(told() == "Starting, attempt 3, 0/2, Starting: attempt 3 begins with 2 ranks at step 141");
    CHECK(condition("CheckpointGood").starts_with("CheckpointGood=True HashMatches"));
    const auto asked = world.network().requests("data.example");
    run_all();
    settle(1h);
    CHECK(world.network().requests("data.example") == asked);
}

TEST_CASE_FIXTURE(operator_world, "restarts are counted, and the seconds that they take") {
    add_job();
    run_all();
    settle(1min);
    end(0, 137);
    settle(2s);
    let_go();
    run_all();
    const auto metrics = m->answer(http::request("GET", "/metrics")).body;
    const auto value = [&](const std::string& name) {
        const auto at = metrics.find("\n" + name + " ");
        return at == std::string::npos ? -1.0 : std::stod(metrics.substr(at + name.size() + 2));
    };
    CHECK(value("training_job_attempts_total") == 2);
    CHECK(value("training_job_restart_seconds_count") == 1);
    const double until_start = value("training_job_restart_seconds_sum"),
                 lost = value("training_job_lost_seconds_total");
    CHECK(until_start >= 2);
    CHECK(until_start <= 5);
    CHECK(lost > until_start);
    CHECK(lost <= 10);
    CHECK(value(R"(kcontrol_status_phase_seconds_count{kind="TrainingJob",phase="Running"})") == 1);
}
