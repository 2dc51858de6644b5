// A reporter and an API server, in virtual time.
#include "service/health_reporter.hpp"

#include <kcontrol/documents/value.hpp>
#include <kcontrol/testing/sim_world.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <doctest/doctest.h>

#include <memory>
#include <string>

using namespace gpu_labeler;
using std::chrono::minutes;
using std::chrono::seconds;
namespace json = kcontrol::json;

namespace {

const kcontrol::testing::group_resource nodes{"", "nodes"};

node_sample measured(gpu_health health, std::string reason = {}) {
    node_sample out;
    out.state = reader_state::ok;
    out.gpus.resize(1);
    out.gpus[0].health = health;
    out.gpus[0].reason = std::move(reason);
    return out;
}

struct fixture {
    kcontrol::testing::sim_world world;
    kcontrol::testing::sim_server& server = world.add_server("cluster");
    std::stop_source stop;
    std::unique_ptr<health_reporter> reporter;

    fixture() {
        register_node();
        start();
    }
    ~fixture() { end(); }

    void register_node() {
        json::value kubelets{{"type", "Ready"}, {"status", "True"}};
        server.api()
            .create({{"apiVersion", "v1"},
                     {"kind", "Node"},
                     {"metadata", {{"name", "n"}, {"labels", {{"other", "label"}}}}},
                     {"status", {{"conditions", json::array{kubelets}}}}})
            .value();
    }
    void start() {
        stop = std::stop_source();
        reporter = std::make_unique<health_reporter>(world.env(), world.get_executor(), world.connect(server), "n",
                                                     kcontrol::logger());
        boost::asio::co_spawn(world.get_executor(), reporter->run(stop.get_token()), boost::asio::detached);
    }
    void end() {
        stop.request_stop();
        pass(seconds(5));
        reporter.reset();
    }
    void pass(kcontrol::duration time) { world.run_for(time); }
    json::value node() { return server.api().get(nodes, {"", "n"}).value(); }
    std::string version() { return std::string(json::get_string(node(), {"metadata", "resourceVersion"})); }
    std::string label() {
        const auto now = node();
        const auto* labels = json::find(now, {"metadata", "labels"});
        const auto* one = labels ? labels->as_object().if_contains("kcontrol.dev/gpu-health") : nullptr;
        return one ? std::string(one->as_string().c_str()) : "";
    }
    // "STATUS REASON: MESSAGE" of ours; how many conditions there are.
    std::string condition() {
        const auto told = read_health(node());
        return told.verdict ? std::string(to_string(told.verdict->health)) + " " + told.verdict->reason + ": " +
                                  told.verdict->message
                            : "";
    }
    std::size_t conditions() { return json::find(node(), {"status", "conditions"})->as_array().size(); }
    std::size_t events() { return server.api().list({"events.k8s.io", "events"}, "default").size(); }
};

}  // namespace

TEST_CASE_FIXTURE(fixture, "reporter: a GPU that fails is a condition, a label and an Event at once") {
    reporter->take(measured(gpu_health::ok));
    pass(seconds(1));
    CHECK(condition() == "ok AllGPUsHealthy: 1 GPUs answer, and none has an error");
    CHECK(label() == "ok");
    CHECK(conditions() == 2);
    CHECK(events() == 0);  // that all is well at a start is no news
    reporter->take(measured(gpu_health::failed, "XID 79: the GPU has fallen off the bus"));
    pass(seconds(1));
    CHECK(condition() == "failed GPUFailed: GPU 0: XID 79: the GPU has fallen off the bus");
    CHECK(label() == "failed");
    CHECK(conditions() == 2);
    CHECK(events() == 1);
    const auto since = read_health(node()).since;
    // Well again is told after a while only.
    reporter->take(measured(gpu_health::ok));
    pass(minutes(4));
    CHECK(label() == "failed");
    CHECK(read_health(node()).since == since);
    pass(minutes(2));
    CHECK(label() == "ok");
    CHECK(read_health(node()).since != since);
    CHECK(events() == 2);
    // Labels of others are theirs.
    CHECK(json::get_string(node(), {"metadata", "labels", "other"}) == "label");
}

TEST_CASE_FIXTURE(fixture, "reporter: a restart that finds everything as it was writes nothing") {
    reporter->take(measured(gpu_health::failed, "lost"));
    pass(seconds(1));
    const auto before = version();
    const auto since = read_health(node()).since;
    end();
    start();
    reporter->take(measured(gpu_health::failed, "lost"));
    pass(minutes(1));
    CHECK(version() == before);
    // Other words, the same health: since when it is so stays.
    reporter->take(measured(gpu_health::failed, "lost, and hot"));
    pass(minutes(2));
    CHECK(condition() == "failed GPUFailed: GPU 0: lost, and hot");
    CHECK(read_health(node()).since == since);
}

TEST_CASE_FIXTURE(fixture, "reporter: a Node that is registered anew is told, and one that is not there is not made") {
    reporter->take(measured(gpu_health::failed, "lost"));
    pass(seconds(1));
    REQUIRE(server.api().remove(nodes, {"", "n"}));
    reporter->node_renewed();
    pass(minutes(1));
    CHECK(!server.api().get(nodes, {"", "n"}));
    register_node();
    pass(minutes(3));
    CHECK(label() == "failed");
    CHECK(conditions() == 2);
}

TEST_CASE_FIXTURE(fixture, "reporter: what it wrote can be taken away, and nothing else goes") {
    reporter->take(measured(gpu_health::failed, "lost"));
    pass(seconds(1));
    CHECK(conditions() == 2);
    const auto cleared = world.run(clear_health(world.connect(server), "n", {}));
    CHECK(cleared.has_value());
    CHECK(conditions() == 1);
    CHECK(label().empty());
    CHECK(json::get_string(node(), {"metadata", "labels", "other"}) == "label");
}

TEST_CASE_FIXTURE(fixture, "reporter: a shorter patience holds for what was seen before it, too") {
    reporter->take(measured(gpu_health::failed, "XID 79: the GPU has fallen off the bus"));
    pass(seconds(1));
    reporter->take(measured(gpu_health::ok));
    pass(seconds(20));
    CHECK(label() == "failed");
    health_patience patience;
    patience.well_after = seconds(20);
    reporter->change(patience);
    pass(seconds(1));
    CHECK(label() == "ok");
}
