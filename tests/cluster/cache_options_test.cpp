// Options of all kinds and of single ones, and what several namespaces look like as one.
#include <kcontrol/cluster/cache_options.hpp>
#include <kcontrol/cluster/home_cluster.hpp>

#include "support/widget_world.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

struct region {
    static constexpr resource_name kcontrol_resource{"test.kcontrol.dev", "v1", "Region", "regions",
                                                     resource_scope::cluster};
    object_meta metadata;
    static constexpr auto kcontrol_fields() { return fields(); }
};

std::string describe(const std::vector<informer_options>& all) {
    std::string out;
    for (const auto& one : all) {
        out += "[" + one.in_namespace() + " " + one.label_selector() + " " + std::to_string(one.page_size()) + "]";
    }
    return out;
}

TEST_CASE("cache_options: what is set for a kind holds for it alone, in place of what is set for all") {
    cache_options options(informer_options().label_selector("app=x").page_size(50));
    options.for_kind<gadget>(informer_options().label_selector("app=y"), {"b", "a", "b"});
    CHECK(describe(options.of(resource_of<widget>())) == "[ app=x 50]");
    CHECK(describe(options.of(resource_of<gadget>())) == "[a app=y 500][b app=y 500]");
    // Of a version nothing is said.
    CHECK(describe(options.of(resource_of<widget_v2>())) == "[ app=x 50]");
    options.for_kind(resource_of<widget>().gvk, informer_options().in_namespace("one"));
    CHECK(describe(options.of(resource_of<widget>())) == "[one  500]");
    options.for_kind<widget>(informer_options());
    CHECK(describe(options.of(resource_of<widget>())) == "[  500]");
}

TEST_CASE("cache_options: namespaces are those of kinds that have some, and all of them hold each") {
    cache_options options;
    options.namespaces({"b", "a"});
    CHECK(describe(options.of(resource_of<widget>())) == "[a  500][b  500]");
    CHECK(describe(options.of(resource_of<region>())) == "[  500]");
    options.namespaces({"b", ""});
    CHECK(describe(options.of(resource_of<widget>())) == "[  500]");
}

TEST_CASE("cache_options: a namespace may have options of its own, and all others have theirs") {
    const auto selected = [](const char* labels) { return informer_options().label_selector(labels); };
    const auto texts = [](const kind_options& options) {
        std::string out;
        for (const auto& one : options.of(resource_of<widget>())) {
            out += "[" + one.in_namespace() + " " + one.label_selector() + " " + one.field_selector() + "]";
        }
        return out;
    };
    const auto by_field = informer_options().field_selector("spec.x=1");
    CHECK(texts(kind_options().in_namespace("b", selected("b=1")).in_namespace("a", selected("a=1"))) ==
          "[a a=1 ][b b=1 ]");
    CHECK(texts(kind_options(selected("x=1"), {"c", "a"}).in_namespace("a", selected("a=1"))) == "[a a=1 ][c x=1 ]");
    CHECK(texts(kind_options().in_namespace("a", selected("a=1").in_namespace("z"))) == "[a a=1 ]");
    CHECK(texts(kind_options().other_namespaces(selected("o=1"))) == "[ o=1 ]");
    CHECK(texts(kind_options().in_namespace("b", {}).namespaces({"a"}).other_namespaces(by_field)) ==
          "[a  ][b  ][  spec.x=1,metadata.namespace!=a,metadata.namespace!=b]");
    CHECK(texts(kind_options(selected("x=1"), {""}).in_namespace("a", selected("a=1"))) ==
          "[a a=1 ][ x=1 metadata.namespace!=a]");
    CHECK(texts(kind_options(selected("x=1"), {"", "b"})) == "[ x=1 ]");
    // What belongs to no namespace has one watch.
    cache_options all;
    all.all_kinds(kind_options(selected("x=1")).in_namespace("a", selected("a=1")));
    CHECK(describe(all.of(resource_of<region>())) == "[ x=1 500]");
    CHECK(describe(all.of(resource_of<widget>())) == "[a a=1 500]");
    all.for_kind<widget>(kind_options().in_namespace("c", {}));
    CHECK(describe(all.of(resource_of<widget>())) == "[c  500]");
}

