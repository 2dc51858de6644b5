#include "testserver/object_store.hpp"

#include "testing/print_outcome.hpp"
#include "testserver/watch_cursor.hpp"

#include <doctest/doctest.h>

using namespace kcontrol;
using namespace kcontrol::testing;

namespace {

// A store with a custom kind "things" and the built-in kinds.
struct fixture {
    std::uint64_t counter = 0;
    object_store store;
    object_store::table_ptr things, configmaps, namespaces;

    explicit fixture(store_options options = {}) : store(inputs(), options) {
        for (auto& type : builtin_resource_types()) store.add_resource(std::move(type));
        things = store.add_resource(resource_type("example.com", "v1", "Thing", "things"));
        configmaps = store.table({"", "configmaps"});
        namespaces = store.table({"", "namespaces"});
        make_namespace("ns");
    }
    store_inputs inputs() {
        store_inputs in;
        in.timestamp([] { return std::string("2026-01-01T00:00:00Z"); });
        in.random([this] { return ++counter * 0x9e3779b97f4a7c15ULL; });
        return in;
    }
    void make_namespace(const char* name) {
        json::object body;
        metadata_of(body)["name"] = name;
        REQUIRE(store.create(*namespaces, write_target(), std::move(body)));
    }
    // A namespace that somebody finalizes, with an object in it; and its finalizer's end.
    void make_kept() {
        json::object body;
        metadata_of(body)["name"] = "kept";
        metadata_of(body)["finalizers"] = json::array({"example.com/f"});
        REQUIRE(store.create(*namespaces, write_target(), std::move(body)));
        REQUIRE(store.create(*things, write_target("v1", "kept", ""), thing("free")));
    }
    void release_kept() {
        json::object released = namespaces->get({"", "kept"})->content();
        released["apiVersion"] = "v1";
        released["kind"] = "Namespace";
        metadata_of(released).erase("finalizers");
        REQUIRE(store.update(*namespaces, write_target("v1", "", "kept"), std::move(released)));
    }
    static json::object thing(std::string name, int size = 1) {
        json::object body;
        body["apiVersion"] = "example.com/v1";
        body["kind"] = "Thing";
        metadata_of(body)["name"] = name;
        body["spec"].emplace_object()["size"] = size;
        return body;
    }
    outcome<object_ptr> create(json::object body) { return store.create(*things, target(""), std::move(body)); }
    outcome<object_ptr> update(const char* name, json::object body, const char* subresource = "") {
        write_target to = target(name);
        to.subresource = subresource;
        return store.update(*things, to, std::move(body));
    }
    static write_target target(std::string name) { return write_target("v1", "ns", std::move(name)); }
    static json::object content(const object_ptr& object) {
        json::object whole = object->content();
        whole["apiVersion"] = "example.com/v1";
        whole["kind"] = "Thing";
        return whole;
    }
    static std::int64_t generation(const object_ptr& object) {
        json::object whole = object->content();
        return metadata_of(whole)["generation"].as_int64();
    }
};

}  // namespace

TEST_CASE("a created object gets what only the server sets") {
    fixture f;
    json::object body = fixture::thing("a");
    body["status"].emplace_object()["phase"] = "Cheating";
    metadata_of(body)["generation"] = 77;
    const auto created = f.create(std::move(body));
    REQUIRE(created);
    json::object whole = (*created)->content();
    CHECK_FALSE(whole.contains("status"));
    CHECK(fixture::generation(*created) == 1);
    CHECK(metadata_of(whole)["namespace"] == "ns");
    CHECK(metadata_of(whole)["creationTimestamp"] == "2026-01-01T00:00:00Z");
    CHECK((*created)->uid().size() == 36);
    CHECK((*created)->version() == f.store.version());
    CHECK(f.things->history().size() == 1);
}

TEST_CASE("creates that are refused") {
    fixture f;
    REQUIRE(f.create(fixture::thing("taken")));
    const std::uint64_t before = f.store.version();
    const auto code = [&f](json::object body, const char* ns = "ns") {
        const auto refused = f.store.create(*f.things, write_target("v1", ns, ""), std::move(body));
        REQUIRE_FALSE(refused);
        return refused.error().code;
    };
    CHECK(code(fixture::thing("taken")) == 409);
    CHECK(code(fixture::thing("Bad_Name")) == 422);
    CHECK(code(fixture::thing("-x")) == 422);
    CHECK(code(fixture::thing("a..b")) == 422);
    CHECK(code(fixture::thing("")) == 422);
    CHECK(code(fixture::thing("x"), "nowhere") == 404);
    json::object body = fixture::thing("x");
    metadata_of(body)["resourceVersion"] = "5";
    CHECK(code(body) == 500);
    body = fixture::thing("x");
    metadata_of(body)["namespace"] = "other";
    CHECK(code(body) == 400);
    body = fixture::thing("x");
    body.erase("kind");
    CHECK(code(body) == 400);
    body = fixture::thing("x");
    body["apiVersion"] = "example.com/v2";
    CHECK(code(body) == 400);
    body = fixture::thing("x");
    metadata_of(body)["labels"].emplace_object()["a"] = 5;
    CHECK(code(body) == 400);
    body = fixture::thing("x");
    metadata_of(body)["finalizers"] = "no list";
    CHECK(code(body) == 400);
    CHECK(f.store.version() == before);
}

