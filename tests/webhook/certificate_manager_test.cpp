#include <kcontrol/base/base64.hpp>
#include <kcontrol/testing/sim_world.hpp>
#include <kcontrol/webhook/ca_bundle_injector.hpp>
#include <kcontrol/webhook/certificate_manager.hpp>

#include "support/print.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::testing;
using namespace std::chrono_literals;

namespace {

const group_resource secrets{"", "secrets"};
const group_resource validating{"admissionregistration.k8s.io", "validatingwebhookconfigurations"};
const group_resource definitions{"apiextensions.k8s.io", "customresourcedefinitions"};

struct fixture {
    sim_world world;
    sim_server& server = world.add_server("cluster", api_server_options().default_and_validate(true));
    std::vector<std::string> log_lines;
    std::stop_source stop;

    ~fixture() {
        stop.request_stop();
        world.run_for(1s);
    }
    logger log() {
        return logger([this](const log_record& record) {
            std::string line(record.message);
            for (const auto& field : record.fields) line += " " + field.value;
            log_lines.push_back(std::move(line));
        });
    }
    std::ptrdiff_t logged(const std::string& part) const {
        return std::count_if(log_lines.begin(), log_lines.end(),
                             [&](const std::string& line) { return line.find(part) != std::string::npos; });
    }
    static certificate_manager_options options() {
        certificate_manager_options out;
        out.secret("default", "authorities").service("default", "hooks").check_period(10min);
        out.policy(
            authority_policy().authority_lifetime(100h).renew_before(40h).publish_ahead(2h).certificate_lifetime(10h));
        return out;
    }
    certificate_manager manager() { return {world.env(), world.connect(server), options(), log()}; }
    template <class F>
    void start(F work) {
        boost::asio::co_spawn(world.get_executor(), std::move(work), boost::asio::detached);
    }
    json::value secret() { return server.api().get(secrets, {"default", "authorities"}).value(); }
    std::string key_in_secret() {
        const auto text = decode_base64(json::get_string(secret(), {"data", "authorities"})).value();
        return std::string(json::get_string(json::parse(text).value().at(0), {"key"}));
    }
};

std::size_t certificates_in(const std::string& pem) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = pem.find("BEGIN CERTIFICATE", at)) != std::string::npos; ++at) ++count;
    return count;
}

webhook_registration hook_for_maps(const std::string& name) {
    webhook_registration out(webhook_registration::kind::validating, name, "/validate");
    out.rule(webhook_rule().operation("CREATE").api_group("").api_version("v1").resource("configmaps"));
    return out;
}

}  // namespace

TEST_CASE("replicas that race for the Secret agree on one authority") {
    fixture f;
    std::vector<std::unique_ptr<certificate_manager>> replicas;
    int done = 0;
    for (int i = 0; i < 5; ++i) {
        replicas.push_back(std::make_unique<certificate_manager>(f.manager()));
        CHECK_FALSE(replicas.back()->load());
        f.start([&done, manager = replicas.back().get()]() -> awaitable<void> {
            const auto refreshed = co_await manager->refresh();
            CHECK_MESSAGE(refreshed, refreshed.error().what());
            ++done;
        });
    }
    REQUIRE(f.world.run_until([&done] { return done == 5; }));
    CHECK(certificates_in(replicas.front()->bundle()) == 1);
    std::vector<std::string> shown;
    for (const auto& one : replicas) {
        CHECK(one->bundle() == replicas.front()->bundle());
        shown.push_back(one->load().value().cert_pem());
    }
    std::sort(shown.begin(), shown.end());
    CHECK(std::unique(shown.begin(), shown.end()) == shown.end());  // each has its own certificate
    CHECK(decode_base64(json::get_string(f.secret(), {"data", "ca.crt"})) == replicas.front()->bundle());
    const auto writes = f.server.api().request_log().count("create", "secrets");
    CHECK(writes >= 1);
    const std::string key = f.key_in_secret();
    REQUIRE(key.find("PRIVATE KEY") != std::string::npos);
    for (const auto& line : f.log_lines) CHECK(line.find("PRIVATE KEY") == std::string::npos);
}

