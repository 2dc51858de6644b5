// Retry-After in every shape: F08 of reliability's table of failures. What can be read is never undercut and is capped
// at two minutes; what can't be read is passed over; and none of it is a reason to list, or to ask in a hurry.
#include "hostile/play.hpp"

#include <doctest/doctest.h>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

using enum informer_state;

/// A value of the header, and how often may be asked with it in the last minute of five.
struct shape {
    const char* name;
    const char* value;  // null: none
    std::size_t per_minute;
};
const shape headers[] = {
    {"none", nullptr, 8},
    {"0", "0", 34},
    {"1", "1", 34},
    {"20", "20", 8},
    {"120", "120", 3},
    {"3600", "3600", 3},
    {"a date", "Wed, 21 Oct 2065 07:28:00 GMT", 8},
    {"-1", "-1", 8},
    {"1e9", "1e9", 8},
    {"9999999999999999999999", "9999999999999999999999", 8},
    {"rubbish", "soon; really", 8},
    {"nothing", "", 8},
};

reply refusal(int code, const shape& s) {
    auto r = reply::failure(code, code == 429 ? "TooManyRequests" : "ServiceUnavailable", "come back later");
    if (s.value != nullptr) r.header("Retry-After", s.value);
    return r;
}

std::vector<scenario> in_headers() {
    std::vector<scenario> out;
    for (const auto& s : headers) {
        for (const int code : {429, 503}) {
            const std::string name = std::to_string(code) + ", Retry-After " + s.name;
            out.push_back(scenario("F08 a watch is refused: " + name)
                              .lasts(5min)
                              .answers([&s, code](const ask& q) -> std::optional<reply> {
                                  return q.is_watch() ? std::optional(refusal(code, s)) : std::nullopt;
                              })
                              .state(failed)
                              .reason("come back later")
                              .lists(0, 0)
                              .heard("")
                              .per_minute(s.per_minute)
                              .heals_in(150s));
            out.push_back(scenario("F08 the first list is refused: " + name)
                              .from_the_start()
                              .lasts(5min)
                              .answers([&s, code](const ask& q) -> std::optional<reply> {
                                  return q.is_list() ? std::optional(refusal(code, s)) : std::nullopt;
                              })
                              .state(failed)
                              .reason("come back later")
                              .empty()
                              .per_minute(s.per_minute)
                              .heals_in(150s));
        }
        out.push_back(
            scenario(std::string("F08 everything is refused, and who answers, too: 429, Retry-After ") + s.name)
                .lasts(5min)
                .answers([&s](const ask&) { return std::optional(refusal(429, s)); })
                .state(failed)
                .lists(0, 0)
                .per_minute(2 * s.per_minute)
                .heals_in(150s));
        out.push_back(scenario(std::string("F08 five watches are refused: 429, Retry-After ") + s.name)
                          .lasts(15min)
                          .answers([&s](const ask& q) -> std::optional<reply> {
                              return q.is_watch() && q.n < 5 ? std::optional(refusal(429, s)) : std::nullopt;
                          })
                          .at(10s, [](play& p) { p.honest.set_value("a", 50); })
                          .well()
                          .heard("~a ")
                          .lists(0, 1));  // the look at a resumed watch that stays silent
    }
    return out;
}

const shape in_details[] = {
    {"none", "{}", 8},
    {"0", R"({"retryAfterSeconds":0})", 8},
    {"1", R"({"retryAfterSeconds":1})", 8},
    {"20", R"({"retryAfterSeconds":20})", 6},
    {"120", R"({"retryAfterSeconds":120})", 3},
    {"10^9", R"({"retryAfterSeconds":1000000000})", 3},
    {"10^30", R"({"retryAfterSeconds":1000000000000000000000000000000})", 8},
    {"-1", R"({"retryAfterSeconds":-1})", 8},
    {"1.5", R"({"retryAfterSeconds":1.5})", 8},
    {"text", R"({"retryAfterSeconds":"120"})", 8},
    {"null", R"({"retryAfterSeconds":null})", 8},
    {"details that are a list", "[120]", 8},
    {"details that are null", "null", 8},
};

std::vector<scenario> in_events() {
    std::vector<scenario> out;
    for (const auto& s : in_details) {
        out.push_back(scenario(std::string("F08 a watch is told 429 as an event, retryAfterSeconds ") + s.name)
                          .lasts(5min)
                          .answers([&s](const ask& q) -> std::optional<reply> {
                              if (!q.is_watch()) return std::nullopt;
                              return reply::stream().send(
                                  error_text(429, "TooManyRequests", "come back later", s.value));
                          })
                          .state(failed)
                          .lists(0, 0)
                          .heard("")
                          .per_minute(s.per_minute)
                          .heals_in(150s));
    }
    return out;
}

// A wait that the server asked for is not undercut: the times of the requests say so.
TEST_CASE("hostile: F08 Retry-After is not undercut") {
    for (const int seconds : {1, 5, 20, 90}) {
        std::vector<duration> times;
        const scenario row = scenario("F08 the times between requests, Retry-After " + std::to_string(seconds))
                                 .lasts(10min)
                                 .answers([&](const ask& q) -> std::optional<reply> {
                                     if (!q.is_watch()) return std::nullopt;
                                     times.push_back(q.since);
                                     return reply::failure(429, "TooManyRequests", "come back later")
                                         .header("Retry-After", std::to_string(seconds));
                                 })
                                 .state(failed)
                                 .lists(0, 0)
                                 .heals_in(150s);
        play_all({row});
        REQUIRE(times.size() > 4);
        for (std::size_t i = 1; i < times.size(); ++i) CHECK(times[i] - times[i - 1] >= std::chrono::seconds(seconds));
    }
}

TEST_CASE("hostile: F08 Retry-After in a header") { play_all(in_headers()); }
TEST_CASE("hostile: F08 Retry-After in an event") { play_all(in_events()); }

}  // namespace
