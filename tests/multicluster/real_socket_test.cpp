// Many clusters over real sockets: one that works, beside every kind that does not.
#include <kcontrol/multicluster/multicluster_manager.hpp>
#include <kcontrol/testing/local_api_server.hpp>

#include "simulation/widget.hpp"
#include "support/print.hpp"
#include "transport/fixture.hpp"
#include "transport/raw_peer.hpp"

#include <map>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;

const std::string json_head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

auth::cluster_config at(const std::string& scheme, const std::string& host, std::uint16_t port) {
    auth::cluster_config c;
    c.server(http::endpoint(scheme, host, port));
    if (scheme == "https" || host == "127.0.0.1") c.token(secret_string("canary-token"));
    return c;
}

std::deque<step> always(const std::string& answer, step::after then = step::keep) { return {1000, step(answer, then)}; }

struct fixture : loopback {
    fixture() {
        good.api().register_resource({"test.kcontrol.dev", "v1", "Widget", "widgets"});
        strange.api().register_resource({"test.kcontrol.dev", "v1", "Widget", "widgets"});
        REQUIRE(good.start().has_value());
        REQUIRE(strange.start().has_value());
        multicluster_options o;
        o.kinds({kind_choice(resource_of<widget>())});
        // measures: the black hole costs the first; loopback connects at once
        const auto patience = http::transport_options().connect_timeout(1s).handshake_timeout(1min);
        o.transport(http::make_transport_factory(env, patience));
        o.log(logger(
            [this](const log_record& record) {
                logged += std::string(record.message);
                for (const auto& field : record.fields) logged += " " + std::string(field.name) + "=" + field.value;
                logged += "\n";
            },
            log_level::info));
        o.on_event([this](const std::string& cluster, const resource_info&, const any_event&) { ++events[cluster]; });
        o.on_status([this](const cluster_status& s) { statuses[s.name] = s; });
        manager.emplace(env, ex(), std::move(o));
    }
    ~fixture() {
        run(context, manager->stop());
        run(context, good.stop());
        run(context, strange.stop());
    }

    void create(const std::string& name) {
        const json::value object{{"apiVersion", "test.kcontrol.dev/v1"},
                                 {"kind", "Widget"},
                                 {"metadata", {{"name", name}, {"namespace", "default"}}},
                                 {"spec", {{"value", 1}}}};
        (void)good.api().create(object).value();
    }

    /// Runs until `condition` holds; a minute is the most, whatever the machine.
    template <class Condition>
    void soon(Condition condition) {
        context.restart();
        const auto limit = env.now() + 60s;
        while (!condition() && env.now() < limit) context.run_one_for(1s);
        CHECK(condition());
    }

    testing::local_api_server good{env, ex(), {}, false};
    testing::local_api_server strange{env, ex(), {}, true};
    std::map<std::string, int> events;
    std::map<std::string, cluster_status> statuses;
    std::string logged;
    std::optional<multicluster_manager> manager;
};

TEST_CASE("real sockets: each broken cluster is a state with a reason, and the good one goes on") {
    fixture f;
    const std::string page = "<html>sign in</html>";
    const std::string html = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 20\r\n\r\n" + page;
    raw_server pages(f.context, always(html));
    const std::string away =
        "HTTP/1.1 302 Found\r\nLocation: https://login.example/?state=canary\r\n"
        "Content-Length: 0\r\n\r\n";
    raw_server redirects(f.context, always(away));
    const std::string part = json_head + "Content-Length: 100\r\n\r\n{\"kind\":";
    raw_server cuts(f.context, always(part, step::close));
    flooding_server floods(f.context, json_head + "Content-Length: 1073741824\r\n\r\n", std::string(65536, ' '), 16384);
    black_hole hole(f.context);
    auto untrusted = f.strange.config();
    const auto ca = http::certificate_authority::create(http::certificate_options(f.env.wall_now())).value();
    untrusted.tls(http::tls_options().ca_pem(ca.cert_pem()));

    struct row {
        const char* name;
        auth::cluster_config config;
        cluster_state state;
        const char* reason;  // is part of the reason
    };
    const row rows[] = {
        {"cut", at("http", "127.0.0.1", cuts.port()), cluster_state::unreachable, "inside its answer"},
        {"flood", at("http", "127.0.0.1", floods.port()), cluster_state::failed, "1048576 bytes"},
        {"hole", at("http", "127.0.0.1", hole.port()), cluster_state::unreachable, "firewall"},
        {"nameless", at("https", "api.kcontrol.invalid", 6443), cluster_state::unreachable, "\"api.kcontrol.invalid\""},
        {"page", at("http", "127.0.0.1", pages.port()), cluster_state::failed, "web page"},
        {"redirect", at("http", "127.0.0.1", redirects.port()), cluster_state::failed, "https://login.example/"},
        {"untrusted", untrusted, cluster_state::failed, "certificate-authority-data"},
    };
    f.create("first");
    std::vector<desired_cluster> desired{{"good", f.good.config()}};
    for (const auto& row : rows) desired.emplace_back(row.name, row.config);
    f.manager->set_desired(desired);
    f.soon([&] { return f.statuses["good"].state == cluster_state::live && f.events["good"] == 1; });
    for (const auto& row : rows) {
        const auto& seen = f.statuses[row.name];
        f.soon([&] { return seen.state == row.state && seen.reason.find(row.reason) != std::string::npos; });
        CAPTURE(std::string(row.name));
        CHECK(seen.state == row.state);
        CHECK_MESSAGE(seen.reason.find(row.reason) != std::string::npos, seen.reason);
        CHECK(seen.reason.find("canary") == std::string::npos);
    }
    f.create("second");
    f.soon([&] { return f.events["good"] == 2; });
    const auto& informer = f.statuses.at("good").kinds.at(0).informer;
    CHECK(informer.lists == 1);
    CHECK(informer.watches == 1);

    desired.pop_back();
    f.manager->set_desired(desired);
    run(f.context, f.manager->stop());
    CHECK(f.logged.find("the cluster left cluster=untrusted\n") != std::string::npos);
    CHECK(f.logged.find("the cluster left cluster=good") == std::string::npos);
    CHECK(f.logged.find("canary") == std::string::npos);
}

}  // namespace
