#include <kcontrol/cache/store.hpp>
#include <kcontrol/values/boxed.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace kcontrol;

struct inner {
    text node;
    std::optional<std::int32_t> count;
};
struct thing {
    object_meta metadata;
    boxed<inner> spec;
    std::optional<inner> status;
    bool done = false;
};

struct maker {
    explicit maker(std::string name) {
        object.metadata.namespace_ = "default";
        object.metadata.name = std::move(name);
    }
    maker& label(const char* key, const char* value) {
        object.metadata.labels.insert_or_assign(key, value);
        return *this;
    }
    maker& owner(const char* uid, bool controls) {
        owner_reference reference;
        reference.uid = uid;
        reference.controller = controls;
        object.metadata.owner_references.push_back(std::move(reference));
        return *this;
    }
    maker& node(const char* name) {
        object.spec = inner{name, {}};
        return *this;
    }
    any_object done() const { return any_object(std::make_shared<const thing>(object)); }

    thing object;
};

// By name, and counts how often it is asked.
index_rule by_name(std::shared_ptr<int> count) {
    return index_rule([count = std::move(count)](const any_object& object, index_keys& to) {
        ++*count;
        to.add(object.meta().name);
    });
}

std::string names(const found_objects& found) {
    std::string out;
    for (const auto& object : found) out += (out.empty() ? "" : " ") + object.meta().name.str();
    return out;
}

}  // namespace

TEST_CASE("index: the ready rules and own functions, as a table") {
    store s;
    s.apply(maker("a").label("app", "web").owner("u1", true).node("n1").done());
    // Rules that are there before an object comes and those that come after it find the same.
    const auto run = [&](const char* when, const auto& add) {
        CAPTURE(when);
        const auto by_label = *s.add_index("label", index_by_label("app"));
        const auto by_owner = *s.add_index("owner", index_by_owner());
        const auto by_controller = *s.add_index("controller", index_by_controller());
        const auto by_namespace = *s.add_index("namespace", index_by_namespace());
        const auto by_node = *s.add_index("node", index_by_field(&thing::spec, &inner::node));
        const auto by_count = *s.add_index("count", index_by_field(&thing::status, &inner::count));
        const auto by_done = *s.add_index("done", index_by_field(&thing::done));
        const auto by_both = *s.add_index("both", index_rule::of<thing>([](const thing& t) {
                                              return std::vector<std::string>{t.metadata.name.str(), "every", "every"};
                                          }));
        const auto by_some =
            *s.add_index("some", index_rule::of<thing>([](const thing& t) {
                             return t.metadata.name == "b" ? std::optional<std::string>("b") : std::nullopt;
                         }));
        add();
        CHECK(names(s.by_index(by_label, "web")) == "a c");
        CHECK(names(s.by_index(by_label, "")) == "");
        CHECK(names(s.by_index(by_owner, "u1")) == "a b");
        CHECK(names(s.by_index(by_owner, "u2")) == "b");
        CHECK(names(s.by_index(by_controller, "u1")) == "a");
        CHECK(names(s.by_index(by_controller, "u2")) == "b");
        CHECK(names(s.by_index(by_namespace, "default")) == "a b c");
        CHECK(names(s.by_index(by_node, "n1")) == "a");
        CHECK(names(s.by_index(by_node, "")) == "b c");
        CHECK(names(s.by_index(by_count, "3")) == "c");
        CHECK(names(s.by_index(by_count, "")) == "a b");
        CHECK(names(s.by_index(by_done, "false")) == "a b c");
        CHECK(names(s.by_index(by_both, "every")) == "a b c");
        CHECK(names(s.by_index(by_both, "b")) == "b");
        CHECK(names(s.by_index(by_some, "b")) == "b");
        // The same of an object that is not there.
        const any_object other = maker("d").label("app", "web").node("n1").owner("u3", false).owner("u4", true).done();
        CHECK(s.has_key("node", "n1", other));
        CHECK(s.has_key("owner", "u3", other));
        CHECK(s.has_key("owner", "u4", other));
        CHECK_FALSE(s.has_key("controller", "u3", other));
        CHECK_FALSE(s.has_key("node", "", other));
        CHECK_FALSE(s.has_key("some", "b", other));
        CHECK_FALSE(s.has_key("app", "web", other));  // the index is called "label"
    };
    run("they come before the objects", [&] {
        s.apply(maker("b").owner("u1", false).owner("u2", true).done());
        maker c("c");
        c.label("app", "web").object.status = inner{"", 3};
        s.apply(c.done());
    });
    run("they come after", [] {});
}

