// One cluster in parts: which part has which object, and that replicas which share the parts never work on the same
// object at once.
#include <kcontrol/model/shard_selector.hpp>
#include <kcontrol/multicluster/directory_source.hpp>
#include <kcontrol/multicluster/divided_source.hpp>

#include "multicluster/sharding_world.hpp"

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;

std::vector<desired_cluster> told(divided_source& source) {
    std::vector<desired_cluster> out;
    CHECK(source.start([&](std::vector<desired_cluster> all) { out = std::move(all); }).has_value());
    return out;
}

std::shared_ptr<cluster_source> two_clusters() {
    auth::cluster_config config;
    config.server(http::endpoint("https", "a", 443));
    return std::make_shared<fixed_source>(
        std::vector<desired_cluster>{{"a", config}, {"b", error(errc::invalid_config, "no server")}});
}

TEST_CASE("divided_source: each cluster is as many as there are parts") {
    divided_source source(
        two_clusters(),
        divided_source_options().parts(3).by(shard_selector::by::uid).undivided({resource_of<gadget>().gvk}));
    const auto all = told(source);
    REQUIRE(all.size() == 6);
    CHECK(all[0].name == "a#0");
    CHECK(all[5].name == "b#2");
    CHECK(all[2].part.selector == shard_selector::part(shard_selector::by::uid, 2, 3).value().to_string());
    CHECK(all[2].part.undivided == std::vector<group_version_kind>{resource_of<gadget>().gvk});
    CHECK(all[2].config.has_value());
    CHECK_FALSE(all[5].config.has_value());
    CHECK(all[0] != all[1]);
    auto same = all[0];
    CHECK(same == all[0]);
    same.part = all[1].part;
    CHECK_FALSE(same == all[0]);
    source.stop();
}

TEST_CASE("divided_source: what can't be divided is said") {
    const auto ignore = [](std::vector<desired_cluster>) {};
    divided_source none(two_clusters(), divided_source_options().parts(0));
    CHECK(none.start(ignore).error() == errc::invalid_argument);
    divided_source many(two_clusters(), divided_source_options().parts(70000));
    CHECK(many.start(ignore).error().message().find("parts()") != std::string::npos);
    divided_source empty(nullptr);
    CHECK(empty.start(ignore).error() == errc::invalid_argument);
}

/// Parts of one cluster in one process. Each namespace has five widgets and five gadgets.
struct parts_world : widget_world {
    explicit parts_world(divided_source_options how) : server(add("a")) {
        world.register_resource(testing::resource_type_of(resource_of<gadget>()));
        for (const auto* ns : {"ns0", "ns1", "ns2", "ns3"}) {
            (void)server.api.create({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", ns}}}})
                .value();
            for (int i = 0; i < 5; ++i) {
                server.create("w" + std::to_string(i), i, ns);
                (void)server.api
                    .create({{"apiVersion", "test.kcontrol.dev/v1"},
                             {"kind", "Gadget"},
                             {"metadata", {{"name", "g" + std::to_string(i)}, {"namespace", ns}}}})
                    .value();
            }
        }
        m.emplace(env, home, multicluster_options().transport(network.factory()));
        const auto note = [this](reconcile_context ctx, std::shared_ptr<const widget> w) {
            return seen(std::move(ctx), std::move(w));
        };
        CHECK(multicluster_controller(*m, "work").for_<widget>().complete(note));
        divided_source source(std::make_shared<fixed_source>(std::vector<desired_cluster>{{"a", server.config()}}),
                              std::move(how));
        CHECK(source.start([&](std::vector<desired_cluster> all) { m->set_desired(std::move(all)); }).has_value());
        context.run_for(5s);
    }
    ~parts_world() {
        world.ends_within(5min, m->stop());
        m.reset();
        context.run_for(2min);
    }
    reconciliation seen(reconcile_context ctx, std::shared_ptr<const widget> w) {
        const std::string part = ctx.get_cluster().name();
        const std::string key = w->metadata.namespace_.str() + "/" + w->metadata.name.str();
        ++count;
        CHECK_MESSAGE(owner.try_emplace(key, part).first->second == part, key);
        client c = ctx.get_cluster().get_client();
        const auto beside = co_await c.list<gadget>(list_options().in_namespace(w->metadata.namespace_.str()));
        answers.insert(beside ? std::to_string(beside->size()) : std::string(beside.error().message()));
        const auto all = co_await c.list<widget>();
        lists.insert(all ? std::to_string(all->size()) : std::string(all.error().message()));
        co_return reconcile_result::done();
    }

    widget_server& server;
    std::optional<multicluster_manager> m;
    std::map<std::string, std::string> owner;  // by object
    std::set<std::string> answers, lists;
    int count = 0;
};

TEST_CASE("divided_source: by namespace each object is one part's, and so is what belongs to it") {
    parts_world w(divided_source_options().parts(4));
    CHECK(w.count == 20);
    CHECK(w.owner.size() == 20);
    std::set<std::string> parts;
    for (const auto& [key, part] : w.owner) {
        const std::string ns = key.substr(0, key.find('/'));
        CHECK(part == w.owner.at(ns + "/w0"));
        parts.insert(part);
    }
    CHECK(parts.size() > 1);
    CHECK(w.answers == std::set<std::string>{"5"});
    // A list of everything would be a part of it.
    REQUIRE(w.lists.size() > 1);
    for (const auto& one : w.lists) CHECK(one.find("holds only objects with the shard selector") != std::string::npos);

    // A new object, a change and another namespace come to the part that has the namespace.
    w.server.create("later", 1, "ns2");
    w.context.run_for(5s);
    CHECK(w.owner.at("ns2/later") == w.owner.at("ns2/w0"));
    CHECK(w.count == 21);
}

TEST_CASE("divided_source: by uid the objects of a namespace are in several parts; undivided kinds are whole in each") {
    parts_world w(divided_source_options().parts(3).by(shard_selector::by::uid).undivided({resource_of<gadget>().gvk}));
    CHECK(w.count == 20);
    std::set<std::string> parts;
    for (int i = 0; i < 5; ++i) parts.insert(w.owner.at("ns0/w" + std::to_string(i)));
    CHECK(parts.size() > 1);
    // Nobody caches gadgets here: the server answers.
    CHECK(w.answers == std::set<std::string>{"5"});
}

TEST_CASE("divided_source: a part that changes leaves, and joins again with the other objects") {
    parts_world w(divided_source_options().parts(2));
    CHECK(w.count == 20);
    divided_source other(std::make_shared<fixed_source>(std::vector<desired_cluster>{{"a", w.server.config()}}),
                         divided_source_options().parts(1));
    w.owner.clear();
    CHECK(other.start([&](std::vector<desired_cluster> all) { w.m->set_desired(std::move(all)); }).has_value());
    w.context.run_for(30s);
    CHECK(w.owner.size() == 20);
    for (const auto& [key, part] : w.owner) CHECK(part == "a#0");
}

}  // namespace
