// From changes to deliveries: in virtual time with a made-up receiver, and against real ones over HTTP and TLS.
#include "notices/center.hpp"

#include <kcontrol/values/time.hpp>

#include "notices/formats.hpp"
#include "notices/send_test.hpp"
#include "notices/world.hpp"
#include "transport/fixture.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <optional>

using namespace training_monitor;
using namespace training_monitor::notices;
namespace tests = training_monitor::notices::tests;
using training_monitor::notices::job_condition;
namespace http = kcontrol::http;
namespace testing = kcontrol::testing;
using namespace training_monitor::notices::tests;

TEST_CASE("one notice for each real change, and none for what was there before") {
    history past;
    world w(past);
    w.take(w.table.add(seen("old", job_state::running, "1"), true));
    CHECK(w.take_sent().empty());
    w.take(w.table.add(seen("bert", job_state::created, "1")));
    w.take(w.table.update(seen("bert", job_state::pending, "2")));
    w.take(w.table.update(seen("bert", job_state::pending, "3")));
    auto more = seen("bert", job_state::pending, "4");
    more.view.message = "another";
    w.take(w.table.update(more));  // a visible change, but not of its state
    w.take(w.table.update(seen("old", job_state::failed, "2")));
    CHECK(w.take_sent() == world::texts{"bert New->Created", "bert Created->Pending", "old Running->Failed"});
    w.take(w.table.remove(seen("bert", job_state::pending, "5")));
    CHECK(w.take_sent() == world::texts{"bert Pending->Gone"});
    w.take(w.table.remove_cluster("prod-1"));  // nothing happened to its jobs
    CHECK(w.take_sent().empty());
    w.take(w.table.add(seen("old", job_state::failed, "3"), true));  // it comes back as it was
    CHECK(w.take_sent().empty());
    CHECK(w.notices.deliveries().json().starts_with(
        R"({"queued":0,"sent":4,"failed":0,"dropped":0,"coalesced":0,"deadLetters":[])"));
    CHECK(w.notices.deliveries().latency().count() == 4);
}

TEST_CASE("a cluster that was away: what happened meanwhile is told once") {
    history past;
    world w(past);
    w.take(w.table.add(seen("bert", job_state::running, "1"), true));
    w.take(w.table.remove_cluster("prod-1"));
    w.take(w.table.add(seen("bert", job_state::succeeded, "9"), true));
    CHECK(w.take_sent() == world::texts{"bert Running->Succeeded"});
    w.take(w.table.remove_cluster("prod-1"));
    w.take(w.table.add(seen("bert", job_state::succeeded, "9"), true));
    CHECK(w.take_sent().empty());
}

TEST_CASE("a restart: nothing twice, and what was not delivered is told again") {
    history before, after;
    std::vector<job_record> kept;
    std::string untold_id;
    before.on_touched([&](job_record& r) {
        std::erase_if(kept, [&](const job_record& k) { return k.id() == r.id(); });
        kept.push_back(r);
    });
    {
        world w(before);
        w.take(w.table.add(seen("told", job_state::running, "1"), true));
        w.take(w.table.add(seen("untold", job_state::running, "1"), true));
        w.take(w.table.add(seen("moved", job_state::running, "1"), true));
        w.take(w.table.update(seen("told", job_state::failed, "2")));
        CHECK(w.take_sent() == world::texts{"told Running->Failed"});
        w.answer = [](const http::request&) { return http::response(503); };
        w.take(w.table.update(seen("untold", job_state::failed, "2")));
        w.take(w.table.add(seen("young", job_state::running, "2")));
        CHECK(w.take_sent().empty());
        REQUIRE(w.ids.size() == 2);
        CHECK(w.ids[0] != w.ids[1]);
        untold_id = w.ids[1];
    }
    for (auto& r : kept) after.restore(r);
    world w(after);
    w.take(w.table.add(seen("told", job_state::failed, "2"), true));
    w.take(w.table.add(seen("untold", job_state::failed, "2"), true));
    w.take(w.table.add(seen("young", job_state::running, "2"), true));
    w.take(w.table.add(seen("moved", job_state::succeeded, "7"), true));
    CHECK(w.take_sent() == world::texts{"untold Running->Failed", "young New->Running", "moved Running->Succeeded"});
    CHECK(w.ids.at(0) == untold_id);  // whoever has it already can tell
}

