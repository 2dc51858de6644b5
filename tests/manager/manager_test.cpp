// The manager: order of start and stop, failure, restart, and what it answers.
#include <kcontrol/auth/cluster_config.hpp>
#include <kcontrol/codec/dynamic_object.hpp>
#include <kcontrol/manager/manager.hpp>
#include <kcontrol/testing/fake_source.hpp>
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>
#include <kcontrol/testing/scripted_transport.hpp>

#include "support/fake_responder.hpp"
#include "support/thing.hpp"
#include "support/throws.hpp"

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;
using kcontrol::testing::fake_source;
using kcontrol::testing::manual_environment;
using kcontrol::testing::scripted_transport;
using kcontrol::testing::stream_end;

namespace {

struct pod {
    static constexpr resource_name kcontrol_resource{"", "v1", "Pod", "pods"};
    object_meta metadata;
    std::string phase;
    static constexpr auto kcontrol_fields() { return fields(field("phase", &pod::phase)); }
};

// The same kind as another part of the program declares it.
struct other_pod {
    static constexpr resource_name kcontrol_resource = pod::kcontrol_resource;
    object_meta metadata;
    std::vector<std::string> words;
    static constexpr auto kcontrol_fields() { return fields(field("words", &other_pod::words)); }
};

constexpr const char* one_pod =
    R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[)"
    R"({"metadata":{"namespace":"ns","name":"p","uid":"u","resourceVersion":"5"},"phase":"Running","words":["w"]}]})";

client connect(environment& env, const executor& ex, scripted_transport& net) {
    auth::cluster_config config;
    config.server(http::endpoint("https", "api.test", 6443));
    auto made = client::connect(env, ex, config, net.factory());
    REQUIRE(made.has_value());
    return *made;
}

const resource_info& loose_pod() {
    static const resource_info info = dynamic_resource(resource_of<pod>().gvk, resource_of<pod>().plural);
    return info;
}

// What every informer asks first.
constexpr const char* who_answers = "GET /api/v1/namespaces?*";

struct bench {
    explicit bench(manager_options options = {})
        : m(env, context.get_executor(), connect(env, context.get_executor(), *net), std::move(options)) {}
    ~bench() { stop(); }
    void ready() { manual_environment::run_ready(context); }
    void advance(duration d) { env.advance(d, context); }
    void start() { m.start(), ready(); }
    void stop() {
        testing::start(context, m.stop());
        ready();
        for (int i = 0; i < 100 && m.state() != manager_state::idle; ++i) advance(1s);
    }
    std::string get(const std::string& target) { return m.answer(http::request("GET", target)).body; }
    std::shared_ptr<controller> make_controller(std::string name, std::shared_ptr<fake_source> source) {
        auto made = std::make_shared<controller>(env, context.get_executor(), std::move(name),
                                                 make_reconciler<request>([this](reconcile_context, const request& r) {
                                                     calls += r.name + " ";
                                                     return reconcile_result::done();
                                                 }));
        made->watch(std::move(source), enqueue_for_object);
        return made;
    }
    runnable make_runnable(std::string name) {
        return runnable(std::move(name), [this](std::stop_token stop) { return wait_for(std::move(stop)); });
    }
    awaitable<result<void>> wait_for(std::stop_token stop) {
        calls += "run ";
        async_event never;
        co_await never.wait(env, std::move(stop));
        calls += "ended ";
        co_return error(errc::stopped);
    }

    boost::asio::io_context context;
    manual_environment env;
    std::shared_ptr<scripted_transport> net = std::make_shared<scripted_transport>(env);
    std::string calls;
    manager m;
};

}  // namespace

