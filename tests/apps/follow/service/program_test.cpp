#include "service/program.hpp"

#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/local_api_server.hpp>
#include <kcontrol/testing/run.hpp>
#include <kcontrol/testing/sim_world.hpp>
#include <kcontrol/testing/temporary_directory.hpp>

#include "recording_output.hpp"
#include "service/source.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>

using namespace follow;
using namespace follow::tests;
using namespace std::chrono_literals;
using kcontrol::json::array;

namespace {

kcontrol::json::value slice(const char* address, bool ready) {
    return {{"apiVersion", "discovery.k8s.io/v1"},
            {"kind", "EndpointSlice"},
            {"metadata", {{"name", "web-1"}, {"labels", {{"kubernetes.io/service-name", "web"}}}}},
            {"addressType", "IPv4"},
            {"ports", array{{{"name", "http"}, {"port", 8080}, {"protocol", "TCP"}}}},
            {"endpoints", array{{{"addresses", array{address}},
                                 {"conditions", {{"ready", ready}, {"serving", true}, {"terminating", !ready}}}}}}};
}
kcontrol::json::value service() {
    return {{"apiVersion", "v1"},
            {"kind", "Service"},
            {"metadata", {{"name", "web"}}},
            {"spec", {{"selector", {{"app", "web"}}}, {"ports", array{{{"name", "http"}, {"port", 80}}}}}}};
}
kcontrol::json::value lease(const char* holder) {
    return {{"apiVersion", "coordination.k8s.io/v1"},
            {"kind", "Lease"},
            {"metadata", {{"name", "master"}}},
            {"spec", {{"holderIdentity", holder}, {"leaseDurationSeconds", 15}}}};
}
kcontrol::json::value pod(const char* name, const char* address) {
    return {
        {"apiVersion", "v1"},
        {"kind", "Pod"},
        {"metadata", {{"name", name}, {"labels", {{"app", "web"}}}}},
        {"spec", {{"nodeName", "n1"}, {"containers", array{{{"name", "main"}, {"image", "a"}}}}}},
        {"status",
         {{"phase", "Running"}, {"podIP", address}, {"conditions", array{{{"type", "Ready"}, {"status", "True"}}}}}}};
}

options of(std::vector<std::string_view> arguments) {
    auto o = parse_options(arguments);
    REQUIRE_MESSAGE(o.has_value(), o.error().message());
    return *o;
}

// The loop with a simulated server, in virtual time.
struct simulated {
    kcontrol::testing::sim_world world{1};
    kcontrol::testing::sim_server& server = world.add_server("server");
    std::vector<std::unique_ptr<output>> outputs;
    recording_output* out = nullptr;
    std::stop_source stop;
    std::optional<exit_status> ended;

    simulated() {
        auto made = std::make_unique<recording_output>(world.env());
        out = made.get();
        outputs.push_back(std::move(made));
    }
    kcontrol::awaitable<void> follow_it(options o) {
        const auto from = make_source(world.env(), world.get_executor(), world.connect(server), o, {});
        ended = co_await run_loop(world.env(), world.get_executor(), o, *from, outputs, {}, stop.get_token());
    }
    void start(std::vector<std::string_view> arguments) {
        boost::asio::co_spawn(world.get_executor(), follow_it(of(std::move(arguments))), boost::asio::detached);
    }
    bool until(const std::function<bool()>& holds) {
        return world.run_until([&] { return !out->put_views.empty() && holds(); }, 1min);
    }
    const view& last() const { return out->put_views.back(); }
    ~simulated() {
        stop.request_stop();
        CHECK(world.run_until([&] { return ended.has_value(); }, 1min));
    }
};

// The whole program with a server on a real port.
struct real {
    boost::asio::io_context context;
    kcontrol::system_environment env;
    kcontrol::testing::local_api_server server{env, context.get_executor()};
    kcontrol::testing::temporary_directory folder;
    std::string lines;
    std::vector<std::string> logged;

    real() {
        REQUIRE(server.start());
        folder.write("config", server.kubeconfig());
    }
    exit_status run(std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"--kubeconfig", folder.path("config"), "--once"});
        const auto o = of(std::vector<std::string_view>(arguments.begin(), arguments.end()));
        const kcontrol::logger log([this](const kcontrol::log_record& r) { write_down(r); }, kcontrol::log_level::info);
        const write_function write = [this](std::string text, std::stop_token) { return keep(std::move(text)); };
        return kcontrol::testing::run(context, run_program(env, context.get_executor(), o, write, log, {}));
    }
    kcontrol::awaitable<kcontrol::result<void>> keep(std::string text) {
        lines += text;
        co_return kcontrol::result<void>();
    }
    void write_down(const kcontrol::log_record& record) {
        std::string line(record.message);
        for (const auto& [name, value] : record.fields) line += " " + std::string(name) + "=" + std::string(value);
        logged.push_back(std::move(line));
    }
    bool was_logged(const std::string& part) const {
        for (const auto& line : logged) {
            if (line.find(part) != std::string::npos) return true;
        }
        return false;
    }
    std::string text_of(const std::string& name) {
        std::ifstream file(folder.path(name));
        return {std::istreambuf_iterator<char>(file), {}};
    }
};

}  // namespace

