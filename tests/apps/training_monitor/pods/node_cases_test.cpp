// Nodes under repair: what the node's page and a job's row say of the healer's cases.
#include "pods/node_cases.hpp"

#include "simulated_monitor.hpp"
#include "support/fake_responder.hpp"
#include "web/node_answer.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <string>
#include <vector>

using namespace training_monitor;
using namespace training_monitor::tests;
using namespace std::chrono_literals;

namespace {

std::vector<link_template> some_links() {
    std::vector<link_template> out;
    for (const char* text : {"NodeRepair/Healer=https://healer.example/#{name}",
                             "Grafana=https://grafana.example/{name}", "Job/Runs=https://runs.example/{name}"})
        out.push_back(link_template::parse(text).value());
    return out;
}

struct repair_world : simulated_monitor {
    repair_world() {
        world.register_resource(kcontrol::testing::resource_type_of(kcontrol::resource_of<node_repair>()));
        make_node("n1", R"({"conditions":[]})");
        make_job();
        make_pod("train-a", "n1", R"({"phase":"Running"})");
        set_job(R"({"active":1,"ready":1,"startTime":"2026-11-21T09:00:00Z"})");
    }
    void make_case(const std::string& name, const std::string& node, const std::string& phase) {
        create(R"({"apiVersion":"healing.kcontrol.dev/v1alpha1","kind":"NodeRepair","metadata":{"name":")" + name +
               R"("},"spec":{"node":")" + node + R"(","policy":"gpus"}})");
        set_phase(name, phase);
    }
    void set_phase(const std::string& name, const std::string& phase) {
        set_status("healing.kcontrol.dev", "noderepairs", {"", name},
                   R"({"phase":")" + phase +
                       R"(","reason":"GPUFailed","message":"XID 79","phaseTime":"2026-11-21T09:10:00Z"})");
    }
    // What is written into the job's item.
    std::string row() {
        if (!writes) writes = repair_writer(world.env(), watched->knowledge(), some_links());
        kcontrol::json::writer out;
        out.begin_object();
        writes(out, *train());
        out.end_object();
        return out.take();
    }
    void ask(const std::string& node, kcontrol::test::fake_responder& to) {
        routes = kcontrol::http::router();
        add_node_route(routes, *watched, some_links());
        kcontrol::http::server_request request(kcontrol::http::request("GET", "/api/v1/nodes/a/" + node));
        boost::asio::co_spawn(world.get_executor(), routes.handler()(std::move(request), to), boost::asio::detached);
    }
    std::string node_page(const std::string& node) {
        kcontrol::test::fake_responder to(world.env());
        ask(node, to);
        world.run_for(1s);
        return to.body;
    }

    std::function<void(kcontrol::json::writer&, const job_view&)> writes;
    kcontrol::http::router routes;
};

constexpr const char* draining =
    R"("repair":{"node":"n1","case":"n1-1","phase":"Draining","reason":"GPUFailed","message":"XID 79",)"
    R"("since":"2026-11-21T09:10:00Z","links":[{"name":"Healer","url":"https://healer.example/#n1-1"}]})";

}  // namespace

TEST_CASE("repair: the node's page and the job's row say the open case, with the links of its kind") {
    repair_world f;
    f.make_case("n1-0", "n1", "Released");
    f.make_case("n1-1", "n1", "Draining");
    f.make_case("n1-2", "n1", "Held");
    f.make_case("n2-1", "n2", "Draining");
    f.start();
    CHECK(f.row() == "{}");  // now it is asked for
    f.world.run_for(1s);
    CHECK(f.row() == "{" + std::string(draining) + "}");
    CHECK(f.node_page("n1").find(draining) != std::string::npos);
    CHECK(links_of(some_links(), *f.train()).size() == 2);
    f.set_phase("n1-1", "Cancelled");
    f.set_phase("n1-2", "Cancelled");
    CHECK(f.node_page("n1").find("repair") == std::string::npos);
    CHECK(f.row() != "{}");
    f.world.run_for(30s);
    (void)f.row();
    f.world.run_for(1s);
    CHECK(f.row() == "{}");
}

TEST_CASE("repair: without the kind, or the right, nothing is said and nothing fails") {
    SUBCASE("no healer") {
        simulated_monitor f;
        f.start();
        cases_by_node found{{"n1", {}}};
        auto asking = ask_cases(*f.watched->knowledge().client_of("a"), {});
        found = f.world.run(std::move(asking));
        CHECK(found.empty());
    }
    SUBCASE("no right") {
        repair_world f;
        f.make_case("n1-1", "n1", "Draining");
        f.start();
        f.server.api().access().forbid({"*", "list", "noderepairs"});
        (void)f.row();
        f.world.run_for(1s);
        CHECK(f.row() == "{}");
        const auto page = f.node_page("n1");
        CHECK(page.find(R"("state":"known")") != std::string::npos);
        CHECK(page.find(R"("missingRights":[])") != std::string::npos);
    }
}

TEST_CASE("repair: the node and its cases are asked for at once") {
    repair_world f;
    f.start();
    f.server.api().set_faults([](const kcontrol::http::server_request& r) {
        const bool is_slow = r.target.find("/node") != std::string::npos;  // nodes and noderepairs
        return is_slow ? kcontrol::testing::fault().hang() : kcontrol::testing::fault();
    });
    kcontrol::test::fake_responder to(f.world.env());
    f.ask("n1", to);
    f.world.run_for(4s);
    CHECK(to.head.status == 0);
    f.world.run_for(2s);
    CHECK(to.head.status == 200);
    f.world.run_for(10s);
    CHECK(to.body.find(R"("state":"failed")") != std::string::npos);
}

TEST_CASE("repair: a cluster is asked every 30 s at most, and only for a job that has a node") {
    repair_world f;
    f.make_case("n1-1", "n1", "Draining");
    f.start();
    auto asked = [&] { return f.server.api().request_log().count("list", "noderepairs"); };
    for (int i = 0; i < 10; ++i) {
        (void)f.row();
        f.world.run_for(1s);
    }
    CHECK(asked() == 1);
    f.world.run_for(25s);
    (void)f.row();
    f.world.run_for(1s);
    CHECK(asked() == 2);
    job_view elsewhere = *f.train();
    elsewhere.name = "unknown";
    kcontrol::json::writer out;
    out.begin_object();
    f.world.run_for(40s);
    f.writes(out, elsewhere);
    f.world.run_for(1s);
    CHECK(asked() == 2);
}
