// Decoding a text, at a cursor or however it is written, gives what decoding the parsed document gives: objects and
// messages.
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/codec/dynamic_object.hpp>
#include <kcontrol/codec/object_block.hpp>

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

using namespace kcontrol;

namespace {

struct bolt {
    text name;
    std::optional<std::int32_t> count;
    list<bolt> inner;
    static constexpr auto kcontrol_fields() {
        return fields(field("name", &bolt::name), field("count", &bolt::count), field("inner", &bolt::inner));
    }
};

struct engine {
    static constexpr resource_name kcontrol_resource{"example.com", "v1", "Engine", "engines"};
    object_meta metadata;
    text color;
    list<bolt> bolts;
    dict<bolt> by_name;
    dict<text> notes;
    boxed<bolt> main;
    timestamp built;
    int_or_string size;
    boxed<int_or_string> other;
    raw_json extra;
    quantity_text weight;
    std::optional<bool> ready;
    std::optional<std::int64_t> serial;
    std::optional<double> ratio;
    static constexpr auto kcontrol_fields() {
        return fields(field("color", &engine::color), field("bolts", &engine::bolts), field("byName", &engine::by_name),
                      field("notes", &engine::notes), field("main", &engine::main), field("built", &engine::built),
                      field("size", &engine::size), field("other", &engine::other), field("extra", &engine::extra),
                      field("weight", &engine::weight), field("ready", &engine::ready),
                      field("serial", &engine::serial), field("ratio", &engine::ratio));
    }
};

// The same, in memory of its own.
struct loose_engine {
    static constexpr resource_name kcontrol_resource{"example.com", "v1", "Engine", "engines"};
    object_meta metadata;
    std::string color;
    std::vector<bolt> bolts;
    std::map<std::string, text> notes;
    timestamp built;
    raw_json extra;
    quantity_text weight;
    std::optional<std::int64_t> serial;
    static constexpr auto kcontrol_fields() {
        return fields(field("color", &loose_engine::color), field("bolts", &loose_engine::bolts),
                      field("notes", &loose_engine::notes), field("built", &loose_engine::built),
                      field("extra", &loose_engine::extra), field("weight", &loose_engine::weight),
                      field("serial", &loose_engine::serial));
    }
};

/// Writes objects that are mostly right: now and then something is of another type, null, unknown or repeated.
class object_writer {
public:
    explicit object_writer(std::uint32_t seed) : random_(seed) {}

    std::string object() {
        std::string out = "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Engine\"";
        const char* const names[] = {"metadata", "color",  "bolts", "byName", "notes", "main",    "built",      "size",
                                     "extra",    "weight", "ready", "serial", "ratio", "unknown", "c\\u006flor"};
        const std::size_t first = pick(std::size(names));
        for (std::size_t i = 0; i < std::size(names); ++i) {
            if (pick(3) == 0) continue;
            const std::string name = names[(first + i) % std::size(names)];
            out += "," + space() + "\"" + name + "\":" + space() + (pick(60) == 0 ? any(3) : value_of(name));
        }
        return out + space() + "}";
    }

private:
    std::size_t pick(std::size_t below) { return random_() % below; }
    std::string space() { return pick(8) == 0 ? " \n\t" : ""; }

    std::string value_of(const std::string& name) {
        if (name == "metadata") {
            return R"({"name":)" + string() + R"(,"labels":)" + notes() +
                   R"(,"creationTimestamp":"2026-01-02T03:04:05Z","managedFields":)" + any(4) + R"(,"finalizers":[)" +
                   string() + "]}";
        }
        if (name == "bolts") return bolts(3);
        if (name == "byName") return "{" + string() + ":" + bolt_text(2) + "," + string() + ":" + bolt_text(1) + "}";
        if (name == "notes") return notes();
        if (name == "main") return bolt_text(2);
        if (name == "built") return "\"2026-02-03T04:05:06Z\"";
        if (name == "size") return pick(2) == 0 ? string() : "25";
        if (name == "weight") return pick(2) == 0 ? "\"1500m\"" : "1.5";
        if (name == "ready") return pick(2) == 0 ? "true" : "false";
        if (name == "serial") return number();
        if (name == "ratio") return number();
        if (name == "extra" || name == "unknown") return any(4);
        return string();
    }