TEST_CASE("a restart: a job that ended and was deleted before anybody took a notice is told of afterwards") {
    history before, after;
    std::vector<std::string> untold;
    cluster_view live;
    live.name = "prod-1";
    live.kinds.emplace_back();
    live.kinds[0].kind = "PyTorchJob";
    live.kinds[0].state = "live";
    {
        world w(before);
        w.take(w.table.add(seen("heard", job_state::running, "1"), true));
        w.take(w.table.add(seen("unheard", job_state::running, "1"), true));
        w.take(w.table.update(seen("heard", job_state::failed, "2")));
        w.take(w.table.remove(seen("heard", job_state::failed, "3")));
        CHECK(w.take_sent() == world::texts{"heard Running->Failed", "heard Failed->Gone"});
        w.answer = [](const http::request&) { return http::response(503); };
        w.take(w.table.update(seen("unheard", job_state::failed, "2")));
        w.take(w.table.remove(seen("unheard", job_state::failed, "3")));
        CHECK(w.take_sent().empty());
        untold = w.ids;
    }
    for (const char* name : {"heard", "unheard"}) {
        auto record = *before.find(tests::job(name));
        CHECK(record.gone);
        CHECK(record.settled_gone().has_value() == (record.view->name == "heard"));
        record.gone = record.settled_gone();  // as memory/ keeps it
        after.restore(std::move(record));
    }
    world w(after);
    w.take(w.table.set_cluster(live));
    CHECK(w.take_sent() == world::texts{"unheard Running->Failed", "unheard Failed->Gone"});
    CHECK(w.ids.at(0) == untold.back());
    CHECK(after.find(tests::job("unheard"))->settled_gone());
}

TEST_CASE("a cluster that leaves and returns while a notice is on its way: told once") {
    history past;
    world w(past);
    w.take(w.table.add(seen("bert", job_state::running, "1"), true));
    w.answer = [](const http::request&) { return http::response(503); };
    w.take(w.table.update(seen("bert", job_state::failed, "2")));
    for (int i = 0; i < 3; ++i) {
        w.take(w.table.remove_cluster("prod-1"));
        w.take(w.table.add(seen("bert", job_state::failed, "2"), true));
    }
    CHECK(w.notices.deliveries().receivers()[0]->queue.size() == 1);
    w.answer = [](const http::request&) { return http::response(200, "text/plain", "ok"); };
    w.env.advance(std::chrono::minutes(1), w.context);
    CHECK(w.take_sent() == world::texts{"bert Running->Failed"});
}

TEST_CASE("a job is settled when all its notices are, also those that a full queue made one of") {
    history past;
    auto config = world::everything();
    config.receivers[0].queue = queue_options().capacity(1);
    world w(past, config);
    w.answer = [](const http::request&) { return http::response(503); };
    w.take(w.table.add(seen("first", job_state::running, "1")));
    for (int i = 0; i < 10; ++i) {
        w.take(w.table.add(seen("bert", job_state::running, "1")));
        w.take(w.table.update(seen("bert", job_state::failed, "2")));
        w.take(w.table.remove(seen("bert", job_state::failed, "3")));
    }
    CHECK(w.notices.deliveries().receivers()[0]->queue.counters().coalesced == 29);
    CHECK_FALSE(past.find(tests::job("bert"))->settled_gone());
    w.answer = [](const http::request&) { return http::response(200, "text/plain", "ok"); };
    w.env.advance(std::chrono::minutes(1), w.context);
    CHECK(w.take_sent() == world::texts{"first New->Running", "bert New->Gone"});
    CHECK(past.find(tests::job("bert"))->settled_gone());
}

