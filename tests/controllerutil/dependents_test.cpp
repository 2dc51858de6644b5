// Dependents as a graph, at a server.
#include <kcontrol/controllerutil/dependents.hpp>

#include "fixture.hpp"

#include <stdexcept>

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

// A kind that the server does not serve until the test says so.
struct extra {
    static constexpr resource_name kcontrol_resource{"extra.kcontrol.dev", "v1", "Extra", "extras"};
    object_meta metadata;
    site_spec spec;
    static constexpr auto kcontrol_fields() { return fields(field("spec", &extra::spec)); }
};

part part_named(const site& owner, const char* name) {
    part out = named<part>(owner.metadata.name.str() + "-" + name);
    out.spec.image = owner.spec.image;
    return out;
}

auto makes(const char* name) {
    return [name](const site& owner) { return part_named(owner, name); };
}

bool has_replicas(const part& p) { return p.spec.replicas.has_value(); }

struct fixture : world_fixture {
    site owner = create_site();
    dependents<site> graph{apply_options("test").force()};

    // "a ready; b blocked"
    std::string round(bool wanted = true) {
        report = world.run(wanted ? graph.apply(c, owner, stop) : graph.remove(c, owner, stop));
        std::string out;
        for (const auto& one : report.parts) {
            out += (out.empty() ? "" : "; ") + one.name + " " + std::string(to_string(one.state));
        }
        return out;
    }
    void become_ready(const std::string& name) {
        (void)server.api()
            .patch({"test.kcontrol.dev", "parts"}, {"default", name}, json::object{{"spec", {{"replicas", 1}}}})
            .value();
    }
    bool is_there(const std::string& name) { return world.run(c.get<part>({"default", name})).has_value(); }
    std::size_t writes() { return asked("patch") + asked("delete") + asked("create"); }

    dependents_report report;
};

}  // namespace

TEST_CASE_FIXTURE(fixture, "dependents: one after the other is applied as they get ready, and then nothing is sent") {
    graph.add<part>("settings", makes("settings"));
    graph.add<part>("db", makes("db")).ready_when(has_replicas);
    graph.add<part>("web", makes("web")).after("settings", "db");
    CHECK(round() == "settings ready; db pending; web blocked");
    CHECK_FALSE(report.is_done());
    CHECK(report.text() == "db is pending; web is blocked");
    CHECK(report.outcome());
    CHECK_FALSE(is_there("web-web"));
    become_ready("web-db");
    CHECK(round() == "settings ready; db ready; web ready");
    CHECK(report.is_done());
    CHECK(report.text().empty());
    CHECK(is_controlled_by(world.run(c.get<part>({"default", "web-web"})).value().metadata, owner.metadata));
    REQUIRE(report.get<part>("db") != nullptr);
    CHECK(report.get<part>("db")->spec.replicas == 1);
    CHECK(report.get<site>("db") == nullptr);
    CHECK(report.find("none") == nullptr);
    const std::size_t before = writes();
    CHECK(round() == "settings ready; db ready; web ready");
    CHECK(writes() == before);
    owner.spec.image = "b:2";  // everybody's
    CHECK(round() == "settings ready; db ready; web ready");
    CHECK(writes() == before + 3);
}

TEST_CASE_FIXTURE(fixture, "dependents: what is not wanted any more is removed, and what comes after it first") {
    bool wanted = true;
    graph.add<part>("db", makes("db")).wanted_when([&wanted](const site&) { return wanted; });
    graph.add<part>("web", makes("web")).after("db");
    graph.add<part>("other", makes("other"));
    CHECK(round() == "db ready; web ready; other ready");
    (void)server.api()
        .patch({"test.kcontrol.dev", "parts"}, {"default", "web-web"},
               json::object{{"metadata", {{"finalizers", {"test.kcontrol.dev/hold"}}}}})
        .value();
    wanted = false;
    CHECK(round() == "db removing; web removing; other ready");
    CHECK(is_there("web-db"));
    const std::size_t before = writes();
    CHECK(round() == "db removing; web removing; other ready");
    CHECK(writes() == before);  // it is being deleted already
    (void)server.api()
        .patch({"test.kcontrol.dev", "parts"}, {"default", "web-web"},
               json::object{{"metadata", {{"finalizers", nullptr}}}})
        .value();
    CHECK(round() == "db absent; web absent; other ready");
    CHECK(report.is_done());
    CHECK_FALSE(is_there("web-db"));
    CHECK(is_there("web-other"));
    CHECK(round() == "db absent; web absent; other ready");
    // An object of that name that is somebody else's stays.
    (void)world.run(c.create(named<part>("web-db"))).value();
    CHECK(round() == "db absent; web absent; other ready");
    CHECK(is_there("web-db"));
}