TEST_CASE("controllers that read one kind as different types, one of them at run time, share a watch") {
    bench b;
    const auto none = reconcile_result::done();
    const auto typed =
        controller_builder(b.m, "typed").for_<pod>().complete([&](reconcile_context, std::shared_ptr<const pod> p) {
            return b.calls += p->phase + " ", none;
        });
    const auto other = controller_builder(b.m, "other")
                           .for_<other_pod>()
                           .complete([&](reconcile_context, std::shared_ptr<const other_pod> p) {
                               return b.calls += p->words.at(0) + " ", none;
                           });
    const auto loose = controller_builder(b.m, "loose")
                           .for_(loose_pod(), predicate_on<dynamic_object>([](const dynamic_object& o) {
                                     return o.content.get_string({"phase"}) == "Running";
                                 }))
                           .owns(loose_pod())
                           .watches(loose_pod(), [](const any_object& o) { return request(o.key()); })
                           .complete([&](reconcile_context, any_object o) {
                               return b.calls += o.get<dynamic_object>().content.get_string({"phase"}) + "! ", none;
                           });
    REQUIRE(typed.has_value());
    REQUIRE(other.has_value());
    REQUIRE(loose.has_value());
    b.net->expect(who_answers).reply(404, "{}");
    b.net->expect("GET /api/v1/pods?*").reply(200, one_pod);
    b.net->expect("GET /api/v1/pods?*").stream({}, stream_end::open);  // and no other
    b.start();
    b.advance(1s);
    for (const char* seen : {"Running ", "w ", "Running! "}) CHECK(b.calls.find(seen) != std::string::npos);
    CHECK(b.m.get_informer<pod>()->get({"ns", "p"})->phase == "Running");
    CHECK(b.m.get_informer<other_pod>()->get({"ns", "p"})->words.size() == 1);
    CHECK(b.m.get_cluster().informer_of(loose_pod())->objects().get({"ns", "p"}).is<dynamic_object>());
}

TEST_CASE("a built controller runs on an informer that the manager shares, starts and stops") {
    bench b;
    for (const char* name : {"one", "two"}) {
        const auto made =
            controller_builder(b.m, name).for_<pod>().complete([&b](reconcile_context, std::shared_ptr<const pod> p) {
                b.calls += p->phase + " ";
                return reconcile_result::done();
            });
        REQUIRE(made.has_value());
    }
    b.m.add_readyz_check(b.m.informers_synced());
    CHECK(b.get("/readyz?verbose").find("Pod (v1): idle") != std::string::npos);
    b.net->expect(who_answers).reply(404, "{}");
    b.net->expect("GET /api/v1/pods?*").reply(200, one_pod);
    b.net->expect("GET /api/v1/pods?*").stream({}, stream_end::open);
    b.start();
    b.advance(1s);
    CHECK(b.calls == "Running Running ");
    CHECK(b.get("/readyz") == "ok");
    CHECK(b.get("/readyz?verbose") == "[+]informers_synced ok\n    Pod (v1): live, 1 object\nreadyz check passed\n");
    CHECK(b.m.get_informer<pod>()->get({"ns", "p"})->phase == "Running");
    b.stop();
    CHECK(b.m.state() == manager_state::idle);
    CHECK_FALSE(b.m.last_error());
    CHECK(b.m.get_informer<pod>()->status().state == informer_state::paused);
    CHECK(b.env.pending_timers() == 0);

    b.net->expect(who_answers).reply(404, "{}");
    b.net->expect("GET /api/v1/pods?*").stream({}, stream_end::open);  // resumes: no second list
    b.start();
    b.advance(1s);
    CHECK(b.calls == "Running Running Running Running ");
    b.stop();
    CHECK(b.net->verify());
}

