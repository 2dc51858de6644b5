// Objects that are one block of memory, and the pool of what they share.
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/codec/object_block.hpp>
#include <kcontrol/codec/release_workspace.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace kcontrol;

namespace {

struct part {
    text name;
    std::optional<std::int32_t> count;
    static constexpr auto kcontrol_fields() { return fields(field("name", &part::name), field("count", &part::count)); }
};

struct gadget {
    static constexpr resource_name kcontrol_resource{"example.com", "v1", "Gadget", "gadgets"};
    object_meta metadata;
    text color;
    list<part> parts;
    dict<part> by_name;
    dict<text> notes;
    boxed<part> main;
    timestamp built;
    boxed<int_or_string> size;
    raw_json extra;
    quantity_text weight;
    std::optional<bool> ready;
    std::optional<std::int64_t> serial;
    std::optional<double> ratio;
    static constexpr auto kcontrol_fields() {
        return fields(field("color", &gadget::color), field("parts", &gadget::parts), field("byName", &gadget::by_name),
                      field("notes", &gadget::notes), field("main", &gadget::main), field("built", &gadget::built),
                      field("size", &gadget::size), field("extra", &gadget::extra), field("weight", &gadget::weight),
                      field("ready", &gadget::ready), field("serial", &gadget::serial), field("ratio", &gadget::ratio));
    }
};

struct with_default {
    text name;
    std::int32_t replicas = 1;
    static constexpr auto kcontrol_fields() {
        return fields(field("name", &with_default::name), field("replicas", &with_default::replicas));
    }
};

struct with_string {
    list<std::string> names;
    static constexpr auto kcontrol_fields() { return fields(field("names", &with_string::names)); }
};

const std::string full =
    R"({"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"the-first-gadget","namespace":"workshop",)"
    R"("creationTimestamp":"2026-01-02T03:04:05Z","labels":{"app":"x","example.com/a-long-key":"a-long-value"}},)"
    R"("color":"ultramarine","parts":[{"name":"a-part-with-a-name","count":3},{}],)"
    R"("byName":{"first":{"count":1},"second":{"name":"another-long-name"}},"notes":{},"main":{},)"
    R"("built":"2026-02-03T04:05:06Z","size":"twenty-five","extra":{"a":[1,2,{"b":null}]},"weight":"1500m",)"
    R"("ready":false,"serial":9007199254740993,"ratio":0.5})";

std::shared_ptr<const gadget> decoded(const std::string& from, share_pool* pool = nullptr) {
    json::document document;
    const auto root = document.parse(from);
    REQUIRE(root.has_value());
    const auto object = resource_of<gadget>().decode(*root, pool);
    REQUIRE_MESSAGE(object.has_value(), object.error().what());
    return object->as<gadget>();
}

}  // namespace

TEST_CASE("block: which types can be one") {
    CHECK(is_blockable(describe<gadget>()));
    CHECK(is_blockable(describe<object_meta>()));
    CHECK_FALSE(is_blockable(describe<with_default>()));  // a fresh one is not all zero
    CHECK_FALSE(is_blockable(describe<with_string>()));
}

TEST_CASE("block: every kind of member is read, and written as it came") {
    const auto object = decoded(full);
    CHECK(to_json(*object) == full);
    CHECK(object->color == "ultramarine");
    CHECK(object->parts[0].count == 3);
    CHECK(object->by_name.at("second").name == "another-long-name");
    CHECK(object->notes.present());
    CHECK(object->main.present());
    CHECK(object->size->as_string() == "twenty-five");
    CHECK(object->extra.text() == R"({"a":[1,2,{"b":null}]})");
    CHECK(object->ready == false);
    CHECK(object->serial == 9007199254740993);
    const auto owned = from_json<gadget>(full);
    REQUIRE(owned.has_value());
    CHECK(equal(*owned, *object));
}