TEST_CASE("generateName makes names that differ, and only with a seed's randomness") {
    fixture f;
    std::vector<std::string> names;
    for (int i = 0; i < 2; ++i) {
        json::object body = fixture::thing("");
        metadata_of(body)["generateName"] = "gen-";
        const auto created = f.create(std::move(body));
        REQUIRE(created);
        names.emplace_back(json::get_string(json::value((*created)->content()), {"metadata", "name"}));
    }
    CHECK(names[0] != names[1]);
    CHECK(names[0].size() == 9);
    CHECK(names[0].starts_with("gen-"));
}

TEST_CASE("updates: conflicts, generation, no change") {
    fixture f;
    const auto first = *f.create(fixture::thing("a"));

    SUBCASE("a changed spec counts the generation") {
        json::object body = fixture::content(first);
        body["spec"].as_object()["size"] = 2;
        const auto second = f.update("a", body);
        REQUIRE(second);
        CHECK(fixture::generation(*second) == 2);
        CHECK((*second)->version() > first->version());
        const auto stale = f.update("a", body);
        REQUIRE_FALSE(stale);
        CHECK(stale.error().code == 409);
        CHECK(stale.error().message ==
              "Operation cannot be fulfilled on things.example.com \"a\": the object has been modified; please apply "
              "your changes to the latest version and try again");
    }
    SUBCASE("labels do not") {
        json::object body = fixture::content(first);
        metadata_of(body)["labels"].emplace_object()["x"] = "y";
        const auto second = f.update("a", body);
        REQUIRE(second);
        CHECK(fixture::generation(*second) == 1);
        CHECK((*second)->labels().at("x") == "y");
    }
    SUBCASE("nothing changed: nothing happens") {
        const auto second = f.update("a", fixture::content(first));
        REQUIRE(second);
        CHECK(*second == first);
        CHECK(f.things->history().size() == 1);
    }
    SUBCASE("what the server owns stays") {
        json::object body = fixture::content(first);
        metadata_of(body)["generation"] = 99;
        metadata_of(body)["creationTimestamp"] = "1999-01-01T00:00:00Z";
        CHECK(*f.update("a", body) == first);
    }
    SUBCASE("a custom resource needs a resourceVersion, a core kind does not") {
        const auto refused = f.update("a", fixture::thing("a", 3));
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == 422);
        json::object map;
        metadata_of(map)["name"] = "m";
        REQUIRE(f.store.create(*f.configmaps, fixture::target(""), map));
        map["data"].emplace_object()["k"] = "v";
        CHECK(f.store.update(*f.configmaps, fixture::target("m"), map));
    }
    SUBCASE("another uid, another name, nobody there") {
        json::object body = fixture::content(first);
        metadata_of(body)["uid"] = "other";
        CHECK(f.update("a", body).error().code == 409);
        CHECK(f.update("a", fixture::thing("b")).error().code == 400);
        CHECK(f.update("b", fixture::thing("b")).error().code == 404);
    }
}

TEST_CASE("the status is written through its subresource only") {
    fixture f;
    const auto first = *f.create(fixture::thing("a"));
    json::object body = fixture::content(first);
    body["status"].emplace_object()["phase"] = "Running";
    CHECK(*f.update("a", body) == first);
    body["spec"].as_object()["size"] = 9;
    metadata_of(body)["labels"].emplace_object()["x"] = "y";
    const auto second = f.update("a", body, "status");
    REQUIRE(second);
    json::object now = (*second)->content();
    CHECK(now["status"].as_object()["phase"] == "Running");
    CHECK(now["spec"].as_object()["size"] == 1);
    CHECK((*second)->labels().empty());
    CHECK(fixture::generation(*second) == 1);
}