TEST_CASE("a rule with `for:` tells of a state that has lasted, as it is by then, with a link") {
    history past;
    auto config = world::everything();
    config.external_url = "https://monitor.example/base";
    config.receivers[0].text =
        *text_template::parse("{{ .name }} {{ .state }}{{ .lasted }}: {{ .message }} {{ .url }}");
    config.rules[0].to = {job_state::pending};
    config.rules[0].lasting = std::chrono::minutes(30);
    world w(past, config);
    w.take(w.table.add(fresh("old", job_state::pending, "1"), true));
    w.take(w.table.add(fresh("bert", job_state::pending, "1")));
    w.take(w.table.add(fresh("quick", job_state::pending, "1")));
    w.take(w.table.add(fresh("other", job_state::running, "1")));
    w.env.advance(std::chrono::minutes(29), w.context);
    w.take(w.table.update(fresh("quick", job_state::running, "2")));
    auto waiting = fresh("bert", job_state::pending, "2");
    waiting.view.message = "no node";
    w.take(w.table.update(waiting));
    CHECK(w.take_sent().empty());
    w.env.advance(std::chrono::minutes(1), w.context);
    const std::string page = "https://monitor.example/base/?job=prod-1%2Fml%2FPyTorchJob%2F";
    CHECK(w.take_sent() == world::texts{"bert Pending for 30 min: no node " + page + "bert",
                                        "old Pending for 30 min: pod bert-worker-0 <exit 137> & gone " + page + "old"});
    w.env.advance(std::chrono::hours(5), w.context);
    CHECK(w.take_sent().empty());
}

TEST_CASE("a rule with `for:` tells nothing of a job that is gone or out of view by then") {
    history past;
    auto config = world::everything();
    config.rules[0].lasting = std::chrono::minutes(30);
    world w(past, config);
    w.take(w.table.add(fresh("deleted", job_state::pending, "1")));
    w.take(w.table.add(fresh("away", job_state::pending, "1")));
    w.take(w.table.remove(fresh("deleted", job_state::pending, "2")));
    w.take(w.table.remove_cluster("prod-1"));
    w.env.advance(std::chrono::hours(1), w.context);
    CHECK(w.take_sent().empty());
}

// A rule about a condition, and nothing else.
notice_config about(job_condition which, kcontrol::duration lasting) {
    auto out = world::everything();
    out.receivers[0].text =
        *text_template::parse("{{ .name }} {{ .previous }}->{{ .state }}{{ .lasted }}: {{ .message }}");
    out.rules[0].conditions = {which};
    out.rules[0].lasting = lasting;
    return out;
}

observed_job with_workers(std::string name, std::int64_t active, std::string version) {
    auto out = fresh(std::move(name), job_state::running, std::move(version));
    out.view.replicas = {{"Master", 1, 1, 0, 0}, {"Worker", 8, active, 0, 0}};
    return out;
}

TEST_CASE("a rule with `incomplete`: told once it has lasted, and once more when it comes again") {
    history past;
    world w(past, about(job_condition::incomplete, std::chrono::minutes(10)));
    std::string body;
    w.answer = [&](const http::request& req) {
        body = req.body;
        return http::response(200, "text/plain", "ok");
    };
    w.take(w.table.add(with_workers("bert", 6, "1"), true));
    w.take(w.table.add(with_workers("whole", 8, "1")));
    w.take(w.table.add(with_workers("heals", 7, "1")));
    w.take(w.table.add(with_workers("ends", 7, "1")));
    w.env.advance(std::chrono::minutes(9), w.context);
    w.take(w.table.update(with_workers("bert", 7, "2")));  // still not all
    w.take(w.table.update(with_workers("heals", 8, "2")));
    w.take(w.table.update(seen("ends", job_state::failed, "2")));
    CHECK(w.take_sent().empty());
    w.env.advance(std::chrono::minutes(1), w.context);
    CHECK(w.take_sent() == world::texts{"bert Running->Incomplete for 10 min: it runs with fewer pods than wanted: "
                                        "7 of 8 Worker"});
    CHECK(body.find(R"("state":"Running","condition":"Incomplete","changes":1,"reason":"Incomplete")") !=
          std::string::npos);
    const auto first = w.ids;
    w.env.advance(std::chrono::hours(5), w.context);
    CHECK(w.take_sent().empty());
    w.take(w.table.update(with_workers("bert", 8, "3")));
    w.take(w.table.update(with_workers("bert", 5, "4")));
    w.env.advance(std::chrono::minutes(10), w.context);
    CHECK(w.take_sent() == world::texts{"bert Running->Incomplete for 10 min: it runs with fewer pods than wanted: "
                                        "5 of 8 Worker"});
    CHECK(w.ids.back() != first.back());  // who drops what came twice must not drop it
}