TEST_CASE("index: it follows what becomes of an object") {
    store s;
    const auto by_app = *s.add_index("app", index_by_label("app"));
    for (const char* name : {"a", "b", "c"}) s.apply(maker(name).label("app", "x").done());
    const auto before = s.snapshot();
    s.apply(maker("b").label("app", "y").done());
    s.apply(maker("c").done());
    CHECK(names(s.by_index(by_app, "x")) == "a");
    CHECK(names(s.by_index(by_app, "y")) == "b");
    s.remove(maker("b").done());
    CHECK(names(s.by_index(by_app, "y")) == "");
    s.replace(store_content({maker("d").label("app", "x").done(), maker("a").label("app", "x").done()}), false);
    CHECK(names(s.by_index(by_app, "x")) == "a d");
    CHECK(names(*before.by_index("app", "x")) == "a b c");
}

TEST_CASE("index: a name is taken once, and errors say what there is") {
    store s, other;
    auto app = s.add_index("app", index_by_label("app"));
    REQUIRE(app.has_value());
    CHECK(app->name() == "app");
    const auto again = s.add_index("app", index_by_owner());
    REQUIRE(again.has_error());
    CHECK(again.error() == errc::invalid_argument);
    CHECK(again.error().what().find("\"app\" already") != std::string::npos);
    CHECK(s.add_index("", index_by_owner()).error() == errc::invalid_argument);
    CHECK(s.add_index("x", index_rule(nullptr)).error() == errc::invalid_argument);
    CHECK(s.snapshot().by_index("owner", "").error().what().find("there are: app") != std::string::npos);
    CHECK_THROWS_AS((void)other.by_index(*app, "x"), exception);
    CHECK_THROWS_AS((void)s.by_index(store_index(), "x"), exception);

    // The last copy of what keeps it gives it up; what readers hold stays.
    s.apply(maker("a").label("app", "x").done());
    const auto held = s.snapshot();
    auto copy = *app;
    app->reset();
    CHECK(names(s.by_index(copy, "x")) == "a");
    copy.reset();
    CHECK(s.snapshot().by_index("app", "x").error().what().find("there is none") != std::string::npos);
    CHECK(names(*held.by_index("app", "x")) == "a");
    CHECK(s.add_index("app", index_by_owner()).has_value());
}

TEST_CASE("index: it is freed with the last copy of its handle") {
    store s;
    const auto state = std::make_shared<int>(0);  // how often the function is asked
    auto index = *s.add_index("name", by_name(state));
    s.apply(maker("a").done());
    auto copy = index;
    index.reset();
    s.apply(maker("b").done());
    CHECK(*state == 2);
    CHECK(state.use_count() > 1);
    const auto held = s.snapshot();
    copy.reset();
    CHECK(state.use_count() == 1);
    s.apply(maker("c").done());
    s.replace(store_content({maker("d").done()}), false);
    CHECK(*state == 2);
    CHECK(names(*held.by_index("name", "a")) == "a");
}

TEST_CASE("index: its handle may outlive its store, keeps nothing of it, and is of no other") {
    const auto state = std::make_shared<int>(0);
    store_index kept;
    {
        store s;
        kept = *s.add_index("name", by_name(state));
    }
    CHECK(state.use_count() == 1);
    CHECK(kept.name() == "name");
    store next;
    const auto own = *next.add_index("name", by_name(state));
    next.apply(maker("a").done());
    CHECK_THROWS_AS((void)next.by_index(kept, "a"), exception);
    auto copy = kept;
    kept.reset();
    CHECK_FALSE(kept);
    CHECK(copy.name() == "name");
    copy.reset();  // that index was its store's first, as `own` is
    CHECK(names(next.by_index(own, "a")) == "a");
}