TEST_CASE("finalizers keep a deleted object until the last one goes") {
    fixture f;
    json::object body = fixture::thing("a");
    metadata_of(body)["finalizers"] = json::array({"example.com/f"});
    REQUIRE(f.create(std::move(body)));
    const namespaced_name key("ns", "a");
    const auto removed = f.store.remove(*f.things, key);
    REQUIRE(removed);
    CHECK_FALSE(removed->deleted);
    CHECK(removed->object->terminating());
    CHECK(fixture::generation(removed->object) == 2);
    const std::uint64_t version = f.store.version();
    CHECK_FALSE(f.store.remove(*f.things, key)->deleted);
    CHECK(f.store.version() == version);

    json::object more = fixture::content(f.things->get(key));
    metadata_of(more)["finalizers"] = json::array({"example.com/f", "example.com/g"});
    CHECK(f.update("a", more).error().code == 422);
    json::object revived = fixture::content(f.things->get(key));
    metadata_of(revived).erase("deletionTimestamp");
    CHECK(*f.update("a", revived) == f.things->get(key));

    json::object last = fixture::content(f.things->get(key));
    metadata_of(last)["finalizers"] = json::array();
    const auto answer = f.update("a", last);
    REQUIRE(answer);
    CHECK((*answer)->version() == version);  // as Kubernetes shows it
    CHECK(f.things->get(key) == nullptr);
    CHECK(f.things->history().back().what == change::deleted);
    CHECK(f.things->history().back().object->version() == f.store.version());
}

TEST_CASE("deletes: preconditions, dry run, twice") {
    fixture f;
    const auto first = *f.create(fixture::thing("a"));
    const namespaced_name key("ns", "a");
    delete_request request;
    request.uid("other");
    CHECK(f.store.remove(*f.things, key, request).error().code == 409);
    request.uid(first->uid());
    request.resource_version("1");
    CHECK(f.store.remove(*f.things, key, request).error().code == 409);
    request.resource_version(std::to_string(first->version()));
    request.dry_run(true);
    CHECK(f.store.remove(*f.things, key, request)->deleted);
    CHECK(f.things->get(key) == first);
    request.dry_run(false);
    CHECK(f.store.remove(*f.things, key, request)->deleted);
    CHECK(f.store.remove(*f.things, key, request).error().code == 404);
}

TEST_CASE("a namespace takes its contents with it") {
    fixture f;
    json::object held = fixture::thing("held");
    metadata_of(held)["finalizers"] = json::array({"example.com/f"});
    REQUIRE(f.create(std::move(held)));
    REQUIRE(f.create(fixture::thing("free")));
    CHECK_FALSE(f.store.remove(*f.namespaces, {"", "ns"})->deleted);
    CHECK(f.things->objects().size() == 1);
    const auto refused = f.create(fixture::thing("late"));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == 403);
    json::object last = fixture::content(f.things->get({"ns", "held"}));
    metadata_of(last).erase("finalizers");
    REQUIRE(f.update("held", last));
    CHECK(f.namespaces->get({"", "ns"}) == nullptr);
}

TEST_CASE("an empty namespace stays as long as it has finalizers of its own") {
    fixture f;
    f.make_kept();
    CHECK_FALSE(f.store.remove(*f.namespaces, {"", "kept"})->deleted);
    CHECK(f.things->objects().empty());
    const object_ptr left = f.namespaces->get({"", "kept"});
    REQUIRE(left != nullptr);
    CHECK(left->terminating());
    CHECK_FALSE(left->content().at("spec").as_object().contains("finalizers"));  // nobody else is waited for
    f.release_kept();
    CHECK(f.namespaces->get({"", "kept"}) == nullptr);
    CHECK(f.namespaces->history().back().what == change::deleted);
}

TEST_CASE("what a listener does to a namespace as its last object goes is not undone") {
    fixture f;
    f.make_kept();
    f.store.on_change([&f](const resource_table& table, const store_event* event) {
        if (&table == f.things.get() && event != nullptr && event->what == change::deleted) f.release_kept();
    });
    static_cast<void>(f.store.remove(*f.namespaces, {"", "kept"}));
    f.store.on_change(nullptr);
    CHECK(f.namespaces->get({"", "kept"}) == nullptr);
}

TEST_CASE("old states can be read as long as the history reaches back") {
    fixture f(store_options().history_window(3));
    REQUIRE(f.create(fixture::thing("a")));
    const std::uint64_t one = f.store.version();
    REQUIRE(f.create(fixture::thing("b")));
    REQUIRE(f.store.remove(*f.things, {"ns", "a"}));
    const auto names_at = [&f](std::uint64_t version) {
        std::string names;
        f.things->visit_at(version, {}, [&](const namespaced_name& key, const object_ptr&) {
            names += key.name;
            return true;
        });
        return names;
    };
    CHECK(names_at(one) == "a");
    CHECK(names_at(one + 1) == "ab");
    CHECK(names_at(one + 2) == "b");
    CHECK(f.things->get_at({"ns", "a"}, one + 1) != nullptr);
    CHECK(f.things->get_at({"ns", "b"}, one) == nullptr);
    REQUIRE(f.create(fixture::thing("c")));
    CHECK(f.things->oldest() == one);
    CHECK(f.things->compacted_version() == one);
    f.store.compact(f.store.version());
    CHECK(f.things->history().empty());
    CHECK(f.things->oldest() == f.store.version());
}