TEST_CASE("a rule with `blockedBy`: told once it has lasted, in whatever state the job is") {
    history past;
    auto config = about(condition_of(trouble::crash_loop), std::chrono::minutes(1));
    config.rules[0].conditions.push_back(condition_of(trouble::quota));
    config.receivers[0].text = *text_template::parse("{{ .name }} {{ .change }}: {{ .message }}");
    world w(past, config);
    const auto stuck = [](const char* name, job_state state, trouble what, const char* version, const char* why) {
        auto out = seen(name, state, version);
        out.view.stuck = what;
        out.view.why = why;
        return out;
    };
    w.take(w.table.add(stuck("loops", job_state::restarting, trouble::crash_loop, "1", "crash looping: 3 restarts")));
    w.take(w.table.add(stuck("poor", job_state::unknown, trouble::quota, "1", "exceeded quota: team")));
    w.take(w.table.add(stuck("image", job_state::pending, trouble::image, "1", "not found")));  // no rule is about it
    w.take(w.table.add(stuck("heals", job_state::pending, trouble::quota, "1", "exceeded quota: team")));
    w.env.advance(std::chrono::seconds(59), w.context);
    w.take(
        w.table.update(stuck("loops", job_state::restarting, trouble::crash_loop, "2", "crash looping: 4 restarts")));
    w.take(w.table.update(stuck("poor", job_state::pending, trouble::quota, "2", "exceeded quota: team")));
    w.take(w.table.update(stuck("heals", job_state::running, trouble::none, "2", "")));
    CHECK(w.take_sent().empty());
    w.env.advance(std::chrono::seconds(1), w.context);
    CHECK(w.take_sent() == world::texts{"loops has been CrashLoop for 1 min: crash looping: 4 restarts",
                                        "poor has been Quota for 1 min: exceeded quota: team"});
    w.env.advance(std::chrono::hours(5), w.context);
    CHECK(w.take_sent().empty());
}

TEST_CASE("a rule with `gpusIdle`: told once the GPUs have been idle for so long") {
    history past;
    world w(past, about(job_condition::gpus_idle, std::chrono::minutes(30)));
    w.take(w.table.add(fresh("bert", job_state::running, "1"), true));
    w.take(w.table.add(fresh("works", job_state::running, "1"), true));
    const auto idle = [&](const char* name, kcontrol::wall_time since) {
        return idle_job{w.table.find("prod-1", "ml", "PyTorchJob", name), since};
    };
    const auto since = w.env.wall_now();
    w.env.advance(std::chrono::minutes(1), w.context);
    w.notices.take_idle("prod-1", {idle("bert", since), idle("works", since)});
    w.env.advance(std::chrono::minutes(20), w.context);
    w.notices.take_idle("prod-1", {idle("bert", since)});
    w.notices.take_idle("other", {});
    w.env.advance(std::chrono::minutes(9) - std::chrono::seconds(1), w.context);
    CHECK(w.take_sent().empty());
    w.env.advance(std::chrono::seconds(1), w.context);
    CHECK(w.take_sent() == world::texts{"bert Running->GPUsIdle for 30 min: all its GPUs have been at 0 % since " +
                                        kcontrol::format_time(since)});
    w.notices.take_idle("prod-1", {idle("bert", since)});
    w.env.advance(std::chrono::hours(2), w.context);
    CHECK(w.take_sent().empty());
    w.notices.take_idle("prod-1", {});
    const auto again = w.env.wall_now();
    w.notices.take_idle("prod-1", {idle("bert", again)});
    w.env.advance(std::chrono::minutes(29), w.context);
    w.take(w.table.remove(fresh("bert", job_state::running, "2")));
    w.env.advance(std::chrono::minutes(5), w.context);
    CHECK(w.take_sent().empty());
}