    std::string notes() {
        std::string out = "{";
        for (std::size_t left = pick(4); left > 0; --left)
            out += (out.size() > 1 ? "," : "") + string() + ":" + string();
        return out + "}";
    }
    std::string bolts(int depth) {
        std::string out = "[" + space();
        for (std::size_t left = pick(3); left > 0; --left) out += (out.back() == '}' ? "," : "") + bolt_text(depth);
        return out + "]";
    }
    std::string bolt_text(int depth) {
        std::string out = "{\"name\":" + string();
        if (pick(2) == 0) out += ",\"count\":" + (pick(40) == 0 ? number() : "3");
        if (depth > 0 && pick(2) == 0) out += ",\"inner\":" + bolts(depth - 1);
        return out + "}";
    }
    std::string string() {
        static const char* const all[] = {"\"\"",
                                          "\"a\"",
                                          "\"sixteen letters!\"",
                                          "\"a\\\"b\\\\\"",
                                          "\"\\u00e9\\n/\\/\"",
                                          "\"\\ud83d\\ude00 and more of it\"",
                                          "\"zeta\"",
                                          "\"the same long text\"",
                                          "\"mid\""};
        return all[pick(std::size(all))];
    }
    std::string number() {
        static const char* const all[] = {
            "0", "-1", "9007199254740993", "3000000000", "18446744073709551615", "1.0", "-2.5e3", "1e-400"};
        return all[pick(std::size(all))];
    }
    std::string any(int depth) {
        switch (pick(depth > 0 ? 6 : 4)) {
        case 0: return string();
        case 1: return number();
        case 2: return "null";
        case 3: return pick(2) == 0 ? "true" : "false";
        case 4: return "[" + any(depth - 1) + "," + space() + any(depth - 1) + "]";
        default: return "{" + string() + ":" + any(depth - 1) + ",\"k\":" + any(depth - 1) + "}";
        }
    }

    std::mt19937 random_;
};

template <class T>
std::string outcome(const result<any_object>& object) {
    return object ? to_json(*object->as<T>()) : object.error().what();
}

/// Empty if a cursor can't read it.
template <class T>
std::string cursor_outcome(std::string_view text, share_pool* pool) {
    json::cursor in(text);
    const any_object object = resource_of<T>().decode(in, pool);
    return object && in.left() == 0 ? to_json(*object.as<T>()) : std::string();
}

template <class T>
void compare(const std::string& text, share_pool& nodes_pool, share_pool& texts_pool, std::size_t& failures) {
    CAPTURE(text);
    json::document document;
    const auto parsed = document.parse(text);
    REQUIRE(parsed.has_value());
    const auto& info = resource_of<T>();
    const std::string wanted = outcome<T>(info.decode(*parsed));
    if (!info.decode(*parsed)) ++failures;
    CHECK(outcome<T>(info.decode_text(text)) == wanted);
    CHECK(outcome<T>(info.decode_text(text, &texts_pool)) == wanted);
    CHECK(outcome<T>(info.decode_parsed(text, &texts_pool)) == wanted);
    CHECK(outcome<T>(info.decode(*parsed, &nodes_pool)) == wanted);
    if (const auto read = cursor_outcome<T>(text, &texts_pool); !read.empty()) CHECK(read == wanted);
    if (const auto read = cursor_outcome<T>(text, nullptr); !read.empty()) CHECK(read == wanted);
}

}  // namespace

TEST_CASE("decode text: random objects come out as from the parsed document, and so do messages") {
    share_pool nodes_pool;
    share_pool texts_pool;
    std::size_t failures = 0;
    constexpr std::uint32_t rounds = 1500;
    for (std::uint32_t seed = 0; seed < rounds; ++seed) {
        const std::string text = object_writer(seed).object();
        compare<engine>(text, nodes_pool, texts_pool, failures);
        compare<loose_engine>(text, nodes_pool, texts_pool, failures);
    }
    // The writer makes mistakes, but mostly it does not.
    CHECK(failures > rounds / 50);
    CHECK(failures < rounds);
}