struct fixture : widget_world {
    fixture() : server(add("a")) {
        for (const auto* ns : {"team-a", "team-b", "team-c"}) {
            (void)server.api.create({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", ns}}}})
                .value();
        }
        cache_options options;
        options.for_kind<widget>(informer_options().probe_period(5s), {"team-b", "team-a"});
        home_of_a.emplace(env, home, connect(server.config("token")), options);
    }
    ~fixture() {
        run(home_of_a->informers().stop());
        settle();
    }
    void settle(duration d = 2s) { context.run_for(d); }

    widget_server& server;
    std::optional<home_cluster> home_of_a;
};

TEST_CASE_FIXTURE(fixture, "merged_informer: several namespaces are watched one by one, and are one view") {
    auto merged = home_of_a->get_informers<widget>();
    CHECK(home_of_a->get_informer<widget>() == nullptr);
    REQUIRE(merged.parts().size() == 2);
    server.create("x", 1, "team-a");
    server.create("y", 2, "team-b");
    server.create("z", 3, "team-c");
    std::string told;
    auto held = merged.subscribe([&](const any_event& e) {
        told += std::string(e.object().meta().namespace_) + "/" + std::string(e.object().meta().name) + " ";
    });
    CHECK_FALSE(held.has_synced());
    CHECK(merged.status().state == informer_state::idle);
    home_of_a->informers().start();
    CHECK(run(merged.wait_synced({})));
    CHECK(run(held.wait_synced({})));
    CHECK(held.has_synced());
    CHECK(merged.has_synced());
    CHECK(server.lists() == 2);
    CHECK(merged.size() == 2);
    CHECK(merged.list().size() == 2);
    CHECK(merged.list().front()->metadata.name == "x");
    CHECK(merged.list("team-b").size() == 1);
    CHECK(merged.list("team-c").empty());
    REQUIRE(merged.get({"team-b", "y"}) != nullptr);
    CHECK(merged.get({"team-b", "y"})->spec.value == 2);
    CHECK(merged.get({"team-c", "z"}) == nullptr);
    CHECK(merged.get({"team-a", "y"}) == nullptr);
    CHECK((told == "team-a/x team-b/y " || told == "team-b/y team-a/x "));
    server.create("later", 0, "team-b");
    settle();
    CHECK(told.find("team-b/later") != std::string::npos);
    CHECK(merged.status().objects == 3);
    CHECK(merged.status().state == informer_state::live);
    // The source of a controller has them all.
    CHECK(home_of_a->source_of(resource_of<widget>())->get({"team-a", "x"}));
    const auto reports = home_of_a->informer_reports();
    REQUIRE(reports.size() == 2);
    CHECK(reports.front().name() == "Widget (test.kcontrol.dev/v1) in team-a");
    CHECK(reports.back().namespace_ == "team-b");
}

TEST_CASE_FIXTURE(fixture, "cache_options: one namespace by its labels and the rest whole are read as one cache") {
    for (const auto* name : {"x", "y"}) server.create(name, 1, "team-a");
    server.create("z", 3, "team-b");
    (void)server.api.patch(widgets, {"team-a", "x"}, {{"metadata", {{"labels", {{"app", "main"}}}}}}).value();
    cache_options options;
    options.for_kind<widget>(
        kind_options().in_namespace("team-a", informer_options().label_selector("app=main")).other_namespaces({}));
    home_cluster other(env, home, connect(server.config("token")), options);
    auto merged = other.get_informers<widget>();
    other.informers().start();
    REQUIRE(run(merged.wait_synced({})));
    CHECK(merged.size() == 2);
    CHECK(merged.get({"team-a", "x"}) != nullptr);
    CHECK(merged.get({"team-a", "y"}) == nullptr);
    CHECK(merged.get({"team-b", "z"}) != nullptr);
    // The reading client knows of each object which cache is sure to hold it.
    const auto requests = server.api.request_log().requests().size();
    CHECK(run(other.get_client().get<widget>({"team-b", "z"})));
    CHECK(run(other.get_client().get<widget>({"team-b", "none"})).error() == api_errc::not_found);
    CHECK(run(other.get_client().get<widget>({"team-a", "x"})));
    CHECK(run(other.get_client().get<widget>({"team-a", "y"})).error() == errc::invalid_argument);
    CHECK(server.api.request_log().requests().size() == requests);
    run(other.informers().stop());
    settle();
}

TEST_CASE_FIXTURE(fixture, "merged_informer: its state is the worst, and the reason names the namespace") {
    server.api.access().forbid(testing::access_rule("*", "*", "widgets", "team-b"));
    auto merged = home_of_a->get_informers<widget>();
    home_of_a->informers().start();
    settle();
    CHECK(merged.parts().front()->status().state == informer_state::live);
    CHECK(merged.status().state == informer_state::forbidden);
    CAPTURE(merged.status().reason);
    CHECK(merged.status().reason.starts_with("namespace team-b: "));
    CHECK_FALSE(merged.has_synced());
    CHECK_FALSE(run(merged.wait_synced({}, env.now() + 1s)));
    server.api.access().permit_all();
    settle(6s);
    CHECK(merged.status().state == informer_state::live);
    CHECK(merged.status().reason == "");
    CHECK(merged.has_synced());
}

}  // namespace
