#include <kcontrol/runtime/guarded_calls.hpp>
#include <kcontrol/testing/manual_environment.hpp>

#include <doctest/doctest.h>

#include <new>
#include <stdexcept>

using namespace kcontrol;
using namespace std::chrono_literals;

namespace {

class told {
public:
    logger log() {
        return logger([this](const log_record& record) {
            std::string line(record.message);
            for (const auto& field : record.fields) line += " " + std::string(field.name) + "=" + field.value;
            lines.push_back(std::move(line));
        });
    }
    std::vector<std::string> lines;
};

std::string nothing() { return {}; }

}  // namespace

TEST_CASE("guarded_calls: what a function throws is told with what and where, counted, and ends there") {
    testing::manual_environment env;
    told log;
    guarded_calls calls(env, log.log());
    int called = 0;
    int described = 0;
    const auto about = [&described] {
        ++described;
        return std::string("default/web");
    };

    CHECK(calls.call(
        "a handler", [&called] { ++called; }, about));
    CHECK(called == 1);
    CHECK(described == 0);
    CHECK(calls.thrown() == 0);
    CHECK(calls.last_thrown().empty());

    CHECK_FALSE(calls.call(
        "a handler", [] { throw std::runtime_error("no such team"); }, about));
    CHECK(described == 1);
    CHECK(calls.thrown() == 1);
    CHECK(calls.last_thrown() == "a handler (default/web) threw: no such team");
    REQUIRE(log.lines.size() == 1);
    CHECK(log.lines[0] == "a function of the program threw function=a handler about=default/web error=no such team");
}

TEST_CASE("guarded_calls: whatever it throws") {
    testing::manual_environment env;
    guarded_calls calls(env, logger());
    CHECK_FALSE(calls.call("an int", [] { throw 7; }));
    CHECK(calls.last_thrown() == "an int threw: an exception that is no std::exception");
    CHECK_FALSE(calls.call("text", [] { throw "plain"; }));
    CHECK(calls.last_thrown() == "text threw: plain");
    CHECK_FALSE(calls.call("a string", [] { throw std::string("long"); }));
    CHECK(calls.last_thrown() == "a string threw: long");
    CHECK_FALSE(calls.call("memory", [] { throw std::bad_alloc(); }));
    CHECK(calls.last_thrown() == "memory threw: std::bad_alloc");
    CHECK_FALSE(calls.call("an error", [] { result<int>(error(errc::timeout, "too late")).value(); }));
    CHECK(calls.last_thrown() == "an error threw: too late");
    CHECK(calls.thrown() == 5);
}

TEST_CASE("guarded_calls: the next of the same function is told once a minute, with how often it happened") {
    testing::manual_environment env;
    boost::asio::io_context context;
    told log;
    guarded_calls calls(env, log.log());
    const auto fail = [&calls](std::string_view what) {
        calls.call(
            what, [] { throw std::runtime_error("no"); }, nothing);
    };

    for (int i = 0; i < 5; ++i) fail("a handler");
    CHECK(log.lines.size() == 1);
    fail("a predicate");  // another function has a minute of its own
    REQUIRE(log.lines.size() == 2);
    CHECK(log.lines[1] == "a function of the program threw function=a predicate error=no");

    env.advance(59s, context);
    fail("a handler");
    CHECK(log.lines.size() == 2);
    env.advance(1s, context);
    fail("a handler");
    REQUIRE(log.lines.size() == 3);
    CHECK(log.lines[2] == "a function of the program threw function=a handler error=no times=6");
    CHECK(calls.thrown() == 8);
}

TEST_CASE("guarded_calls: neither a description nor a log's sink that throws gets out") {
    testing::manual_environment env;
    guarded_calls calls(env, logger([](const log_record&) { throw 1; }));
    const bool returned = calls.call(
        "a handler", [] { throw std::runtime_error("no"); }, []() -> std::string { throw 2; });
    CHECK_FALSE(returned);
    CHECK(calls.thrown() == 1);
    CHECK(calls.last_thrown() == "a handler (unknown, for its description threw) threw: no");
}

TEST_CASE("error_of_thrown: the cause of result::value(), or callback_failed with who threw what") {
    const auto of = [](auto thrown) {
        try {
            throw thrown;
        } catch (...) {
            return error_of_thrown("the map");
        }
    };
    CHECK(of(std::runtime_error("no")) == errc::callback_failed);
    CHECK(of(std::runtime_error("no")).what() == std::string("the map threw: no"));
    CHECK(of(7).what() == std::string("the map threw: an exception that is no std::exception"));
    CHECK(of(exception(error(errc::timeout, "too late"))) == errc::timeout);
}
