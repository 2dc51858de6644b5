// nullable and date_time: what a schema tells apart stays apart, and what was written comes back.
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/codec/object_block.hpp>
#include <kcontrol/codec/patch_between.hpp>
#include <kcontrol/schema/schema.hpp>
#include <kcontrol/schema/validate.hpp>
#include <kcontrol/values/date_time.hpp>
#include <kcontrol/values/nullable.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace kcontrol;

namespace {

struct part {
    text name;
    static constexpr auto kcontrol_fields() { return fields(field("name", &part::name)); }
    bool operator==(const part&) const = default;
};

// Types that are a part of an object's block, and one that is not.
struct gadget {
    static constexpr resource_name kcontrol_resource{"example.com", "v1", "Gadget", "gadgets"};
    object_meta metadata;
    nullable<std::int32_t> limit;
    nullable<text> note;
    nullable<part> main;
    nullable<list<text>> colors;
    list<nullable<text>> slots;
    dict<nullable<bool>> switches;
    date_time built;
    static constexpr auto kcontrol_fields() {
        return fields(field("limit", &gadget::limit, rules().minimum(1)), field("note", &gadget::note),
                      field("main", &gadget::main), field("colors", &gadget::colors), field("slots", &gadget::slots),
                      field("switches", &gadget::switches), field("built", &gadget::built));
    }
};

struct owner {
    nullable<std::string> name;
    std::vector<nullable<std::string>> others;
    static constexpr auto kcontrol_fields() {
        return fields(field("name", &owner::name), field("others", &owner::others));
    }
};

std::string gadget_json(const std::string& members) {
    return R"({"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"g","resourceVersion":"7"})" + members +
           "}";
}

std::shared_ptr<const gadget> in_block(const std::string& from, share_pool* pool = nullptr) {
    json::document document;
    const auto root = document.parse(from);
    REQUIRE(root.has_value());
    const auto object = resource_of<gadget>().decode(*root, pool);
    REQUIRE_MESSAGE(object.has_value(), object.error().what());
    return object->as<gadget>();
}

}  // namespace

TEST_CASE("nullable: absent, null and the empty value are three things") {
    nullable<std::int32_t> n;
    CHECK_FALSE(n.present());
    CHECK_FALSE(n.is_null());
    n = nullptr;
    CHECK_FALSE(n.present());
    CHECK(n.is_null());
    CHECK(*n == 0);
    const nullable<std::int32_t> copy = n;
    CHECK(copy.is_null());
    CHECK(copy == n);
    CHECK_FALSE(copy == nullable<std::int32_t>());
    CHECK_FALSE(copy == nullable<std::int32_t>(0));
    n = 5;
    CHECK(*n == 5);
    CHECK_FALSE(n.is_null());
    n = copy;
    CHECK(n.is_null());
    n.edit() = 3;
    CHECK(*n == 3);
    n = nullptr;
    n.reset();
    CHECK(n == nullable<std::int32_t>());
}

TEST_CASE("nullable: null survives both ways of decoding, copies and encoding") {
    const std::string table[] = {
        "",
        R"(,"limit":null)",
        R"(,"limit":0)",
        R"(,"note":null,"main":null,"colors":null)",
        R"(,"note":"","main":{},"colors":[])",
        R"(,"note":"a note that is too long to be inside","main":{"name":"x"},"colors":["a","b"])",
        R"(,"slots":[null,"","x",null],"switches":{"a":null,"b":false})",
    };
    share_pool pool;
    for (const auto& members : table) {
        CAPTURE(members);
        const auto text = gadget_json(members);
        for (share_pool* shared : {static_cast<share_pool*>(nullptr), &pool, &pool}) {
            const auto block = in_block(text, shared);
            CHECK(to_json(*block) == text);
            gadget copy = *block;
            CHECK(equal(copy, *block));
            CHECK(to_json(copy) == text);
            copy.limit = 7;
            CHECK_FALSE(equal(copy, *block));
        }
        const auto own = from_json<gadget>(text);
        REQUIRE(own.has_value());
        CHECK(to_json(*own) == text);
    }
    for (const std::string text : {R"({})", R"({"name":null})", R"({"name":"","others":[null,"x"]})"}) {
        const auto own = from_json<owner>(text);
        REQUIRE(own.has_value());
        CHECK(to_json(*own) == text);
        CHECK(equal(*own, owner(*own)));
    }
}

TEST_CASE("nullable: what was there goes when null is read over it") {
    gadget g;
    g.note = text("a note that is too long to be inside");
    owner o;
    o.name = std::string("a name that is too long to be inside");
    json::document document;
    CHECK(decode(describe<gadget>(), *document.parse(R"({"note":null})"), &g).has_value());
    CHECK(g.note.is_null());
    json::document other;
    CHECK(decode(describe<owner>(), *other.parse(R"({"name":null})"), &o).has_value());
    CHECK(o.name.is_null());
}

TEST_CASE("nullable: patches can write null") {
    const auto before = in_block(gadget_json(R"(,"limit":3)"));
    gadget after = *before;
    after.limit = nullptr;
    const auto patch = patch_between(*before, after);
    REQUIRE_MESSAGE(patch.has_value(), patch.error().what());
    CHECK(patch->content_type == "application/json-patch+json");
    CHECK(patch->text.find(R"({"op":"add","path":"/limit","value":null})") != std::string::npos);
    after.limit.reset();
    CHECK(patch_between(*before, after)->text.find("limit\":null") != std::string::npos);
}

TEST_CASE("nullable and date_time in schemas and validation") {
    const auto schema = schema_of<gadget>();
    REQUIRE(schema.has_value());
    CHECK(schema->find(R"("limit":{"type":"integer","format":"int32","minimum":1,"nullable":true})") !=
          std::string::npos);
    CHECK(schema->find(R"("slots":{"type":"array","items":{"type":"string","nullable":true}})") != std::string::npos);
    CHECK(schema->find(R"("built":{"type":"string","format":"date-time"})") != std::string::npos);
    const auto faults = [](const std::string& members) { return validate_json<gadget>(gadget_json(members))->size(); };
    CHECK(faults(R"(,"limit":null,"slots":[null],"main":null)") == 0);
    CHECK(faults(R"(,"limit":0)") == 1);
    CHECK(faults(R"(,"built":"yesterday")") == 1);
}

TEST_CASE("date_time: comes back as it was written") {
    for (const std::string at : {"2026-01-02T03:04:05Z", "2026-01-02T03:04:05.120Z", "2026-01-02T03:04:05+01:00",
                                 "2026-01-02T03:04:05.123456789123-07:30"}) {
        const auto text = gadget_json(",\"built\":\"" + at + "\"");
        const auto block = in_block(text);
        CHECK(to_json(*block) == text);
        CHECK(*block->built.time() == *parse_time(at));
    }
    CHECK(date_time(*parse_time("2026-01-02T03:04:05+01:00")) == "2026-01-02T02:04:05Z");
    CHECK(date_time(*parse_time("2026-01-02T03:04:05.12Z")) == "2026-01-02T03:04:05.12Z");
    CHECK(date_time(*parse_time("2026-01-02T03:04:00.000000001Z")) == "2026-01-02T03:04:00.000000001Z");
    CHECK(date_time(timestamp(*parse_time("1969-12-31T23:59:59.5Z"))) == "1969-12-31T23:59:59.5Z");
    CHECK_FALSE(date_time(timestamp()).present());
    CHECK_FALSE(date_time("soon").time().has_value());
}
