// Streamed lists as decisions: each thing that may come of one, at each step of it.
#include "watch/reflector_machine.hpp"

#include <vector>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;

reflector_policy streaming() { return reflector_policy().streaming(list_streaming::on); }

// One that has begun, and was told to open a stream.
machine asked() {
    machine m(streaming());
    REQUIRE(m.start() == act::stream(""));
    return m;
}
machine receiving() {
    auto m = asked();
    REQUIRE(m.stream_opened() == act::receive());
    return m;
}
// One whose first list was streamed up to version 10, and is read on.
machine live_by_stream() {
    auto m = receiving();
    REQUIRE(m.streamed("10") == act::replace());
    REQUIRE(m.replaced() == act::read());
    return m;
}
// Whether the next list is a stream: one that a watch that has expired asks for.
bool streams_again(machine m) {
    m.now += 2s;
    m.ended();
    const act next = m.refused_watch(expired);
    if (next == act::stream(m.fsm.resource_version())) return true;
    CHECK(next == act::list(m.fsm.resource_version(), "", 0));
    return false;
}

const error no_memory(errc::out_of_memory, "no memory");
const error beyond(errc::limit_exceeded, "goes on beyond max_items");
const error slow(errc::timeout);
const error web_page(errc::not_an_api_server, "a web page");

TEST_CASE("streamed lists: all objects, then the bookmark; the same stream goes on as the watch") {
    machine m(streaming());
    CHECK(m.start() == act::stream(""));
    CHECK(m.fsm.state() == reflector_state::listing);
    CHECK_FALSE(m.fsm.stream_due());
    m.now += 1s;
    CHECK(m.stream_opened() == act::receive());
    CHECK(m.fsm.stream_due() == m.now + 60s);
    CHECK(m.fsm.state() == reflector_state::listing);
    CHECK_FALSE(m.fsm.synced());
    CHECK(m.streamed("10") == act::replace());
    CHECK_FALSE(m.fsm.synced());
    CHECK(m.replaced() == act::read());
    CHECK(m.fsm.synced());
    CHECK(m.live());
    CHECK(m.fsm.reason().empty());
    CHECK_FALSE(m.fsm.stream_due());
    CHECK(m.fsm.resource_version() == "10");
    CHECK(m.event("11") == act::read());
    m.now += 299s;
    CHECK(m.ended() == act::watch("11"));  // it was asked to end then
}

TEST_CASE("streamed lists: one that is asked for again begins at the last version") {
    auto m = live_by_stream();
    m.event("12");
    CHECK(m.error_event(expired) == act::stream("12"));
    m.stream_opened();
    CHECK(m.streamed("20") == act::replace());
    CHECK(m.replaced() == act::read());
    m.fsm.list_at_start();  // for another view
    CHECK(m.start() == act::stream("20"));
}

TEST_CASE("streamed lists: on, and off unless it is said") {
    CHECK(machine(streaming().page_size(7)).start() == act::stream(""));
    CHECK(machine(reflector_policy().streaming(list_streaming::off)).start() == act::list("0", "", 500));
    CHECK(machine().start() == act::list("0", "", 500));
    CHECK(machine(reflector_policy().page_size(7)).start() == act::list("0", "", 7));
}

TEST_CASE("streamed lists: a server that refuses them is asked for lists from then on, and it is said why") {
    for (const auto& words :
         {std::pair(422, "Invalid"), std::pair(400, "BadRequest"), std::pair(403, "Forbidden"),
          std::pair(405, "MethodNotAllowed"), std::pair(406, "NotAcceptable"), std::pair(415, "UnsupportedMediaType"),
          std::pair(500, "InternalError"), std::pair(501, "NotImplemented")}) {
        for (const bool as_event : {false, true}) {
            CAPTURE(words.first);
            auto m = as_event ? receiving() : asked();
            CHECK(m.stream_refused(from_server(words.first, words.second, "no such option")) ==
                  act::list("0", "", 500));
            CHECK(m.fsm.state() == reflector_state::listing);
            CHECK(m.fsm.stream_refusal().empty());  // a list has yet to be answered
            CHECK(m.page("10", "more") == act::list("", "more", 500));
            CHECK(m.listed("10") == act::watch("10"));
            CHECK(m.fsm.stream_refusal().find("no such option") != std::string::npos);
            m.opened();
            CHECK(m.live());
            CHECK(m.fsm.reason().empty());
            CHECK_FALSE(streams_again(m));
            // Not with new credentials either.
            m.start();
            CHECK_FALSE(streams_again(m));
            // Another server is another matter.
            m.fsm.forget_version();
            CHECK(m.start() == act::list("", "", 500));
            m.listed("5");
            m.opened();
            CHECK(m.fsm.stream_refusal().empty());
            CHECK(streams_again(m));
        }
    }
}

