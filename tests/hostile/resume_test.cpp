// Watches that end, expire or go silent, from reliability's table of failures: F01 to F04, F09, F10, F16, F17, F25.
#include "hostile/play.hpp"

#include <doctest/doctest.h>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

using enum informer_state;

// What was asked, without the questions who answers.
std::string asked_of(const play& p, const char* what) {
    std::string out;
    for (const auto& line : p.asked_with()) {
        if (line.starts_with(what)) out += line + "; ";
    }
    return out;
}

// A watch begins where the one before ended: nothing is lost and nothing comes twice.
play_function continues_each_watch() {
    return [](play& p) {
        CHECK(p.notes["gap"].empty());
        CHECK(p.heard() == p.notes["sent"]);
    };
}

void note_resume(const ask& q) {
    auto& last = q.world.notes["last"];
    if (!last.empty() && last != q.version) q.world.notes["gap"] += last + " but " + q.version + "; ";
}

std::string sent_touch(play& p) {
    std::string event = p.touch("a");
    p.notes["sent"] += "~a ";
    p.notes["last"] = p.version();
    return event;
}

std::vector<scenario> proper_ends() {
    return {
        scenario("F01 a watch ends at its timeoutSeconds, idle")
            .with(informer_options().watch_timeout(60s, 60s))
            .lasts(10min)
            .answers([](const ask& q) -> std::optional<reply> {
                if (!q.is_watch()) return std::nullopt;
                note_resume(q);
                reply r = reply::stream();
                if (q.n == 0) r.send(sent_touch(q.world));
                return r.pause(q.timeout);
            })
            .well()
            .lists(0, 0)
            .per_minute(2)
            .also(continues_each_watch())
            .watches(9, 11),
        scenario("F01 a watch ends at its timeoutSeconds, in a burst")
            .with(informer_options().watch_timeout(10s, 10s))
            .lasts(2min)
            .answers([](const ask& q) -> std::optional<reply> {
                if (!q.is_watch()) return std::nullopt;
                note_resume(q);
                play& p = q.world;
                if (q.since > 100s) return reply::stream().hangs();
                return reply::stream().make([&p](std::uint64_t) { return sent_touch(p); }, 100, 100ms);
            })
            .well()
            .lists(0, 0)
            .also(continues_each_watch())
            .watches(10, 13),
        scenario("F02 a watch ends within a second with nothing, for ten minutes")
            .lasts(10min)
            .answers([](const ask& q) -> std::optional<reply> {
                return q.is_watch() ? std::optional(reply::stream().pause(300ms)) : std::nullopt;
            })
            .state(failed)
            .reason("watches in a row, soon after")
            .lists(0, 0)
            .heard("")
            .per_minute(6),
    };
}

/// The shapes of "410 Gone".
struct shape {
    const char* name;
    reply (*answer)();
};
const shape shapes[] = {
    {"410 Expired", [] { return reply::failure(410, "Expired", "too old resource version: 5 (9)"); }},
    {"410 Gone", [] { return reply::failure(410, "Gone", "too old resource version: 5 (9)"); }},
    {"410 without a reason", [] { return reply::failure(410, "", ""); }},
    {"410 with a web page", [] { return reply::whole(410, "<html>410 Gone</html>", "text/html"); }},
    {"410 with words", [] { return reply::whole(410, "gone\n", "text/plain"); }},
    {"410 without a body", [] { return reply::whole(410, "", ""); }},
};

// The watch brings one event; then b is deleted where nobody sees it.
std::string event_and_unseen_deletion(play& p) {
    std::string event = p.touch("a");
    p.notes["last"] = p.version();
    p.honest.remove("b");
    return event;
}

play_function lists_at(const char* then) {
    return [then](play& p) { CHECK(asked_of(p, "list") == "list " + p.notes["last"] + " limit 0; " + then); };
}