TEST_CASE("certificates and authorities are made anew before they end, and never is one shown that is not trusted") {
    fixture f;
    certificate_manager one = f.manager(), other = f.manager();
    f.start([&] { return one.run(f.stop.get_token()); });
    f.start([&] { return other.run(f.stop.get_token()); });
    f.world.run_for(1min);
    std::string certificate = one.load().value().cert_pem();
    const std::string first_bundle = one.bundle();
    f.world.run_for(6h);
    CHECK(one.load().value().cert_pem() == certificate);
    f.world.run_for(1h);  // two thirds of ten hours
    CHECK(one.load().value().cert_pem() != certificate);
    CHECK(one.bundle() == first_bundle);

    f.world.run_for(52h + 30min);  // 59.5 h
    CHECK(one.bundle() == first_bundle);
    f.world.run_for(1h);  // 60.5 h: the next one is there, and both are trusted
    CHECK(certificates_in(one.bundle()) == 2);
    CHECK(one.bundle().find(first_bundle) == 0);
    CHECK(one.bundle() == other.bundle());
    f.world.run_for(15h);  // it signs since 62 h, the first one's certificates have ended at 72 h
    CHECK(certificates_in(one.bundle()) == 1);
    CHECK(one.bundle() != first_bundle);
    CHECK(one.bundle() == other.bundle());
    f.world.run_for(24h * 10);
    CHECK(certificates_in(one.bundle()) <= 2);
    for (const auto& line : f.log_lines) CHECK(line.find("could not") == std::string::npos);
}

TEST_CASE("a Secret that somebody has damaged or deleted is made anew") {
    fixture f;
    certificate_manager manager = f.manager();
    f.start([&] { return manager.run(f.stop.get_token()); });
    f.world.run_for(10s);
    const std::string before = manager.bundle();
    REQUIRE(f.server.api().patch(secrets, {"default", "authorities"}, {{"data", {{"authorities", "bm9uZQ=="}}}}));
    f.world.run_for(11min);
    CHECK(manager.bundle() != before);
    CHECK(certificates_in(manager.bundle()) == 1);
    const std::string second = manager.bundle();
    REQUIRE(f.server.api().remove(secrets, {"default", "authorities"}));
    f.world.run_for(11min);
    CHECK(manager.bundle() != second);
    CHECK(f.server.api().get(secrets, {"default", "authorities"}));
}

TEST_CASE("of a Secret that somebody else has made all else stays") {
    fixture f;
    json::value made = json::parse(R"({"apiVersion": "v1", "kind": "Secret", "type": "example.com/authorities",
        "metadata": {"name": "authorities", "namespace": "default", "labels": {"app": "hooks"}},
        "data": {"other": "eA=="}})")
                           .value();
    REQUIRE(f.server.api().create(made));
    certificate_manager manager = f.manager();
    REQUIRE(f.world.run(manager.refresh()));
    CHECK(manager.load());
    const json::value now = f.secret();
    CHECK(now.at("metadata").at("labels").at("app") == "hooks");
    CHECK(now.at("type") == "example.com/authorities");
    CHECK(now.at("data").at("other") == "eA==");
    CHECK(f.key_in_secret().find("PRIVATE KEY") != std::string::npos);
}

TEST_CASE("a server that can't be reached is asked again, and what there was is served meanwhile") {
    fixture f;
    certificate_manager manager = f.manager();
    f.world.network().set_link("cluster", link_state::refused);
    f.start([&] { return manager.run(f.stop.get_token()); });
    f.world.run_for(1min);
    CHECK_FALSE(manager.load());
    f.world.network().set_link("cluster", link_state::up);
    f.world.run_for(1min);
    REQUIRE(manager.load());
    f.world.network().set_link("cluster", link_state::refused);
    f.world.run_for(1h);
    REQUIRE(manager.load());
    // For as long as its authority is good the certificate is made anew without the server: it ends after ten hours.
    const std::string before = manager.load().value().cert_pem();
    const std::string bundle = manager.bundle();
    f.world.run_for(8h);
    const std::string since = manager.load().value().cert_pem();
    CHECK(since != before);
    f.world.run_for(20h);
    CHECK(manager.load().value().cert_pem() != since);
    CHECK(manager.bundle() == bundle);
    f.world.network().set_link("cluster", link_state::up);
    f.world.run_for(11min);
    CHECK(manager.bundle() == bundle);
    CHECK(f.logged("could not be looked after") == 2);  // once each time that the server was away
}

