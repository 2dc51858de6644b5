#include <kcontrol/controllerutil/crds.hpp>
#include <kcontrol/controllerutil/detail/crd_progress.hpp>

#include "fixture.hpp"

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

const testing::group_resource crds{"apiextensions.k8s.io", "customresourcedefinitions"};

struct ghost {
    static constexpr resource_name kcontrol_resource{"ghosts.kcontrol.dev", "v1", "Ghost", "ghosts"};
    object_meta metadata;
    site_spec spec;
    static constexpr auto kcontrol_fields() { return fields(field("spec", &ghost::spec)); }
};
struct specter {
    static constexpr resource_name kcontrol_resource{"ghosts.kcontrol.dev", "v1", "Specter", "specters"};
    object_meta metadata;
    site_spec spec;
    static constexpr auto kcontrol_fields() { return fields(field("spec", &specter::spec)); }
};

class empty_world {
public:
    std::size_t asked(std::string_view verb, std::string_view what = {}) {
        return server.api().request_log().count(verb, what);
    }

    testing::sim_world world;
    testing::sim_server& server = world.add_server("cluster");
    client c = world.connect(server);
};

}  // namespace

TEST_CASE("what the conditions of a definition say") {
    using detail::crd_progress;
    struct row {
        const char* names;
        const char* established;
        bool deleted;
        crd_progress progress;
        const char* described;
    };
    const row table[] = {
        {nullptr, nullptr, false, crd_progress::waiting, "the server has not judged it yet"},
        {"True", nullptr, false, crd_progress::waiting, "the server has not judged it yet"},
        {"True", "False", false, crd_progress::waiting, "Established is False (R: m)"},
        {"Unknown", "False", false, crd_progress::waiting,
         "NamesAccepted is Unknown (R: m); Established is False (R: m)"},
        {"False", nullptr, false, crd_progress::refused, "NamesAccepted is False (R: m)"},
        {"False", "False", false, crd_progress::refused, "NamesAccepted is False (R: m); Established is False (R: m)"},
        // What it serves it goes on serving; only its new names are refused.
        {"False", "True", false, crd_progress::established, "NamesAccepted is False (R: m)"},
        {"True", "True", false, crd_progress::established, "the server has not judged it yet"},
        {"True", "True", true, crd_progress::terminating, "it is being deleted"},
    };
    for (const auto& r : table) {
        CAPTURE(r.described);
        detail::crd_view crd;
        const auto add = [&crd](const char* type, const char* status) {
            if (status == nullptr) return;
            auto& condition = crd.status.conditions.emplace_back();
            condition.type = type;
            condition.status = status;
            condition.reason = "R";
            condition.message = "m";
        };
        add("NamesAccepted", r.names);
        add("Established", r.established);
        if (r.deleted) crd.metadata.deletion_timestamp = wall_time(std::chrono::seconds(1));
        CHECK(detail::progress_of(crd) == r.progress);
        CHECK(detail::describe_progress(crd) == r.described);
    }
}

TEST_CASE_FIXTURE(empty_world, "install_crds installs kinds so that they can be used at once, and again") {
    REQUIRE(world.run(install_crds<ghost, specter>(c)).has_value());
    CHECK(world.run(c.create(named<ghost>("g"))).has_value());
    CHECK(world.run(c.create(named<specter>("s"))).has_value());
    const auto before = server.api().get(crds, {"", "ghosts.ghosts.kcontrol.dev"}).value();
    REQUIRE(world.run(install_crds<ghost, specter>(c)).has_value());
    CHECK(server.api().get(crds, {"", "ghosts.ghosts.kcontrol.dev"}).value() == before);
    CHECK(world.run(c.get<ghost>({"default", "g"})).has_value());
}

TEST_CASE_FIXTURE(empty_world, "install_crds updates a definition and keeps the labels of others") {
    auto old = crd_of<ghost>().value();
    old.label("by", "this");
    std::vector<custom_resource_definition> made{old};
    REQUIRE(world.run(install_crds(c, made)).has_value());
    const json::object patch{{"metadata", {{"labels", {{"team", "x"}}}}}};
    REQUIRE(server.api().patch(crds, {"", old.name()}, patch).has_value());
    old.label("by", "that");
    made = {old};
    REQUIRE(world.run(install_crds(c, made)).has_value());
    const auto now = server.api().get(crds, {"", old.name()}).value();
    CHECK(json::get_string(now, {"metadata", "labels", "by"}) == "that");
    CHECK(json::get_string(now, {"metadata", "labels", "team"}) == "x");
}

