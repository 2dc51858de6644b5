// Which informer can answer a read, as tables.
#include <kcontrol/cluster/detail/read_plan.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using namespace kcontrol::detail;

label_selector labels(const char* text) { return label_selector::parse(text).value(); }
field_selector fields(const char* text) { return field_selector::parse(text).value(); }

TEST_CASE("read plan: which label selectors select no more than others") {
    struct row {
        const char* asked;
        const char* cached;
        bool implied;
    };
    const row rows[] = {
        {"", "", true},
        {"app=web", "", true},
        {"", "app=web", false},
        {"app=web", "app=web", true},
        {"app=web,tier=front", "app=web", true},
        {"app=web", "app=web,tier=front", false},
        {"app=web", "app in (web,db)", true},
        {"app in (web,db)", "app in (web,db,mail)", true},
        {"app in (web,db)", "app=web", false},
        {"app in (web)", "app=web", true},
        {"app=web", "app", true},
        {"app in (web,db)", "app", true},
        {"app>3", "app", true},
        {"app!=web", "app", false},
        {"!app", "app", false},
        {"app=web", "app!=db", true},
        {"app=db", "app!=db", false},
        {"app in (web,db)", "app notin (db)", false},
        {"!app", "app notin (db)", true},
        {"app notin (db,mail)", "app!=db", true},
        {"app!=db", "app notin (db,mail)", false},
        {"app>3", "app>3", true},
        {"app>4", "app>3", false},  // sound, not complete
        {"!app", "!app", true},
        {"app=web", "!app", false},
        {"apps=web", "app", false},
    };
    for (const row& one : rows) {
        CAPTURE(one.asked);
        CAPTURE(one.cached);
        CHECK(implies(labels(one.asked), labels(one.cached)) == one.implied);
    }
}

TEST_CASE("read plan: which field selectors select no more than others") {
    CHECK(implies(fields("a.b=c"), fields("")));
    CHECK(implies(fields("a.b=c,d=e"), fields("a.b=c")));
    CHECK_FALSE(implies(fields(""), fields("a.b=c")));
    CHECK_FALSE(implies(fields("a.b=d"), fields("a.b=c")));
    CHECK(implies(fields("a.b=d"), fields("a.b!=c")));
    CHECK_FALSE(implies(fields("a.b=c"), fields("a.b!=c")));
}

std::vector<cached_scope> scopes(std::initializer_list<cached_scope> all) { return all; }

TEST_CASE("read plan: an object is looked for in the scopes of its namespace") {
    const auto everything = scopes({cached_scope()});
    CHECK(plan_get({"a", "x"}, everything).from == std::vector<std::size_t>{0});
    CHECK(plan_get({"a", "x"}, everything).whole);

    const auto two = scopes({cached_scope("a", {}, {}), cached_scope("b", {}, {})});
    CHECK(plan_get({"b", "x"}, two).from == std::vector<std::size_t>{1});
    CHECK(plan_get({"b", "x"}, two).whole);
    const read_plan outside = plan_get({"c", "x"}, two);
    CHECK(outside.from.empty());
    CHECK(outside.refusal == "objects of the namespace a and objects of the namespace b");

    const auto selected = scopes({cached_scope("", labels("app=web"), fields("spec.node=n"))});
    const read_plan perhaps = plan_get({"a", "x"}, selected);
    CHECK(perhaps.from == std::vector<std::size_t>{0});
    CHECK_FALSE(perhaps.whole);
    CHECK(perhaps.refusal == "objects with the label selector \"app=web\" with the field selector \"spec.node=n\"");

    // What holds all is asked alone, wherever it stands.
    const auto both = scopes({cached_scope("", labels("app=web"), {}), cached_scope()});
    CHECK(plan_get({"a", "x"}, both).from == std::vector<std::size_t>{1});

    const auto single = scopes({cached_scope("", {}, fields("metadata.name=x"))});
    CHECK(plan_get({"a", "x"}, single).whole);
    CHECK_FALSE(plan_get({"a", "y"}, single).whole);
}

TEST_CASE("read plan: a list is answered by one scope that holds all of it") {
    const auto two = scopes({cached_scope("a", {}, {}), cached_scope("b", labels("app=web"), {})});
    CHECK(plan_list(cached_scope("a", labels("tier=front"), {}), two).from == std::vector<std::size_t>{0});
    CHECK(plan_list(cached_scope("b", labels("app=web,tier=front"), {}), two).from == std::vector<std::size_t>{1});
    CHECK(plan_list(cached_scope("b", {}, {}), two).from.empty());
    CHECK(plan_list(cached_scope("", {}, {}), two).from.empty());
    const auto of_node = scopes({cached_scope("", {}, fields("spec.node=n"))});
    CHECK(plan_list(cached_scope("a", {}, fields("spec.node=n")), of_node).whole);
    CHECK(plan_list(cached_scope("a", {}, {}), of_node).from.empty());
    const auto of_namespace = scopes({cached_scope("", {}, fields("metadata.namespace!=system"))});
    CHECK(plan_list(cached_scope("a", {}, {}), of_namespace).whole);
    CHECK(plan_list(cached_scope("system", {}, {}), of_namespace).from.empty());
}

TEST_CASE("read plan: a part by namespace answers for the namespaces in it, a part by uid for itself alone") {
    // The hash of "db" is in the first half, that of "default" in the second.
    const auto first = shard_selector::part(shard_selector::by::namespace_, 0, 2).value();
    const auto of_part = scopes({cached_scope("", {}, {}, first)});
    CHECK(plan_get({"db", "x"}, of_part).whole);
    CHECK(plan_get({"default", "x"}, of_part).from.empty());
    CHECK(plan_get({"default", "x"}, of_part).refusal ==
          "objects with the shard selector \"" + first.to_string() + "\"");
    CHECK(plan_list(cached_scope("db", {}, {}), of_part).whole);
    CHECK(plan_list(cached_scope("default", {}, {}), of_part).from.empty());
    CHECK(plan_list(cached_scope("", {}, {}), of_part).from.empty());
    CHECK(plan_list(cached_scope("", {}, {}, first), of_part).whole);
    CHECK(plan_list(cached_scope("", {}, {}, first), scopes({cached_scope()})).whole);

    const auto by_uid = shard_selector::part(shard_selector::by::uid, 0, 2).value();
    const auto some = scopes({cached_scope("", {}, {}, by_uid)});
    CHECK(plan_get({"db", "x"}, some).from == std::vector<std::size_t>{0});
    CHECK_FALSE(plan_get({"db", "x"}, some).whole);
    CHECK(plan_list(cached_scope("db", {}, {}), some).from.empty());
    CHECK(plan_list(cached_scope("db", {}, {}, by_uid), some).whole);
    CHECK(plan_list(cached_scope("db", {}, {}, first), some).from.empty());
}

}  // namespace
