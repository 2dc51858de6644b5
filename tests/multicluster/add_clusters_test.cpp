// Many clusters beside a manager: one program, one set of endpoints, whether it works on one cluster or on many.
#include <kcontrol/manager/run.hpp>
#include <kcontrol/multicluster/add_clusters.hpp>
#include <kcontrol/multicluster/multicluster_controller.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/testing/temporary_directory.hpp>
#include <kcontrol/transport/client.hpp>

#include "support/widget_world.hpp"

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

// Says what the test has it say.
class told_source final : public cluster_source {
public:
    result<void> start(std::function<void(std::vector<desired_cluster>)> on_change) override {
        if (broken) return error(errc::file_failed, "no such directory");
        ++starts;
        tell = std::move(on_change);
        tell(all);
        return {};
    }
    void stop() override { tell = nullptr; }

    std::vector<desired_cluster> all;
    std::function<void(std::vector<desired_cluster>)> tell;
    int starts = 0;
    bool broken = false;
};

struct fixture : widget_world {
    void make(manager_options o = {}) { m.emplace(env, home, connect(add("home").config()), std::move(o)); }
    ~fixture() {
        if (m) ends_within(1min, m->stop());
        context.run_for(5s);
    }
    result<multicluster_manager*> add_all() {
        multicluster_options o;
        o.transport(network.factory());
        return add_clusters(*m, source, std::move(o));
    }
    // The same reconciler, in the manager's own cluster and in all the others.
    void build(multicluster_manager& all) {
        const auto seen = [this](reconcile_context ctx, std::shared_ptr<const widget> w) {
            ++reconciled[ctx.get_cluster().name() + ":" + std::string(w->metadata.name)];
            return reconcile_result::done();
        };
        CHECK(controller_builder(*m, "own").for_<widget>().complete(seen));
        CHECK(multicluster_controller(all, "all").for_<widget>().complete(seen));
    }
    std::string ask(const std::string& target) { return m->answer(http::request("GET", target)).body; }

    std::map<std::string, int> reconciled;
    std::shared_ptr<told_source> source = std::make_shared<told_source>();
    std::optional<manager> m;
};

TEST_CASE_FIXTURE(fixture, "clusters beside a manager: one program, with its own cluster and all the others") {
    make();
    for (const char* name : {"home", "a", "b"}) add(name).create("w-" + std::string(name));
    source->all = {{"a", add("a").config()}, {"b", add("b").config()}};
    const auto all = add_all();
    REQUIRE(all);
    build(**all);
    CHECK(ask("/readyz?verbose").find("[-]clusters failed: nobody has said yet which clusters there are") !=
          std::string::npos);
    m->start();
    context.run_for(5s);
    const std::map<std::string, int> once{{":w-home", 1}, {"a:w-a", 1}, {"b:w-b", 1}};
    CHECK(reconciled == once);
    CHECK(ask("/readyz") == "ok");
    CHECK(ask("/metrics").find("kcontrol_clusters{state=\"live\"} 2") != std::string::npos);
    source->tell({{"a", add("a").config()}});
    context.run_for(5s);
    CHECK((*all)->names() == std::vector<std::string>{"a"});
    CHECK(ends_within(5s, m->stop()));
    CHECK((*all)->names().empty());
    CHECK_FALSE(source->tell);
    CHECK(network.open_exchanges("a") == 0);
    // What can be stopped can be started again.
    m->start();
    context.run_for(5s);
    CHECK(source->starts == 2);
    CHECK((*all)->names().size() == 2);
    CHECK(reconciled["b:w-b"] == 2);
}

TEST_CASE_FIXTURE(fixture, "clusters beside a manager: a source that can't start ends it with the reason") {
    make();
    source->broken = true;
    REQUIRE(add_all());
    m->start();
    context.run_for(5s);
    CHECK(m->state() == manager_state::idle);
    REQUIRE(m->last_error());
    CHECK(m->last_error()->what().find("the source of the clusters") != std::string::npos);
    CHECK(m->last_error()->what().find("no such directory") != std::string::npos);
}

TEST_CASE_FIXTURE(fixture, "clusters beside a manager: one source, and no election that other clusters know not of") {
    make();
    REQUIRE(add_all());
    const auto again = add_all();
    REQUIRE_FALSE(again);
    CHECK(again.error().message().find("union_source") != std::string::npos);
    make(manager_options().leader_election(leader_options({"default", "l"})));
    const auto led = add_all();
    REQUIRE_FALSE(led);
    CHECK(led.error().message().find("sharding()") != std::string::npos);
}

TEST_CASE("clusters beside a manager: a program of run() hands its own cluster's configuration on") {
    const kcontrol::testing::temporary_directory dir;
    dir.write("config",
              "apiVersion: v1\nkind: Config\ncurrent-context: a\n"
              "clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]\n"
              "users: [{name: u, user: {}}]\n"
              "contexts: [{name: a, context: {cluster: c, user: u}}]\n");
    std::vector<std::string> words{"program", "--kubeconfig", dir.path("config")};
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    auth::cluster_config home;
    std::string answer;
    const auto source = std::make_shared<told_source>();
    const auto setup = [&](manager& m) -> result<void> {
        source->all = {{"home", home}};
        const auto all =
            add_clusters(m, source, multicluster_options().transport(http::make_transport_factory(m.env())));
        if (!all) return all.error();
        // Somebody has to ask that server for something, or nobody would know that it does not answer.
        const auto idle = [](reconcile_context, std::shared_ptr<const widget>) { return reconcile_result::done(); };
        const auto built = multicluster_controller(**all, "all").for_<widget>().complete(idle);
        if (!built) return built.error();
        return m.add(runnable("work", [&](std::stop_token stop) -> awaitable<result<void>> {
            // What does not come to be is a failed check with the answer that was there: it never waits for ever.
            const auto start = m.env().now();
            while (answer.find("unreachable") == std::string::npos && m.env().now() < start + 30s &&
                   !stop.stop_requested()) {
                answer = m.answer(http::request("GET", "/readyz?verbose")).body;
                co_await sleep_for(m.env(), 5ms, stop);
            }
            co_return error(errc::stopped, "the work is done");
        }));
    };
    const auto options = run_options(manager_options().log(logger([](const log_record&) {}))).config_to(home);
    CHECK(run(static_cast<int>(argv.size()), argv.data(), setup, options) == 1);  // the work ended with an error
    CHECK(home.server_url() == "https://127.0.0.1:1");
    CHECK(source->starts == 1);
    CAPTURE(answer);
    CHECK(answer.find("clusters") != std::string::npos);
    CHECK(answer.find("unreachable") != std::string::npos);
}

}  // namespace
