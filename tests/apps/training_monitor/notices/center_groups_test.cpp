// What the receivers of a center are told of one cause, in threads, and at night.
#include <kcontrol/values/time.hpp>

#include "notices/center.hpp"
#include "notices/formats.hpp"
#include "notices/world.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <set>

using namespace training_monitor;
using namespace training_monitor::notices;
using namespace training_monitor::notices::tests;
using namespace std::chrono_literals;
namespace tests = training_monitor::notices::tests;
using training_monitor::notices::job_condition;

namespace {

observed_job failed_on(std::string name, std::string node, std::string version) {
    auto out = seen(std::move(name), job_state::failed, std::move(version));
    out.view.failure = job_failure{std::move(node), 1, "XID 79", {}};
    return out;
}

// A receiver of people: titles, groups.
notice_config titles() {
    auto out = world::everything();
    out.receivers[0].text = *text_template::parse("{{ .title }}");
    out.receivers[0].group = group_options();
    out.receivers[0].mention_label = "team";
    out.receivers[0].mentions = {{"nlp", "U1"}};
    return out;
}

// Tells of ends.
void make_pager(receiver_config& r) { r.kind = receiver_kind::pagerduty; }

cluster_view cluster(std::string state) {
    cluster_view out;
    out.name = "prod-1";
    out.state = std::move(state);
    return out;
}

std::size_t count(std::string_view text, std::string_view part) {
    std::size_t out = 0;
    for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++out;
    return out;
}

}  // namespace

namespace {

// What a run of the monitor leaves for the next one.
std::vector<kept_alert> told_by(history& past, const notice_config& config, const std::function<void(world&)>& life) {
    std::map<std::string, kept_alert> kept;
    world w(past, config);
    w.notices.deliveries().on_alert([&](const kept_alert& one) { kept[one.what.thread] = one; });
    life(w);
    std::vector<kept_alert> out;
    for (const auto& [thread, one] : kept) {
        if (!one.jobs.empty()) out.push_back(one);
    }
    return out;
}

notice_config pager_of(job_condition which) {
    auto config = titles();
    make_pager(config.receivers[0]);
    config.receivers[0].group.reset();
    config.rules[0] = rule();
    config.rules[0].receivers = {0};
    if (which == job_condition::none) {
        config.rules[0].to = {job_state::failed};
    } else {
        config.rules[0].conditions = {which};
        config.rules[0].lasting = 1min;
    }
    return config;
}

}  // namespace

TEST_CASE("after a restart: what was told of is resolved when it is over, and only then") {
    history past;
    const auto config = pager_of(job_condition::none);
    const auto kept = told_by(past, config, [](world& w) {
        for (const char* name : {"a", "b"}) {
            w.take(w.table.add(seen(name, job_state::running, "1"), true));
            w.take(w.table.update(failed_on(name, "n", "2")));
        }
    });
    REQUIRE(kept.size() == 2);
    world w(past, config);
    std::string bodies;
    w.answer = [&](const http::request& req) {
        bodies += req.body + "\n";
        return http::response(202, "text/plain", "ok");
    };
    for (const auto& one : kept) CHECK(w.notices.restore(one));
    auto stranger = kept[0];
    stranger.receiver = "gone from the file";
    CHECK_FALSE(w.notices.restore(stranger));
    for (const char* name : {"a", "b"}) w.take(w.table.add(failed_on(name, "n", "3"), true));
    w.env.advance(5min, w.context);
    CHECK(bodies.empty());
    w.take(w.table.remove(failed_on("a", "n", "4")));
    CHECK(count(bodies, R"("event_action":"resolve")") == 1);
    CHECK(w.notices.deliveries().open_alerts().size() == 1);
}

TEST_CASE("after a restart: a condition that pods tell has two minutes to show again") {
    const auto with_pods = [](std::int64_t active, std::string version) {
        auto out = seen("a", job_state::running, std::move(version));
        out.view.replicas = {{"Worker", 2, active, 0, 0}};
        return out;
    };
    const auto config = pager_of(job_condition::incomplete);
    for (const bool shows_again : {false, true}) {
        CAPTURE(shows_again);
        history past;
        const auto kept = told_by(past, config, [&](world& w) {
            w.take(w.table.add(with_pods(1, "1"), true));
            w.env.advance(2min, w.context);
        });
        REQUIRE(kept.size() == 1);
        CHECK(kept[0].what.condition == job_condition::incomplete);
        world w(past, config);
        std::string bodies;
        w.answer = [&](const http::request& req) {
            bodies += req.body + "\n";
            return http::response(202, "text/plain", "ok");
        };
        CHECK(w.notices.restore(kept[0]));
        w.take(w.table.add(with_pods(2, "2"), true));  // as the object says before the pods are known
        w.env.advance(1min, w.context);
        CHECK(bodies.empty());
        if (shows_again) {
            w.take(w.table.update(with_pods(1, "3")));
            w.env.advance(90s, w.context);
            CHECK(count(bodies, R"("event_action":"resolve")") == 0);
            w.take(w.table.update(with_pods(2, "4")));
        } else {
            w.env.advance(61s, w.context);
        }
        CHECK(count(bodies, R"("event_action":"resolve")") == 1);
    }
}

