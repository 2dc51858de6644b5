#include <kcontrol/metrics/metrics_registry.hpp>
#include <kcontrol/metrics/process_metrics.hpp>
#include <kcontrol/testing/manual_environment.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

using namespace kcontrol;

std::string text_of(environment& env) {
    metrics_registry all;
    all.collect([&env](metrics_writer& out) { write_process_metrics(out, env); });
    return all.text();
}

bool has(const std::string& text, const std::string& line) { return text.find(line + "\n") != std::string::npos; }

}  // namespace

TEST_CASE("process metrics: the process' own numbers come from /proc") {
    testing::manual_environment env;
    CHECK(text_of(env).find("process_") == std::string::npos);
    env.files["/proc/self/stat"] =
        "7 (a) b) S 1 7 7 0 -1 4194304 100 0 0 0 150 50 0 0 20 0 3 0 1000 4096000 25 18446744073709551615 1 1";
    env.files["/proc/stat"] = "cpu 1 2\nbtime 1700000000\n";
    env.files["/proc/self/fd/0"] = env.files["/proc/self/fd/1"] = env.files["/proc/self/fd/9"] = "";
    env.files["/proc/self/limits"] =
        "Limit                     Soft Limit           Hard Limit           Units\n"
        "Max cpu time              unlimited            unlimited            seconds\n"
        "Max open files            1024                 1048576              files\n"
        "Max address space         unlimited            unlimited            bytes\n";
    env.files["/proc/self/net/netstat"] =
        "TcpExt: InOctets Other\nTcpExt: 7 8\nIpExt: InNoRoutes InOctets OutOctets\nIpExt: 1 2000 3000\n"
        "MPTcpExt: InOctets\nMPTcpExt: 9\n";
    const auto text = text_of(env);
    CHECK(has(text, "process_threads 3"));
    CHECK(has(text, "process_virtual_memory_bytes 4096000"));
    CHECK(has(text, "process_resident_memory_bytes 102400"));
    CHECK(has(text, "process_cpu_seconds_total 2"));  // 200 ticks
    CHECK(has(text, "process_start_time_seconds 1700000010"));
    CHECK(has(text, "process_open_fds 3"));
    CHECK(has(text, "process_max_fds 1024"));
    CHECK(has(text, "process_virtual_memory_max_bytes 18446744073709551616"));
    CHECK(has(text, "process_network_receive_bytes_total 2000"));
    CHECK(has(text, "process_network_transmit_bytes_total 3000"));
    // As a kube-apiserver 1.36 has them, with client_golang.
    for (const char* counter : {"cpu_seconds", "network_receive_bytes", "network_transmit_bytes"}) {
        CHECK(has(text, "# TYPE process_" + std::string(counter) + "_total counter"));
    }
    for (const char* gauge : {"max_fds", "open_fds", "resident_memory_bytes", "start_time_seconds",
                              "virtual_memory_bytes", "virtual_memory_max_bytes"}) {
        CHECK(has(text, "# TYPE process_" + std::string(gauge) + " gauge"));
    }
}

TEST_CASE("process metrics: what the system does not say is left out") {
    testing::manual_environment env;
    env.files["/proc/self/stat"] =
        "7 (a) S 1 7 7 0 -1 4194304 100 0 0 0 150 50 0 0 20 0 3 0 1000 4096000 25 18446744073709551615 1 1";
    env.files["/proc/self/limits"] = "Max open files            many\n";
    env.files["/proc/self/net/netstat"] = "IpExt: InNoRoutes InOctets\nIpExt: 1\n";
    const auto text = text_of(env);
    CHECK(has(text, "process_threads 3"));
    for (const auto* none :
         {"process_start_time_seconds", "process_max_fds", "process_virtual_memory_max_bytes", "process_network"}) {
        CHECK(text.find(none) == std::string::npos);
    }
    env.files["/proc/self/stat"] = "7 (a) S 1 7";
    CHECK(text_of(env).find("process_") == std::string::npos);
}