TEST_CASE("readiness after the first sync is an option, and a verbose answer always tells") {
    for (const readiness when : {readiness::synced_once, readiness::live}) {
        CAPTURE(to_string(when));
        bench b(manager_options().ready_when(when, 10s).informers(informer_options().in_namespace("ns")));
        REQUIRE(b.m.get_informer<pod>() != nullptr);
        b.m.add_readyz_check(b.m.informers_synced());
        const std::string pods = "GET /api/v1/namespaces/ns/pods?*";
        b.net->expect(who_answers).reply(404, "{}");
        b.net->expect(pods).reply(200, one_pod);
        b.net->expect(pods).stream({}, stream_end::lost);
        for (int i = 0; i < 20; ++i) {
            b.net->expect(who_answers).reply(404, "{}");
            b.net->expect(pods).reply(503, "{}");
        }
        b.start();
        b.advance(9s);  // nobody has asked so far: since when it is not live is known all the same
        CHECK(b.m.get_informer<pod>()->status().state == informer_state::failed);
        CHECK(b.get("/readyz") == "ok");
        const std::string told = b.get("/readyz?verbose");
        CHECK_MESSAGE(told.find("[+]informers_synced ok\n    Pod (v1) in ns: failed, ") == 0, told);
        b.advance(3s);
        const bool ready = b.get("/readyz") == "ok";
        CHECK(ready == (when == readiness::synced_once));
        const std::string later = b.get("/readyz?verbose");
        CHECK_MESSAGE(later.find("    Pod (v1) in ns: failed, ") != std::string::npos, later);
        CHECK((later.find("not live for 1") != std::string::npos) == !ready);
    }
}

TEST_CASE("runnables and controllers are stopped, and started again") {
    bench b;
    auto source = std::make_shared<fake_source>(b.env);
    source->put(make_thing("a"));
    REQUIRE(!!b.m.add(b.make_controller("things", source)));
    REQUIRE(!!b.m.add(b.make_runnable("worker")));
    for (int i = 0; i < 2; ++i) {
        b.calls.clear();
        b.start();
        CHECK(b.calls == "a run ");
        b.stop();
        CHECK(b.calls == "a run ended ");
        CHECK_FALSE(b.m.last_error());
        CHECK(source->listeners() == 0);
        CHECK(b.env.pending_timers() == 0);
        CHECK(b.context.stopped());
    }
}

TEST_CASE("what is added while it runs is started at once") {
    bench b;
    b.start();
    REQUIRE(!!b.m.add(b.make_runnable("worker")));
    auto source = std::make_shared<fake_source>(b.env);
    source->put(make_thing("a"));
    REQUIRE(!!b.m.add(b.make_controller("things", source)));
    b.ready();
    CHECK(b.calls == "run a ");
}

TEST_CASE("what is added after start(), but before the loop runs, runs once") {
    bench b;
    auto source = std::make_shared<fake_source>(b.env);
    source->put(make_thing("a"));
    b.m.start();
    REQUIRE(!!b.m.add(b.make_controller("things", source)));
    REQUIRE(!!b.m.add(b.make_runnable("worker")));
    b.ready();
    CHECK(b.calls == "a run ");
    CHECK(b.m.state() == manager_state::running);
    CHECK_FALSE(b.m.last_error());
}

TEST_CASE("names of controllers are unique") {
    bench b;
    auto source = std::make_shared<fake_source>(b.env);
    REQUIRE(!!b.m.add(b.make_controller("things", source)));
    const auto second = b.m.add(b.make_controller("things", source));
    REQUIRE(!second);
    CHECK(second.error() == errc::invalid_argument);
}

TEST_CASE("a part that fails ends the manager with its error") {
    bench b;
    auto source = std::make_shared<fake_source>(b.env, false);
    REQUIRE(!!b.m.add(b.make_controller("things", source)));
    REQUIRE(!!b.m.add(b.make_runnable("worker")));
    b.start();
    b.advance(2min);
    CHECK(b.m.state() == manager_state::idle);
    CHECK(b.calls == "run ended ");
    REQUIRE(b.m.last_error());
    CHECK(*b.m.last_error() == errc::timeout);
    CHECK(b.m.last_error()->message().find("controller things: not synced") == 0);
}

TEST_CASE("an exception of a runnable is an error, whatever it is, and whether the runnable is a coroutine") {
    for (const thrown what : all_thrown) {
        const auto plain = [what](std::stop_token) -> awaitable<result<void>> { throw_it(what); };
        const auto coroutine = [what](std::stop_token) -> awaitable<result<void>> {
            co_await boost::asio::this_coro::executor;
            throw_it(what);
        };
        for (const runnable::function& f : {runnable::function(plain), runnable::function(coroutine)}) {
            bench b;
            REQUIRE(!!b.m.add(runnable("bad", f)));
            b.start();
            CHECK(b.m.state() == manager_state::idle);
            REQUIRE(b.m.last_error());
            CHECK(*b.m.last_error() == errc::callback_failed);
            CHECK(b.m.last_error()->message() == std::string("bad: it threw: ") + text_of(what));
        }
    }
}

