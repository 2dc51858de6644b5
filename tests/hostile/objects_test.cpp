// One object that can't be read, in a list and in a watch: all others flow on.
#include "hostile/play.hpp"

#include <doctest/doctest.h>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

std::string replaced(std::string text, std::string_view part, std::string_view by) {
    const auto at = text.find(part);
    REQUIRE_MESSAGE(at != std::string::npos, part, " not in ", text);
    return text.replace(at, part.size(), by);
}

std::string in_metadata(const std::string& text, const std::string& member) {
    return replaced(text, R"("metadata":{)", R"("metadata":{)" + member + ",");
}
std::string in_spec(const std::string& text, const std::string& member) {
    return replaced(text, R"("spec":{)", R"("spec":{)" + member + ",");
}
// A widget's value is one digit in these rows.
std::string with_value(const std::string& text, const std::string& value) {
    const auto at = text.find(R"("value":)") + 8;
    return text.substr(0, at) + value + text.substr(text.find_first_of(",}", at));
}
std::string without(std::string text, std::string_view member) {
    const auto at = text.find("\"" + std::string(member) + "\":");
    auto end = text.find_first_of(",}", at);
    if (text[end] == ',') ++end;
    return text.erase(at, end - at);
}

/// What is wrong with the text of the widget x.
class damage {
public:
    enum class sign { readable, named, nameless };
    damage(const char* n, sign s, const char* w, std::function<std::string(std::string)> f)
        : name(n), what(s), why(w), make(std::move(f)) {}
    const char* name;
    sign what;
    const char* why;  // a part of the error
    std::function<std::string(std::string)> make;
};

using enum damage::sign;