TEST_CASE("the objects of a namespace are those of no other") {
    fixture f;
    for (const char* ns : {"n", "nsa", "ns-a"}) f.make_namespace(ns);
    for (const char* ns : {"n", "ns", "nsa", "ns-a"}) {
        for (const char* name : {"a", "b"}) {
            REQUIRE(f.store.create(*f.things, write_target("v1", ns, ""), fixture::thing(name)));
        }
    }
    const auto found = [&f](std::string_view ns) {
        std::string keys;
        for (const auto& [key, object] : f.things->objects_in(ns)) keys += key.namespace_ + "/" + key.name + " ";
        return keys;
    };
    CHECK(found("ns") == "ns/a ns/b ");
    CHECK(found("n") == "n/a n/b ");
    CHECK(found("none") == "");
    CHECK(found("") == "n/a n/b ns/a ns/b ns-a/a ns-a/b nsa/a nsa/b ");
}

TEST_CASE("a watcher with a selector sees objects come and go") {
    fixture f;
    object_filter filter;
    filter.labels = label_selector::parse("on=yes").value();
    watch_cursor cursor(f.things, filter, f.store.version());
    f.store.on_change([&](const resource_table&, const store_event* event) { cursor.notify(event->version); });
    const auto seen = [&]() -> std::string {
        const auto event = cursor.next(f.store.version());
        if (!event) return "nothing";
        CHECK(event->object->version() == f.store.version());
        return std::string(event->type) + (event->object->labels().contains("on") ? " on" : " off");
    };
    const auto label = [&f](const char* value) {
        json::object body = fixture::content(f.things->get({"ns", "a"}));
        metadata_of(body)["labels"].emplace_object()["on"] = value;
        REQUIRE(f.update("a", std::move(body)));
    };
    REQUIRE(f.create(fixture::thing("a")));
    CHECK(seen() == "nothing");
    label("yes");
    CHECK(seen() == "ADDED on");
    label("no");
    CHECK(seen() == "DELETED on");  // as it was when it matched
    label("yes");
    CHECK(seen() == "ADDED on");
    REQUIRE(f.store.remove(*f.things, {"ns", "a"}));
    CHECK(seen() == "DELETED on");
    CHECK(seen() == "nothing");
    CHECK(cursor.position() == f.store.version());
}

TEST_CASE("a watcher loses only what it was told of, or what came before it was there") {
    fixture f(store_options().history_window(2));
    watch_cursor told(f.things, {}, f.store.version()), untold = told;
    const std::uint64_t before = f.store.version();
    f.store.on_change([&](const resource_table&, const store_event* event) { told.notify(event->version); });
    REQUIRE(f.create(fixture::thing("a")));
    REQUIRE(f.create(fixture::thing("b")));
    watch_cursor late(f.things, {}, before);
    CHECK(late.next(before + 1)->object->version() == before + 1);
    CHECK(late.position() == before + 1);
    CHECK_FALSE(told.lost_events());
    REQUIRE(f.create(fixture::thing("c")));
    CHECK(told.lost_events());
    CHECK(told.position() == before);
    CHECK(watch_cursor(f.things, {}, before).lost_events());
    CHECK_FALSE(late.lost_events());
    CHECK(late.next(before + 3)->object->version() == before + 2);
    CHECK_FALSE(untold.lost_events());
    untold.pass(before + 3);
    CHECK(untold.position() == before + 3);
    // What is not shown yet, by a replica that lags, stays to be seen.
    watch_cursor behind(f.things, {}, before + 2);
    CHECK_FALSE(behind.next(before + 2));
    behind.pass(before + 5);
    CHECK(behind.position() == before + 2);
    CHECK(behind.next(before + 3)->object->version() == before + 3);
}

TEST_CASE("a kind that is no longer served lets its objects go first") {
    fixture f;
    REQUIRE(f.create(fixture::thing("a")));
    const auto kept = f.things;
    CHECK(f.store.remove_resource({"example.com", "things"}));
    CHECK_FALSE(f.store.remove_resource({"example.com", "things"}));
    CHECK(kept->removed());
    CHECK(kept->history().back().what == change::deleted);
    const auto again = f.store.add_resource(resource_type("example.com", "v1", "Thing", "things"));
    CHECK(again->oldest() == f.store.version());
}