TEST_CASE("a runnable that does not return can't hold up the stop") {
    bench b(manager_options().graceful_shutdown_timeout(5s));
    async_event release;
    REQUIRE(!!b.m.add(runnable("stubborn", [&](std::stop_token) -> awaitable<result<void>> {
        co_await release.wait(b.env, {});
        co_return result<void>();
    })));
    b.start();
    testing::start(b.context, b.m.stop());
    b.ready();
    CHECK(b.m.state() == manager_state::stopping);
    CHECK(!b.m.add(b.make_runnable("late")));
    b.advance(5s);
    CHECK(b.m.state() == manager_state::idle);
    REQUIRE(b.m.last_error());
    CHECK(*b.m.last_error() == errc::timeout);
    release.notify_all();
    b.ready();
}

TEST_CASE("run while it runs is refused; the parent's stop token ends the run") {
    bench b;
    std::stop_source parent;
    b.m.start(parent.get_token());
    b.ready();
    testing::run(b.context, [](manager& m) -> awaitable<void> {
        const auto second = co_await m.run();
        REQUIRE(!second);
        CHECK(second.error() == errc::invalid_argument);
    }(b.m));
    parent.request_stop();
    b.ready();
    CHECK(b.m.state() == manager_state::idle);
}

TEST_CASE("metrics carry controller-runtime's names") {
    bench b;
    auto source = std::make_shared<fake_source>(b.env);
    source->put(make_thing("a"));
    REQUIRE(!!b.m.add(b.make_controller("things", source)));
    b.start();
    const std::string text = b.get("/metrics");
    for (const char* line :
         {"controller_runtime_reconcile_total{controller=\"things\",result=\"success\"} 1\n",
          "controller_runtime_reconcile_total{controller=\"things\",result=\"error\"} 0\n",
          "controller_runtime_reconcile_errors_total{controller=\"things\"} 0\n",
          "controller_runtime_active_workers{controller=\"things\"} 0\n",
          "kcontrol_controller_daemons{controller=\"things\"} 0\n",
          "kcontrol_controller_daemon_starts_total{controller=\"things\"} 0\n",
          "kcontrol_controller_daemon_failures_total{controller=\"things\"} 0\n",
          "kcontrol_controller_daemons_refused_total{controller=\"things\"} 0\n",
          "controller_runtime_max_concurrent_reconciles{controller=\"things\"} 1\n",
          "controller_runtime_reconcile_time_seconds_count{controller=\"things\"} 1\n",
          "workqueue_depth{controller=\"things\",name=\"things\",priority=\"0\"} 0\n",
          "workqueue_depth{controller=\"things\",name=\"things\",priority=\"-100\"} 0\n",
          "workqueue_adds_total{controller=\"things\",name=\"things\",priority=\"-100\"} 1\n",
          "workqueue_retries_total{controller=\"things\",name=\"things\",priority=\"0\"} 0\n",
          "workqueue_queue_duration_seconds_count{controller=\"things\",name=\"things\",priority=\"-100\"} 1\n",
          "workqueue_work_duration_seconds_count{controller=\"things\",name=\"things\",priority=\"-100\"} 1\n",
          "workqueue_unfinished_work_seconds{controller=\"things\",name=\"things\",priority=\"-100\"} 0\n",
          "workqueue_longest_running_processor_seconds{controller=\"things\",name=\"things\",priority=\"0\"} 0\n"}) {
        CAPTURE(line);
        CHECK(text.find(line) != std::string::npos);
    }
    CHECK(b.get("/healthz") == "ok");
    CHECK(b.get("/healthz/ping") == "ok");
    CHECK(b.get("/readyz/ping") == "ok");
    CHECK(b.m.answer(http::request("POST", "/readyz/ping")).status == 405);
    for (const char* target : {"/", "/readyzz", "/healthz/none", "/metrics/"}) {
        CAPTURE(target);
        CHECK(b.m.answer(http::request("GET", target)).status == 404);
    }
    const auto probe = [&](const std::string& target) {
        test::fake_responder out(b.env);
        testing::run(b.context, b.m.probe_handler()(http::server_request(http::request("GET", target)), out));
        return out.head.status;
    };
    CHECK(probe("/healthz") == 200);
    CHECK(probe("/readyz") == 200);
    for (const char* target : {"/metrics", "/", "/healthzz"}) CHECK(probe(target) == 404);
}

