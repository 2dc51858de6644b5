// Bytes in every cut and answers that are none: F19 to F24 of reliability's table of failures, and S10 of its security
// plan as far as an informer sees it.
#include "hostile/play.hpp"

#include <doctest/doctest.h>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

using enum informer_state;

constexpr std::size_t mebibyte = std::size_t{1} << 20;

// --- F19: the same events, however they are cut

std::string without_newline(std::string event) {
    event.pop_back();
    return event;
}

// a, b and c change; a goes and comes back.
std::vector<std::string> five_events(play& p) {
    std::vector<std::string> out;
    for (const auto* name : {"a", "b", "c"}) out.push_back(without_newline(p.touch(name)));
    std::string last = p.object("a");
    const std::string before = p.version();
    const auto at = last.find(R"("resourceVersion":")") + 19;
    p.honest.remove("a");
    last.replace(at, last.find('"', at) - at, p.version());
    out.push_back(without_newline(event_text("DELETED", last)));
    p.honest.create("a", 7);
    out.push_back(without_newline(event_text("ADDED", p.object("a"))));
    return out;
}

scenario cut_events(const std::string& name, std::function<reply(const std::vector<std::string>&)> cut) {
    return scenario("F19 " + name)
        .lasts(2min)
        .answers([cut](const ask& q) -> std::optional<reply> {
            if (!q.is_watch() || q.n > 0) return std::nullopt;
            return cut(five_events(q.world));
        })
        .well()
        .heard("~a ~b ~c -a +a ")
        .lists(0, 1);  // the look at a watch that is resumed and stays silent
}

std::string joined(const std::vector<std::string>& events, const std::string& by) {
    std::string out;
    for (const auto& e : events) out += e + by;
    return out;
}

std::vector<scenario> cuts() {
    std::vector<scenario> out;
    for (const std::size_t size : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{7}, std::size_t{64}}) {
        out.push_back(cut_events("pieces of " + std::to_string(size) + " bytes", [size](const auto& events) {
            const std::string all = joined(events, "\n");
            return reply::stream()
                .make([all, size](std::uint64_t i) { return all.substr(i * size, size); },
                      (all.size() + size - 1) / size)
                .hangs();
        }));
    }
    struct separator {
        const char* name;
        const char* text;
    };
    for (const auto& s : {separator{"many events at once", "\n"}, separator{"CR LF", "\r\n"},
                          separator{"blank lines between", "\n\n\n"}, separator{"blanks between", " \t\r\n  \r\n"}}) {
        out.push_back(cut_events(
            s.name, [s](const auto& events) { return reply::stream().send(joined(events, s.text)).hangs(); }));
    }
    out.push_back(cut_events("an event and a half at once", [](const auto& events) {
        const std::string all = joined(events, "\n");
        const std::size_t at = events[0].size() + events[1].size() / 2;
        return reply::stream().send(all.substr(0, at)).pause(5s).send(all.substr(at)).hangs();
    }));
    out.push_back(cut_events("the last event has no line's end", [](const auto& events) {
        return reply::stream().send(without_newline(joined(events, "\n")));
    }));
    out.push_back(cut_events("the last event has no line's end, and the connection is lost", [](const auto& events) {
        return reply::stream().send(joined(events, "\n")).send(events[0].substr(0, 40)).breaks();
    }));
    return out;
}

// Each place where one event can be cut in two, the connection breaking there: nothing half is taken, nothing is lost.
std::vector<scenario> breaks_inside() {
    std::vector<scenario> out;
    for (const int part : {1, 2, 3, 4, 5, 6, 7}) {
        for (const bool broken : {false, true}) {
            out.push_back(scenario("F24 an event ends after " + std::to_string(part) + " eighths, the connection " +
                                   (broken ? "breaks" : "ends"))
                              .lasts(2min)
                              .answers([part, broken](const ask& q) -> std::optional<reply> {
                                  if (!q.is_watch() || q.n > 0) return std::nullopt;
                                  const std::string whole = q.world.touch("a");
                                  const std::string next = q.world.touch("b");
                                  const std::size_t n = next.size() * static_cast<std::size_t>(part) / 8;
                                  reply r = reply::stream().send(whole).pause(1s).send(next.substr(0, n));
                                  if (broken) r.breaks();
                                  return r;
                              })
                              .well()
                              .heard("~a ~b ")
                              .lists(0, 1));
        }
    }
    for (const bool broken : {false, true}) {
        out.push_back(
            scenario(std::string("F24 a watch at an event's end: the connection ") + (broken ? "breaks" : "ends"))
                .lasts(2min)
                .answers([broken](const ask& q) -> std::optional<reply> {
                    if (!q.is_watch() || q.n > 0) return std::nullopt;
                    reply r = reply::stream().send(q.world.touch("a")).pause(1s);
                    if (broken) r.breaks();
                    return r;
                })
                .well()
                .heard("~a ")
                .lists(0, 1));
        out.push_back(scenario(std::string("F24 a list in the middle: the connection ") + (broken ? "breaks" : "ends"))
                          .from_the_start()
                          .answers([broken](const ask& q) -> std::optional<reply> {
                              if (q.what != verb::list || q.n > 0) return std::nullopt;
                              const std::string all = q.world.whole_list();
                              reply r = reply::stream().send(all.substr(0, all.size() * 3 / 4));
                              if (broken) r.breaks();
                              return r;
                          })
                          .well()
                          .heard("+a +b +c ")
                          .lists(2, 2));
    }
    return out;
}

