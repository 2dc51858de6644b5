// API servers behind one address that do not know the same: F06 and F07 of reliability's table of failures.
#include "hostile/play.hpp"

#include <doctest/doctest.h>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

using enum informer_state;

/// How servers of different age say that they have not seen that version yet.
struct shape {
    const char* name;
    const char* message;
    const char* details;
};
const shape shapes[] = {
    {"a cause with its reason", "Timeout: Too large resource version",
     R"({"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version: 9, current: 5"}],)"
     R"("retryAfterSeconds":1})"},
    {"a cause with words only", "Timeout",
     R"({"causes":[{"reason":"","message":"Too large resource version: 9, current: 5"}],"retryAfterSeconds":1})"},
    {"words only", "Too large resource version: 9, current: 5", R"({"retryAfterSeconds":1})"},
    {"words after others", "Timeout: Too large resource version: 9, current: 5", "{}"},
};

reply too_large(const shape& s) { return reply::failure(504, "Timeout", s.message, s.details); }

bool is_versioned_list(const ask& q) { return q.what == verb::list && !q.version.empty(); }

std::vector<scenario> versions_not_seen_yet() {
    std::vector<scenario> out;
    for (const auto& s : shapes) {
        for (const bool with_header : {false, true}) {
            const std::string name = std::string(s.name) + (with_header ? ", Retry-After: 1" : "");
            out.push_back(scenario("F06 a list at a version is refused, always: " + name)
                              .answers([&s, with_header](const ask& q) -> std::optional<reply> {
                                  if (q.is_watch() && q.n == 0) return reply::failure(410, "Expired", "too old");
                                  if (!is_versioned_list(q)) return std::nullopt;
                                  auto r = too_large(s);
                                  if (with_header) r.header("Retry-After", "1");
                                  return r;
                              })
                              .well()
                              .heard("")
                              .lists(2, 2)
                              .also([](play& p) {
                                  // The version is given up, and never asked for again.
                                  CHECK(p.asked_with().at(p.asked_with().size() - 2) == "list  limit 500");
                              }));
        }
        out.push_back(scenario(std::string("F06 the first list is refused, always: ") + s.name)
                          .from_the_start()
                          .answers([&s](const ask& q) -> std::optional<reply> {
                              return is_versioned_list(q) ? std::optional(too_large(s)) : std::nullopt;
                          })
                          .well()
                          .lists(2, 2));
        out.push_back(scenario(std::string("F06 every list is refused: ") + s.name)
                          .from_the_start()
                          .lasts(5min)
                          .answers([&s](const ask& q) -> std::optional<reply> {
                              return q.is_list() ? std::optional(too_large(s)) : std::nullopt;
                          })
                          .state(failed)
                          .reason(s.message)
                          .empty()
                          .per_minute(8));
        for (const bool as_event : {false, true}) {
            out.push_back(scenario(std::string("F06 a watch is refused for 20 s") +
                                   (as_event ? ", as an event: " : ": ") + s.name)
                              .answers([&s, as_event](const ask& q) -> std::optional<reply> {
                                  if (!q.is_watch() || q.since > 20s) return std::nullopt;
                                  if (as_event)
                                      return reply::stream().send(error_text(504, "Timeout", s.message, s.details));
                                  return too_large(s);
                              })
                              .at(10s, [](play& p) { p.honest.set_value("a", 50); })
                              .well()
                              .heard("~a ")
                              .told(s.message)
                              .lists(1, 6));
        }
    }
    return out;
}

// All requests go to the replica that lags from now on.
void fail_over(play& p) {
    p.honest.api.set_faults([](const http::server_request&) { return testing::fault().replica("lagging"); });
    p.honest.api.break_watches();
}

void replica_catches_up(play& p) { p.honest.api.thaw("lagging"); }

// It stays behind by that many changes.
play_function replica_lags(int changes) {
    return [changes](play& p) {
        p.honest.api.freeze("lagging", p.honest.api.resource_version());
        for (int i = 0; i < changes; ++i) p.honest.set_value("a", 1000 + i);
    };
}

std::vector<scenario> lagging_replicas() {
    std::vector<scenario> out;
    for (const int behind : {1, 1000}) {
        const std::string by = ", " + std::to_string(behind) + " behind";
        out.push_back(scenario("F07 failover to a replica that lags" + by)
                          .before(replica_lags(behind))
                          .lasts(3min)
                          .answers([](const ask&) { return std::optional<reply>(); })
                          .at(1ms, fail_over)
                          .at(30s, [](play& p) { p.honest.set_value("b", 60); })
                          .at(90s, replica_catches_up)
                          .well()
                          .heard("~b ")
                          .per_minute(5));
        out.push_back(scenario("F07 failover to a replica that lags and stays so" + by)
                          .before(replica_lags(behind))
                          .lasts(10min)
                          .answers([](const ask&) { return std::optional<reply>(); })
                          .at(1ms, fail_over)
                          .state(live)
                          .heard("")
                          .per_minute(5)
                          .mends(replica_catches_up));
        out.push_back(scenario("F07 failover to a replica that lags, and the version has expired" + by)
                          .before(replica_lags(behind))
                          .lasts(3min)
                          .answers([](const ask& q) -> std::optional<reply> {
                              if (q.is_watch() && q.n == 0) return reply::failure(410, "Expired", "too old");
                              return std::nullopt;
                          })
                          .at(1ms, fail_over)
                          .state(live)
                          .heard("")
                          .per_minute(5)
                          .mends(replica_catches_up));
        out.push_back(scenario("F07 the first list comes from a replica that lags" + by)
                          .before([behind](play& p) {
                              replica_lags(behind)(p);
                              fail_over(p);
                          })
                          .from_the_start()
                          .answers([](const ask&) { return std::optional<reply>(); })
                          .at(30s, replica_catches_up)
                          .well()
                          .lists(1, 1)
                          .also([behind](play& p) {
                              std::string changes;
                              for (int i = 0; i < behind; ++i) changes += "~a ";
                              CHECK(p.heard() == "+a +b +c " + changes);
                          }));
    }
    out.push_back(scenario("F07 a list at a version is older than that, and is not taken")
                      .answers([](const ask& q) -> std::optional<reply> {
                          if (q.is_watch() && q.n == 0) return reply::failure(410, "Expired", "too old");
                          if (!is_versioned_list(q)) return std::nullopt;
                          return reply::whole(200, q.world.list_of({widget_text("a", "1", R"({"value":0})")}, {}, "1"));
                      })
                      .well()
                      .heard("")
                      .lists(2, 2));
    out.push_back(scenario("F07 events of a replica that lags are not taken")
                      .answers([](const ask& q) -> std::optional<reply> {
                          if (!q.is_watch() || q.n > 0) return std::nullopt;
                          return reply::stream()
                              .send(event_text("MODIFIED", widget_text("a", "1", R"({"value":0})")))
                              .send(event_text("DELETED", widget_text("b", "2", R"({"value":0})")))
                              .send(event_text("ADDED", widget_text("z", "3", R"({"value":0})")))
                              .send(q.world.touch("c"))
                              .hangs();
                      })
                      .lasts(60s)
                      .well()
                      .heard("~c ")
                      .lists(1, 1));  // the look at the store itself
    return out;
}

TEST_CASE("hostile: F06 a version that the server has not seen yet") { play_all(versions_not_seen_yet()); }
TEST_CASE("hostile: F07 replicas that lag") { play_all(lagging_replicas()); }

}  // namespace