TEST_CASE("fifty jobs that fail on one node: two messages, one mention, and each job is settled") {
    history past;
    auto config = titles();
    config.rules[0].to = {job_state::failed};
    world w(past, config);
    std::string bodies;
    w.answer = [&](const http::request& req) {
        bodies += req.body + "\n";
        return http::response(200, "text/plain", "ok");
    };
    const auto name = [](int i) { return "j" + std::to_string(i); };
    for (int i = 0; i < 50; ++i) w.take(w.table.add(seen(name(i), job_state::running, "1"), true));
    for (int i = 0; i < 30; ++i) w.take(w.table.update(failed_on(name(i), "gpu-3", "2")));
    CHECK(w.take_sent().empty());
    w.env.advance(10s, w.context);
    CHECK(w.take_sent() == world::texts{"\u2717 30 jobs failed on gpu-3 (480 GPUs, prod-1)"});
    for (int i = 30; i < 50; ++i) w.take(w.table.update(failed_on(name(i), "gpu-3", "2")));
    w.env.advance(1min, w.context);
    CHECK(w.take_sent().empty());
    w.env.advance(5min, w.context);
    CHECK(w.take_sent() == world::texts{"\u2717 20 more jobs failed on gpu-3 (320 GPUs, prod-1)"});
    CHECK(count(bodies, R"("mention":"U1")") == 1);
    CHECK(count(bodies, R"("moreJobs":[{)") == 2);
    for (int i = 0; i < 50; ++i) {
        CHECK_FALSE(past.find(tests::job(name(i)))->has_pending());
        CHECK(past.is_notified(tests::job(name(i)), job_state::failed));
    }
}

TEST_CASE("a receiver that refuses a group: one dead letter, and each job is settled") {
    history past;
    world w(past, titles());
    w.answer = [](const http::request&) { return http::response(404); };
    for (const auto* name : {"a", "b"}) {
        w.take(w.table.add(seen(name, job_state::running, "1"), true));
        w.take(w.table.update(failed_on(name, "gpu-3", "2")));
    }
    w.env.advance(10s, w.context);
    REQUIRE(w.notices.deliveries().dead_letters().size() == 1);
    CHECK(w.notices.deliveries().dead_letters()[0].job == "prod-1/ml/a (PyTorchJob) and 1 more");
    for (const auto* name : {"a", "b"}) CHECK_FALSE(past.find(tests::job(name))->has_pending());
}

TEST_CASE("no job is told to wait while its cluster can't be read") {
    history past;
    auto config = titles();
    config.rules[0].to = {job_state::pending};
    config.rules[0].lasting = 20min;
    world w(past, config);
    w.take(w.table.set_cluster(cluster("live")));
    w.take(w.table.add(fresh("waits", job_state::pending, "1")));
    w.take(w.table.add(fresh("runs", job_state::pending, "1")));
    w.take(w.table.set_cluster(cluster("unreachable")));
    w.env.advance(1h, w.context);
    w.take(w.table.set_cluster(cluster("connecting")));
    CHECK(w.take_sent().empty());
    w.take(w.table.update(fresh("runs", job_state::running, "2")));
    w.take(w.table.set_cluster(cluster("live")));
    CHECK(w.take_sent() == world::texts{"\u26a0 ml/waits has been Pending for 20 min (16 GPUs, prod-1)"});
    w.env.advance(5h, w.context);
    CHECK(w.take_sent().empty());
}

TEST_CASE("a receiver with threads is told when it is over, in the same thread") {
    history past;
    auto config = titles();
    make_pager(config.receivers[0]);
    config.rules[0].conditions = {condition_of(trouble::crash_loop)};
    config.rules[0].lasting = 1min;
    world w(past, config);
    std::vector<std::string> bodies;
    w.answer = [&](const http::request& req) {
        bodies.push_back(req.body);
        return http::response(202);
    };
    auto loops = seen("bert", job_state::restarting, "1");
    loops.view.stuck = trouble::crash_loop;
    loops.view.stuck_count = 4;
    w.take(w.table.add(loops));
    w.env.advance(1min, w.context);
    w.env.advance(10s, w.context);
    REQUIRE(bodies.size() == 1);
    CHECK(bodies[0].find(R"("event_action":"trigger")") != std::string::npos);
    CHECK(bodies[0].find(R"-("summary":"⚠ ml/bert is crash looping: 4 restarts (16 GPUs, prod-1)")-") !=
          std::string::npos);
    w.take(w.table.update(seen("bert", job_state::running, "2")));
    REQUIRE(bodies.size() == 2);
    const auto key = [](const std::string& body) { return body.substr(body.find("dedup_key"), 44); };
    CHECK(bodies[1].find(R"("event_action":"resolve")") != std::string::npos);
    CHECK(key(bodies[0]) == key(bodies[1]));
    w.take(w.table.remove(seen("bert", job_state::running, "3")));
    CHECK(bodies.size() == 2);
}