TEST_CASE_FIXTURE(empty_world, "install_crds waits for a kind that is served late and for a server that starts") {
    int applies = 0, kinds = 0;
    server.api().set_faults([&](const http::server_request& r) {
        if (r.method == "PATCH" && ++applies <= 3) {
            return testing::fault().status(503, "ServiceUnavailable", "it starts");
        }
        if (r.target.find("/v1/ghosts") != std::string::npos && ++kinds <= 3)
            return testing::fault().status(404, "NotFound", "");
        return testing::fault();
    });
    CHECK(world.run(install_crds<ghost>(c)).has_value());
    CHECK(applies == 4);
    CHECK(kinds == 4);
}

TEST_CASE_FIXTURE(empty_world, "install_crds without the right to list the kind is content") {
    server.api().set_faults([&](const http::server_request& r) {
        if (r.target.find("/v1/ghosts") != std::string::npos) return testing::fault().status(403, "Forbidden", "");
        return testing::fault();
    });
    CHECK(world.run(install_crds<ghost>(c)).has_value());
}

TEST_CASE_FIXTURE(empty_world, "install_crds ends with what stands in the way") {
    const std::string name = "CustomResourceDefinition ghosts.ghosts.kcontrol.dev";
    server.api().set_faults([&](const http::server_request& r) {
        return r.target.find("/v1/ghosts") != std::string::npos ? testing::fault().status(404, "NotFound", "")
                                                                : testing::fault();
    });
    const auto begun = world.env().now();
    const auto late = world.run(install_crds<ghost>(c, install_options().deadline(std::chrono::seconds(5))));
    CHECK(late.error() == errc::timeout);
    CHECK(late.error().message() ==
          name + " is not served after 5 s: /apis/ghosts.kcontrol.dev/v1/ghosts is not served yet");
    CHECK(world.env().now() - begun < std::chrono::seconds(6));

    server.api().set_faults([&](const http::server_request& r) {
        return r.method == "PATCH" ? testing::fault().status(403, "Forbidden", "not you") : testing::fault();
    });
    const auto refused = world.run(install_crds<ghost>(c));
    CHECK(refused.error() == api_errc::forbidden);
    CHECK(refused.error().message() == name + ": not you");

    server.api().set_faults({});
    const json::object status{
        {"status",
         {{"conditions",
           {{{"type", "NamesAccepted"}, {"status", "False"}, {"reason", "Taken"}, {"message", "\"gh\" is in use"}}}}}}};
    REQUIRE(server.api().patch(crds, {"", "ghosts.ghosts.kcontrol.dev"}, status, "status").has_value());
    const auto taken = world.run(install_crds<ghost>(c));
    CHECK(taken.error() == errc::no_such_kind);
    CHECK(taken.error().message() ==
          name + ": another definition has one of its names: NamesAccepted is False (Taken: \"gh\" is in use)");
}

TEST_CASE_FIXTURE(empty_world, "install_crds waits for a definition that goes, and a stop ends it") {
    REQUIRE(world.run(install_crds<ghost>(c)).has_value());
    const namespaced_name key("", "ghosts.ghosts.kcontrol.dev");
    const json::object hold{{"metadata", {{"finalizers", {"example.com/hold"}}}}};
    REQUIRE(server.api().patch(crds, key, hold).has_value());
    const auto held = server.api().get(crds, key).value();
    const std::string before(json::get_string(held, {"metadata", "uid"}));
    REQUIRE(server.api().remove(crds, key).has_value());

    std::stop_source stop;
    std::optional<result<void>> stopped;
    const auto install = [&](std::optional<result<void>>& out) -> awaitable<void> {
        install_options options;
        options.stop(stop.get_token());
        auto done = co_await install_crds<ghost>(c, options);
        out.emplace(done);
    };
    asio::co_spawn(world.get_executor(), install(stopped), asio::detached);
    world.run_for(std::chrono::seconds(3));
    CHECK(!stopped.has_value());
    stop.request_stop();
    world.run_for(std::chrono::seconds(1));
    REQUIRE(stopped.has_value());
    CHECK(stopped->error() == errc::stopped);

    stop = std::stop_source();
    std::optional<result<void>> done;
    asio::co_spawn(world.get_executor(), install(done), asio::detached);
    world.run_for(std::chrono::seconds(3));
    CHECK(!done.has_value());
    const json::object let_go{{"metadata", {{"finalizers", nullptr}}}};
    REQUIRE(server.api().patch(crds, key, let_go).has_value());
    world.run_for(std::chrono::seconds(5));
    REQUIRE(done.has_value());
    CHECK(done->has_value());
    CHECK(json::get_string(server.api().get(crds, key).value(), {"metadata", "uid"}) != before);
}