std::vector<scenario> expired_watches() {
    std::vector<scenario> out;
    for (const auto* reason : {"Expired", "Gone"}) {
        out.push_back(scenario(std::string("F03 410 ") + reason + " as an event in the middle of a watch")
                          .answers([reason](const ask& q) -> std::optional<reply> {
                              if (!q.is_watch() || q.n > 0) return std::nullopt;
                              return reply::stream()
                                  .send(event_and_unseen_deletion(q.world))
                                  .pause(5s)
                                  .send(error_text(410, reason, "too old resource version"));
                          })
                          .well()
                          .heard("~a -b? ")
                          .lists(1, 1)
                          .also(lists_at("")));
        out.push_back(scenario(std::string("F03 410 ") + reason + " as an event, and the list at that version, too")
                          .answers([reason](const ask& q) -> std::optional<reply> {
                              if (q.what == verb::list && q.n == 0) return reply::failure(410, reason, "too old");
                              if (!q.is_watch() || q.n > 0) return std::nullopt;
                              return reply::stream()
                                  .send(event_and_unseen_deletion(q.world))
                                  .send(error_text(410, reason, "too old resource version"));
                          })
                          .well()
                          .heard("~a -b? ")
                          .lists(2, 2)
                          .also(lists_at("list  limit 500; ")));
    }
    for (const auto& s : shapes) {
        out.push_back(scenario(std::string("F04 a watch is refused: ") + s.name)
                          .answers([&s](const ask& q) -> std::optional<reply> {
                              return q.is_watch() && q.n == 0 ? std::optional(s.answer()) : std::nullopt;
                          })
                          .well()
                          .heard("")
                          .lists(1, 1));
        out.push_back(scenario(std::string("F04 a watch and the list after it: ") + s.name)
                          .answers([&s](const ask& q) -> std::optional<reply> {
                              const bool refused = (q.is_watch() || q.what == verb::list) && q.n == 0;
                              return refused ? std::optional(s.answer()) : std::nullopt;
                          })
                          .well()
                          .heard("")
                          .lists(2, 2)
                          .also([](play& p) { CHECK(asked_of(p, "list").ends_with("list  limit 500; ")); }));
        out.push_back(scenario(std::string("F04 all lists and watches: ") + s.name)
                          .lasts(5min)
                          .answers([&s](const ask& q) -> std::optional<reply> {
                              return q.is_watch() || q.is_list() ? std::optional(s.answer()) : std::nullopt;
                          })
                          .state(failed)
                          .holds("a=1 b=2 c=3")
                          .per_minute(8));
        out.push_back(scenario(std::string("F25 no history: each watch is refused: ") + s.name)
                          .lasts(5min)
                          .answers([&s](const ask& q) -> std::optional<reply> {
                              return q.is_watch() ? std::optional(s.answer()) : std::nullopt;
                          })
                          .at(30s, [](play& p) { p.honest.set_value("a", 50); })
                          .at(100s, [](play& p) { p.honest.remove("b"); })
                          .at(200s, [](play& p) { p.honest.create("d", 4); })
                          .state(failed)
                          .holds("a=50 c=3 d=4")
                          .heard("~a -b? +d ")
                          .per_minute(8));
    }
    return out;
}

std::vector<scenario> servers_in_trouble() {
    std::vector<scenario> out;
    for (const bool as_event : {true, false}) {
        const char* how = as_event ? " as an event" : "";
        out.push_back(scenario(std::string("F09 500 etcdserver: no leader") + how + ", for 20 s")
                          .answers([as_event](const ask& q) -> std::optional<reply> {
                              if (!q.is_watch() || q.since > 20s) return std::nullopt;
                              const char* words = "etcdserver: no leader";
                              if (as_event) {
                                  return reply::stream().send(error_text(500, "InternalError", words));
                              }
                              return reply::failure(500, "InternalError", words);
                          })
                          .at(10s, [](play& p) { p.honest.set_value("a", 50); })
                          .told("etcdserver: no leader")
                          .well()
                          .heard("~a ")
                          .lists(0, 0));
        out.push_back(scenario(std::string("F10 500 StorageReadError") + how + ": the object leaves the cache")
                          .answers([as_event](const ask& q) -> std::optional<reply> {
                              if (!q.is_watch() || q.n > 0) return std::nullopt;
                              q.world.honest.remove("b");
                              const char* words = "unable to transform the key";
                              if (as_event) {
                                  return reply::stream().send(error_text(500, "StorageReadError", words));
                              }
                              return reply::failure(500, "StorageReadError", words);
                          })
                          .told("unable to transform")
                          .well()
                          .heard("-b? ")
                          .lists(1, 1));
    }
    return out;
}

std::vector<scenario> silent_watches() {
    return {
        scenario("F16 half-open: what the server sends is lost, without a sign")
            .lasts(4min)
            .answers([](const ask&) { return std::optional<reply>(); })
            .at(10s, [](play& p) { p.network.freeze_connections("a"); })
            .at(20s, [](play& p) { p.honest.set_value("a", 50); })
            .well()
            .heard("~a ")
            .lists(0, 1)  // the look at a resumed watch that stays silent
            .watches(2, 3)
            .per_minute(4),
        scenario("F17 a proxy whose server is dead takes everything and sends nothing")
            .lasts(4min)
            .answers([](const ask& q) -> std::optional<reply> {
                if (q.is_watch() && q.n == 0) return reply::stream().send(q.world.touch("a")).hangs();
                return std::nullopt;
            })
            .at(10s, [](play& p) { p.honest.set_value("b", 60); })
            .well()
            .heard("~a ~b ")
            .lists(0, 1)
            .watches(2, 3),
    };
}

TEST_CASE("hostile: F01, F02 watches that end properly") { play_all(proper_ends()); }
TEST_CASE("hostile: F03, F04, F25 every shape of 410") { play_all(expired_watches()); }
TEST_CASE("hostile: F09, F10 a server in trouble") { play_all(servers_in_trouble()); }
TEST_CASE("hostile: F16, F17 silence") { play_all(silent_watches()); }

}  // namespace