TEST_CASE("a damaged Secret that may not be written is told once, with the reason") {
    fixture f;
    json::value made = json::parse(R"({"apiVersion": "v1", "kind": "Secret", "type": "Opaque",
        "metadata": {"name": "authorities", "namespace": "default"}, "data": {"authorities": "bm9uZQ=="}})")
                           .value();
    REQUIRE(f.server.api().create(made));
    f.server.api().set_faults([](const http::server_request& r) {
        return r.method == "PUT" ? fault().status(403, "Forbidden", "secrets is forbidden") : fault();
    });
    certificate_manager manager = f.manager();
    f.start([&] { return manager.run(f.stop.get_token()); });
    f.world.run_for(5min);
    CHECK_FALSE(manager.load());
    CHECK(f.logged("is damaged") == 1);
    CHECK(f.logged("could not be looked after") == 1);
    CHECK(f.logged("secrets is forbidden") == 1);
    f.server.api().set_faults({});
    f.world.run_for(1min);
    CHECK(manager.load());
    CHECK(f.logged("is damaged") == 1);
}

TEST_CASE("a stop ends the manager and the injector at once, though a server does not answer") {
    fixture f;
    certificate_manager certificates = f.manager();
    const std::vector<webhook_registration> hooks{hook_for_maps("a.example.com")};
    ca_bundle_injector bundles(f.world.env(), f.world.connect(f.server), "platform", hooks,
                               webhook_address::service("default", "hooks"), ca_bundle_options().whole(true), f.log());
    REQUIRE(f.world.run(certificates.refresh()));
    f.world.network().set_link("cluster", link_state::black_hole);
    int ended = 0;
    f.start([&]() -> awaitable<void> {
        co_await certificates.run(f.stop.get_token());
        ++ended;
    });
    f.start([&]() -> awaitable<void> {
        co_await bundles.run(certificates, f.stop.get_token());
        ++ended;
    });
    f.world.run_for(10s);
    REQUIRE(ended == 0);
    f.stop.request_stop();
    f.world.run_for(100ms);
    CHECK(ended == 2);
    for (const auto& line : f.log_lines) CHECK(line.find("could not") == std::string::npos);
}

