// Storms: what fails or ends at once, or soon, again and again. None is followed by a storm of requests.
#include "hostile/play.hpp"

#include <doctest/doctest.h>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

using enum informer_state;

constexpr const char* too_often = "no more than one a second is opened";

struct moment {
    const char* name;
    duration after;
};
const moment moments[] = {{"1 ms", 1ms}, {"1.5 s", 1500ms}, {"5 s", 5s}, {"10 s", 10s}};

/// What a watch carries before it ends. Some of it is news.
struct content {
    const char* name;
    bool news;
    std::string (*make)(play&);
};
const content contents[] = {
    {"nothing", false, [](play&) { return std::string(); }},
    {"one old event", false, [](play& p) { return event_text("MODIFIED", p.object("c")); }},
    {"a bookmark", false, [](play& p) { return bookmark_text(p.version()); }},
    {"five bookmarks", false,
     [](play& p) {
         std::string out;
         for (int i = 0; i < 5; ++i) out += bookmark_text(p.version());
         return out;
     }},
    {"one new event", true, [](play& p) { return p.touch("a"); }},
    {"three new events", true,
     [](play& p) {
         std::string out;
         for (const auto* name : {"a", "b", "a"}) out += p.touch(name);
         return out;
     }},
    {"a new bookmark", true,
     [](play& p) {
         p.honest.create("other", 1);
         p.honest.remove("other");
         return bookmark_text(p.version());
     }},
};

struct ending {
    const char* name;
    const char* reason;
    void (*add)(reply&);
};
const ending endings[] = {
    {"ends", "ended 3 watches in a row", [](reply&) {}},
    {"breaks", "lost", [](reply& r) { r.breaks(); }},
    {"carries rubbish", "watch event", [](reply& r) { r.send("this is no JSON\n").hangs(); }},
    {"carries half an event", "inside an event", [](reply& r) { r.send(R"({"type":"ADDED","object":{"kin)"); }},
};

std::vector<scenario> watches_that_end() {
    std::vector<scenario> out;
    for (const auto& when : moments) {
        for (const auto& what : contents) {
            for (const auto& how : endings) {
                scenario row(std::string("3. a watch ") + how.name + " after " + what.name + ", " + when.name);
                row.lasts(3min).answers([&](const ask& q) -> std::optional<reply> {
                    if (!q.is_watch()) return std::nullopt;
                    reply r = reply::stream().send(what.make(q.world)).pause(when.after);
                    how.add(r);
                    return r;
                });
                if (what.news) {
                    // What brings news is resumed at once, but not more often than once a second.
                    row.state(live).per_minute(122);
                    if (when.after < 1s) row.reason(too_often);
                } else {
                    row.state(failed).told(how.reason).per_minute(10);
                }
                out.push_back(std::move(row));
            }
        }
    }
    return out;
}

/// A watch that is refused, or told an error, after a time. What a list may end is listed: at once, or once a minute.
/// 429 and 503 are the server's load, to which a list would add.
struct refusal {
    const char* name;
    int code;
    const char* reason;
    const char* details;
    informer_state state;
    std::size_t per_minute;
    std::size_t lists;  // at most, in three minutes
};
const refusal refusals[] = {
    {"410 Expired", 410, "Expired", "{}", failed, 16, 24},
    {"410 Gone", 410, "Gone", "{}", failed, 16, 24},
    {"404", 404, "NotFound", "{}", failed, 16, 24},
    {"429", 429, "TooManyRequests", "{}", failed, 10, 0},
    {"500", 500, "InternalError", "{}", failed, 10, 3},
    {"503", 503, "ServiceUnavailable", "{}", failed, 10, 0},
    {"504", 504, "Timeout", "{}", failed, 10, 3},
    {"504 Too large resource version", 504, "Timeout",
     R"({"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],"retryAfterSeconds":1})",
     failed, 16, 24},
    {"400", 400, "BadRequest", "{}", failed, 16, 24},
    {"401", 401, "Unauthorized", "{}", failed, 16, 24},
    {"409", 409, "Conflict", "{}", failed, 16, 24},
    {"405", 405, "MethodNotAllowed", "{}", failed, 16, 24},
    {"418, no reason", 418, "", "{}", failed, 16, 24},
    {"500 StorageReadError", 500, "StorageReadError", "{}", failed, 16, 24},
};

std::vector<scenario> refused_watches() {
    std::vector<scenario> out;
    for (const bool as_event : {false, true}) {
        for (const auto& r : refusals) {
            for (const auto& when : moments) {
                if (!as_event && when.after > 5s) continue;
                scenario row(std::string("3. a watch is answered ") + r.name + (as_event ? " as an event" : "") + ", " +
                             when.name);
                row.lasts(3min)
                    .answers([&, as_event](const ask& q) -> std::optional<reply> {
                        if (!q.is_watch()) return std::nullopt;
                        if (!as_event) return reply::failure(r.code, r.reason, "go away", r.details).after(when.after);
                        return reply::stream()
                            .pause(when.after)
                            .send(error_text(r.code, r.reason, "go away", r.details));
                    })
                    .state(r.state)
                    .reason("go away")
                    .per_minute(r.per_minute)
                    .lists(0, r.lists);
                out.push_back(std::move(row));
            }
        }
    }
    return out;
}

/// Answers that are no API server's: somebody before it compresses what nobody asked to have compressed, or wants a
/// login.
struct stranger {
    const char* name;
    std::string_view body;
    const char* reason;
};
const stranger strangers[] = {
    {"compressed", std::string_view("\x1f\x8b\x08\0\0\0\0\0", 8), "gzip-compressed bytes, which nobody asked for"},
    {"a web page", "<html>log in", "with a web page"},
};

std::vector<scenario> answers_of_strangers() {
    std::vector<scenario> out;
    for (const auto& what : strangers) {
        for (const bool silent : {false, true}) {
            scenario row(std::string("3. a watch is ") + what.name + (silent ? ", and stays open" : ""));
            row.lasts(3min).answers([&what, silent](const ask& q) -> std::optional<reply> {
                if (!q.is_watch()) return std::nullopt;
                reply r = reply::stream().send(std::string(what.body));
                if (silent) r.hangs();
                return r;
            });
            out.push_back(std::move(row.state(failed).reason(what.reason).per_minute(16).lists(0, 24)));
        }
        scenario row(std::string("3. a list is ") + what.name);
        row.from_the_start().lasts(3min).answers([&what](const ask& q) -> std::optional<reply> {
            if (!q.is_list()) return std::nullopt;
            return reply::whole(200, std::string(what.body));
        });
        out.push_back(std::move(row.state(failed).reason(what.reason).empty().per_minute(10)));
    }
    return out;
}

TEST_CASE("hostile: watches that end too soon") { play_all(watches_that_end()); }
TEST_CASE("hostile: watches that are refused") { play_all(refused_watches()); }
TEST_CASE("hostile: answers that are no API server's") { play_all(answers_of_strangers()); }

}  // namespace