TEST_CASE("decode text: texts with something changed come out as from the parsed document, or are refused") {
    const std::string letters = "{}[],:\"\\ 0-e.ntf\x01\xc3\x1a_u";
    const auto dynamic =
        dynamic_resource({"example.com", "v1", "Engine"}, "engines", resource_scope::namespaced, managed_fields::kept);
    const auto& info = resource_of<engine>();
    share_pool pool;
    json::document document;
    std::size_t well_formed = 0;
    std::size_t malformed = 0;
    for (std::uint32_t seed = 0; seed < 4000; ++seed) {
        std::string text = object_writer(seed % 400).object();
        std::mt19937 random(seed);
        const std::size_t place = random() % text.size();
        switch (random() % 4) {
        case 0: text.erase(place, 1 + random() % 3); break;
        case 1: text.insert(place, text.substr(random() % text.size(), random() % 20)); break;
        case 2: text[place] = letters[random() % letters.size()]; break;
        default: text.resize(place);
        }
        CAPTURE(text);
        // Of its exact size, so that a sanitizer sees a read beyond the end.
        const std::vector<char> exact(text.begin(), text.end());
        const std::string_view view(exact.data(), exact.size());
        const auto parsed = document.parse(text);
        ++(parsed ? well_formed : malformed);
        if (const auto read = cursor_outcome<engine>(view, &pool); parsed && !read.empty()) {
            CHECK(read == outcome<engine>(info.decode(*parsed)));
        }
        const auto object = info.decode_parsed(view, &pool);
        const std::string wanted = parsed ? outcome<engine>(info.decode(*parsed)) : parsed.error().what();
        CHECK(outcome<engine>(object) == wanted);
        // Of a dynamic object all is looked at that is kept.
        json::cursor front(view);
        if (dynamic.decode(front, &pool) && front.left() == 0) CHECK(parsed.has_value());
        const auto kept = dynamic.decode_text(view, &pool);
        if (!parsed) {
            CHECK_FALSE(kept.has_value());
        } else {
            const auto other = dynamic.decode(*parsed);
            REQUIRE(kept.has_value() == other.has_value());
            if (kept) {
                CHECK(kept->as<dynamic_object>()->content == other->as<dynamic_object>()->content);
            } else {
                CHECK(kept.error().message() == other.error().message());
            }
        }
    }
    CHECK(well_formed > 200);
    CHECK(malformed > 1500);
}

TEST_CASE("decode text: what is malformed is said, where it is read") {
    const auto message = [](const std::string& text) {
        const auto object = resource_of<engine>().decode_text(text);
        return object ? std::string("decoded") : object.error().message();
    };
    CHECK(message(R"({"color":"x","color":nope})") == "malformed JSON at byte 21");
    CHECK(message(R"({"color":"\q"})") == "JSON string with a bad escape at byte 9");
    CHECK(message(R"({"serial":01})") == "JSON number malformed, or too large for a double, at byte 10");
    CHECK(message(R"({"bolts":[{},]})") == "malformed JSON at byte 13");
    CHECK(message(R"({"bolts":[{} {}]})") == "malformed JSON at byte 13");
    CHECK(message(R"({"notes":{"a" "b"}})") == "malformed JSON at byte 14");
    CHECK(message(R"({"main":{"name":"x",}})") == "malformed JSON at byte 20");
    CHECK(message(R"({"extra":{"a":[1,]}})") == "malformed JSON at byte 17");
    CHECK(message(R"({"ready":truth})") == "malformed JSON at byte 9");
    CHECK(message(R"({"unknown":{"a" 01},"color":"x"})") == "decoded");
}

