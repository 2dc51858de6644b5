#include "web/totals_answer.hpp"

#include <doctest/doctest.h>

#include <chrono>

using namespace training_monitor;

TEST_CASE("totals: the points asked for, states without jobs left out") {
    totals all;
    CHECK(totals_answer(all, "").body == "{\"items\":[]}\n");
    job_counts counts;
    counts.states[static_cast<std::size_t>(job_state::running)] = 3;
    counts.gpus_requested = 12;
    counts.gpus_running = 8;
    all.record(kcontrol::wall_time(std::chrono::seconds(1'700'000'040)), counts);
    all.record(kcontrol::wall_time(std::chrono::seconds(1'700'000'100)), {});
    const auto answer = totals_answer(all, "");
    CHECK(answer.status == 200);
    CHECK(answer.body ==
          R"({"items":[{"time":"2023-11-14T22:14:00Z","states":{"Running":3},"gpus":{"requested":12,"running":8}},)"
          R"({"time":"2023-11-14T22:15:00Z","states":{},"gpus":{"requested":0,"running":0}}]})"
          "\n");
    const auto later = totals_answer(all, "since=2023-11-14T22:15:00Z");
    CHECK(later.body.find("22:14") == std::string::npos);
    CHECK(later.body.find("22:15") != std::string::npos);
    CHECK(totals_answer(all, "since=2023-11-15T06:15:00%2B08:00").body == later.body);
}

TEST_CASE("totals: a bad query is refused with the parameter and what is allowed") {
    struct row {
        const char* query;
        const char* message;
    };
    const row rows[] = {
        {"since=yesterday", R"(parameter since: \"yesterday\" is not a time such as 2026-11-21T14:00:00Z)"},
        {"since=", R"(parameter since: \"\" is not a time)"},
        {"until=2026-11-21T14:00:00Z", R"(unknown parameter \"until\"; allowed: since)"},
    };
    const totals all;
    for (const auto& one : rows) {
        CAPTURE(one.query);
        const auto answer = totals_answer(all, one.query);
        CHECK(answer.status == 400);
        CHECK(answer.body.find(one.message) != std::string::npos);
    }
}
