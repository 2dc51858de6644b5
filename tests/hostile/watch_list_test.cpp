// Streamed lists, F11 to F14 of reliability's table of failures: from servers that send them or their like though this
// informer does not ask for them, and from servers that are asked for them and don't know how. Watches begin at a
// list's version, so whatever a server sends unasked is an event like any other: what is known already is no news, and
// the live store is never replaced in parts.
#include "hostile/play.hpp"

#include <doctest/doctest.h>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

using enum informer_state;

// A bookmark with that value of the annotation that ends the initial events.
std::string end_bookmark(const std::string& version, const std::string& annotation) {
    return event_text("BOOKMARK",
                      R"({"kind":"Widget","apiVersion":"test.kcontrol.dev/v1","metadata":{"resourceVersion":")" +
                          version + R"(","annotations":{"k8s.io/initial-events-end":)" + annotation + "}}}");
}

std::string all_added(play& p) {
    std::string out;
    for (const auto& o : p.objects_with({})) out += event_text("ADDED", o);
    return out;
}

// The first watch carries that and stays open.
scenario first_watch(const std::string& name, std::function<std::string(play&)> text) {
    return scenario(name)
        .lasts(30s)
        .answers([text](const ask& q) -> std::optional<reply> {
            if (!q.is_watch() || q.n > 0) return std::nullopt;
            return reply::stream().send(text(q.world)).send(q.world.touch("c")).hangs();
        })
        .well()
        .lists(0, 0)
        .heard("~c ");
}

std::vector<scenario> unasked_lists() {
    return {
        scenario("F11 no streamed list is asked for, and no watch without a version")
            .from_the_start()
            .lasts(60s)
            .answers([](const ask& q) -> std::optional<reply> {
                if (q.is_watch()) CHECK((!q.version.empty() && q.version != "0"));
                CHECK(q.target.find("sendInitialEvents") == std::string::npos);
                return std::nullopt;
            })
            .well()
            .lists(1, 1),
        // Old versions are a sign that is looked into: a list of one object, once in 30 s.
        first_watch("F11 a watch begins with all objects, unasked, and no bookmark ends them", all_added).lists(1, 1),
        scenario("F11 a watch begins with all objects, unasked, again and again")
            .lasts(3min)
            .answers([](const ask& q) -> std::optional<reply> {
                if (!q.is_watch()) return std::nullopt;
                return reply::stream().send(all_added(q.world)).pause(1s);
            })
            .state(failed)
            .reason("watches in a row")
            .lists(0, 6)
            .heard("")
            .per_minute(10),
        first_watch("F12 a bookmark that ends a list, unasked",
                    [](play& p) { return end_bookmark(p.version(), R"("true")"); }),
        first_watch(
            "F12 the same twice",
            [](play& p) { return end_bookmark(p.version(), R"("true")") + end_bookmark(p.version(), R"("true")"); }),
        first_watch("F12 a bookmark that says \"false\"",
                    [](play& p) { return end_bookmark(p.version(), R"("false")"); }),
        first_watch("F12 a bookmark whose annotation is no text",
                    [](play& p) { return end_bookmark(p.version(), "true"); }),
        first_watch("F12 a bookmark without a version", [](play&) { return end_bookmark("", R"("true")"); }),
        first_watch("F12 a bookmark whose object is null", [](play&) { return event_text("BOOKMARK", "null"); }),
        first_watch("F12 a bookmark lower than all objects",
                    [](play& p) { return all_added(p) + end_bookmark("1", R"("true")"); })
            .lists(1, 1),  // the look at the store itself
    };
}