TEST_CASE("decode text: what comes again comes out as it did the first time") {
    share_pool nodes_pool;
    share_pool texts_pool;
    std::size_t failures = 0;
    for (int times = 0; times < 5; ++times) {
        for (const char* text : {
                 // The same text as values of different types.
                 R"({"main":{"name":"a name that is long"},"notes":{"name":"a name that is long"}})",
                 R"({"notes":{"name":"a name that is long"},"byName":{"x":{"name":"a name that is long"}}})",
                 R"({"bolts":[{"name":"a name that is long","inner":[{"name":"another long name"},{}]}]})",
                 R"({"extra":{"name":"a name that is long"},"byName":{"name":{"name":"a name that is long"}}})",
                 // A struct that comes twice is read over what came first, the second time too.
                 R"({"metadata":{"name":"the first name","labels":{"a":"a label"}},"metadata":{"name":"the second"}})",
                 R"({"metadata":{"name":"the second"},"metadata":{"name":"the first name","labels":{"a":"a label"}}})",
                 R"({"metadata":{"name":"the first name","labels":{"a":"a label"}},"metadata":{"labels":{"b":"c"}}})",
                 R"({"main":{"name":"a name that is long"},"main":{"count":2,"name":"x"},"main":null})",
                 R"({"main":null,"main":{"name":"a name that is long"}})",
                 // What is wrong stays wrong.
                 R"({"main":{"name":"a name that is long","count":"three"}})",
                 R"({"bolts":[{"name":"a name that is long"},{"name":["a name that is long"]}]})",
             }) {
            compare<engine>(text, nodes_pool, texts_pool, failures);
        }
    }
    CHECK(failures == 10);
}

TEST_CASE("decode text: what is malformed is said each time") {
    share_pool pool;
    for (int times = 0; times < 5; ++times) {
        for (const auto& [text, message] : {
                 std::pair(R"({"main":{"name":"a name that is long","count":01}})",
                           "JSON number malformed, or too large for a double, at byte 46"),
                 std::pair(R"({"main":{"name":"a name that is long","count" 1}})", "malformed JSON at byte 46"),
                 std::pair(R"({"notes":{"a":"a name that is long \q"}})", "JSON string with a bad escape at byte 14"),
             }) {
            const auto object = resource_of<engine>().decode_text(text, &pool);
            REQUIRE_FALSE(object.has_value());
            CHECK(object.error().message() == message);
        }
    }
}

TEST_CASE("decode at a cursor: what servers write is read, up to where the object ends") {
    const std::string text =
        R"({"apiVersion":"example.com/v1","kind":"Engine","metadata":{"name":"x","labels":{"a":"b","c":"a longer one"},)"
        R"("creationTimestamp":"2026-01-02T03:04:05Z","managedFields":[{"f:a":{},"f:b":{"{":{}}}]},"color":"a\\u00e9\\n",)"
        R"("bolts":[{"name":"one"},{"name":"two","count":2,"inner":[]}],"notes":{"z":"1","a":"2","a":"3"},"main":{},)"
        R"("size":"50%","other":8080,"extra":{"any":[1,2.5]},"weight":1.5,"ready":true,"serial":-12345678901,"ratio":0.5,)"
        R"("built":null}})";
    json::document document;
    const auto parsed = document.parse(std::string_view(text).substr(0, text.size() - 1));
    REQUIRE(parsed.has_value());
    share_pool pool;
    for (int times = 0; times < 4; ++times) {
        json::cursor in(text);
        const auto object = resource_of<engine>().decode(in, &pool);
        REQUIRE(static_cast<bool>(object));
        CHECK(in.left() == 1);
        CHECK(in.take('}'));
        CHECK(to_json(*object.as<engine>()) == outcome<engine>(resource_of<engine>().decode(*parsed)));
        CHECK(object.meta().name == "x");
    }
}

TEST_CASE("decode at a cursor: what is written in other ways, or wrong, is left to the others") {
    const auto read = [](std::string_view text) { return !cursor_outcome<engine>(text, nullptr).empty(); };
    CHECK(read(R"({"color":"x"})"));
    CHECK(read(R"({"unknown":{"a":01},"color":"x"})"));
    for (const char* text : {
             R"( {"color":"x"})",
             R"({"color": "x"})",
             R"({"color":"x" })",
             R"({"c\u006flor":"x"})",
             R"({"color":"x"}})",
             R"({"color":"x",})",
             R"({"color":1})",
             R"({"color":"\q"})",
             R"({"serial":01})",
             R"({"bolts":[{},]})",
             R"({"bolts":[{}{}]})",
             R"({"bolts":{}})",
             R"({"main":[]})",
             R"({"notes":{"a":1}})",
             R"({"unknown":{]})",
             R"({"unknown":)",
             R"({"unknown":,"color":"x"})",
             R"({"unknown"})",
             R"({"color")",
             R"({"color":"x)",
             R"({"built":"yesterday"})",
             R"({"ready":truth})",
             R"({)",
             "",
             "[]",
             "null",
         }) {
        CAPTURE(text);
        CHECK_FALSE(read(text));
    }
    // A kind with memory of its own, in pieces.
    CHECK(cursor_outcome<loose_engine>(R"({"color":"x"})", nullptr).empty());
}

