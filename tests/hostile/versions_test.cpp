// Resource versions as no server should have them: F15 of reliability's table of failures.
#include "hostile/play.hpp"

#include <doctest/doctest.h>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

using enum informer_state;

struct version {
    const char* name;
    const char* text;
};
const version odd_versions[] = {
    {"empty", ""},
    {"a word", "abc"},
    {"0", "0"},
    {"with a sign", "-5"},
    {"with leading zeros", "007"},
    {"a fraction", "7.5"},
    {"hexadecimal", "0x1f"},
    {"2^64 + 1", "18446744073709551617"},
    {"of 300 digits", nullptr},
    {"of blanks", "  "},
    {"that would break a URL", "5&watch=false#"},
    {"of letters beyond ASCII", "\xc3\xa9"},
};

// The same text with another version.
std::string with_version(std::string object, const std::string& version) {
    const auto at = object.find(R"("resourceVersion":")") + 19;
    return object.replace(at, object.find('"', at) - at, version);
}

// What a server may say next: versions of more than 64 bits are numbers like others.
std::string next_after(const std::string& version, const play& p) {
    if (version.size() < 20) return p.version();
    std::string out = version;
    ++out.back();
    return out;
}

std::string text_of(const version& v) { return v.text != nullptr ? v.text : "9" + std::string(299, '1'); }

// A list with such a version is taken, and what follows is seen.
scenario list_of_version(const version& v) {
    return scenario(std::string("F15 a list of the version ") + v.name)
        .from_the_start()
        .answers([text = text_of(v)](const ask& q) -> std::optional<reply> {
            play& p = q.world;
            if (q.what == verb::list) {
                std::string list = p.list_of(p.objects_with({}), {}, "@");
                return reply::whole(200, list.replace(list.find("\"@\""), 3, "\"" + text + "\""));
            }
            if (!q.is_watch()) return std::nullopt;
            CHECK(q.version == text);
            p.honest.set_value("a", 50);
            const auto changed = with_version(p.object("a"), next_after(text, p));
            return reply::stream().send(event_text("MODIFIED", changed)).hangs();
        })
        .lasts(60s)
        .state(live)
        .per_minute(12)
        .other_history();
}

// So is an event; the watch after it begins there or where the one before it did.
scenario event_of_version(const version& v) {
    return scenario(std::string("F15 an event of the version ") + v.name)
        .answers([text = text_of(v)](const ask& q) -> std::optional<reply> {
            if (!q.is_watch() || q.n > 0) return std::nullopt;
            play& p = q.world;
            p.honest.set_value("a", 50);
            const auto first = event_text("MODIFIED", with_version(p.object("a"), text));
            p.honest.set_value("b", 60);
            const auto second = event_text("MODIFIED", with_version(p.object("b"), next_after(text, p)));
            return reply::stream().send(first + second).hangs();
        })
        .lasts(60s)
        .state(live)
        .per_minute(12)
        .also([](play& p) { CHECK(p.heard().find("~b ") != std::string::npos); })
        .other_history();
}

scenario bookmark_of_version(const version& v) {
    return scenario(std::string("F15 a bookmark of the version ") + v.name)
        .answers([text = text_of(v)](const ask& q) -> std::optional<reply> {
            if (!q.is_watch() || q.n > 0) return std::nullopt;
            play& p = q.world;
            p.honest.set_value("b", 60);
            const auto changed = event_text("MODIFIED", with_version(p.object("b"), next_after(text, p)));
            return reply::stream().send(bookmark_text(text) + changed).hangs();
        })
        .lasts(60s)
        .state(live)
        .heard("~b ")
        .per_minute(12)
        .other_history();
}

std::vector<scenario> odd() {
    std::vector<scenario> out;
    for (const auto& v : odd_versions) {
        out.push_back(list_of_version(v));
        out.push_back(event_of_version(v));
        out.push_back(bookmark_of_version(v));
    }
    return out;
}

std::string without_version(std::string text) {
    const auto at = text.find(R"("resourceVersion":")");
    return text.replace(at, 17, R"("noVersion")");
}

std::vector<scenario> others() {
    return {
        scenario("F15 events without any version")
            .answers([](const ask& q) -> std::optional<reply> {
                if (!q.is_watch() || q.n > 0) return std::nullopt;
                q.world.honest.set_value("a", 50);
                return reply::stream()
                    .send(event_text("MODIFIED", without_version(q.world.object("a"))))
                    .pause(10s)
                    .send(q.world.touch("b"))
                    .hangs();
            })
            .lasts(60s)
            .state(live)
            .heard("~a ~b ")
            .per_minute(12)
            .other_history(),
        scenario("F15 two objects of one version in a watch")
            .answers([](const ask& q) -> std::optional<reply> {
                if (!q.is_watch() || q.n > 0) return std::nullopt;
                play& p = q.world;
                p.honest.set_value("a", 50);
                p.honest.set_value("b", 60);
                const std::string first = with_version(p.object("a"), p.version());
                return reply::stream()
                    .send(event_text("MODIFIED", first) + event_text("MODIFIED", p.object("b")))
                    .hangs();
            })
            .lasts(60s)
            .well()
            .heard("~a ~b ")
            .other_history(),
        scenario("F15 all objects of one version in a list")
            .from_the_start()
            .answers([](const ask& q) -> std::optional<reply> {
                if (q.what != verb::list) return std::nullopt;
                const std::string v = q.world.version();
                std::vector<std::string> items;
                for (const auto* name : {"a", "b", "c"}) items.push_back(widget_text(name, v, R"({"value":7})"));
                return reply::whole(200, q.world.list_of(items));
            })
            .lasts(60s)
            .state(live)
            .heard("+a +b +c ")
            .holds("a=7 b=7 c=7")
            .other_history()
            .mends([](play& p) {
                for (const auto* name : {"a", "b", "c"}) p.honest.set_value(name, 8);
                p.honest.api.compact(p.honest.api.resource_version());
            }),
        scenario("F15 versions that regress, event after event, are looked into once in 30 s")
            .lasts(3min)
            .answers([](const ask& q) -> std::optional<reply> {
                if (!q.is_watch()) return std::nullopt;
                const auto old = [](std::uint64_t i) {
                    return event_text("MODIFIED", widget_text("a", std::to_string(1 + i % 2), R"({"value":0})"));
                };
                return reply::stream().send(q.world.touch("c")).make(old, 1'000'000, 50ms);
            })
            .state(live)
            .heard("~c ")
            .per_minute(6),
        scenario("F15 lists whose pages are of different versions: the first one's counts")
            .with(informer_options().page_size(2))
            .from_the_start()
            .answers([](const ask& q) -> std::optional<reply> {
                play& p = q.world;
                auto all = p.objects_with({});
                if (q.what == verb::list) return reply::whole(200, p.list_of({all[0], all[1]}, "more"));
                if (q.what == verb::page) {
                    p.honest.set_value("a", 50);
                    return reply::whole(200, p.list_of({all[2]}, {}, p.version()));
                }
                return std::nullopt;
            })
            .lasts(60s)
            .well()
            .heard("+a +b +c ~a "),
    };
}

TEST_CASE("hostile: F15 odd resource versions") { play_all(odd()); }
TEST_CASE("hostile: F15 versions that are missing, equal or regress") { play_all(others()); }

}  // namespace
