// Each answer of a server, at each place where it may come: what follows. The table of docs/watch_failures.md.
#include "watch/reflector_machine.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using detail::failure_kind;

error with_cause(int code, std::string reason, std::string cause, std::string words) {
    api_status status;
    status.code = code;
    status.reason = std::move(reason);
    status.message = "no";
    status.causes.push_back({std::move(cause), std::move(words), {}});
    return error(std::move(status));
}

// "list 10", "list newest", "watch 10", "stream"; with the wait before it: "0.8 s, list 10".
std::string outcome(machine& m, act next) {
    std::string out;
    if (next.step == reflector_step::sleep) {
        const auto tenths = std::chrono::duration_cast<std::chrono::milliseconds>(next.delay).count() / 100;
        out = std::to_string(tenths / 10) + (tenths % 10 == 0 ? "" : "." + std::to_string(tenths % 10)) + " s, ";
        next = m.timer(next);
    }
    if (next.step == reflector_step::watch) return out + "watch " + next.resource_version;
    if (next.step == reflector_step::stream) return out + "stream";
    REQUIRE(next.step == reflector_step::list);
    return out + "list " + (next.resource_version.empty() ? "newest" : next.resource_version);
}

// A list at 10 that the store is due for.
std::string of_list(const error& why) {
    auto m = live();
    REQUIRE(m.error_event(expired) == act::list("10", "", 0));
    return outcome(m, m.list_failed(why));
}
std::string of_watch(const error& why) {
    auto m = live();
    return outcome(m, m.refused_watch(why));
}
std::string of_event(const error& why) {
    auto m = live();
    return outcome(m, m.error_event(why));
}
// The first list of all.
std::string of_stream(const error& why) {
    machine at_once(reflector_policy().streaming(list_streaming::on));
    machine later = at_once;
    REQUIRE(at_once.start() == act::stream(""));
    REQUIRE(later.start() == act::stream(""));
    later.stream_opened();
    const std::string out = outcome(at_once, at_once.stream_refused(why));
    CHECK(outcome(later, later.stream_refused(why)) == out);
    return out;
}

struct row {
    failure_kind kind;
    std::vector<error> answers;
    const char *list, *watch, *event, *stream;
};

const std::vector<row>& rows() {
    static const std::vector<row> all{
        {failure_kind::expired,
         {expired, gone, html_410, from_server(500, "Expired")},
         "list newest",
         "list 10",
         "list 10",
         "list newest"},
        {failure_kind::version_too_large,
         {with_cause(504, "Timeout", "ResourceVersionTooLarge", "Too large resource version"),
          with_cause(500, "InternalError", "ResourceVersionTooLarge", ""),
          with_cause(504, "Timeout", "", "Too large resource version"),
          from_server(504, "Timeout", "Timeout: Too large resource version: 9, current: 5"), too_large},
         "list newest",
         "0.8 s, list newest",
         "0.8 s, list newest",
         "list newest"},
        {failure_kind::version_refused,
         {from_server(400, "BadRequest"), from_server(422, "Invalid")},
         "0.8 s, list newest",
         "0.8 s, list newest",
         "0.8 s, list newest",
         "list 0"},
        {failure_kind::missing, {not_found}, "2 s, list newest", "list 10", "0.8 s, list 10", "15 s, list newest"},
        {failure_kind::forbidden, {forbidden}, "15 s, list 10", "15 s, watch 10", "0.8 s, list 10", "list 0"},
        {failure_kind::unauthorized,
         {from_server(401, "Unauthorized")},
         "0.8 s, list 10",
         "0.8 s, watch 10",
         "0.8 s, list 10",
         "0.8 s, stream"},
        {failure_kind::overloaded,
         {overloaded, from_server(503, "ServiceUnavailable"), from_server(429, ""), from_server(503, "")},
         "0.8 s, list 10",
         "0.8 s, watch 10",
         "0.8 s, watch 10",
         "0.8 s, stream"},
        {failure_kind::timed_out,
         {from_server(504, "Timeout"), from_server(504, ""), from_server(500, "ServerTimeout")},
         "0.8 s, list 10",
         "0.8 s, watch 10",
         "0.8 s, watch 10",
         "0.8 s, stream"},
        {failure_kind::storage_read,
         {from_server(500, "StorageReadError")},
         "0.8 s, list 10",
         "0.8 s, list 10",
         "0.8 s, list 10",
         "list 0"},
        {failure_kind::internal,
         {internal, from_server(500, ""), from_server(501, "NotImplemented"), from_server(502, "")},
         "0.8 s, list 10",
         "0.8 s, watch 10",
         "0.8 s, watch 10",
         "list 0"},
        {failure_kind::other_answer,
         {from_server(405, "MethodNotAllowed"), from_server(406, "NotAcceptable"), from_server(409, "Conflict"),
          from_server(413, "RequestEntityTooLarge"), from_server(415, "UnsupportedMediaType"), from_server(418, "")},
         "0.8 s, list 10",
         "0.8 s, watch 10",
         "0.8 s, list 10",
         "list 0"},
        {failure_kind::no_answer,
         {refused, lost, rubbish, error(errc::timeout)},
         "0.8 s, list 10",
         "0.8 s, watch 10",
         "0.8 s, watch 10",
         "0.8 s, stream"},
    };
    return all;
}