TEST_CASE("decode at a cursor: types that hold themselves are read to any depth that a document has") {
    for (const std::size_t depth : {10U, 40U, 47U, 48U, 49U, 60U, 90U, 110U}) {
        std::string text = "{\"bolts\":[";
        for (std::size_t i = 0; i < depth; ++i) text += "{\"name\":\"n\",\"inner\":[";
        for (std::size_t i = 0; i < depth; ++i) text += "]}";
        text += "]}";
        json::document document;
        const auto parsed = document.parse(text);
        REQUIRE(parsed.has_value());
        const auto read = cursor_outcome<engine>(text, nullptr);
        if (depth <= 90) CHECK(read == outcome<engine>(resource_of<engine>().decode(*parsed)));
    }
    // What is passed over may be deeper than any document.
    const std::string deep = "{\"unknown\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
    CHECK_FALSE(cursor_outcome<engine>(deep, nullptr).empty());
    CHECK(cursor_outcome<engine>("{\"bolts\":" + std::string(300, '[') + std::string(300, ']') + "}", nullptr).empty());
}

TEST_CASE("decode at a cursor: lists and maps of any length come out, whatever the last ones were") {
    std::mt19937 random(4);
    const auto bolt_text = [&](std::size_t inner) {
        std::string out = "{\"name\":\"a name of " + std::to_string(random() % 1000) + "\",\"inner\":[";
        for (std::size_t i = 0; i < inner; ++i)
            out +=
                (i > 0 ? "," : "") + std::string("{\"name\":\"") + std::string(random() % 20, 'x') + "\",\"count\":7}";
        return out + "]}";
    };
    share_pool pool;
    std::size_t disordered = 0;
    for (int round = 0; round < 400; ++round) {
        std::string bolts, by_name, notes;
        for (std::size_t left = random() % 3 == 0 ? random() % 70 : random() % 5, i = 0; i < left; ++i) {
            // Mostly in order, and all different.
            const std::size_t number = 1000 + (random() % 200 == 0 ? 500 - i : i);
            const std::string key = (i > 0 ? ",\"k" : "\"k") + std::to_string(number) + "\":";
            bolts += (i > 0 ? "," : "") + bolt_text(random() % 20);
            by_name += key + bolt_text(random() % 3);
            notes += key + "\"" + std::string(random() % 30, 'y') + "\"";
            disordered += number != 1000 + i && i > 0 ? 1 : 0;
        }
        const std::string text =
            "{\"bolts\":[" + bolts + "],\"byName\":{" + by_name + "},\"notes\":{" + notes + "},\"color\":\"the last\"}";
        CAPTURE(text);
        json::document document;
        const auto parsed = document.parse(text);
        REQUIRE(parsed.has_value());
        const std::string wanted = outcome<engine>(resource_of<engine>().decode(*parsed));
        CHECK(cursor_outcome<engine>(text, &pool) == wanted);
        CHECK(cursor_outcome<engine>(text, nullptr) == wanted);
    }
    CHECK(disordered > 5);
}

TEST_CASE("pool: what texts came to is not remembered without end") {
    share_pool pool;
    std::size_t most = 0;
    std::shared_ptr<const engine> early;
    for (int i = 0; i < 40000; ++i) {
        const std::string number = std::to_string(i);
        const std::string text = R"({"notes":{"a":")" + number + R"(","b":"x"},"main":{"count":)" + number +
                                 R"(,"name":"same"},"metadata":{"name":"a-name-that-comes-twice-)" + number + "\"}}";
        for (int times = 0; times < 3; ++times) {
            const auto object = resource_of<engine>().decode_text(text, &pool);
            REQUIRE(object.has_value());
            CHECK(object->as<engine>()->main->count == i);
            if (i == 10) early = object->as<engine>();
        }
        most = std::max(most, pool.bytes());
    }
    CHECK(most < 4 * share_pool::generation_limit);
    CHECK(early->main->count == 10);
    CHECK(early->metadata.name == "a-name-that-comes-twice-10");
}