TEST_CASE("of what a receiver refused the end is not told") {
    history past;
    auto config = titles();
    make_pager(config.receivers[0]);
    config.rules[0].conditions = {condition_of(trouble::crash_loop)};
    config.rules[0].lasting = 1min;
    world w(past, config);
    std::size_t requests = 0;
    w.answer = [&](const http::request&) { return ++requests, http::response(400); };
    auto loops = seen("bert", job_state::restarting, "1");
    loops.view.stuck = trouble::crash_loop;
    w.take(w.table.add(loops));
    w.env.advance(70s, w.context);
    CHECK(requests == 1);
    CHECK(w.notices.deliveries().open_alerts().size() == 0);
    w.take(w.table.update(seen("bert", job_state::running, "2")));
    w.env.advance(70s, w.context);
    CHECK(requests == 1);
}

TEST_CASE("a crash loop that ends in a failure is not over") {
    history past;
    auto config = titles();
    make_pager(config.receivers[0]);
    config.rules[0].conditions = {condition_of(trouble::crash_loop)};
    config.rules[0].lasting = 1min;
    world w(past, config);
    std::size_t requests = 0;
    w.answer = [&](const http::request&) {
        ++requests;
        return http::response(202);
    };
    auto loops = seen("bert", job_state::restarting, "1");
    loops.view.stuck = trouble::crash_loop;
    w.take(w.table.add(loops));
    w.env.advance(2min, w.context);
    CHECK(requests == 1);
    w.take(w.table.update(seen("bert", job_state::failed, "2")));
    CHECK(requests == 1);
    w.take(w.table.remove(seen("bert", job_state::failed, "3")));
    CHECK(requests == 2);
}

TEST_CASE("quiet hours: what is told at night waits for the morning, and what is over by then is not told") {
    history past;
    auto config = titles();
    config.receivers[0].group.reset();
    const auto hour = [&](kcontrol::wall_time at) {
        return std::chrono::floor<std::chrono::minutes>(at - std::chrono::floor<std::chrono::days>(at));
    };
    kcontrol::testing::manual_environment clock;
    quiet_hours night;
    night.from = hour(clock.wall_now());
    night.to = (night.from + 8h) % 24h;
    config.rules[0].to = {job_state::failed};
    config.rules[0].manner.quiet = night;
    config.rules.resize(2);
    config.rules[1].receivers = {0};
    config.rules[1].to = {job_state::pending};
    config.rules[1].lasting = 20min;
    config.rules[1].manner.quiet = night;
    world w(past, config);
    w.take(w.table.add(seen("bert", job_state::running, "1"), true));
    w.take(w.table.add(fresh("waits", job_state::pending, "1")));
    w.take(w.table.add(fresh("stays", job_state::pending, "1")));
    w.env.advance(1min, w.context);
    w.take(w.table.update(seen("bert", job_state::failed, "2")));
    w.env.advance(2h, w.context);
    w.take(w.table.update(fresh("waits", job_state::running, "2")));
    w.env.advance(5h, w.context);
    CHECK(w.take_sent().empty());
    w.env.advance(1h, w.context);
    const auto sent = w.take_sent();
    CHECK(std::set<std::string>(sent.begin(), sent.end()) ==
          std::set<std::string>{"\u2717 ml/bert failed after 1 h 1 min (16 GPUs, prod-1)",
                                "\u26a0 ml/stays has been Pending for 20 min (16 GPUs, prod-1)"});
    CHECK(past.is_notified(tests::job("bert"), job_state::failed));
}

TEST_CASE("a rule's severity and runbook are in its notices, and the last lines of the log") {
    history past;
    auto config = titles();
    config.receivers[0].log_lines = 2;
    config.rules[0].manner.level = severity::critical;
    config.rules[0].manner.runbook = "https://wiki.example.com/ecc";
    world w(past, config);
    std::size_t asked = 0;
    w.notices.deliveries().read_logs_with([&](std::shared_ptr<const job_view> job, std::size_t lines,
                                              std::stop_token) -> kcontrol::awaitable<std::vector<std::string>> {
        ++asked;
        CHECK(job->name == "bert");
        CHECK(lines == 2);
        std::vector<std::string> out{"loss 2.31", "RuntimeError"};
        co_return out;
    });
    std::string body;
    bool works = false;
    w.answer = [&](const http::request& req) {
        body = req.body;
        return http::response(works ? 200 : 503);
    };
    w.take(w.table.add(seen("bert", job_state::running, "1"), true));
    w.take(w.table.update(failed_on("bert", "gpu-3", "2")));
    w.env.advance(10s, w.context);
    works = true;
    w.env.advance(1min, w.context);
    CHECK(asked == 1);  // once for all tries
    CHECK(body.find(R"("severity":"critical","runbook":"https://wiki.example.com/ecc")") != std::string::npos);
    CHECK(body.find(R"("log":["loss 2.31","RuntimeError"])") != std::string::npos);
    w.take(w.table.update(seen("bert", job_state::succeeded, "3")));
    CHECK(body.find("\"log\"") == std::string::npos);
}