// --- F20, F23: answers that are none

const std::string gzip_begin("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);

struct stranger {
    const char* name;
    reply (*answer)();
    const char* reason;
};
const stranger strangers[] = {
    {"F20 gzip, cut after a byte", [] { return reply::stream().send("\x1f"); }, ""},
    {"F20 gzip of several members", [] { return reply::stream().send(gzip_begin + "ab" + gzip_begin + "cd"); },
     "gzip-compressed bytes, which nobody asked for"},
    {"F20 gzip with its header, damaged",
     [] { return reply::stream().header("Content-Encoding", "gzip").send(gzip_begin + "\xff\xff"); },
     "the gzip-compressed body is damaged"},
    {"F20 a gzip header before plain JSON",
     [] { return reply::stream().header("Content-Encoding", "gzip").send("{}"); }, "body is damaged"},
    {"F20 a bomb: gzip without end",
     [] { return reply::stream().send(gzip_begin).repeat(std::string(std::size_t{64} << 10, '\0'), 100'000, 1ms); },
     "gzip-compressed bytes"},
    {"F20 deflate", [] { return reply::stream().header("Content-Encoding", "deflate").send("x\x9c"); },
     "Content-Encoding deflate"},
    {"F20 two codings", [] { return reply::stream().header("Content-Encoding", "identity, gzip").send(gzip_begin); },
     ""},
    {"F23 200 with a web page", [] { return reply::whole(200, "<html>Sign in</html>", "text/html"); },
     "with a web page"},
    {"F23 200 with a web page that says it is JSON", [] { return reply::whole(200, "<!DOCTYPE html><p>"); },
     "with a web page"},
    {"F23 200 with text", [] { return reply::whole(200, "welcome", "text/plain"); }, "text/plain instead of JSON"},
    {"F23 204", [] { return reply::whole(204, ""); }, ""},
    {"F23 205", [] { return reply::whole(205, ""); }, ""},
    {"F23 302 to another host",
     [] { return reply::whole(302, "").header("Location", "https://elsewhere.example/login?state=1"); },
     "points to https://elsewhere.example/login;"},
    {"F23 307 to another host",
     [] { return reply::whole(307, "").header("Location", "https://elsewhere.example/apis"); },
     "points to https://elsewhere.example/apis;"},
    {"F23 308 without a place", [] { return reply::whole(308, ""); }, "308"},
    {"F23 304", [] { return reply::whole(304, ""); }, "304"},
    {"F23 an error of a gateway", [] { return reply::whole(502, "<h1>Bad gateway</h1>", "text/html"); },
     "502 with a web page"},
    {"F23 a Status that is no failure and no list",
     [] { return reply::whole(200, R"({"kind":"Status","apiVersion":"v1","status":"Success"})"); }, ""},
    {"F23 a list of another kind",
     [] { return reply::whole(200, R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[]})"); }, ""},
};

std::vector<scenario> answers_of_strangers() {
    std::vector<scenario> out;
    for (const auto& s : strangers) {
        const std::string why = s.reason;
        out.push_back(scenario(std::string(s.name) + ", for a list")
                          .from_the_start()
                          .lasts(3min)
                          .answers([&s](const ask& q) -> std::optional<reply> {
                              return q.is_list() ? std::optional(s.answer()) : std::nullopt;
                          })
                          .state(failed)
                          .empty()
                          .per_minute(10)
                          .peak(16 * mebibyte)
                          .also([why](play& p) {
                              CHECK(!p.status().reason.empty());
                              CHECK_MESSAGE(p.status().reason.find(why) != std::string::npos, p.status().reason);
                          }));
        out.push_back(scenario(std::string(s.name) + ", for a watch")
                          .lasts(3min)
                          .answers([&s](const ask& q) -> std::optional<reply> {
                              return q.is_watch() ? std::optional(s.answer()) : std::nullopt;
                          })
                          .state(failed)
                          .heard("")
                          .lists(0, 2)  // watches that fail for a minute are a reason to list, once in each
                          .per_minute(10)
                          .peak(16 * mebibyte)
                          .also([why](play& p) {
                              CHECK(!p.status().reason.empty());
                              CHECK_MESSAGE(p.status().reason.find(why) != std::string::npos, p.status().reason);
                          }));
        out.push_back(scenario(std::string(s.name) + ", for who answers")
                          .lasts(3min)
                          .answers([&s](const ask& q) -> std::optional<reply> {
                              return q.what == verb::identity ? std::optional(s.answer()) : std::nullopt;
                          })
                          .at(60s, [](play& p) { p.honest.set_value("a", 50); })
                          .state(live)
                          .heard("~a ")
                          .per_minute(10));
    }
    return out;
}

// --- F22: lines that are no events

struct line {
    const char* name;
    const char* text;
    bool passed_over;  // the watch goes on
};
const line lines[] = {
    {"a type nobody knows", R"({"type":"RELABELED","object":{"kind":"Widget"}})", true},
    {"an empty type", R"({"type":"","object":{"kind":"Widget"}})", true},
    {"null", "null", false},
    {"a list", "[]", false},
    {"a number", "7", false},
    {"an empty object", "{}", true},
    {"a type that is a number", R"({"type":7,"object":{}})", true},
    {"an ERROR without a Status", R"({"type":"ERROR","object":null})", false},
    {"an ERROR with a Status without a code", R"({"type":"ERROR","object":{"kind":"Status","message":"odd"}})", false},
    {"an ERROR with another kind", R"({"type":"ERROR","object":{"kind":"Widget","metadata":{}}})", false},
    {"an ERROR with a code of words", R"({"type":"ERROR","object":{"kind":"Status","code":"410","message":"odd"}})",
     false},
    {"an ERROR with a code beyond 64 bits",
     R"({"type":"ERROR","object":{"kind":"Status","code":99999999999999999999999,"message":"odd"}})", false},
    {"half a bracket", R"({"type":"ADDED","object":{"kind":"Widget"})", false},
    {"bytes that are no UTF-8", "{\"type\":\"ADDED\",\"object\":{\"a\":\"\xff\"}", false},
    {"two events in a line", R"({"type":"BOOKMARK","object":{}}{"type":"BOOKMARK","object":{}})", false},
};

std::vector<scenario> lines_that_are_no_events() {
    std::vector<scenario> out;
    for (const auto& l : lines) {
        scenario row(std::string("F22 a line of a watch: ") + l.name);
        row.lasts(2min)
            .answers([&l](const ask& q) -> std::optional<reply> {
                if (!q.is_watch() || q.n > 0) return std::nullopt;
                const std::string first = q.world.touch("a");
                return reply::stream().send(first + l.text + "\n" + q.world.touch("b")).hangs();
            })
            .well()
            .heard("~a ~b ")
            .lists(0, 2);
        if (l.passed_over) row.watches(1, 3).also([](play& p) { CHECK(p.logged("passed over") == 1); });
        out.push_back(std::move(row));
        scenario always(std::string("F22 each watch begins so: ") + l.name);
        always.lasts(3min)
            .answers([&l](const ask& q) -> std::optional<reply> {
                if (!q.is_watch()) return std::nullopt;
                return reply::stream().send(std::string(l.text) + "\n").pause(1ms);
            })
            .state(failed)
            .heard("")
            .per_minute(16);
        out.push_back(std::move(always));
    }
    return out;
}

// --- S10: much of something

std::string keys(std::size_t count, const std::string& value) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) {
        if (i > 0) out += ',';
        out += "\"k" + std::to_string(i) + "\":" + value;
    }
    return out;
}

scenario one_object(const char* name, std::string (*make)()) {
    return scenario(name)
        .lasts(60s)
        .before([](play& p) { p.honest.create("x", 8); })
        .answers([make](const ask& q) -> std::optional<reply> {
            if (!q.is_watch() || q.n > 0) return std::nullopt;
            q.world.honest.set_value("x", 9);
            std::string text = q.world.object("x");
            text.replace(text.find(R"("metadata":{)"), 12, make());
            return reply::stream().send(event_text("MODIFIED", text) + q.world.touch("b")).hangs();
        })
        .well()
        .lists(0, 0);
}

std::vector<scenario> much_of_something() {
    const std::string long_words(10 * mebibyte, 'm');
    return {
        one_object("F21 an object of a hundred thousand labels",
                   [] { return R"("metadata":{"labels":{)" + keys(100'000, R"("v")") + "},"; })
            .heard("~x ~b ")
            .peak(160 * mebibyte),
        one_object("S10 an object of a million members that nobody reads",
                   [] { return "\"more\":{" + keys(1'000'000, "1") + R"(},"metadata":{)"; })
            .heard("~x ~b ")
            .peak(160 * mebibyte),
        scenario("F21 an event of 100 MiB, all others flow on")
            .lasts(60s)
            .answers([](const ask& q) -> std::optional<reply> {
                if (!q.is_watch() || q.n > 0) return std::nullopt;
                q.world.honest.set_value("a", 50);
                std::string text = q.world.object("a");
                text.pop_back();
                return reply::stream()
                    .send(R"({"type":"MODIFIED","object":)" + text + R"(,"data":")")
                    .repeat(std::string(mebibyte, 'x'), 100)
                    .send("\"}}\n" + q.world.touch("b"))
                    .hangs();
            })
            .state(live)
            .heard("!a ~b ")
            .holds("a=1 b=101 c=3")
            .invalid("default/a")
            .invalid("bytes")
            .lists(0, 0)
            .peak(96 * mebibyte)
            .mends([](play& p) { p.honest.set_value("a", 5); }),
        scenario("S10 a Status of 10 MiB refuses each watch")
            .lasts(3min)
            .answers([long_words](const ask& q) -> std::optional<reply> {
                return q.is_watch() ? std::optional(reply::failure(403, "Forbidden", long_words)) : std::nullopt;
            })
            .states({failed, forbidden})
            .per_minute(24)
            .also([](play& p) { CHECK(p.status().reason.size() < 3000); }),
        scenario("S10 a Status of 10 MiB refuses each list")
            .from_the_start()
            .lasts(3min)
            .answers([long_words](const ask& q) -> std::optional<reply> {
                return q.is_list() ? std::optional(reply::failure(500, "InternalError", long_words)) : std::nullopt;
            })
            .state(failed)
            .empty()
            .per_minute(10)
            .also([](play& p) { CHECK(p.status().reason.size() < 3000); }),
        scenario("S10 an ERROR event of 10 MiB")
            .lasts(3min)
            .answers([long_words](const ask& q) -> std::optional<reply> {
                if (!q.is_watch()) return std::nullopt;
                return reply::stream().send(error_text(500, "InternalError", long_words));
            })
            .state(failed)
            .lists(0, 2)
            .per_minute(10)
            .peak(96 * mebibyte)
            .also([](play& p) { CHECK(p.status().reason.size() < 3000); }),
        scenario("S10 a message of control characters and escapes")
            .lasts(3min)
            .answers([](const ask& q) -> std::optional<reply> {
                const char* words = R"(\u001b[31mred\u0000\r\nlevel=error msg=forged \u202e\u0007)";
                return q.is_watch() ? std::optional(reply::failure(500, "InternalError", words)) : std::nullopt;
            })
            .state(failed)
            .reason("\\x1b[31mred")
            .lists(0, 2)
            .per_minute(10)
            .also([](play& p) {
                for (const char c : p.status().reason) CHECK((static_cast<unsigned char>(c) >= 0x20 && c != 0x7f));
            }),
        scenario("S10 a million causes")
            .lasts(1min)
            .answers([](const ask& q) -> std::optional<reply> {
                if (!q.is_watch()) return std::nullopt;
                std::string causes = R"({"causes":[{})";
                for (int i = 0; i < 1'000'000; ++i) causes += ",{}";
                return reply::stream().send(error_text(500, "InternalError", "no", causes + "]}"));
            })
            .state(failed)
            .lists(0, 0)
            .per_minute(10)
            .peak(160 * mebibyte),
    };
}

TEST_CASE("hostile: F19 events in every cut") { play_all(cuts()); }
TEST_CASE("hostile: F24 connections that end inside something") { play_all(breaks_inside()); }
TEST_CASE("hostile: F20, F23 answers that are no API server's") { play_all(answers_of_strangers()); }
TEST_CASE("hostile: F22 lines that are no events") { play_all(lines_that_are_no_events()); }
TEST_CASE("hostile: F21, S10 much of something") { play_all(much_of_something()); }

}  // namespace