std::vector<scenario> refused_lists() {
    std::vector<scenario> out;
    struct refusal {
        int code;
        const char* reason;
        informer_state state;
    };
    for (const auto& r :
         {refusal{422, "Invalid", failed}, refusal{400, "BadRequest", failed}, refusal{403, "Forbidden", forbidden},
          refusal{405, "MethodNotAllowed", failed}, refusal{501, "NotImplemented", failed}}) {
        const std::string name = std::to_string(r.code) + " " + r.reason;
        const char* words = "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled";
        out.push_back(scenario("F13 each watch is refused: " + name)
                          .lasts(3min)
                          .answers([r, words](const ask& q) -> std::optional<reply> {
                              return q.is_watch() ? std::optional(reply::failure(r.code, r.reason, words))
                                                  : std::nullopt;
                          })
                          .at(60s, [](play& p) { p.honest.set_value("a", 50); })
                          .state(r.state)
                          .reason("sendInitialEvents")
                          // What leads to lists shows what changed; what does not keeps what was known.
                          .holds(r.code == 403 ? "a=1 b=2 c=3" : "a=50 b=2 c=3")
                          .per_minute(r.code == 403 ? 24 : 16));
        out.push_back(scenario("F13 one watch is refused: " + name)
                          .answers([r, words](const ask& q) -> std::optional<reply> {
                              if (!q.is_watch() || q.n > 0) return std::nullopt;
                              return reply::failure(r.code, r.reason, words);
                          })
                          .at(1s, [](play& p) { p.honest.set_value("a", 50); })
                          .told("sendInitialEvents")
                          .well()
                          .heard("~a ")
                          .lists(0, 1));
    }
    return out;
}

