// Comparing caches with their server, on a simulated cluster: what is a difference, and what is merely on its way.
#include <kcontrol/cluster/home_cluster.hpp>
#include <kcontrol/metrics/metrics_registry.hpp>

#include "support/widget_world.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

struct fixture : widget_world {
    fixture() : server(add("a")) {
        cache_options options;
        options.audit_period(10min);
        of.emplace(env, home, connect(server.config("token")), options, log);
        (void)of->get_informer<widget>();
    }
    ~fixture() {
        run(of->informers().stop());
        settle(2s);
    }
    void settle(duration d) { context.run_for(d); }
    const audit_counts& counts() { return all.at(resource_of<widget>().gvk); }
    // An audit, and what it may take beyond its period.
    void audit() {
        settle(14min);
        all = of->informers().audits();
    }
    // The server says of metadata, and of that alone, what a cache that has lost an event would be held against.
    void claim(const std::string& version, bool only_in_lists = false) {
        server.api.set_faults([=, this](const http::server_request& r) {
            const bool of_metadata = r.headers.get("Accept").find("PartialObjectMetadata") != std::string_view::npos;
            if (!of_metadata || r.target.find("/widgets") == std::string::npos) return testing::fault();
            const bool one = r.target.find("/widgets/") != std::string::npos;
            if (one && only_in_lists) return testing::fault();
            if (one && version.empty()) return testing::fault().status(404, "NotFound", "widgets \"x\" not found");
            const std::string meta =
                R"("metadata":{"namespace":"default","name":"x","uid":"u","resourceVersion":")" + version + "\"}";
            const std::string type = R"("apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata)";
            const std::string now = std::to_string(server.api.resource_version());
            const std::string items = version.empty() ? "" : "{" + type + "\"," + meta + "}";
            return testing::fault().answer(http::response(200, "application/json",
                                                          one ? "{" + type + "\"," + meta + "}"
                                                              : "{" + type +
                                                                    R"(List","metadata":{"resourceVersion":")" + now +
                                                                    R"("},"items":[)" + items + "]}"));
        });
    }

    widget_server& server;
    std::string told;
    logger log{[this](const log_record& r) {
        if (r.level < log_level::error) return;
        told += r.message;
        for (const auto& f : r.fields) told += " " + std::string(f.name) + "=" + f.value;
        told += "\n";
    }};
    std::optional<home_cluster> of;
    audit_counts_by_kind all;
};

TEST_CASE_FIXTURE(fixture, "audit: a cache that is right is found so, also while all changes") {
    for (int i = 0; i < 30; ++i) server.create("w" + std::to_string(i));
    of->informers().start();
    for (int i = 0; i < 14 * 60; ++i) {
        const std::string name = "w" + std::to_string(i % 30);
        if (i % 7 == 3) {
            server.remove(name);
            server.create(name, i);
        } else {
            server.set_value(name, i);
        }
        settle(1s);
    }
    audit();
    CHECK(counts().clean >= 2);
    CHECK(counts().different == 0);
    CHECK(counts().inconclusive == 0);
    CHECK(told == "");
}

TEST_CASE_FIXTURE(fixture, "audit: what is merely on its way is no difference") {
    server.create("x");
    of->informers().start();
    settle(1min);
    // Behind, for longer than a look lasts: nothing can be said then.
    server.api.freeze("", server.api.resource_version());
    server.set_value("x", 1);
    audit();
    CHECK(counts() == [] {
        audit_counts out;
        out.inconclusive = 1;
        return out;
    }());
    // Behind for a moment in which it is looked at.
    settle(5min);
    server.api.thaw("");
    server.api.freeze("", server.api.resource_version());
    server.set_value("x", 2);
    server.create("y");
    settle(100s);
    server.api.thaw("");
    audit();
    CHECK(counts().different == 0);
    CHECK(counts().clean >= 1);
    CHECK(told == "");
    // One that only the list says.
    claim("1", true);
    audit();
    CHECK(counts().different == 0);
    CHECK(told == "");
}

TEST_CASE_FIXTURE(fixture, "audit: a version that the cache lacks is told once, counted, and over when it is") {
    server.create("x", 1);
    of->informers().start();
    settle(1min);
    server.set_value("x", 2);
    settle(1min);
    const std::string cached = of->get_informer<widget>()->get({"default", "x"})->metadata.resource_version;
    claim("1");
    audit();
    CHECK(told == "the cache differs from the server kind=Widget object=default/x cached_version=" + cached +
                      " server_version=1\n");
    CHECK(counts().different == 1);
    CHECK(counts().differences == 1);
    audit();
    CHECK(counts().different >= 2);
    CHECK(told.find('\n') == told.size() - 1);  // not again
    metrics_registry registry;
    registry.collect([this](metrics_writer& out) { write_audit_metrics(out, "", all); });
    CHECK(registry.text().find("kcontrol_cache_audit_differences{api_version=\"test.kcontrol.dev/v1\",cluster=\"\","
                               "kind=\"Widget\"} 1\n") != std::string::npos);
    server.api.set_faults(nullptr);
    audit();
    CHECK(counts().differences == 0);
    CHECK(counts().clean >= 1);
}

TEST_CASE_FIXTURE(fixture, "audit: an object that the server has no more, and one that the cache never had") {
    server.create("x", 1);
    of->informers().start();
    settle(1min);
    claim("");
    audit();
    CHECK(told.find("object=default/x cached_version=") != std::string::npos);
    CHECK(told.find("server_version=none") != std::string::npos);
    told.clear();
    server.remove("x");
    claim("1");
    audit();
    CHECK(told ==
          "the cache differs from the server kind=Widget object=default/x cached_version=none "
          "server_version=1\n");
}

TEST_CASE("audit: without a period nothing is listed") {
    widget_world world;
    auto& server = world.add("a");
    home_cluster of(world.env, world.home, world.connect(server.config()), {});
    (void)of.get_informer<widget>();
    of.informers().start();
    world.context.run_for(1h);
    CHECK(server.lists() == 1);
    CHECK(of.informers().audits().empty());
    world.run(of.informers().stop());
}

}  // namespace
