#include "json_log.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace gpu_labeler;

namespace {

std::string line(std::vector<kcontrol::log_field> fields) {
    const auto at = kcontrol::wall_time(std::chrono::seconds(1'795'262'400));
    const auto text = json_log_line({kcontrol::log_level::warning, "a \"GPU\"", fields}, at);
    const std::string head = R"({"time":"2026-11-21T12:00:00Z","level":"warning","message":"a \"GPU\"")";
    REQUIRE(text.starts_with(head));
    REQUIRE(text.ends_with("}\n"));
    return text.substr(head.size(), text.size() - head.size() - 2);
}

}  // namespace

TEST_CASE("JSON log: what counts something is a number, and nothing else is") {
    struct row {
        kcontrol::log_field field;
        const char* expected;
    };
    const row rows[] = {
        {{"gpus", "8"}, R"(,"gpus":8)"},
        {{"index", "0"}, R"(,"index":0)"},
        {{"xid", "79"}, R"(,"xid":79)"},
        {{"milliseconds", "6.25"}, R"(,"milliseconds":6.25)"},
        {{"milliseconds", "0.5"}, R"(,"milliseconds":0.5)"},
        {{"gpus", "123456789012345"}, R"(,"gpus":123456789012345)"},
        // Not what JSON has as a number.
        {{"gpus", ""}, R"(,"gpus":"")"},
        {{"gpus", "08"}, R"(,"gpus":"08")"},
        {{"gpus", "1."}, R"(,"gpus":"1.")"},
        {{"gpus", ".5"}, R"(,"gpus":".5")"},
        {{"gpus", "1.2.3"}, R"(,"gpus":"1.2.3")"},
        {{"gpus", "1e5"}, R"(,"gpus":"1e5")"},
        {{"gpus", "-1"}, R"(,"gpus":"-1")"},
        {{"gpus", "1234567890123456"}, R"(,"gpus":"1234567890123456")"},
        {{"gpus", "8\"}"}, R"(,"gpus":"8\"}")"},
        // A name or a text stays one.
        {{"node", "42"}, R"(,"node":"42")"},
        {{"gpu", "7"}, R"(,"gpu":"7")"},
        {{"reason", "5"}, R"(,"reason":"5")"},
    };
    for (const auto& one : rows) {
        CAPTURE(one.expected);
        CHECK(line({one.field}) == one.expected);
    }
    CHECK(line({}) == "");
}