TEST_CASE("streamed lists: another server behind the same address is asked for them again") {
    machine m(streaming());
    m.identify("one", "10");
    m.start();
    m.stream_refused(from_server(422, "Invalid"));
    m.listed("10");
    m.opened();
    m.identify("another", "10");
    m.now += 2s;
    act next = m.broken();
    if (next.step == reflector_step::sleep) next = m.timer(next);
    CHECK(next == act::list("", "", 500));  // from the store itself
    CHECK(m.page("10") == act::replace(true));
    m.replaced();
    m.opened();
    CHECK(streams_again(m));
}

TEST_CASE("streamed lists: where the list in its place fails as well it was not the streaming") {
    for (const auto& why : {forbidden, internal}) {
        auto m = asked();
        CHECK(m.stream_refused(why) == act::list("0", "", 500));
        const auto wait = m.list_failed(why);
        CHECK(wait.step == reflector_step::sleep);
        CHECK(m.timer(wait) == act::list("0", "", 500));  // one request at a time
        CHECK(m.listed("10") == act::watch("10"));
        m.opened();
        CHECK(m.fsm.stream_refusal().empty());
        CHECK(streams_again(m));
    }
}

TEST_CASE("streamed lists: what a list would meet as well is no refusal") {
    for (const bool as_event : {false, true}) {
        for (const auto& why : {overloaded, from_server(503, "ServiceUnavailable"), from_server(504, "Timeout"),
                                from_server(401, "Unauthorized")}) {
            auto m = as_event ? receiving() : asked();
            for (const auto delay : {800ms, 1600ms}) {
                const auto wait = m.stream_refused(why);
                CHECK(wait == act::sleep(delay));
                CHECK(m.fsm.state() == reflector_state::failed);
                CHECK(m.timer(wait) == act::stream(""));
                if (as_event) m.stream_opened();
            }
            if (!as_event) m.stream_opened();
            m.streamed("10");
            CHECK(m.replaced() == act::read());
            CHECK(m.live());
        }
        for (const auto& why : {expired, too_large}) {
            auto m = as_event ? receiving() : asked();
            CHECK(m.stream_refused(why) == act::list("", "", 500));
            CHECK(m.listed("10") == act::watch("10"));
            m.opened();
            CHECK(streams_again(m));
        }
        auto m = as_event ? receiving() : asked();
        const auto wait = m.stream_refused(not_found);
        CHECK(wait == act::sleep(15s));
        CHECK(m.fsm.state() == reflector_state::not_installed);
        CHECK(m.timer(wait) == act::list("", "", 500));
    }
    auto gone = live_by_stream();
    CHECK(gone.refused_watch(not_found) == act::stream("10"));
    const auto wait = gone.stream_refused(not_found);
    CHECK(wait == act::sleep(2s));
    CHECK(gone.timer(wait) == act::list("", "", 500));
    CHECK(gone.list_failed(not_found) == act::clear());
}

TEST_CASE("streamed lists: one that breaks off is asked for again with backoff, and the third time in pages") {
    for (const auto& why : {lost, rubbish, slow, web_page, error(errc::truncated)}) {
        auto m = receiving();
        auto wait = m.stream_broken(why);
        CHECK(wait == act::sleep(800ms));
        CHECK(m.fsm.state() == reflector_state::failed);
        CHECK_FALSE(m.fsm.stream_due());
        CHECK(m.timer(wait) == act::stream(""));
        m.stream_opened();
        wait = m.stream_broken(why);
        CHECK(m.timer(wait) == act::stream(""));
        auto lucky = m;
        m.stream_opened();
        wait = m.stream_broken(why);
        CHECK(wait == act::sleep(3200ms));
        CHECK(m.timer(wait) == act::list("0", "", 500));
        CHECK(m.listed("10") == act::watch("10"));
        m.opened();
        CHECK(m.fsm.stream_refusal().find("3 in a row broke off") != std::string::npos);
        CHECK_FALSE(streams_again(m));

        lucky.stream_opened();
        lucky.streamed("10");
        CHECK(lucky.replaced() == act::read());
        CHECK(lucky.error_event(expired) == act::stream("10"));
        lucky.stream_opened();
        CHECK(lucky.timer(lucky.stream_broken(why)) == act::stream("10"));
    }
}

