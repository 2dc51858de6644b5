#include "support.hpp"

#include <doctest/doctest.h>

using namespace gpu_labeler;
using namespace gpu_labeler::tests;

namespace {

// GPUs 0 and 1, three samples 10 s apart; 1 is lost in the middle one.
web_handlers filled() {
    web_handlers out("n");
    gpu_sample lost;
    lost.index = 1;
    lost.health = gpu_health::failed;
    for (int i = 0; i < 3; ++i) {
        auto first = a100(0), second = a100(1);
        first.power_watts = 71.3 + i;
        second.power_watts = 60.0 + i;
        out.take(node(noon + 10 * i, {first, i == 1 ? lost : second}));
    }
    return out;
}

}  // namespace

TEST_CASE("history: what the query asks for") {
    const auto site = filled();
    struct row {
        const char* query;
        const char* items;
    };
    const row rows[] = {
        {"metric=powerW", R"({"gpu":"GPU-0","points":[[1795262400,71.3],[1795262410,72.3],[1795262420,73.3]]},)"
                          R"({"gpu":"GPU-1","points":[[1795262400,60],[1795262420,62]]})"},
        {"metric=powerW&gpu=1", R"({"gpu":"GPU-1","points":[[1795262400,60],[1795262420,62]]})"},
        {"gpu=GPU-1&metric=powerW", R"({"gpu":"GPU-1","points":[[1795262400,60],[1795262420,62]]})"},
        {"metric=powerW&gpu=GPU%2D1&since=2026-11-21T12:00:10Z", R"({"gpu":"GPU-1","points":[[1795262420,62]]})"},
        {"metric=powerW&gpu=1&since=2026-11-21T13:00:10%2B01:00", R"({"gpu":"GPU-1","points":[[1795262420,62]]})"},
        {"metric=powerW&gpu=1&since=2026-11-21T12:00:00.000000001Z", R"({"gpu":"GPU-1","points":[[1795262420,62]]})"},
        {"metric=powerW&gpu=1&since=2100-01-01T00:00:00Z", R"({"gpu":"GPU-1","points":[]})"},
        {"metric=powerW&gpu=1&since=1700-01-01T00:00:00Z&",
         R"({"gpu":"GPU-1","points":[[1795262400,60],[1795262420,62]]})"},
    };
    for (const auto& one : rows) {
        CAPTURE(one.query);
        const auto answer = get(site, std::string("/api/v1/history?") + one.query);
        CHECK(answer.status == 200);
        CHECK(answer.body == std::string(R"({"metric":"powerW","unit":"W","items":[)") + one.items + "]}\n");
    }
    const auto bytes = get(site, "/api/v1/history?metric=memoryUsedBytes&gpu=0&since=2026-11-21T12:00:20Z");
    CHECK(bytes.body ==
          R"({"metric":"memoryUsedBytes","unit":"bytes","items":[{"gpu":"GPU-0","points":[[1795262420,85899345920]]}]})"
          "\n");
    CHECK(get(site, "/api/v1/history?metric=smClockMHz&gpu=0").body ==
          R"({"metric":"smClockMHz","unit":"MHz","items":[{"gpu":"GPU-0","points":[]}]})"
          "\n");
    CHECK(get(web_handlers("n"), "/api/v1/history?metric=powerW").body ==
          "{\"metric\":\"powerW\",\"unit\":\"W\",\"items\":[]}\n");
}

TEST_CASE("history: a wrong query is refused with the parameter, the value and what is right") {
    const auto site = filled();
    struct row {
        std::string query;
        std::string message;  // its beginning
    };
    const row rows[] = {
        {"", "parameter metric is missing; it is one of temperatureC, memoryTemperatureC, powerW, utilization, "},
        {"gpu=0", "parameter metric is missing"},
        {"metric=", R"(parameter metric: \"\" is not one of temperatureC, )"},
        {"metric=fan", R"(parameter metric: \"fan\" is not one of temperatureC, )"},
        {"metric=POWERW", R"(parameter metric: \"POWERW\" is not one of)"},
        {"metric=powerW&metric=powerW", "parameter metric: give it once"},
        {"metric=powerW&gpu=2", R"(parameter gpu: \"2\" is no GPU's index or UUID; known are 0 (GPU-0), 1 (GPU-1))"},
        {"metric=powerW&gpu=", R"(parameter gpu: \"\" is no GPU's)"},
        {"metric=powerW&gpu=-1", R"(parameter gpu: \"-1\" is no GPU's)"},
        {"metric=powerW&gpu=4294967296", R"(parameter gpu: \"4294967296\" is no GPU's)"},
        {"metric=powerW&gpu=0%00", R"(parameter gpu: \"0\\x00\" is no GPU's)"},
        {"metric=powerW&since=yesterday", R"(parameter since: \"yesterday\" is not an RFC 3339 time such as )"},
        {"metric=powerW&since=2026-11-21T13:00:10+01:00", R"(parameter since: \"2026-11-21T13:00:10 01:00\" is not)"},
        {"metric=powerW&since=1795262400", R"(parameter since: \"1795262400\" is not)"},
        {"metric=powerW&since=9999-01-01T00:00:00Z", R"(parameter since: \"9999-01-01T00:00:00Z\" is not)"},
        {"metric=powerW&step=60", R"(unknown parameter \"step\"; allowed are metric, gpu, since)"},
        {"%1b%5b31m=1", R"(unknown parameter \"\\x1b[31m\")"},
        {"metric=" + std::string(5000, 'x'), "parameter metric: \\\"" + std::string(200, 'x') + "…\\\" is not one of"},
    };
    for (const auto& one : rows) {
        CAPTURE(one.query);
        const auto answer = get(site, "/api/v1/history?" + one.query);
        CHECK(answer.status == 400);
        CHECK_MESSAGE(answer.body.starts_with("{\"error\":\"" + one.message), answer.body);
    }
    const auto none = get(web_handlers("n"), "/api/v1/history?metric=powerW&gpu=0");
    CHECK(none.body.find("none is known so far") != std::string::npos);
}
