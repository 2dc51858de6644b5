// Server-side apply from the typed client to the in-process API server. What the server answers is told by the cases of
// tests/conformance, which a real one answers as well.
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/auth/cluster_config.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/testing/api_server.hpp>
#include <kcontrol/testing/sim_network.hpp>

#include "model/widget.hpp"

#include <boost/asio/co_spawn.hpp>
#include <doctest/doctest.h>

#include <optional>

namespace {

using namespace kcontrol;
using namespace kcontrol::testing;
using namespace std::chrono_literals;
using kcontrol::api::core::v1::config_map;

struct world {
    world() : context(1), env(context), network(context, env), api(env, context.get_executor()) {
        network.listen("a", api.get_executor(), api.handler());
        config.server(http::endpoint("https", "a", 443));
        auto made = client::connect(env, context.get_executor(), config, network.factory());
        REQUIRE(made);
        c.emplace(*made);
    }

    template <class T>
    T await(awaitable<T> call) {
        std::optional<T> out;
        asio::co_spawn(c->get_executor(), std::move(call),
                       [&](std::exception_ptr, T outcome) { out.emplace(std::move(outcome)); });
        context.run_until([&] { return out.has_value(); }, env.now() + 1h);
        REQUIRE(out.has_value());
        return *out;
    }

    sim_context context;
    sim_environment env;
    sim_network network;
    api_server api;
    auth::cluster_config config;
    std::optional<client> c;
};

config_map settings(const char* key, const char* value) {
    config_map out;
    out.metadata.name = "s";
    out.metadata.namespace_ = "default";
    out.data[key] = value;
    return out;
}

using kcontrol_test::widget;

widget with_condition(const char* type, const char* status) {
    widget out;
    out.metadata.name = "w";
    out.metadata.namespace_ = "default";
    auto& one = out.status.emplace().conditions.emplace_back();
    one.type = type;
    one.status = status;
    one.reason = "Tested";
    one.last_transition_time = timestamp(wall_time(std::chrono::seconds(1'700'000'000)));
    return out;
}

/// "Ready=True Synced=False", in the order of the object.
std::string conditions_of(const result<widget>& answer) {
    REQUIRE_MESSAGE(answer, answer.error().what());
    REQUIRE(answer->status);
    std::string out;
    for (const auto& c : answer->status->conditions) {
        out += (out.empty() ? "" : " ") + std::string(c.type.view()) + "=" + std::string(c.status.view());
    }
    return out;
}

}  // namespace

TEST_CASE("two programs apply to one object") {
    world w;
    const auto made = w.await(w.c->apply(settings("x", "1"), apply_options("one")));
    REQUIRE(made);
    CHECK(made->data.at("x") == "1");
    const auto again = w.await(w.c->apply(settings("x", "1"), apply_options("one")));
    REQUIRE(again);
    CHECK(again->metadata.resource_version == made->metadata.resource_version);

    const auto refused = w.await(w.c->apply(settings("x", "2"), apply_options("two")));
    REQUIRE(!refused);
    CHECK(refused.error() == condition::conflict);
    CHECK(refused.error().message() ==
          "ConfigMap default/s: others own fields that are applied with another value: .data.x (conflict with "
          "\"one\"); leave these fields out, or take them over with force()");

    const auto forced = w.await(w.c->apply(settings("x", "2"), apply_options("two").force()));
    REQUIRE(forced);
    CHECK(forced->data.at("x") == "2");
    const auto other = w.await(w.c->apply(settings("y", "3"), apply_options("two")));
    REQUIRE(other);
    CHECK(other->data.size() == 1);
    CHECK(other->data.at("y") == "3");
}

// The same against a real API server: tests/e2e/test_schema.py.
TEST_CASE("two managers apply a condition each, and neither loses the other's") {
    for (const bool by_crd : {false, true}) {
        CAPTURE(by_crd);
        world w;
        if (by_crd) {
            REQUIRE(w.api.create(json::parse(crd_of<widget, kcontrol_test::widget_v1beta1>()->to_json()).value()));
        } else {
            w.api.register_resource(resource_type_of(resource_of<widget>()));
        }
        widget made;
        made.metadata.name = "w";
        made.metadata.namespace_ = "default";
        made.spec.color = "red";
        REQUIRE(w.await(w.c->create(made)));
        const auto apply = [&w](const widget& what, const char* manager) {
            return w.await(w.c->apply(what, apply_options(manager).subresource("status")));
        };
        CHECK(conditions_of(apply(with_condition("Ready", "True"), "one")) == "Ready=True");
        CHECK(conditions_of(apply(with_condition("Synced", "False"), "two")) == "Ready=True Synced=False");
        CHECK(conditions_of(apply(with_condition("Ready", "False"), "one")) == "Ready=False Synced=False");
        const auto refused = apply(with_condition("Ready", "True"), "two");
        REQUIRE(!refused);
        CHECK(refused.error().message().find(".status.conditions[type=\"Ready\"].status (conflict with \"one\"") !=
              std::string::npos);
        auto none = made;
        none.status.emplace();
        CHECK(conditions_of(apply(none, "two")) == "Ready=False");  // its own is gone, and no other's
    }
}

TEST_CASE("preconditions of an apply") {
    world w;
    const auto stale = apply_options("one").precondition_resource_version("1");
    const auto of_nobody = apply_options("one").precondition_uid("u");
    CHECK(w.await(w.c->apply(settings("x", "1"), of_nobody)).error() == condition::conflict);
    const auto made = w.await(w.c->apply(settings("x", "1"), apply_options("one")));
    REQUIRE(made);
    CHECK(w.await(w.c->apply(settings("x", "2"), stale)).error() == condition::conflict);
    CHECK(w.await(w.c->apply(settings("x", "2"), of_nobody)).error() == api_errc::invalid);
    auto exact = apply_options("one");
    exact.precondition_resource_version(std::string(made->metadata.resource_version));
    exact.precondition_uid(std::string(made->metadata.uid));
    CHECK(w.await(w.c->apply(settings("x", "2"), exact)).has_value());
}

TEST_CASE("only objects that were applied carry managedFields") {
    world w;
    REQUIRE(w.await(w.c->create(settings("x", "1"))));
    const group_resource maps("", "configmaps");
    const auto managed = [&] {
        const auto object = w.api.get(maps, {"default", "s"});
        REQUIRE(object);
        return json::find(*object, {"metadata", "managedFields"}) != nullptr;
    };
    CHECK(!managed());
    const auto patch = json::parse(R"({"data":{"y":"1"}})").value();
    REQUIRE(w.api.patch(maps, {"default", "s"}, patch));
    CHECK(!managed());
    const auto config =
        json::parse(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"s"},"data":{"z":"1"}})");
    REQUIRE(w.api.apply(*config, "me"));
    CHECK(managed());
    const auto clash =
        json::parse(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"s"},"data":{"x":"2"}})");
    const auto refused = w.api.apply(*clash, "me");
    REQUIRE(!refused);
    CHECK(refused.error().message() ==
          "Apply failed with 1 conflict: conflict with \"before-first-apply\" using v1: .data.x");
    CHECK(w.api.apply(*clash, "me", true).has_value());
}
