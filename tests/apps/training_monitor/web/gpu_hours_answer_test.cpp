#include "web/gpu_hours_answer.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>

using namespace training_monitor;
using namespace std::chrono_literals;

namespace {

constexpr gpu_day today = std::chrono::year(2026) / 11 / 26;
constexpr std::int64_t hour = 3'600'000;

gpu_hours_state some() {
    gpu_hours_state out;
    out.rows = {{{today - std::chrono::days(1), "a", "ml", "nlp"}, 10 * hour},
                {{today, "a", "ml", "nlp"}, 2 * hour},
                {{today, "a", "ml", ""}, hour / 2},
                {{today, "b", "cv", "vision"}, 8 * hour}};
    out.watches = {{{"a", "Job"}, today - std::chrono::hours(20), today}};
    return out;
}

// What follows "items".
std::string items(std::string_view query) {
    gpu_hours hours;
    hours.restore(some());
    const auto answer = gpu_hours_answer(hours, query, kcontrol::wall_time(today) + 12h);
    CHECK(answer.status == 200);
    const auto at = answer.body.find("\"items\":");
    return at == std::string::npos ? answer.body : answer.body.substr(at + 8, answer.body.size() - at - 10);
}

}  // namespace

TEST_CASE("gpu hours: the whole answer") {
    gpu_hours hours;
    const auto now = kcontrol::wall_time(today) + 12h;
    CHECK(gpu_hours_answer(hours, "", now).body ==
          "{\"since\":null,\"until\":\"2026-11-26T12:00:00Z\",\"gpuHours\":0,\"items\":[]}\n");
    hours.restore(some());
    CHECK(gpu_hours_answer(hours, "cluster=a&since=2026-11-26", now).body ==
          R"({"since":"2026-11-25T04:00:00Z","until":"2026-11-26T12:00:00Z","gpuHours":2.5,"items":[)"
          R"({"day":"2026-11-26","cluster":"a","namespace":"ml","team":"nlp","gpuHours":2},)"
          R"({"day":"2026-11-26","cluster":"a","namespace":"ml","team":null,"gpuHours":0.5}]})"
          "\n");
}

TEST_CASE("gpu hours: summed up and restricted as one asks for it") {
    struct row {
        const char* query;
        const char* items;
    };
    const row rows[] = {
        {"by=team", R"([{"team":"nlp","gpuHours":12},{"team":"vision","gpuHours":8},{"team":null,"gpuHours":0.5}])"},
        {"by=namespace", R"([{"namespace":"ml","gpuHours":12.5},{"namespace":"cv","gpuHours":8}])"},
        {"by=cluster", R"([{"cluster":"a","gpuHours":12.5},{"cluster":"b","gpuHours":8}])"},
        {"by=day", R"([{"day":"2026-11-25","gpuHours":10},{"day":"2026-11-26","gpuHours":10.5}])"},
        {"by=team,day&namespace=ml",
         R"([{"day":"2026-11-25","team":"nlp","gpuHours":10},{"day":"2026-11-26","team":"nlp","gpuHours":2},)"
         R"({"day":"2026-11-26","team":null,"gpuHours":0.5}])"},
        {"by=team&team=nlp,vision&since=2026-11-26T23:59:59Z",
         R"([{"team":"vision","gpuHours":8},{"team":"nlp","gpuHours":2}])"},
        {"by=cluster&since=12h", R"([{"cluster":"b","gpuHours":8},{"cluster":"a","gpuHours":2.5}])"},
        {"by=cluster&since=13h", R"([{"cluster":"a","gpuHours":12.5},{"cluster":"b","gpuHours":8}])"},
        {"by=cluster&cluster=a&cluster=b&since=", R"([{"cluster":"a","gpuHours":12.5},{"cluster":"b","gpuHours":8}])"},
        {"by=cluster&cluster=c", "[]"},
    };
    for (const auto& one : rows) {
        CAPTURE(one.query);
        CHECK(items(one.query) == one.items);
    }
}

TEST_CASE("gpu hours: a bad query is refused with the parameter and what is allowed") {
    struct row {
        const char* query;
        const char* message;
    };
    const row rows[] = {
        {"by=week", R"(parameter by: \"week\" is not one of day, cluster, namespace, team)"},
        {"since=yesterday", R"(parameter since: \"yesterday\" is neither a day (2026-01-02), nor a time)"},
        {"since=-1h", R"(parameter since: \"-1h\" is neither)"},
        {"since=2026-13-01", R"(parameter since: \"2026-13-01\" is neither)"},
        {"day=2026-11-26", R"(unknown parameter \"day\"; allowed are by, cluster, namespace, team, since)"},
    };
    gpu_hours hours;
    for (const auto& one : rows) {
        CAPTURE(one.query);
        const auto answer = gpu_hours_answer(hours, one.query, kcontrol::wall_time(today));
        CHECK(answer.status == 400);
        CHECK_MESSAGE(answer.body.find(one.message) != std::string::npos, answer.body);
    }
}