TEST_CASE("a program's own handlers answer beside the metrics, and take no path twice") {
    bench b;
    const auto echo = [](const http::routed_request& asked) {
        return http::response(200, "text/plain", asked.method + " " + std::string(asked.path()));
    };
    REQUIRE(b.m.add_metrics_server_handler("/debug/state", echo));
    CHECK(b.get("/debug/state") == "GET /debug/state");
    CHECK(b.m.answer(http::request("POST", "/debug/state")).body == "POST /debug/state");
    CHECK(b.get("/healthz") == "ok");
    for (const char* path : {"", "debug", "/metrics", "/healthz/x", "/readyz", "/debug/state"}) {
        CAPTURE(path);
        const auto refused = b.m.add_metrics_server_handler(path, echo);
        REQUIRE_FALSE(refused);
        CHECK(refused.error() == errc::invalid_argument);
        CHECK(refused.error().message().find("\"" + std::string(path) + "\"") != std::string::npos);
    }
    test::fake_responder out(b.env);
    testing::run(b.context, b.m.probe_handler()(http::server_request(http::request("GET", "/debug/state")), out));
    CHECK(out.head.status == 404);
}

TEST_CASE("metrics of informers: where they stand and what they asked for") {
    bench b(manager_options().informers(informer_options().in_namespace("ns")));
    REQUIRE(b.m.get_informer<pod>() != nullptr);
    const auto value = [&b](const std::string& family, const std::string& state = {}) -> std::string {
        const std::string text = b.get("/metrics");
        const std::string begin = "\nkcontrol_informer_" + family +
                                  "{api_version=\"v1\",cluster=\"\",kind=\"Pod\",namespace=\"ns\"" +
                                  (state.empty() ? "" : ",state=\"" + state + "\"") + "} ";
        const auto at = text.find(begin);
        if (at == std::string::npos) return "none";
        const auto from = at + begin.size();
        return text.substr(from, text.find('\n', from) - from);
    };
    CHECK(value("state", "idle") == "1");
    CHECK(value("synced") == "0");
    CHECK(value("last_event_age_seconds") == "none");
    CHECK(value("restarts_total") == "0");
    const std::string pods = "GET /api/v1/namespaces/ns/pods?*";
    b.net->expect(who_answers).reply(404, "{}");
    b.net->expect(pods).reply(200, one_pod);
    b.net->expect(pods).stream({}, stream_end::open);
    b.start();
    b.advance(10s);
    for (const char* state : {"idle", "listing", "paused", "not-installed", "forbidden", "failed"}) {
        CHECK(value("state", state) == "0");
    }
    CHECK(value("state", "live") == "1");
    CHECK(value("synced") == "1");
    CHECK(value("objects") == "1");
    CHECK(value("list_bytes") == std::to_string(std::string(one_pod).size()));
    CHECK(value("invalid_objects") == "0");
    CHECK(value("lists_total") == "1");
    CHECK(value("watches_total") == "1");
    CHECK(value("server_changes_total") == "0");
    CHECK(value("rollbacks_total") == "0");
    const double age = std::stod(value("last_event_age_seconds"));
    CHECK(age > 8);
    CHECK(age <= 10);
    b.stop();
    CHECK(value("state", "paused") == "1");
    b.net->expect(who_answers).reply(404, "{}");
    b.net->expect(pods).stream({}, stream_end::open);
    b.start();
    b.advance(1s);
    CHECK(value("restarts_total") == "1");
    CHECK(value("watches_total") == "2");
    CHECK(value("lists_total") == "1");
}