TEST_CASE("failure table: what each answer to a list, a watch and a streamed list leads to, and each ERROR event") {
    CHECK(rows().size() == detail::failure_table.size());
    for (const row& r : rows()) {
        for (const error& why : r.answers) {
            CAPTURE(why.what());
            CAPTURE(why.code().message());
            CHECK(detail::failure_kind_of(why) == r.kind);
            CHECK(of_list(why) == r.list);
            CHECK(of_watch(why) == r.watch);
            CHECK(of_event(why) == r.event);
            CHECK(of_stream(why) == r.stream);
        }
    }
}

// A place where a failure comes again and again; which watches and lists follow, one after the other.
std::vector<std::string> repeated(const error& why, bool as_event, duration lasts) {
    auto m = live();
    std::vector<std::string> out;
    const time_point begin = m.now;
    while (m.now - begin < lasts) {
        act next = as_event ? m.error_event(why) : m.refused_watch(why);
        while (next.step == reflector_step::sleep) next = m.timer(next);
        out.push_back(next.step == reflector_step::list ? "list " + next.resource_version : "watch");
        if (next.step == reflector_step::list) next = m.listed("10");
        while (next.step == reflector_step::sleep) next = m.timer(next);
        REQUIRE(next.step == reflector_step::watch);
        if (as_event) m.opened();
    }
    return out;
}

TEST_CASE("failure table: a watch whose version is too large is opened again after a list, not for ever") {
    for (const bool as_event : {false, true}) {
        for (const std::string& step : repeated(too_large, as_event, 5min)) CHECK(step == "list ");
        CHECK(repeated(too_large, as_event, 5min).size() < 18);
    }
}

TEST_CASE("failure table: what the server refuses for a minute is listed, once a minute, unless it is overloaded") {
    for (const bool as_event : {false, true}) {
        for (const row& r : rows()) {
            const auto& of = detail::failure_table[static_cast<std::size_t>(r.kind)];
            if ((as_event ? of.event : of.watch) != detail::remedy::again_or_list) continue;
            CAPTURE(r.answers[0].what());
            const auto steps = repeated(r.answers[0], as_event, 10min);
            const auto lists = std::count(steps.begin(), steps.end(), "list 10");
            CHECK(lists >= 4);
            CHECK(lists <= 10);
            const auto early = repeated(r.answers[0], as_event, 50s);
            CHECK(std::count(early.begin(), early.end(), "watch") == static_cast<std::ptrdiff_t>(early.size()));
        }
        for (const auto& why : {overloaded, from_server(503, "ServiceUnavailable")}) {
            for (const std::string& step : repeated(why, as_event, 10min)) CHECK(step == "watch");
        }
    }
}

TEST_CASE("failure table: trouble that has ended counts no more") {
    auto m = live();
    m.timer(m.refused_watch(internal));
    m.opened();
    m.event("11");
    m.now += 10min;
    CHECK(m.timer(m.refused_watch(internal)) == act::watch("11"));
}

// Whatever else it leads to, it does not come before the time that the server named.
TEST_CASE("failure table: what waits waits no less than Retry-After") {
    for (const row& r : rows()) {
        if (r.answers[0].status() == nullptr) continue;
        api_status told = *r.answers[0].status();
        told.retry_after = 20s;
        const error why(std::move(told));
        CAPTURE(why.what());
        for (const std::string& step : {of_list(why), of_watch(why), of_event(why), of_stream(why)}) {
            const bool waits_otherwise = step.starts_with("2 s") || step.starts_with("15 s");
            const bool waits = step.find(" s, ") != std::string::npos && !waits_otherwise;
            if (waits) CHECK(step.starts_with("20 s, "));
        }
    }
}

TEST_CASE("failure table: after the third stream that is put off one list comes in its place, and only one") {
    for (const auto& why : {overloaded, from_server(504, "Timeout"), from_server(401, "Unauthorized")}) {
        machine m(reflector_policy().streaming(list_streaming::on));
        REQUIRE(m.start() == act::stream(""));
        CHECK(outcome(m, m.stream_refused(why)) == "0.8 s, stream");
        CHECK(outcome(m, m.stream_refused(why)) == "1.6 s, stream");
        CHECK(outcome(m, m.stream_refused(why)) == "3.2 s, list 0");
        auto fails = m;
        CHECK(m.listed("10") == act::watch("10"));
        m.opened();
        CHECK(m.fsm.stream_refusal().empty());
        CHECK(m.error_event(expired) == act::stream("10"));
        // A list that is put off as well says nothing about streams.
        CHECK(outcome(fails, fails.list_failed(why)) == "6.4 s, stream");
    }
}

}  // namespace
