// Namespaces as clusters: each has its own objects, by one server and one login.
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/multicluster/multicluster_controller.hpp>
#include <kcontrol/multicluster/multicluster_manager.hpp>
#include <kcontrol/multicluster/namespace_source.hpp>

#include "multicluster/object_fixture.hpp"

#include <doctest/doctest.h>

#include <set>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

const testing::group_resource namespaces{"", "namespaces"};

struct fixture : object_fixture {
    void put_namespace(const std::string& name, const json::value& labels = json::object()) {
        put(namespaces,
            {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name}, {"labels", labels}}}});
    }
    std::unique_ptr<multicluster_manager> manage(multicluster_options o) {
        o.transport(network.factory());
        return std::make_unique<multicluster_manager>(env, home, std::move(o));
    }
    void feed(multicluster_manager& to) {
        REQUIRE(source->start([&to](std::vector<desired_cluster> d) { to.set_desired(std::move(d)); }).has_value());
        settle(2s);
    }
};

}  // namespace

TEST_CASE_FIXTURE(fixture, "namespaces: each that is selected is a cluster at the home cluster's server") {
    put_namespace("a", {{"tenant", "yes"}});
    put_namespace("other");
    use<namespace_source>(namespace_source_options().selector("tenant"));
    start();
    CHECK(told == 1);
    REQUIRE(names() == words{"a"});
    const auto& a = last.at("a");
    CHECK(a.config->server_url() == at_home.config().server_url());
    CHECK(a.config->default_namespace() == "a");
    CHECK(a.namespaces == words{"a"});
    CHECK(a.labels.at("tenant") == "yes");
    put_namespace("b", {{"tenant", ""}});
    CHECK(names() == words{"a", "b"});
    CHECK(last.at("b").config->default_namespace() == "b");
    put_namespace("b");
    CHECK(names() == words{"a"});  // it is not selected any more
    remove(namespaces, "", "a");
    CHECK(last.empty());
    CHECK(told == 4);
}

TEST_CASE_FIXTURE(fixture, "namespaces: without a selector each is one") {
    put_namespace("a");
    use<namespace_source>();
    start();
    CHECK(std::set<std::string>{"a", "default"} == [&] {
        std::set<std::string> out;
        for (const auto& n : names()) {
            if (!n.starts_with("kube-")) out.insert(n);
        }
        return out;
    }());
}

TEST_CASE_FIXTURE(fixture, "namespaces: a controller over all sees each object in the cluster that is its namespace") {
    put_namespace("a", {{"tenant", ""}});
    put_namespace("b", {{"tenant", ""}});
    at_home.create("x", 1, "a");
    at_home.create("x", 1, "b");
    at_home.create("x", 1, "default");
    use<namespace_source>(namespace_source_options().selector("tenant"));
    const auto manager = manage(multicluster_options().namespaces({"default"}));
    std::multiset<std::string> seen;
    const auto added = multicluster_controller(*manager, "widgets")
                           .for_<widget>()
                           .complete([&](reconcile_context ctx, std::shared_ptr<const widget> w) -> reconcile_result {
                               seen.insert(ctx.get_cluster().name() + ": " + to_string(key_of(w->metadata)) + " by " +
                                           ctx.get_cluster().get_client().default_namespace());
                               return reconcile_result::done();
                           });
    REQUIRE(added.has_value());
    feed(*manager);
    CHECK(seen == std::multiset<std::string>{"a: a/x by a", "b: b/x by b"});
    seen.clear();
    at_home.create("y", 1, "b");
    at_home.create("y", 1, "default");
    settle(2s);
    CHECK(seen == std::multiset<std::string>{"b: b/y by b"});
    CHECK(at_home.watches() == 2);
    ends_within(5s, manager->stop());
}

TEST_CASE_FIXTURE(fixture,
                  "namespaces: the options of a kind stay, but for its namespaces; a kind without any is seen whole") {
    put_namespace("a", {{"tenant", ""}});
    at_home.create("x", 1, "a");
    at_home.create("y", 1, "a");
    at_home.create("x", 1, "default");
    use<namespace_source>(namespace_source_options().selector("tenant"));
    std::set<std::string> seen;
    const auto manager =
        manage(multicluster_options()
                   .kinds({kind_choice(resource_of<widget>()), kind_choice(resource_of<api::core::v1::namespace_>())})
                   .cache(cache_options().for_kind<widget>(informer_options().field_selector("metadata.name=x"),
                                                           {"default", "kube-system"}))
                   .on_event([&](const std::string& cluster, const resource_info& kind, const any_event& e) {
                       seen.insert(cluster + ": " + kind.gvk.kind + " " + to_string(e.object().key()));
                   }));
    feed(*manager);
    CHECK(seen.contains("a: Widget a/x"));
    CHECK_FALSE(seen.contains("a: Widget a/y"));
    CHECK_FALSE(seen.contains("a: Widget default/x"));
    CHECK(seen.contains("a: Namespace default"));
    ends_within(5s, manager->stop());
}

TEST_CASE_FIXTURE(fixture, "namespaces: one that comes or goes touches no other; other limits are another cluster") {
    put_namespace("a", {{"tenant", ""}});
    use<namespace_source>(namespace_source_options().selector("tenant"));
    std::string removed;
    const auto manager = manage(
        multicluster_options().kinds({kind_choice(resource_of<widget>())}).on_removed([&](const std::string& name) {
            removed += name;
        }));
    feed(*manager);
    CHECK(at_home.lists() == 1);
    put_namespace("b", {{"tenant", ""}});
    settle(2s);
    CHECK(manager->names() == words{"a", "b"});
    CHECK(at_home.lists() == 2);
    remove(namespaces, "", "b");
    settle(2s);
    CHECK(removed == "b");
    CHECK(at_home.lists() == 2);

    source->stop();
    desired_cluster wider("a", at_home.config());
    wider.namespaces = {"a", "default"};
    wider.labels = {{"tenant", ""}};
    manager->set_desired({wider});
    settle(2s);
    CHECK(manager->names() == words{"a"});
    CHECK(at_home.lists() == 4);  // engaged anew, with a list for each
    ends_within(5s, manager->stop());
}