TEST_CASE("a retrying job: one notice for many, and the end at once") {
    history past;
    auto config = world::everything();
    config.receivers[0].repeat_after = std::chrono::minutes(10);
    config.receivers[0].text = *text_template::parse("{{ .previous }}->{{ .state }} x{{ .changes }}");
    world w(past, config);
    int version = 0;
    const auto go = [&](job_state state) {
        auto job = seen("bert", state, std::to_string(++version));
        w.take(version == 1 ? w.table.add(job) : w.table.update(job));
    };
    go(job_state::running);
    for (int i = 0; i < 4; ++i) {
        go(job_state::restarting);
        go(job_state::running);
    }
    CHECK(w.take_sent() == world::texts{"New->Running x1", "Running->Restarting x1"});
    w.env.advance(std::chrono::minutes(10), w.context);
    CHECK(w.take_sent() == world::texts{"Restarting->Running x7"});
    go(job_state::restarting);
    go(job_state::running);
    CHECK(w.take_sent() == world::texts{"Running->Restarting x1"});
    go(job_state::failed);
    CHECK(w.take_sent() == world::texts{"Restarting->Failed x2"});
    CHECK_FALSE(past.find(tests::job("bert"))->has_pending());
    CHECK(past.is_notified(tests::job("bert"), job_state::failed));
}

TEST_CASE("a rule with `restarts:` tells of the third restart within its time, not of the first") {
    history past;
    auto config = world::everything();
    config.rules[0].to = {job_state::restarting};
    config.rules[0].restarts = 3;
    config.rules[0].restarts_within = std::chrono::minutes(10);
    world w(past, config);
    int version = 0;
    const auto restart = [&] {
        for (const auto state : {job_state::running, job_state::restarting}) {
            auto job = seen("bert", state, std::to_string(++version));
            w.take(version == 1 ? w.table.add(job) : w.table.update(job));
        }
    };
    restart();
    w.env.advance(std::chrono::minutes(9), w.context);
    restart();
    CHECK(w.take_sent().empty());
    w.env.advance(std::chrono::minutes(2), w.context);  // the first is too long ago
    restart();
    CHECK(w.take_sent().empty());
    restart();
    CHECK(w.take_sent() == world::texts{"bert Running->Restarting"});
}

TEST_CASE("a receiver that fails: tried again in virtual time, then a dead letter; no secret anywhere") {
    history past;
    world w(past);
    int tries = 0;
    w.answer = [&](const http::request& req) -> kcontrol::result<http::response> {
        ++tries;
        CHECK(req.target == "/" + std::string(secret));
        if (tries == 1) return http::response(500, "text/plain", "broken: " + std::string(secret));
        if (tries == 2) {
            http::response slow(429);
            slow.headers.set("Retry-After", "120");
            return slow;
        }
        if (tries == 3) return kcontrol::error(kcontrol::errc::connection_lost, "https://hooks.example/T0PSECRET");
        if (tries == 4) return http::response(200, "text/plain", "ok");
        return http::response(404, "text/plain", std::string(secret));
    };
    w.take(w.table.add(seen("bert", job_state::created, "1")));
    CHECK(tries == 1);
    w.env.advance(std::chrono::seconds(2), w.context);
    CHECK(tries == 2);
    w.env.advance(std::chrono::seconds(119), w.context);
    CHECK(tries == 2);
    w.env.advance(std::chrono::seconds(3), w.context);
    CHECK(tries == 3);
    w.env.advance(std::chrono::seconds(30), w.context);
    CHECK(tries == 4);
    CHECK(w.take_sent().size() == 1);
    w.take(w.table.update(seen("bert", job_state::failed, "2")));
    CHECK(tries == 5);
    w.env.advance(std::chrono::hours(1), w.context);
    CHECK(tries == 5);
    CHECK(w.notices.deliveries().json() ==
          R"({"queued":0,"sent":1,"failed":1,"dropped":0,"coalesced":0,"deadLetters":[)"
          R"-({"receiver":"audit","job":"prod-1/ml/bert (PyTorchJob)","state":"Failed",)-"
          R"("at":")" +
              kcontrol::format_time(w.notices.deliveries().dead_letters().front().at) +
              R"(","attempts":1,"error":"HTTP 404"}]})");
    CHECK(w.logged.find("a notice was not delivered receiver=audit job=prod-1/ml/bert (PyTorchJob) state=Failed "
                        "attempts=1 error=HTTP 404") != std::string::npos);
    CHECK(w.logged.find("notices arrive again") != std::string::npos);
    CHECK((w.logged + w.notices.deliveries().json()).find(secret) == std::string::npos);
    CHECK(w.logged.find("hooks.example") == std::string::npos);
}