std::vector<scenario> odd_beginnings() {
    return {
        scenario("F14 the stream ends inside the initial objects")
            .lasts(60s)
            .answers([](const ask& q) -> std::optional<reply> {
                if (!q.is_watch() || q.n > 0) return std::nullopt;
                return reply::stream().send(event_text("ADDED", q.world.object("a"))).send(R"({"type":"ADDED","obj)");
            })
            .told("inside an event")
            .well()
            .heard("")
            .lists(0, 2),
        first_watch("F14 an object is added twice", [](play& p) { return all_added(p) + all_added(p); }).lists(1, 1),
        scenario("F14 a new object is added twice")
            .lasts(30s)
            .answers([](const ask& q) -> std::optional<reply> {
                if (!q.is_watch() || q.n > 0) return std::nullopt;
                q.world.honest.create("d", 4);
                const auto added = event_text("ADDED", q.world.object("d"));
                return reply::stream().send(added + added).hangs();
            })
            .well()
            .lists(0, 0)
            .heard("+d "),
        scenario("F14 a deletion among the initial objects")
            .lasts(30s)
            .answers([](const ask& q) -> std::optional<reply> {
                if (!q.is_watch() || q.n > 0) return std::nullopt;
                play& p = q.world;
                std::string last = p.object("b");
                const std::string old = last.substr(last.find(R"("resourceVersion":")"), 25);
                p.honest.remove("b");
                last.replace(last.find(old), old.size(),
                             R"("resourceVersion":")" + p.version() + old.substr(old.find('"', 19)));
                const auto others = all_added(p);
                return reply::stream().send(event_text("DELETED", last) + others).hangs();
            })
            .well()
            .lists(1, 1)
            .heard("-b "),
        scenario("F14 a change of an object that nobody knows, and a deletion of one")
            .lasts(30s)
            .answers([](const ask& q) -> std::optional<reply> {
                if (!q.is_watch() || q.n > 0) return std::nullopt;
                play& p = q.world;
                p.honest.create("d", 4);
                const auto changed = event_text("MODIFIED", p.object("d"));
                p.honest.create("e", 5);
                const auto deleted = event_text("DELETED", p.object("e"));
                p.honest.remove("e");
                return reply::stream().send(changed + deleted).hangs();
            })
            .well()
            .lists(0, 0)
            .heard("+d "),
    };
}

bool is_stream(const ask& q) { return q.target.find("sendInitialEvents=true") != std::string::npos; }

// Each streamed list that is asked for is answered so, from the first on; all else is as it should be. It ends with a
// list in pages, unless the row says otherwise.
scenario streams(const std::string& name, std::function<reply(const ask&)> answer) {
    return scenario(name)
        .with(informer_options().streaming(list_streaming::on))
        .from_the_start()
        .lasts(3min)
        .answers([answer](const ask& q) { return is_stream(q) ? std::optional(answer(q)) : std::nullopt; })
        .well()
        .heard("+a +b +c ")
        .lists(1, 1);
}

scenario sends(const std::string& name, std::function<std::string(play&)> text) {
    return streams(name, [text](const ask& q) { return reply::stream().send(text(q.world)).hangs(); });
}

std::string changed(play& p, const std::string& type, const std::string& name) {
    return event_text(type, p.object(name));
}

std::vector<scenario> asked_lists() {
    std::vector<scenario> out{
        scenario("F11 a server that knows streamed lists")
            .with(informer_options().streaming(list_streaming::on))
            .from_the_start()
            .well()
            .heard("+a +b +c ")
            .lists(0, 0)
            .watches(1, 1),
        sends("F11 a streamed list without an end", all_added),
        streams("F11 the same objects again and again",
                [](const ask& q) { return reply::stream().repeat(all_added(q.world), 100'000, 10ms); })
            .peak(std::size_t{32} << 20),
        streams("F11 nothing at all", [](const ask&) { return reply::stream().hangs(); }),
        streams("F11 not even an answer", [](const ask&) { return reply::nothing(); }).lasts(4min),
        sends("F12 a bookmark that says \"false\"",
              [](play& p) { return all_added(p) + end_bookmark(p.version(), R"("false")"); }),
        sends("F12 a bookmark whose annotation is no text",
              [](play& p) { return all_added(p) + end_bookmark(p.version(), "true"); }),
        sends("F12 a bookmark that says nothing", [](play& p) { return all_added(p) + bookmark_text(p.version()); }),
        sends("F12 a bookmark that ends them, without a version",
              [](play& p) { return all_added(p) + end_bookmark("", R"("true")"); }),
        sends("F12 the bookmark twice",
              [](play& p) {
                  const auto end = end_bookmark(p.version(), R"("true")");
                  return all_added(p) + end + end;
              })
            .lasts(1min)
            .lists(0, 0),
        streams("F13 the error of a server whose etcd is too old",
                [](const ask&) {
                    return reply::stream().send(
                        error_text(500, "InternalError",
                                   "a watch stream was requested by the client but the required "
                                   "storage feature RequestWatchProgress is disabled"));
                }),
        streams("F14 each ends among its objects",
                [](const ask& q) { return reply::stream().send(changed(q.world, "ADDED", "a")); }),
        streams("F14 each breaks in an event",
                [](const ask& q) {
                    return reply::stream().send(changed(q.world, "ADDED", "a") + R"({"type":"ADDED","obj)").breaks();
                }),
        sends("F14 objects that come twice, change, go and come again",
              [](play& p) {
                  return all_added(p) + all_added(p) + changed(p, "DELETED", "a") + changed(p, "MODIFIED", "b") +
                         changed(p, "ADDED", "a") + end_bookmark(p.version(), R"("true")");
              })
            .lasts(1min)
            .lists(0, 0),
    };
    for (const auto& words : {std::pair(422, "Invalid"), std::pair(400, "BadRequest"), std::pair(403, "Forbidden"),
                              std::pair(405, "MethodNotAllowed"), std::pair(501, "NotImplemented")}) {
        out.push_back(streams("F13 streamed lists are refused: " + std::to_string(words.first), [words](const ask&) {
            return reply::failure(words.first, words.second, "sendInitialEvents is forbidden for watch");
        }));
    }
    return out;
}

TEST_CASE("hostile: F11 to F14 streamed lists that are asked for") { play_all(asked_lists()); }
TEST_CASE("hostile: F11, F12 streamed lists that nobody asked for") { play_all(unasked_lists()); }
TEST_CASE("hostile: F13 watches that are refused for an option") { play_all(refused_lists()); }
TEST_CASE("hostile: F14 odd beginnings of a watch") { play_all(odd_beginnings()); }

}  // namespace
