#include "push/influx_lines.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace gpu_labeler;

namespace {

node_sample node(std::vector<gpu_sample> gpus) {
    node_sample out;
    out.time = kcontrol::wall_time(std::chrono::seconds(1'795'262'400) + std::chrono::milliseconds(5));
    out.gpus = std::move(gpus);
    return out;
}

gpu_sample gpu(unsigned index) {
    gpu_sample out;
    out.index = index;
    out.uuid = "GPU-" + std::to_string(index);
    out.name = "Tesla T4";
    return out;
}

}  // namespace

TEST_CASE("Influx lines: what a GPU tells, and nothing of what it does not tell") {
    auto full = gpu(0);
    full.health = gpu_health::degraded;
    full.temperature_celsius = 41;
    full.power_watts = 71.3;
    full.gpu_percent = 97;
    full.memory_used_bytes = 85'899'345'920;
    full.energy_joules = 12345.678;
    full.nvlink = nvlink_sample{18, 17, 5'120'002'054'144, std::nullopt, 1.5e9, std::nullopt};
    full.xid = xid_report{79, {}, {{79, 1}}};
    CHECK(influx_lines(node({full, gpu(1)}), "node-1") ==
          "gpu,host=node-1,gpu=0,uuid=GPU-0,model=Tesla\\ T4 health=1,temperatureC=41,powerW=71.3,utilization=97,"
          "memoryUsedBytes=85899345920,nvlinkTransmitBytesPerSecond=1.5e+09,energyJ=12345.678,"
          "nvlinkTransmittedBytes=5120002054144,nvlinksActive=17,xid=79 1795262400005000000\n"
          "gpu,host=node-1,gpu=1,uuid=GPU-1,model=Tesla\\ T4 health=0 1795262400005000000\n");
    CHECK(influx_lines(node({}), "node-1").empty());
}

TEST_CASE("Influx lines: names can't become lines, tags or fields of their own") {
    struct row {
        const char* name;
        const char* expected;
    };
    const row rows[] = {{"", ""},
                        {"a,b=c d", ",model=a\\,b\\=c\\ d"},
                        {"a\nb\tc\r", ",model=a_b_c_"},
                        {"a\\", ",model=a"},
                        {"a\\\\", ",model=a"},
                        {"\\", ""},
                        {"a\\ b", ",model=a\\\\ b"},
                        {"\xc3\xa9\"", ",model=\xc3\xa9\""}};
    for (const auto& one : rows) {
        CAPTURE(one.name);
        auto named = gpu(0);
        named.name = one.name;
        const auto line = influx_lines(node({named}), "");
        CHECK(line == "gpu,gpu=0,uuid=GPU-0" + std::string(one.expected) + " health=0 1795262400005000000\n");
    }
}

TEST_CASE("Influx lines: a number that is none is left out") {
    auto odd = gpu(0);
    odd.power_watts = std::numeric_limits<double>::quiet_NaN();
    odd.temperature_celsius = std::numeric_limits<double>::infinity();
    CHECK(influx_lines(node({odd}), "").find(" health=0 ") != std::string::npos);
}
