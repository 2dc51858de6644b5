// Levels of components of the log, which may change while the program runs.
#include <kcontrol/logging/log_levels.hpp>

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

using namespace kcontrol;

namespace {

bool takes(const log_levels& levels, log_level level, std::vector<log_field> fields) {
    return levels.takes(log_record{level, "said", fields});
}

std::string message_of(std::string_view text) {
    const auto parsed = log_levels::parse(text);
    return parsed ? "" : parsed.error().message();
}

}  // namespace

TEST_CASE("which records are taken") {
    struct row {
        const char* levels;
        std::vector<log_field> fields;
        log_level lowest;  // that is taken
    };
    const row rows[] = {
        {"info", {}, log_level::info},
        {"error", {{"controller", "a"}}, log_level::error},
        {"info,controller=a:debug", {{"controller", "a"}}, log_level::debug},
        {"info,controller=a:debug", {{"controller", "b"}}, log_level::info},
        {"info,controller=a:debug", {{"cluster", "a"}}, log_level::info},
        {"controller:warning", {{"controller", "a"}}, log_level::warning},
        {"controller:warning", {}, log_level::info},
        {"controller:warning,controller=a:debug", {{"controller", "a"}}, log_level::debug},
        {"controller:debug,controller=a:error", {{"controller", "a"}}, log_level::error},
        {"cluster=x:error,controller=a:debug", {{"cluster", "x"}, {"controller", "a"}}, log_level::debug},
        {"error,lease=ns/op:info", {{"lease", "ns/op"}, {"identity", "me"}}, log_level::info},
        {"error,server=https://h:443:info", {{"server", "https://h:443"}}, log_level::info},
    };
    for (const row& r : rows) {
        CAPTURE(r.levels);
        const auto levels = log_levels::parse(r.levels);
        REQUIRE(levels);
        for (const log_level level : {log_level::debug, log_level::info, log_level::warning, log_level::error}) {
            CAPTURE(to_string(level));
            CHECK(takes(*levels, level, r.fields) == (level >= r.lowest));
        }
        CHECK(log_levels::parse(levels->text())->text() == levels->text());
    }
}

TEST_CASE("what is no text of levels") {
    for (const std::string text :
         {"", "loud", "info,", "info,warning", "controller=a", ":debug", "=a:debug", "info,a:loud"}) {
        CAPTURE(text);
        CHECK(message_of(text).find("not one of debug, info, warning, error") != std::string::npos);
    }
    CHECK(message_of("in\x1b") ==
          "log level \"in\\x1b\": not one of debug, info, warning, error, and not a component "
          "like controller=websites:debug");
}

TEST_CASE("a level that changes counts from the next record on, of loggers that were made before, too") {
    std::string lines;
    const log_levels levels;
    const logger all = levels.logger_to([&](const log_record& r) { lines += std::string(r.message) + " "; });
    const logger one = all.with("controller", "a");
    one.debug("1");
    one.info("2");
    levels.set("controller=a", log_level::debug);
    one.debug("3");
    all.debug("4");
    levels.set(log_level::error);
    one.debug("5");
    all.info("6");
    levels.reset("controller=a");
    one.info("7");
    one.error("8");
    REQUIRE(levels.assign("warning,controller:info"));
    one.info("9");
    REQUIRE_FALSE(levels.assign("debug,nonsense"));  // and nothing of it
    all.info("10");
    CHECK(lines == "2 3 5 8 9 ");
    CHECK(levels.text() == "warning,controller:info");
}

TEST_CASE("a sink that throws loses its records as ever") {
    const log_levels levels;
    const logger log = levels.logger_to([](const log_record&) { throw std::runtime_error("full"); });
    log.info("one");
    log.debug("two");
    CHECK(log.lost() == 1);
}