TEST_CASE_FIXTURE(fixture, "dependents: all of it is removed in the other order, as long as that takes") {
    bool is_released = false;
    int asked_for = 0;
    graph.add<part>("db", makes("db"));
    graph.add<part>("web", makes("web")).after("db").gone_when([&](client, std::stop_token) -> awaitable<result<bool>> {
        ++asked_for;
        co_return is_released;
    });
    CHECK(round() == "db ready; web ready");
    CHECK(asked_for == 0);
    CHECK(round(false) == "db removing; web removing");
    CHECK_FALSE(is_there("web-web"));
    CHECK(is_there("web-db"));
    CHECK_FALSE(report.is_gone());
    is_released = true;
    CHECK(round(false) == "db absent; web absent");
    CHECK(report.is_gone());
    CHECK(asked_for == 2);
    CHECK_FALSE(is_there("web-db"));
}

TEST_CASE_FIXTURE(fixture, "dependents: failures are gathered, and stop only what comes after them") {
    graph.add<part>("bad", [](const site&) -> result<part> { return error(errc::invalid_argument, "no image"); });
    graph.add<part>("after", makes("after")).after("bad");
    graph.add<part>("thrown", makes("thrown")).ready_when([](const part&) -> bool { throw std::runtime_error("oh"); });
    graph.add<part>("well", makes("well"));
    graph.add<part>("lost", makes("lost")).after("nobody");
    CHECK(round() == "bad failed; after blocked; thrown failed; well ready; lost failed");
    const auto outcome = report.outcome();
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error() == errc::invalid_argument);
    CHECK(outcome.error().message() ==
          "bad: no image; thrown: oh; lost: dependent \"lost\" comes after \"nobody\", which was not added before it");
    CHECK(is_there("web-well"));
    CHECK_FALSE(is_there("web-after"));
}

TEST_CASE_FIXTURE(fixture, "dependents: a part with several objects removes those that nobody wants any more") {
    std::vector<std::string> names{"a", "b"};
    graph.add<part>("db", makes("db"));
    graph
        .add_each<part>("shards",
                        [&names](const site& of) {
                            std::vector<part> out;
                            for (const auto& name : names) out.push_back(part_named(of, name.c_str()));
                            return out;
                        })
        .after("db");
    CHECK(round() == "db ready; shards ready");
    CHECK(report.find("shards")->objects.size() == 2);
    names = {"b", "c"};
    (void)world.run(c.create(named<part>("web-foreign"))).value();
    CHECK(round() == "db ready; shards ready");
    CHECK_FALSE(is_there("web-a"));
    for (const char* there : {"web-b", "web-c", "web-db", "web-foreign"}) CHECK_MESSAGE(is_there(there), there);
    names.clear();
    CHECK(round() == "db ready; shards ready");
    CHECK_FALSE(is_there("web-b"));
    names = {"d"};
    CHECK(round() == "db ready; shards ready");
    names = {"e"};  // a stranger to the round that removes all
    CHECK(round(false) == "db removing; shards removing");
    CHECK(round(false) == "db absent; shards absent");
    CHECK_FALSE(is_there("web-d"));
    CHECK(is_there("web-foreign"));
}

TEST_CASE_FIXTURE(fixture, "dependents: a kind that the server does not serve is absent until it does") {
    graph.add<extra>("extra", [](const site& of) { return named<extra>(of.metadata.name.str()); }).where_served();
    graph.add<part>("uses", makes("uses")).after("extra");
    CHECK(round() == "extra absent; uses absent");
    CHECK(report.is_done());
    CHECK(round(false) == "extra absent; uses absent");
    world.register_resource(testing::resource_type_of(resource_of<extra>()));
    CHECK(round() == "extra ready; uses ready");
    CHECK(round(false) == "extra absent; uses absent");
}

TEST_CASE_FIXTURE(fixture, "dependents: with each request failing once, rounds come to the same end") {
    for (int failing = 0;; ++failing) {
        CAPTURE(failing);
        int asked_for = 0;
        const auto on_request = [&](http::request&) -> result<void> {
            if (asked_for++ == failing) return error(errc::unavailable, "this one fails");
            return {};
        };
        const client flaky = c.with(client_options().on_request(on_request));
        dependents<site> one{apply_options("test").force()};
        one.add<part>("db", makes("db"));
        one.add_each<part>("web", [](const site& of) { return std::vector<part>{part_named(of, "web")}; }).after("db");
        int tries = 0;
        do {
            report = world.run(one.apply(flaky, owner, stop));
        } while (!report.is_done() && ++tries < 3);
        CHECK(report.is_done());
        CHECK(is_there("web-web"));
        do {
            report = world.run(one.remove(flaky, owner, stop));
        } while (!report.is_gone() && ++tries < 5);
        CHECK(report.is_gone());
        CHECK_FALSE(is_there("web-web"));
        CHECK_FALSE(is_there("web-db"));
        if (asked_for <= failing) break;
        REQUIRE(failing < 100);
    }
}

TEST_CASE_FIXTURE(fixture, "dependents: a round that is stopped ends, and says so") {
    graph.add<part>("db", makes("db"));
    std::stop_source source;
    source.request_stop();
    report = world.run(graph.apply(c, owner, source.get_token()));
    CHECK(report.parts[0].state == dependent_state::failed);
    CHECK(report.outcome().error() == errc::stopped);
    CHECK_FALSE(is_there("web-db"));
}