TEST_CASE("streamed lists: a server that is away says nothing about them") {
    auto m = asked();
    for (int i = 0; i < 5; ++i) {
        const auto wait = m.stream_refused(refused);
        CHECK(wait.step == reflector_step::sleep);
        CHECK(m.timer(wait) == act::stream(""));
    }
}

TEST_CASE("streamed lists: no memory, or a bound of the list, is no fault of the stream") {
    for (const auto& why : {no_memory, beyond}) {
        auto m = receiving();
        for (int i = 0; i < 5; ++i) {
            const auto wait = m.stream_broken(why);
            CHECK(wait.step == reflector_step::sleep);
            CHECK(m.fsm.failure() == why.code());
            CHECK(m.timer(wait) == act::stream(""));
            m.stream_opened();
        }
        // The shell says it so where an allocation threw.
        CHECK(m.list_failed(no_memory).step == reflector_step::sleep);
        CHECK_FALSE(m.fsm.stream_due());
    }
}

TEST_CASE("streamed lists: one that is late is given up at its deadline, for good") {
    machine m(streaming().initial_events_deadline(5s));
    m.start();
    m.stream_opened();
    auto early = m;
    early.now += 4999ms;
    CHECK(early.timer(early.stream_broken(slow)) == act::stream(""));
    m.now += 5s;
    CHECK(m.stream_broken(slow) == act::list("0", "", 500));
    CHECK(m.listed("10") == act::watch("10"));
    m.opened();
    CHECK(m.fsm.stream_refusal() == "the initial events did not end within 5 s");
    CHECK_FALSE(streams_again(m));
}

TEST_CASE("streamed lists: a bookmark that does not end the initial events ends the attempt, for good") {
    auto m = receiving();
    CHECK(m.unmarked() == act::list("0", "", 500));
    CHECK(m.listed("10") == act::watch("10"));
    m.opened();
    CHECK(m.fsm.stream_refusal().find("does not know streamed lists") != std::string::npos);
    CHECK_FALSE(streams_again(m));
}

TEST_CASE("streamed lists: one that is older than what is known is held against the store itself") {
    auto m = live_by_stream();
    m.error_event(expired);
    m.stream_opened();
    CHECK(m.streamed("9") == act::list("", "", 500));
    CHECK_FALSE(m.fsm.stream_due());
    CHECK(m.fsm.rollbacks() == 0);
    CHECK(m.page("9") == act::replace(true));
    CHECK(m.fsm.rollbacks() == 1);
    CHECK(m.replaced() == act::watch("9"));
}

TEST_CASE("streamed lists: what has to be proved is read from the store itself, in pages") {
    auto m = live_by_stream();
    m.fsm.forget_version();
    CHECK(m.start() == act::list("", "", 500));
}

TEST_CASE("streamed lists: start() at any point begins them anew, or resumes") {
    auto first = asked();
    CHECK(first.start() == act::stream(""));
    auto half = receiving();
    CHECK(half.start() == act::stream(""));
    CHECK_FALSE(half.fsm.stream_due());
    auto whole = receiving();
    whole.streamed("10");  // stopped before it was handed on
    CHECK(whole.start() == act::stream(""));
    auto waiting = receiving();
    waiting.stream_broken();
    CHECK(waiting.start() == act::stream(""));
    auto doubted = asked();
    doubted.stream_refused(from_server(422, "Invalid"));
    CHECK(doubted.start() == act::stream(""));
    auto done = live_by_stream();
    CHECK(done.start() == act::watch("10"));
    auto again = live_by_stream();
    again.error_event(expired);
    again.stream_opened();
    CHECK(again.start() == act::watch("10"));
}

TEST_CASE("streamed lists: none is asked for more often than a list") {
    auto m = receiving();
    const time_point begin = m.now;
    int opened = 0, version = 10;
    act next = act::receive();
    while (m.now < begin + 60s) {
        ++opened;
        m.now += 1ms;
        m.stream_opened();
        m.streamed(std::to_string(++version));
        m.replaced();
        m.event(std::to_string(++version));
        next = m.error_event(expired);
        while (next.step == reflector_step::sleep) next = m.timer(next);
        CHECK(next.step == reflector_step::stream);
    }
    CHECK(opened <= 66);
}

}  // namespace
