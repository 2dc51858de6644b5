// Objects that this program made and that are gone before its caches have shown them.
#include <kcontrol/cluster/home_cluster.hpp>
#include <kcontrol/codec/metadata_object.hpp>

#include "support/widget_world.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

const namespaced_name x("default", "x");

struct fixture : widget_world {
    explicit fixture(informer_options options = {}) : server(add("a")) {
        of.emplace(env, home, connect(server.config("token")), cache_options(std::move(options)));
        watched = of->get_informer<widget>();
        slim = of->informer_of(metadata_resource_of<widget>());
        held = watched->subscribe([this](const any_event& e) { note(heard, e); });
        held_slim = slim->subscribe([this](const any_event& e) { note(heard_slim, e); });
        server.create("other");
        of->informers().start();
        settle();
        take();
    }
    ~fixture() {
        run(of->informers().stop());
        settle();
    }
    void settle(duration d = 2s) { context.run_for(d); }
    static void note(std::string& to, const any_event& e) {
        to += e.type == event_type::added ? "+" : (e.type == event_type::updated ? "~" : "-");
        to += e.object().meta().name.str() + (e.final_state_unknown ? "? " : " ");
    }
    std::string take() {
        heard_slim.clear();
        return std::exchange(heard, {});
    }
    widget object() {
        widget w;
        w.metadata.namespace_ = x.namespace_;
        w.metadata.name = x.name;
        w.metadata.labels["app"] = "web";
        w.spec.value = 5;
        return w;
    }
    // Of watches nothing comes from now on, and what has happened until mend() is forgotten then.
    void cut() { server.api.freeze("", server.api.resource_version()); }
    void mend() {
        server.api.thaw("");
        server.api.compact(server.api.resource_version());
        network.break_connections("a");
        settle(10s);
    }

    widget_server& server;
    std::optional<home_cluster> of;
    std::shared_ptr<informer<widget>> watched;
    std::shared_ptr<any_informer> slim;
    subscription held, held_slim;
    std::string heard, heard_slim;
};

TEST_CASE_FIXTURE(fixture, "unheard objects: made and deleted while the watch is broken: its maker is told of both") {
    cut();
    REQUIRE(run(of->get_client().create(object())));
    server.remove("x");
    settle();
    CHECK(take().empty());
    mend();
    CHECK(heard_slim == "+x -x? ");
    CHECK(take() == "+x -x? ");
    CHECK_FALSE(watched->get(x));
    settle(5min);
    CHECK(take().empty());
}

TEST_CASE_FIXTURE(fixture, "unheard objects: who else made it is nobody's business here") {
    cut();
    REQUIRE(run(connect(server.config("token")).create(object())));
    server.remove("x");
    mend();
    CHECK(take().empty());
}

TEST_CASE_FIXTURE(fixture, "unheard objects: what the watch or the list brings is told once") {
    REQUIRE(run(of->get_client().create(object())));
    server.remove("x");
    settle();
    CHECK(take() == "+x -x ");
    cut();
    REQUIRE(run(of->get_client().create(object())));
    mend();
    CHECK(take() == "+x ");
    cut();
    server.remove("x");
    mend();
    CHECK(take() == "-x? ");
}

TEST_CASE_FIXTURE(fixture,
                  "unheard objects: what was read from the server, and is as it should be, is expected as well") {
    cut();
    server.create("x", 3);
    // The cache does not know it; a create that fails says that it is behind, and the next read asks the server.
    CHECK(run(of->get_client().create(object())).error() == api_errc::already_exists);
    CHECK(run(of->get_client().get<widget>(x)).value().spec.value == 3);
    server.remove("x");
    mend();
    CHECK(take() == "+x -x? ");
}

TEST_CASE_FIXTURE(fixture, "unheard objects: a watch of a replica that lags brings them in the end") {
    cut();
    REQUIRE(run(of->get_client().create(object())));
    server.remove("x");
    network.break_connections("a");
    settle(10s);
    CHECK(take().empty());
    server.api.thaw("");
    settle(10s);
    CHECK(take() == "+x -x ");
}

TEST_CASE("unheard objects: what an informer does not select it is not told of") {
    for (const auto& options :
         {informer_options().label_selector("app=db"), informer_options().field_selector("metadata.name=y")}) {
        fixture f(options);
        f.cut();
        REQUIRE(f.run(f.of->get_client().create(f.object())));
        f.server.remove("x");
        f.mend();
        CHECK(f.take().empty());
    }
}

}  // namespace
