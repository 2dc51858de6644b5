// The table of docs/watch_failures.md, row by row, at a server that gives the same answer for three minutes: to lists,
// to watches, as an ERROR event of each watch, and to streamed lists. The objects change after a minute.
#include "hostile/play.hpp"

#include <doctest/doctest.h>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

using enum informer_state;

struct row {
    int code;
    const char* reason;
    const char* details;
    informer_state of_list;
    informer_state of_watch;
    bool watch_lists;  // a watch that is refused so leads to lists, which show what has changed
    bool event_lists;
    std::size_t pages;  // lists of a watch in three minutes, at most
};

constexpr const char* too_large =
    R"({"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],"retryAfterSeconds":1})";

const row rows[] = {
    {410, "Expired", "{}", failed, failed, true, true, 12},
    {410, "Gone", "{}", failed, failed, true, true, 12},
    {504, "Timeout", too_large, failed, failed, true, true, 12},
    {400, "BadRequest", "{}", failed, failed, true, true, 12},
    {422, "Invalid", "{}", failed, failed, true, true, 12},
    {404, "NotFound", "{}", not_installed, failed, true, true, 12},
    {403, "Forbidden", "{}", forbidden, forbidden, false, true, 12},
    {401, "Unauthorized", "{}", failed, failed, false, true, 12},
    {429, "TooManyRequests", "{}", failed, failed, false, false, 0},
    {503, "ServiceUnavailable", "{}", failed, failed, false, false, 0},
    {504, "Timeout", "{}", failed, failed, true, true, 3},
    {500, "ServerTimeout", "{}", failed, failed, true, true, 3},
    {500, "InternalError", "{}", failed, failed, true, true, 3},
    {502, "", "{}", failed, failed, true, true, 3},
    {500, "StorageReadError", "{}", failed, failed, true, true, 12},
    {405, "MethodNotAllowed", "{}", failed, failed, true, true, 12},
    {409, "Conflict", "{}", failed, failed, true, true, 12},
};

std::string named(const char* what, const row& r) {
    return std::string(what) + std::to_string(r.code) + " " + r.reason + (r.details == too_large ? ", too large" : "");
}

reply refusal(const row& r) { return reply::failure(r.code, r.reason, "go away", r.details); }

bool is_stream(const ask& q) { return q.target.find("sendInitialEvents=true") != std::string::npos; }

void change(play& p) { p.honest.set_value("a", 50); }

std::string after_change(bool lists) { return lists ? "a=50 b=2 c=3" : "a=1 b=2 c=3"; }

scenario each_list(const row& r) {
    return scenario(named("table: each list: ", r))
        .from_the_start()
        .lasts(3min)
        .answers([&r](const ask& q) { return q.is_list() ? std::optional(refusal(r)) : std::nullopt; })
        .state(r.of_list)
        .reason("go away")
        .empty()
        .per_minute(r.of_list == failed ? 8 : 24);
}

scenario each_watch(const row& r) {
    return scenario(named("table: each watch: ", r))
        .lasts(3min)
        .answers([&r](const ask& q) { return q.is_watch() ? std::optional(refusal(r)) : std::nullopt; })
        .at(60s, change)
        .state(r.of_watch)
        .reason("go away")
        .holds(after_change(r.watch_lists))
        .lists(0, r.watch_lists ? r.pages : 0)
        .per_minute(r.of_watch == failed ? 16 : 24);
}

scenario each_event(const row& r) {
    return scenario(named("table: an ERROR event of each watch: ", r))
        .lasts(3min)
        .answers([&r](const ask& q) -> std::optional<reply> {
            if (!q.is_watch()) return std::nullopt;
            return reply::stream().send(error_text(r.code, r.reason, "go away", r.details));
        })
        .at(60s, change)
        .state(failed)
        .reason("go away")
        .holds(after_change(r.event_lists))
        .lists(0, r.event_lists ? r.pages : 0)
        .per_minute(16);
}

// Streams alone are refused: a list comes in their place, sooner or later.
scenario each_stream(const row& r, bool as_event) {
    return scenario(named(as_event ? "table: an ERROR event of each stream: " : "table: each stream: ", r))
        .with(informer_options().streaming(list_streaming::on))
        .from_the_start()
        .lasts(3min)
        .answers([&r, as_event](const ask& q) -> std::optional<reply> {
            if (!is_stream(q)) return std::nullopt;
            if (!as_event) return refusal(r);
            return reply::stream().send(error_text(r.code, r.reason, "go away", r.details));
        })
        .at(60s, change)
        .well()
        .heard("+a +b +c ~a ")
        .lists(1, 2);
}

TEST_CASE("hostile: the table of failures, at lists") {
    std::vector<scenario> all;
    for (const row& r : rows) all.push_back(each_list(r));
    play_all(all);
}

TEST_CASE("hostile: the table of failures, at watches") {
    std::vector<scenario> all;
    for (const row& r : rows) {
        all.push_back(each_watch(r));
        all.push_back(each_event(r));
    }
    play_all(all);
}

TEST_CASE("hostile: the table of failures, at streamed lists") {
    std::vector<scenario> all;
    for (const row& r : rows) {
        for (const bool as_event : {false, true}) all.push_back(each_stream(r, as_event));
    }
    play_all(all);
}

// A server that never says when it has caught up, but that lists: what was seen in the field.
TEST_CASE("hostile: a watch whose version is too large begins again after one list, at once") {
    for (const bool as_event : {false, true}) {
        for (const bool with_header : {false, true}) {
            play_all({scenario("table: too large until there was another list")
                          .lasts(30s)
                          .answers([as_event, with_header](const ask& q) -> std::optional<reply> {
                              if (!q.is_watch() || q.world.asked(verb::list) > 0) return std::nullopt;
                              if (as_event) {
                                  return reply::stream().send(error_text(504, "Timeout", "go away", too_large));
                              }
                              auto out = reply::failure(504, "Timeout", "go away", too_large);
                              if (with_header) out.header("Retry-After", "1");
                              return out;
                          })
                          .well()
                          .told("go away")
                          .lists(1, 1)
                          .watches(2, 2)});
        }
    }
}

// 429 with Retry-After is no pace for ever: the header is the least, and the backoff grows.
TEST_CASE("hostile: 429 with Retry-After: 1 comes ever more seldom, for lists, watches and streams") {
    for (const verb what : {verb::list, verb::watch}) {
        for (const int code : {429, 503}) {
            const bool streams = what == verb::list;
            std::vector<duration> times;
            play_all({scenario("table: the times of " + std::to_string(code))
                          .with(informer_options().streaming(streams ? list_streaming::on : list_streaming::off))
                          .lasts(3min)
                          .from_the_start()
                          .answers([&, what](const ask& q) -> std::optional<reply> {
                              const bool meant = what == verb::list ? q.is_list() || is_stream(q) : q.is_watch();
                              if (!meant) return std::nullopt;
                              times.push_back(q.since);
                              return reply::failure(code, "", "come back later").header("Retry-After", "1");
                          })
                          .state(failed)
                          .holds(streams ? "" : "a=1 b=2 c=3")
                          .heals_in(150s)});
            CHECK(static_cast<int>(times.size()) >= 6);
            CHECK(static_cast<int>(times.size()) <= 15);
            for (std::size_t i = 1; i < times.size(); ++i) CHECK(times[i] - times[i - 1] >= 1s);
            REQUIRE(times.size() > 2);
            CHECK(times.back() - times[times.size() - 2] >= 15s);
        }
    }
}

}  // namespace