TEST_CASE("a receiver that never answers holds up neither the changes nor the other receivers; its queue is bounded") {
    history past;
    auto config = world::everything();
    config.receivers[0].queue = queue_options().capacity(10);
    config.receivers.push_back(receiver("pager", receiver_kind::command));
    config.receivers[1].arguments = {"/bin/true"};
    config.rules[0].receivers = {0, 1};
    world w(past, config);
    w.answer = [](const http::request&) { return http::response(503); };
    for (int i = 0; i < 1000; ++i) w.take(w.table.add(seen("j" + std::to_string(i), job_state::created, "1")));
    const auto& stuck = *w.notices.deliveries().receivers()[0];
    CHECK(stuck.queue.size() == 11);  // and the one that is being tried
    CHECK(stuck.queue.counters().dropped == 989);
    CHECK(w.logged.find("a notice was not delivered receiver=audit") ==
          w.logged.rfind("a notice was not delivered receiver=audit"));             // said once, not 989 times
    CHECK(w.notices.deliveries().receivers()[1]->queue.counters().failed == 1000);  // no programs here; said at once
    CHECK(w.notices.deliveries().dead_letters().size() == dispatcher::most_dead_letters);
}

TEST_CASE("real receivers over HTTP, with every fault") {
    kcontrol::test::loopback lo;
    std::function<kcontrol::awaitable<void>(http::server_request, http::responder&)> behave;
    auto server = lo.serve([&](http::server_request req, http::responder& out) { return behave(std::move(req), out); });
    auto config = receiver("real");
    config.http.server = http::endpoint("http", "127.0.0.1", server->local_port());
    config.timeout = std::chrono::milliseconds(300);
    const auto deliver = [&] {
        sender one(lo.env, lo.ex(), config, http::make_transport_factory(lo.env));
        std::optional<delivery> out;
        testing::run(lo.context, [](sender& s, std::optional<delivery>& into) -> kcontrol::awaitable<void> {
            auto how = co_await s.send(tests::failed_notice(), {});
            into.emplace(std::move(how));
        }(one, out));
        CHECK(out->why.find(secret) == std::string::npos);
        CHECK(out->why.find("127.0.0.1") == std::string::npos);
        return std::to_string(static_cast<int>(out->how)) + " " + out->why;
    };
    static http::server_request last;
    behave = [](http::server_request req, http::responder& out) -> kcontrol::awaitable<void> {
        last = std::move(req);
        auto ok = http::response(200, "text/plain", "ok");
        (void)co_await out.send(std::move(ok));
    };
    CHECK(deliver() == "0 ");
    CHECK(last.target == "/T0PSECRET");
    CHECK(last.headers.get("X-Training-Monitor-Signature") ==
          webhook_signature(secret, last.headers.get("X-Training-Monitor-Timestamp"), last.body));
    behave = [](http::server_request, http::responder& out) -> kcontrol::awaitable<void> {
        auto moved = http::response(307);
        moved.headers.set("Location", "http://127.0.0.1:1/T0PSECRET");
        (void)co_await out.send(std::move(moved));
    };
    CHECK(deliver() == "2 HTTP 307: redirects are not followed; put the final URL into urlFile");
    behave = [](http::server_request, http::responder& out) -> kcontrol::awaitable<void> {
        out.abort();
        co_return;
    };
    CHECK(deliver() == "1 the connection broke before the answer was complete");
    behave = [](http::server_request, http::responder& out) -> kcontrol::awaitable<void> {
        auto huge = http::response(200, "text/plain", std::string(1 << 20, 'x'));
        (void)co_await out.send(std::move(huge));
    };
    CHECK(deliver() == "2 the answer is too large; it may have been delivered");
    behave = [&lo](http::server_request, http::responder& out) -> kcontrol::awaitable<void> {
        kcontrol::async_event never;
        co_await never.wait(lo.env, out.disconnected());
    };
    CHECK(deliver() == "1 no answer in time");
    server.reset();
    CHECK(deliver() == "1 connection refused");
}