TEST_CASE("caBundle is written into configurations and definitions, these fields alone, and put right") {
    fixture f;
    const auto address = webhook_address::service("default", "hooks");
    std::vector<webhook_registration> hooks{hook_for_maps("a.example.com"), hook_for_maps("b.example.com")};
    hooks.emplace_back(webhook_registration::kind::conversion, "widgets.example.com", "/convert");
    const auto manifests = webhook_configurations("platform", hooks, address).value();
    REQUIRE(f.server.api().create(manifests[0]));
    json::value crd = json::parse(R"({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"}, "spec": {"group": "example.com", "scope": "Namespaced",
        "names": {"plural": "widgets", "kind": "Widget"},
        "versions": [{"name": "v1", "served": true, "storage": true,
                      "schema": {"openAPIV3Schema": {"type": "object"}}}]}})")
                          .value();
    crd.at("spec").as_object()["conversion"] = manifests[1].at("spec").at("conversion");
    REQUIRE(f.server.api().create(crd));

    ca_bundle_injector injector(f.world.env(), f.world.connect(f.server), "platform", hooks, address, {}, f.log());
    const auto repair = [&](const std::string& bundle) { return f.world.run(injector.repair(bundle)); };
    CHECK(repair("one").value() == 2);
    const auto bundle_of = [&](const char* hook) {
        const json::value whole = f.server.api().get(validating, {"", "platform"}).value();
        for (const auto& one : whole.at("webhooks").as_array()) {
            if (json::get_string(one, {"name"}) != hook) continue;
            return decode_base64(json::get_string(one, {"clientConfig", "caBundle"})).value();
        }
        return std::string("no such webhook");
    };
    CHECK(bundle_of("a.example.com") == "one");
    CHECK(bundle_of("b.example.com") == "one");
    const json::value live = f.server.api().get(validating, {"", "platform"}).value();
    CHECK(live.at("webhooks").at(0).at("rules") == manifests[0].at("webhooks").at(0).at("rules"));
    CHECK(live.at("webhooks").as_array().size() == 2);
    const json::value conversion =
        f.server.api().get(definitions, {"", "widgets.example.com"}).value().at("spec").at("conversion");
    CHECK(decode_base64(json::get_string(conversion, {"webhook", "clientConfig", "caBundle"})) == "one");
    CHECK(conversion.at("strategy") == "Webhook");
    CHECK(repair("one").value() == 0);  // nothing to do, and nothing written

    for (const auto& entry : live.at("metadata").at("managedFields").as_array()) {
        if (json::get_string(entry, {"manager"}) != "kcontrol-webhooks") continue;
        const std::string owned = json::serialize(entry.at("fieldsV1"));
        CHECK(owned.find("f:caBundle") != std::string::npos);
        CHECK(owned.find("f:rules") == std::string::npos);
    }
    SUBCASE("somebody empties it") {
        json::value emptied = f.server.api().get(validating, {"", "platform"}).value();
        emptied.at("webhooks").at(0).at("clientConfig").as_object().erase("caBundle");
        REQUIRE(f.server.api().update(emptied));
        CHECK(bundle_of("a.example.com").empty());
        CHECK(repair("one").value() == 1);
        CHECK(bundle_of("a.example.com") == "one");
    }
    SUBCASE("a webhook is not there") {
        hooks.push_back(hook_for_maps("c.example.com"));
        ca_bundle_injector more(f.world.env(), f.world.connect(f.server), "platform", hooks, address);
        const auto refused = f.world.run(more.repair("two"));
        REQUIRE_FALSE(refused);
        CHECK(std::string(refused.error().what()).find("\"c.example.com\"") != std::string::npos);
    }
    SUBCASE("a configuration that the program keeps is made and kept") {
        ca_bundle_injector whole(f.world.env(), f.world.connect(f.server), "own", hooks, address,
                                 ca_bundle_options().whole(true));
        CHECK(f.world.run(whole.repair("one")).value() == 1);  // the definition says all that it has to
        json::value changed = f.server.api().get(validating, {"", "own"}).value();
        changed.at("webhooks").at(1).as_object()["failurePolicy"] = "Ignore";
        REQUIRE(f.server.api().update(changed));
        CHECK(f.world.run(whole.repair("one")).value() == 1);
        CHECK(f.server.api().get(validating, {"", "own"}).value().at("webhooks").at(1).at("failurePolicy") == "Fail");
    }
}

TEST_CASE("a rotation goes through: the bundle is everywhere before a certificate needs it") {
    fixture f;
    const auto address = webhook_address::service("default", "hooks");
    const std::vector<webhook_registration> hooks{hook_for_maps("a.example.com")};
    certificate_manager certificates = f.manager();
    ca_bundle_injector bundles(f.world.env(), f.world.connect(f.server), "platform", hooks, address,
                               ca_bundle_options().whole(true).check_period(5min), f.log());
    f.start([&] { return certificates.run(f.stop.get_token()); });
    f.start([&] { return bundles.run(certificates, f.stop.get_token()); });
    for (int hour = 0; hour < 200; ++hour) {
        f.world.run_for(1h);
        const auto live = f.server.api().get(validating, {"", "platform"}).value();
        const std::string_view text = json::get_string(live.at("webhooks").at(0), {"clientConfig", "caBundle"});
        CHECK(decode_base64(text) == certificates.bundle());
    }
}