TEST_CASE_FIXTURE(simulated, "program: endpoints of a Service as they change, stale while the server is away") {
    REQUIRE(server.api().create(service()));
    REQUIRE(server.api().create(slice("10.0.0.1", true)));
    start({"endpoints", "default/web", "--port", "http"});
    REQUIRE(until([&] { return last().state == freshness::live && last().endpoints.size() == 1; }));
    CHECK(last().endpoints[0].address == "10.0.0.1");
    CHECK(last().endpoints[0].port == 8080);
    REQUIRE(server.api().update(slice("10.0.0.1", false)));
    REQUIRE(until([&] { return last().endpoints[0].terminating; }));
    world.network().set_link(server.name(), kcontrol::testing::link_state::refused);
    world.network().break_connections(server.name());
    REQUIRE(until([&] { return last().state == freshness::stale; }));
    CHECK(last().endpoints.size() == 1);
    world.network().set_link(server.name(), kcontrol::testing::link_state::up);
    REQUIRE(until([&] { return last().state == freshness::live; }));
}

TEST_CASE_FIXTURE(simulated, "program: pods") {
    REQUIRE(server.api().create(pod("web-1", "10.0.0.7")));
    REQUIRE(server.api().update_status(pod("web-1", "10.0.0.7")));
    start({"pods", "default", "--selector", "app=web", "--port", "8080"});
    REQUIRE(until([&] { return last().endpoints.size() == 1; }));
    CHECK(last().endpoints[0].address == "10.0.0.7");
    CHECK(last().endpoints[0].pod == "web-1");
    CHECK(last().endpoints[0].node == "n1");
    CHECK(last().endpoints[0].ready);
}

TEST_CASE_FIXTURE(simulated, "program: a leader is an endpoint, too") {
    REQUIRE(server.api().create(lease("10.0.0.9:7000")));
    start({"leader", "default/master"});
    REQUIRE(until([&] { return last().address == "10.0.0.9:7000"; }));
    CHECK(last().is_leader);
    CHECK(last().holder == "10.0.0.9:7000");
    REQUIRE(last().endpoints.size() == 1);
    CHECK(last().endpoints[0].port == 7000);
}

TEST_CASE_FIXTURE(real, "program: --once prints a line and writes a file") {
    REQUIRE(server.api().create(service()));
    REQUIRE(server.api().create(slice("10.0.0.1", true)));
    folder.write("t", "{{#endpoints}}\nserver {{hostPort}};\n{{/endpoints}}");
    CHECK(run({"endpoints", "default/web", "--template", folder.path("t"), "--out", folder.path("out")}) ==
          exit_status::done);
    CHECK(lines.starts_with("{\"version\":1,\"state\":\"live\",\"ageMs\":"));
    CHECK(lines.find("\"address\":\"10.0.0.1\",\"port\":8080,\"ready\":true") != std::string::npos);
    CHECK(text_of("out") == "server 10.0.0.1:8080;\n");
}

TEST_CASE_FIXTURE(real, "program: what ends it with 1, and why is logged") {
    SUBCASE("no such Service") {
        CHECK(run({"endpoints", "default/web"}) == exit_status::failed);
        CHECK(was_logged("can't follow it error="));
    }
    SUBCASE("no such port") {
        REQUIRE(server.api().create(service()));
        REQUIRE(server.api().create(slice("10.0.0.1", true)));
        CHECK(run({"endpoints", "default/web", "--port", "metrics"}) == exit_status::failed);
        CHECK(was_logged("http"));
    }
    SUBCASE("a template with a mistake") {
        folder.write("t", "{{#endpoints}}\n{{adress}}\n{{/endpoints}}");
        CHECK(run({"endpoints", "default/web", "--template", folder.path("t"), "--out", "o"}) == exit_status::failed);
        CHECK(was_logged(folder.path("t") + ":2: no such name: \"adress\""));
    }
    SUBCASE("no template") {
        CHECK(run({"endpoints", "default/web", "--template", folder.path("none"), "--out", "o"}) ==
              exit_status::failed);
        CHECK(was_logged("--template: can't open " + folder.path("none")));
    }
    SUBCASE("no cluster") {
        folder.write("config", "nonsense");
        CHECK(run({"endpoints", "default/web"}) == exit_status::failed);
        CHECK(was_logged("there is no way to the cluster"));
    }
    SUBCASE("nobody answers") {
        kcontrol::testing::run(context, server.stop());
        CHECK(run({"endpoints", "default/web", "--timeout", "100ms"}) == exit_status::failed);
        CHECK(was_logged("the server did not answer in time target=endpoints default/web timeout=100ms error="));
    }
    CHECK(lines.empty());
}