TEST_CASE("TLS: the receiver's certificate is verified, against caFile where there is one") {
    kcontrol::test::loopback lo;
    const auto authority = http::certificate_authority::create(http::certificate_options(lo.env.wall_now())).value();
    const auto own =
        authority.issue(http::certificate_options(lo.env.wall_now()).ip("127.0.0.1").dns("localhost")).value();
    const http::server_tls tls(own.cert_pem, own.key_pem);
    auto server = lo.serve(
        [](http::server_request, http::responder& out) -> kcontrol::awaitable<void> {
            auto ok = http::response(200, "application/json", R"({"code":0})");
            (void)co_await out.send(std::move(ok));
        },
        {}, tls);
    auto config = receiver("real", receiver_kind::feishu);
    config.http.server = http::endpoint("https", "127.0.0.1", server->local_port());
    std::vector<rule> rules;
    const auto deliver = [&] {
        notice_config all;
        all.receivers.push_back(config);
        all.rules = rules;
        std::string report;
        testing::run(
            lo.context, [](kcontrol::test::loopback& l, notice_config& c, std::string& r) -> kcontrol::awaitable<void> {
                const auto sent = co_await send_test(l.env, l.ex(), c, "", http::make_transport_factory(l.env), r, {});
                r = (sent.has_value() && *sent ? "0 " : "1 ") + r;
            }(lo, all, report));
        return report.substr(0, report.rfind(", after"));
    };
    CHECK(deliver() ==
          "1 real (feishu): not sent: TLS failed: the certificate is not trusted or not for this host; "
          "see caFile");
    config.http.tls.ca_pem(authority.cert_pem());
    CHECK(deliver() == "0 real (feishu): sent");
    rules.resize(1);
    rules[0].receivers = {0};
    rules[0].conditions = {job_condition::gpus_idle};
    rules[0].lasting = std::chrono::minutes(15);
    const auto report = deliver();
    CHECK(report.starts_with("0 real (feishu): sent, after "));
    CHECK(report.ends_with("\nreal (feishu), GPUsIdle: sent"));
}

TEST_CASE("a cluster that can't be seen, and is back, is told of by its own rules") {
    history past;
    auto config = world::everything();
    config.rules.clear();
    config.cluster_rules.push_back({{"prod-*"}, {0}, std::chrono::minutes(5)});
    config.external_url = "https://m.example.com";
    world w(past, std::move(config));
    std::string body;
    w.answer = [&](const http::request& req) {
        body = req.body;
        return http::response(200, "text/plain", "ok");
    };
    cluster_view cluster;
    cluster.name = "prod-1";
    cluster.state = "live";
    w.take(w.table.set_cluster(cluster));
    cluster.state = "unreachable";
    cluster.reason = "connection refused";
    w.take(w.table.set_cluster(cluster));
    w.env.advance(std::chrono::minutes(4), w.context);
    CHECK(w.take_sent().empty());
    w.env.advance(std::chrono::minutes(1), w.context);
    CHECK(w.take_sent() == world::texts{"prod-1 Live->Unreachable"});
    CHECK(body.find(R"("cluster":"prod-1","namespace":"","name":"prod-1","kind":"Cluster")") != std::string::npos);
    CHECK(body.find(R"("message":"connection refused")") != std::string::npos);
    CHECK(body.find(R"("url":"https://m.example.com/","lastedSeconds":300)") != std::string::npos);
    cluster.state = "live";
    cluster.reason = "";
    w.take(w.table.set_cluster(cluster));
    CHECK(w.take_sent() == world::texts{"prod-1 Unreachable->Live"});
    w.answer = [](const http::request&) { return http::response(404, "text/plain", "no"); };
    cluster.state = "failed";
    w.take(w.table.set_cluster(cluster));
    w.env.advance(std::chrono::minutes(5), w.context);
    REQUIRE(w.notices.deliveries().dead_letters().size() == 1);
    CHECK(w.notices.deliveries().dead_letters().front().job == "prod-1 (Cluster)");
    CHECK(w.notices.deliveries().dead_letters().front().state == "Failed");
    w.take(w.table.remove_cluster("prod-1"));
    w.env.advance(std::chrono::hours(1), w.context);
    CHECK(w.take_sent().empty());
}
