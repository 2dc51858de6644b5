// What the benchmarks that speak to the peers' replay server have in common: rows as the peers' programs print them,
// what the process has used, and the way to the server.
#pragma once

#include <kcontrol/auth/cluster_config.hpp>
#include <kcontrol/client/protobuf_encoding.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/transport/client.hpp>

#include <boost/asio/io_context.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <malloc.h>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <system_error>
#include <utility>
#include <vector>

namespace kcontrol_bench {

/// Like the peers' programs: three digits that matter, none behind a thousand.
inline void print(const char* phase, double value, const char* unit) {
    std::printf("%s\t%.*f\t%s\n", phase, value >= 1000 ? 0 : value >= 10 ? 1 : 3, value, unit);
}

/// What a flood of events took: time, microseconds of CPU, bytes of memory.
inline void print_flood(std::size_t events, kcontrol::duration took, double cpu, double memory) {
    const auto count = static_cast<double>(events);
    print("flood", count / std::chrono::duration<double>(took).count(), "events/s");
    print("flood", cpu / count, "us CPU/event");
    print("flood", memory / 1e6, "MB RSS growth");
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

/// Bytes, as /proc/self/status has them under a name such as "RssAnon:".
inline double status_bytes(const std::string& name) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with(name)) return 1024.0 * std::stod(line.substr(name.size()));
    }
    throw std::runtime_error("/proc/self/status has no " + name);
}

/// Bytes of memory that no file backs.
inline double anonymous() { return status_bytes("RssAnon:"); }

/// The most that it was since reset_peak(), as the peers' programs have it.
inline double peak_anonymous() { return status_bytes("VmHWM:") - status_bytes("RssFile:"); }

inline void reset_peak() {
    if (!(std::ofstream("/proc/self/clear_refs") << "5" << std::flush)) {
        throw std::runtime_error("/proc/self/clear_refs can't be written");
    }
}

/// How many the process has open.
inline std::size_t sockets() {
    std::size_t found = 0;
    for (const auto& one : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code gone;
        if (std::filesystem::read_symlink(one.path(), gone).string().starts_with("socket:")) ++found;
    }
    return found;
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

/// The peers' replay server: a client of it, and a way to give it orders. Its constructor throws where the address or
/// the certificate is of no use.
class replay_server {
public:
    replay_server(const std::string& url, const char* ca_file, bool protobuf = false)
        : replay_server(cluster(url, ca_file), protobuf) {}

    /// Has it do something: "/replay/expire". Throws if it does not.
    kcontrol::awaitable<void> order(std::string target) {
        kcontrol::http::request ask("POST", std::move(target));
        const kcontrol::http::exchange_options how;
        const auto answer = co_await control_->round_trip(std::move(ask), how);
        if (!answer || answer->status != 200) throw std::runtime_error("the server refused what it was to do");
    }

    /// Reads an answer and drops it: what is left of a sync where nothing is made of its bytes. Returns their number.
    kcontrol::awaitable<std::size_t> read(std::string target, std::string accept) {
        kcontrol::http::request ask("GET", std::move(target));
        ask.headers.set("Accept", std::move(accept));
        const kcontrol::http::exchange_options how;
        auto answer = co_await control_->open_stream(std::move(ask), how);
        if (!answer || answer->head.status != 200) throw std::runtime_error("the server does not answer");
        std::vector<char> into(std::size_t{16} << 10);
        const std::stop_token never;
        for (std::size_t all = 0;;) {
            const auto came = co_await answer->body->read_some(into, std::chrono::minutes(1), never);
            if (!came) throw std::runtime_error(came.error().what());
            if (*came == 0) co_return all;
            all += *came;
        }
    }

    /// Or idle connections keep the event loop running.
    void close() {
        control_->close();
        api_.close();
    }

    kcontrol::client& api() noexcept { return api_; }

    kcontrol::system_environment env;
    boost::asio::io_context context{1};

private:
    replay_server(const kcontrol::auth::cluster_config& config, bool protobuf)
        : factory_(kcontrol::http::make_transport_factory(env)),
          control_(factory_(context.get_executor(), config.server(), config.tls()).value()),
          api_(kcontrol::client::connect(env, context.get_executor(), config, factory_)
                   .value()
                   .with(kcontrol::client_options().encoding(protobuf ? kcontrol::protobuf_encoding() : nullptr))) {}

    kcontrol::http::transport_factory factory_;
    std::shared_ptr<kcontrol::http::transport> control_;
    kcontrol::client api_;
};

}  // namespace kcontrol_bench