const std::vector<damage>& damages() {
    static const std::vector<damage> all = {
        {"300 levels in managedFields", readable, "",
         [](std::string t) { return in_metadata(t, R"("managedFields":[{"fieldsV1":{"f:a":)" + nested(300) + "}}]"); }},
        {"100,000 levels in managedFields", readable, "",
         [](std::string t) {
             return in_metadata(t, R"("managedFields":[{"fieldsV1":{"f:a":)" + nested(100'000) + "}}]");
         }},
        {"300 levels in a field nobody reads", readable, "",
         [](std::string t) { return in_spec(t, R"("deep":)" + nested(300)); }},
        {"100,000 levels in the status", readable, "",
         [](std::string t) { return replaced(t, R"("spec":{)", R"("status":)" + nested(100'000) + R"(,"spec":{)"); }},
        {"300 levels where a number belongs", named, "spec.value",
         [](std::string t) { return with_value(t, nested(200)); }},
        {"100,000 levels where a number belongs", named, "deep",
         [](std::string t) { return with_value(t, nested(100'000)); }},
        {"no UTF-8 in a label", named, "UTF-8",
         [](std::string t) { return in_metadata(t, "\"labels\":{\"a\":\"\xff\xfe\"}"); }},
        {"no UTF-8 in the name", nameless, "UTF-8",
         [](std::string t) { return replaced(t, R"("name":"x")", "\"name\":\"x\xc3(\""); }},
        {"half a surrogate in a label", named, "bad escape",
         [](std::string t) { return in_metadata(t, R"("labels":{"a":"\ud800"})"); }},
        {"an integer beyond 64 bits", named, "spec.value",
         [](std::string t) { return with_value(t, "99999999999999999999"); }},
        {"1e400", named, "too large for a double", [](std::string t) { return with_value(t, "1e400"); }},
        {"a fraction where an integer belongs", named, "spec.value",
         [](std::string t) { return with_value(t, "1.5"); }},
        {"text where a number belongs", named, "spec.value", [](std::string t) { return with_value(t, R"("many")"); }},
        {"a list where a map belongs", named, "metadata.labels",
         [](std::string t) { return in_metadata(t, R"("labels":["a"])"); }},
        {"a spec that is text", named, "spec",
         [](std::string t) { return replaced(with_value(t, "0"), R"("spec":{"value":0})", R"("spec":"none")"); }},
        {"another kind", named, "kind: expected Widget",
         [](std::string t) { return replaced(t, R"("kind":"Widget")", R"("kind":"Gadget")"); }},
        {"no name", nameless, "metadata.name: missing", [](std::string t) { return without(t, "name"); }},
        {"an empty name", nameless, "metadata.name: missing",
         [](std::string t) { return replaced(t, R"("name":"x")", R"("name":"")"); }},
        {"no uid", named, "metadata.uid: missing", [](std::string t) { return without(t, "uid"); }},
        {"no metadata", nameless, "metadata",
         [](std::string) { return std::string(R"({"kind":"Widget","spec":{}})"); }},
        {"null", nameless, "not a JSON object", [](std::string) { return std::string("null"); }},
        {"a number", nameless, "not a JSON object", [](std::string) { return std::string("7"); }},
        {"an empty object", nameless, "metadata", [](std::string) { return std::string("{}"); }},
        {"40 MiB", named, "bytes",
         [](std::string t) {
             return t.substr(0, t.size() - 1) + R"(,"data":")" + std::string(std::size_t{40} << 20, 'x') + "\"}";
         }},
    };
    return all;
}

std::vector<std::string> with_damaged(play& p, const damage& d) {
    auto out = p.objects_with({});
    out.back() = d.make(out.back());  // x is the last one
    return out;
}

// A list shows it again when the history has expired.
void list_again(play& p) {
    p.honest.set_value("x", 5);
    p.honest.api.compact(p.honest.api.resource_version());
}

// Of an object without a name the log and the handler of invalid objects tell; it can't be found in the store.
play_function is_told_once(const char* why) {
    return [why](play& p) {
        CHECK(p.heard().find("! ") != std::string::npos);
        CHECK(p.logged("(no name)") == 1);
        CHECK(p.logged(why) == 1);
    };
}

std::vector<scenario> in_lists() {
    std::vector<scenario> out;
    for (const auto& d : damages()) {
        scenario row(std::string("1. in a list: ") + d.name);
        row.before([](play& p) { p.honest.create("x", 8); })
            .from_the_start()
            .lasts(60s)
            .answers([&d](const ask& q) -> std::optional<reply> {
                if (!q.is_list()) return std::nullopt;
                return reply::whole(200, q.world.list_of(with_damaged(q.world, d)));
            })
            .well()
            .lists(1, 1)
            .per_minute(5)
            .mends(list_again);
        if (d.what == readable) row.holds("a=1 b=2 c=3 x=8");
        if (d.what == named) row.holds("a=1 b=2 c=3").invalid("default/x").invalid(d.why);
        if (d.what == nameless) row.holds("a=1 b=2 c=3").also(is_told_once(d.why));
        out.push_back(std::move(row));
    }
    return out;
}

std::vector<scenario> in_watches() {
    std::vector<scenario> out;
    for (const auto& d : damages()) {
        scenario row(std::string("1. in a watch: ") + d.name);
        row.before([](play& p) { p.honest.create("x", 8); })
            .lasts(60s)
            .answers([&d](const ask& q) -> std::optional<reply> {
                if (!q.is_watch() || q.n > 0) return std::nullopt;
                q.world.honest.set_value("x", 9);
                const auto bad = event_text("MODIFIED", d.make(q.world.object("x")));
                return reply::stream().send(bad).send(q.world.touch("a")).hangs();
            })
            .well()
            .lists(0, 0)
            .per_minute(5)
            .mends([](play& p) { p.honest.set_value("x", 5); });
        if (d.what == readable) row.holds("a=101 b=2 c=3 x=9");
        if (d.what == named) row.holds("a=101 b=2 c=3 x=8").invalid("default/x").invalid(d.why);
        if (d.what == nameless) row.holds("a=101 b=2 c=3 x=8").also(is_told_once(d.why)).mends(list_again);
        out.push_back(std::move(row));
    }
    return out;
}

// Its last state can't be read, and neither could the one before.
std::vector<scenario> deletions() {
    std::vector<scenario> out;
    for (const auto& d : damages()) {
        if (d.what != named) continue;
        scenario row(std::string("1. deleted: ") + d.name);
        row.before([](play& p) { p.honest.create("x", 8); })
            .lasts(60s)
            .answers([&d](const ask& q) -> std::optional<reply> {
                if (!q.is_watch() || q.n > 0) return std::nullopt;
                play& p = q.world;
                p.honest.set_value("x", 9);
                const std::string bad = d.make(p.object("x"));
                p.honest.set_value("x", 7);
                std::string last = p.object("x");
                const std::string before = p.version();
                p.honest.remove("x");
                last = d.make(replaced(last, "\"" + before + "\"", "\"" + p.version() + "\""));
                return reply::stream().send(event_text("MODIFIED", bad)).send(event_text("DELETED", last)).hangs();
            })
            .well()
            .holds("a=1 b=2 c=3")
            .heard("!x -x? ")
            .lists(0, 0);
        out.push_back(std::move(row));
    }
    return out;
}

TEST_CASE("hostile: an object in a list that can't be read") { play_all(in_lists()); }
TEST_CASE("hostile: an object in a watch that can't be read") { play_all(in_watches()); }
TEST_CASE("hostile: a deleted object that can't be read") { play_all(deletions()); }

}  // namespace
