// What the benchmarks that speak to the peers' replay server have in common: rows as the peers' programs print them,
// what the process has used, and the way to the server.
#pragma once

#include <kcontrol/auth/cluster_config.hpp>

#include <cstdio>
#include <fstream>
#include <malloc.h>
#include <sstream>
#include <stdexcept>
#include <string>
#include <sys/resource.h>

namespace kcontrol_bench {

/// Like the peers' programs: three digits that matter, none behind a thousand.
inline void print(const char* phase, double value, const char* unit) {
    std::printf("%s\t%.*f\t%s\n", phase, value >= 1000 ? 0 : value >= 10 ? 1 : 3, value, unit);
}

inline double cpu_us() {
    rusage use{};
    getrusage(RUSAGE_SELF, &use);
    const auto us = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_usec);
    };
    return us(use.ru_utime) + us(use.ru_stime);
}

/// Bytes that malloc has handed out.
inline double live() {
    const auto all = mallinfo2();
    return static_cast<double>(all.uordblks + all.hblkhd);
}

/// Bytes of memory that no file backs.
inline double anonymous() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("RssAnon:")) return 1024.0 * std::stod(line.substr(8));
    }
    throw std::runtime_error("/proc/self/status has no RssAnon");
}

inline kcontrol::auth::cluster_config cluster(const std::string& url, const char* ca_file) {
    kcontrol::auth::cluster_config config;
    const auto colon = url.rfind(':');
    if (!url.starts_with("https://") || colon < 8) throw std::runtime_error(url + ": want https://HOST:PORT");
    config.server(kcontrol::http::endpoint("https", url.substr(8, colon - 8),
                                           static_cast<std::uint16_t>(std::stoul(url.substr(colon + 1)))));
    std::ostringstream pem;
    pem << std::ifstream(ca_file).rdbuf();
    if (pem.str().empty()) throw std::runtime_error(std::string(ca_file) + ": no such file, or empty");
    config.tls(kcontrol::http::tls_options().ca_pem(pem.str()));
    return config;
}

}  // namespace kcontrol_bench
