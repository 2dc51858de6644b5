// What is read of a labeler's answer, and what is left out of one that can't be true.
#include "usage/node_report.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace training_monitor;

TEST_CASE("node report: of each GPU what is shown, by index") {
    const auto read = read_node_report(R"({"node":"n1","state":"ok","message":"","items":[
        {"index":1,"uuid":"GPU-b","name":null,"health":"failed","reason":"it fell off the bus","temperatureC":null,
         "powerW":null,"utilization":{"gpu":null},"memory":{"totalBytes":null,"usedBytes":null},
         "xid":{"last":79,"time":"2026-11-26T07:00:00Z","counts":{"79":1}},"users":[]},
        {"index":0,"uuid":"GPU-a","name":"NVIDIA H100","health":"ok","reason":"","temperatureC":41,"powerW":612.5,
         "utilization":{"gpu":97,"memory":3},"memory":{"totalBytes":85899345920,"usedBytes":1024},"xid":null,
         "users":[{"namespace":"ml","pod":"bert-0","container":"pytorch","migUuid":null},
                  {"namespace":"ml","pod":"bert-1","container":"pytorch","migUuid":"MIG-1"}]}]})");
    REQUIRE(read);
    CHECK(read->state == "ok");
    CHECK(read->knows_holders());
    REQUIRE(read->gpus.size() == 2);
    const auto& well = read->gpus[0];
    CHECK(well.name == "NVIDIA H100");
    CHECK(well.utilization == 97);
    CHECK(well.power_watts == 612.5);
    CHECK(well.temperature_celsius == 41);
    CHECK(well.memory_used_bytes == 1024);
    CHECK(well.memory_total_bytes == 85899345920);
    CHECK(!well.xid);
    REQUIRE(well.holders.size() == 2);
    CHECK(well.holders[0].pod == "bert-0");
    CHECK(!well.holders[0].slice);
    CHECK(well.holders[1].slice);
    const auto& lost = read->gpus[1];
    CHECK(lost.health == "failed");
    CHECK(lost.xid == 79);
    CHECK(lost.xid_time == "2026-11-26T07:00:00Z");
    CHECK(!lost.utilization);
}

TEST_CASE("node report: what can't be is left out, and what is too long is cut") {
    const std::string most(300, 'x');
    std::string text = R"({"state":"ok","items":[{"index":0,"health":"<b>","reason":")" + most +
                       R"(","utilization":{"gpu":101},"memory":{"usedBytes":-1,"totalBytes":9000000000000000000},)" +
                       R"("powerW":-3,"temperatureC":5000})";
    for (int i = 1; i < 100; ++i) text += R"(,{"index":)" + std::to_string(i) + R"(,"health":"ok"})";
    const auto read = read_node_report(text + "]}");
    REQUIRE(read);
    CHECK(read->gpus.size() == 64);
    CHECK(!read->knows_holders());
    const auto& gpu = read->gpus[0];
    CHECK(gpu.health == "unknown");
    CHECK(gpu.reason.size() == 256);
    CHECK(!gpu.utilization);
    CHECK(!gpu.memory_used_bytes);
    CHECK(!gpu.memory_total_bytes);
    CHECK(!gpu.power_watts);
    CHECK(!gpu.temperature_celsius);
}

TEST_CASE("node report: an answer that is none is an error") {
    for (const char* text : {"", "<html>", "[]", R"({"items":3})", R"({"items":[{"index":"one"}]})"}) {
        CAPTURE(text);
        CHECK(!read_node_report(text));
    }
}