TEST_CASE("block: a copy lives on its own and is edited as usual") {
    gadget copy;
    {
        const auto object = decoded(full);
        copy = *object;
        CHECK(equal(copy, *object));
    }
    copy.parts[0].name = "renamed to something long";
    copy.main.edit().count = 7;
    copy.notes["k"] = "v";
    copy.metadata.labels.erase("app");
    CHECK(copy.parts[0].name == "renamed to something long");
    const auto object = decoded(full);
    CHECK_FALSE(equal(copy, *object));
    CHECK(copy.metadata.name == "the-first-gadget");
}

TEST_CASE("block: unordered and repeated keys of a map") {
    const auto object =
        decoded(R"({"notes":{"zeta":"1","alpha":"the first value","alpha":"the last value","mid":"2"}})");
    CHECK(to_json(*object) ==
          R"({"apiVersion":"example.com/v1","kind":"Gadget","notes":{"alpha":"the last value","mid":"2","zeta":"1"}})");
    CHECK(object->notes.at("alpha") == "the last value");
}

TEST_CASE("block: of a member that comes twice the last one counts, whatever the first one was") {
    const std::string values[] = {R"("a text that is not short")", R"("short")", R"("shared between objects")"};
    share_pool pool;
    for (share_pool* each : {static_cast<share_pool*>(nullptr), &pool}) {
        for (int pass = 0; pass < 3; ++pass) {
            for (const auto& first : values) {
                for (const auto& second : values) {
                    const auto object = decoded("{\"color\":" + first + ",\"color\":" + second + "}", each);
                    CHECK("\"" + std::string(object->color) + "\"" == second);
                }
            }
            const auto lists = decoded(
                R"({"parts":[{"name":"a part with a long name"}],"parts":[],"main":{"name":"x"},"main":{"count":2}})",
                each);
            CHECK(lists->parts.empty());
            CHECK(lists->main->count == 2);
            CHECK(lists->main->name.empty());
        }
    }
}

TEST_CASE("block: null is absent, unknown members are passed over") {
    const auto object = decoded(
        R"({"color":null,"parts":[null,{"name":"x"}],"notes":{"a":null},"main":null,"unknown":{"deep":[{}]},"ready":null})");
    CHECK_FALSE(object->color.present());
    REQUIRE(object->parts.size() == 2);
    CHECK(object->parts[1].name == "x");
    CHECK(object->notes.contains("a"));
    CHECK_FALSE(object->ready.has_value());
}

TEST_CASE("block: what is wrong is named with its path") {
    const std::pair<const char*, const char*> rows[] = {
        {R"({"color":1})", "color: expected a string, found the integer 1"},
        {R"({"parts":{}})", "parts: expected a list, found an object"},
        {R"({"parts":[{},{"count":"x"}]})", "parts[1].count: expected an integer, found the string \"x\""},
        {R"({"parts":[{"count":3000000000}]})",
         "parts[0].count: expected an integer between -2147483648 and 2147483647, found the integer 3000000000"},
        {R"({"byName":{"k":{"name":true}}})", "byName[k].name: expected a string, found true"},
        {R"({"notes":[]})", "notes: expected an object, found a list"},
        {R"({"main":3})", "main: expected an object, found the integer 3"},
        {R"({"built":"today"})", "built: expected a time such as 2006-01-02T15:04:05Z, found the string \"today\""},
        {R"({"size":1.5})", "size: expected an integer or a string, found the number 1.5"},
        {R"({"weight":true})", "weight: expected a quantity such as \"500m\" or 2, found true"},
        {R"({"ready":"yes"})", "ready: expected true or false, found the string \"yes\""},
        {R"({"ratio":"x"})", "ratio: expected a number, found the string \"x\""},
        {R"([])", "expected an object, found a list"},
    };
    share_pool pool;
    for (const auto& one : rows) {
        CAPTURE(one.first);
        json::document document;
        const auto root = document.parse(one.first).value();
        for (share_pool* with : {static_cast<share_pool*>(nullptr), &pool}) {
            const auto failed = resource_of<gadget>().decode(root, with);
            REQUIRE_FALSE(failed.has_value());
            CHECK(failed.error().message() == one.second);
        }
        gadget owned;
        const auto also = decode(describe<gadget>(), root, &owned);
        REQUIRE_FALSE(also.has_value());
        CHECK(also.error().message() == one.second);
    }
}

TEST_CASE("pool: what is met for the second time is shared from then on") {
    share_pool pool;
    const auto first = decoded(full, &pool);
    const auto second = decoded(full, &pool);
    const auto third = decoded(full, &pool);
    CHECK(to_json(*third) == full);
    CHECK(equal(*first, *third));
    CHECK(first->color.view().data() != second->color.view().data());
    CHECK(second->color.view().data() == third->color.view().data());
}

TEST_CASE("pool: a part whose strings are shared is shared as well") {
    // What was met once is remembered in few places, by the hash of bytes that hold addresses: two parts may drive each
    // other out for good, in one pool. In four of them they don't.
    bool parts_shared = false;
    bool main_shared = false;
    for (int attempt = 0; attempt < 4; ++attempt) {
        share_pool pool;
        decoded(full, &pool);
        decoded(full, &pool);
        const auto third = decoded(full, &pool);
        const auto fourth = decoded(full, &pool);
        parts_shared = parts_shared || third->parts.data() == fourth->parts.data();
        main_shared = main_shared || &*third->main == &*fourth->main;
        CHECK(to_json(*fourth) == full);
    }
    CHECK(parts_shared);
    CHECK(main_shared);
}

TEST_CASE("pool: after a rest objects are read as before, and what was shared is shared still") {
    share_pool pool;
    release_workspace(pool);  // before the first one, too
    decoded(full, &pool);
    const auto second = decoded(full, &pool);
    const std::size_t before = pool.bytes();
    release_workspace(pool);
    release_workspace(pool);
    const auto third = decoded(full, &pool);
    CHECK(to_json(*third) == to_json(*second));
    CHECK(third->color.view().data() == second->color.view().data());
    CHECK(pool.bytes() == before);
    release_workspace(pool);
    CHECK(to_json(*decoded(full)) == to_json(*third));  // which needs nothing of what was given back
}

TEST_CASE("pool: objects keep it alive") {
    std::shared_ptr<const gadget> kept;
    {
        share_pool pool;
        decoded(full, &pool);
        kept = decoded(full, &pool);
        decoded(R"({"color":"something else"})", &pool);
    }
    CHECK(to_json(*kept) == full);
    gadget copy = *kept;
    kept.reset();
    CHECK(to_json(copy) == full);
}

TEST_CASE("pool: it begins small, and what it has met is not forgotten as it grows") {
    share_pool pool;
    CHECK(pool.bytes() < 8192);
    const auto text = [](int i) { return "a-string-that-comes-twice-" + std::to_string(i); };
    for (int i = 0; i < 1000; ++i) CHECK(pool.find_text(text(i)) == nullptr);
    int shared = 0;
    for (int i = 0; i < 1000; ++i) shared += pool.find_text(text(i)) != nullptr ? 1 : 0;
    // A place has room for one of them, and there are few places at first.
    CHECK(shared > 600);
    const void* const kept = pool.find_text(text(0), true);
    CHECK(kept != nullptr);
    CHECK(pool.find_text(text(0)) == kept);
}

TEST_CASE("pool: it does not grow without end") {
    share_pool pool;
    std::shared_ptr<const gadget> early;
    std::size_t most = 0;
    for (int i = 0; i < 40000; ++i) {
        const std::string name = "a-string-that-comes-twice-" + std::to_string(i) + std::string(40, '.');
        const std::string from = R"({"color":")" + name + R"("})";
        decoded(from, &pool);
        auto object = decoded(from, &pool);
        if (i == 10) early = object;
        most = std::max(most, pool.bytes());
    }
    CHECK(most < 4 * share_pool::generation_limit);
    CHECK(early->color.view().substr(0, 28) == "a-string-that-comes-twice-10");
}
