// What requests, a large answer and watches cost a client over TLS: our transport over HTTP/2 and over HTTP/1.1.
// bench/transport_figures.py runs it.
//
// usage: bench_transport URL CA_FILE http2|http1 gets COUNT AT_A_TIME PATH
//                                    http2|http1 read COUNT PATH
//                                    http2|http1 watches COUNT PATH
//                                    http2|http1 idle COUNT PATH
// The environment may have CLIENT_CERTIFICATE and CLIENT_KEY, names of files.
#include <kcontrol/client/client.hpp>
#include <kcontrol/http/transport.hpp>

#include "measure.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace {

using namespace kcontrol_bench;
using kcontrol::awaitable;
namespace http = kcontrol::http;
namespace asio = boost::asio;

std::string file_named_by(const kcontrol::environment& env, const char* variable) {
    const auto name = env.variable(variable);
    std::ostringstream text;
    if (name) text << std::ifstream(*name).rdbuf();
    return text.str();
}

class bench {
public:
    bench(const std::string& url, const char* ca_file) : config(cluster(url, ca_file)) {
        auto tls = config.tls();
        const std::string certificate = file_named_by(env, "CLIENT_CERTIFICATE");
        if (!certificate.empty()) {
            tls.client_certificate(certificate, kcontrol::secret_string(file_named_by(env, "CLIENT_KEY")));
        }
        config.tls(tls);
    }

    std::shared_ptr<http::transport> connect(bool http2) {
        const auto options = http::transport_options().http2(http2).max_idle(most_idle);
        const auto factory = http::make_transport_factory(env, options);
        return factory(context.get_executor(), config.server(), config.tls()).value();
    }

    // Starts `work` `at_a_time` times, and runs all of it.
    template <class Work>
    void run(int at_a_time, Work work) {
        int running = at_a_time;
        for (int i = 0; i < at_a_time; ++i) {
            asio::co_spawn(context, work(), [&](std::exception_ptr failure) {
                if (failure) std::rethrow_exception(failure);
                --running;
            });
        }
        while (running != 0) context.run_one();
    }

    std::size_t most_idle = 8;
    kcontrol::auth::cluster_config config;
    kcontrol::system_environment env;
    asio::io_context context{1};
};

http::request get(const std::string& path) {
    http::request req("GET", path);
    req.headers.set("User-Agent", "bench/1");
    req.headers.set("Accept", "application/json");
    return req;
}

awaitable<void> ask(http::transport& by, std::string path, int& left, std::size_t& bytes) {
    while (left-- > 0) {
        auto req = get(path);
        const auto options = http::exchange_options().deadline(std::chrono::minutes(5));
        const auto answer = co_await by.round_trip(std::move(req), options);
        if (!answer) throw std::runtime_error(answer.error().what());
        if (answer->status != 200) throw std::runtime_error("status " + std::to_string(answer->status));
        bytes += answer->body.size();
    }
}

void measure_gets(bench& on, const std::string& how, int count, int at_a_time, const std::string& path) {
    const auto by = on.connect(how == "http2");
    std::size_t bytes = 0;
    const auto round = [&](int n) {
        on.run(std::min(n, at_a_time), [&]() -> awaitable<void> { return ask(*by, path, n, bytes); });
    };
    round(at_a_time);  // connects
    bytes = 0;
    reset_peak();
    const double memory = anonymous();
    const auto begun = on.env.now();
    const double cpu = cpu_us();
    round(count);
    const double used = cpu_us() - cpu;
    const double seconds = std::chrono::duration<double>(on.env.now() - begun).count();
    print("gets", count / seconds, "1/s");
    print("gets", used / count, "us CPU");
    print("gets", count / used * 1e6, "1/CPU second");
    print("gets", static_cast<double>(bytes) / used, "MB/CPU second");
    print("gets", (peak_anonymous() - memory) / 1e6, "MB peak");
    by->close();
}

awaitable<void> read_stream(http::transport& by, std::string path, int& begun, bool to_end, std::size_t& bytes) {
    const http::exchange_options options;
    auto opened = co_await by.open_stream(get(path), options);
    if (!opened) throw std::runtime_error(opened.error().what());
    ++begun;
    std::string buffer(to_end ? 64 << 10 : 256, '\0');
    for (;;) {
        const auto n = co_await opened->body->read_some(buffer, std::chrono::hours(1), {});
        if (!n) throw std::runtime_error(n.error().what());
        if (*n == 0) co_return;
        bytes += *n;
    }
}

void measure_read(bench& on, const std::string& how, int count, const std::string& path) {
    const auto by = on.connect(how == "http2");
    std::size_t bytes = 0;
    int begun = 0;
    reset_peak();
    const double memory = anonymous();
    const double cpu = cpu_us();
    const auto since = on.env.now();
    for (int i = 0; i < count; ++i) {
        on.run(1, [&] { return read_stream(*by, path, begun, true, bytes); });
    }
    const double seconds = std::chrono::duration<double>(on.env.now() - since).count();
    print("read", static_cast<double>(bytes) / 1e6 / seconds, "MB/s");
    print("read", static_cast<double>(bytes) / (cpu_us() - cpu), "MB/CPU second");
    print("read", (peak_anonymous() - memory) / 1e6, "MB peak");
    by->close();
}

// So many requests at once, each over a connection that nobody uses afterwards (HTTP/1.1), or all over a few.
void measure_idle(bench& on, const std::string& how, int count, const std::string& path) {
    on.most_idle = static_cast<std::size_t>(count);
    const auto by = on.connect(how == "http2");
    std::size_t bytes = 0;
    int left = 1;
    on.run(1, [&] { return ask(*by, path, left, bytes); });  // what is made once, such as the TLS context
    const double memory = live();
    left = count;
    on.run(count, [&] { return ask(*by, path, left, bytes); });
    print("idle", static_cast<double>(sockets()), "connections");
    print("idle", (live() - memory) / count / 1e3, "KB each");
    by->close();
}

void measure_watches(bench& on, const std::string& how, int count, const std::string& path) {
    const auto by = on.connect(how == "http2");
    std::size_t bytes = 0;
    int begun = 0;
    const double memory = live();
    const double cpu = cpu_us();
    const auto since = on.env.now();
    for (int i = 0; i < count; ++i) {
        asio::co_spawn(on.context, read_stream(*by, path, begun, false, bytes), [](std::exception_ptr failure) {
            if (failure) std::rethrow_exception(failure);
        });
    }
    while (begun != count) on.context.run_one();
    const double seconds = std::chrono::duration<double>(on.env.now() - since).count();
    while (on.context.run_one_for(std::chrono::milliseconds(300)) != 0) {
    }
    print("watches", static_cast<double>(sockets()), "connections");
    print("watches", seconds * 1e3, "ms until all had begun");
    print("watches", (cpu_us() - cpu) / 1e3, "ms CPU");
    print("watches", (live() - memory) / count / 1e3, "KB each");
    by->close();
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> words(argv, argv + argc);
    try {
        if (words.size() < 7) throw std::runtime_error("usage: see the first lines of transport.cpp");
        bench on(words[1], argv[2]);
        const std::string& how = words[3];
        const int count = std::stoi(words[5]);
        if (words[4] == "gets") {
            measure_gets(on, how, count, std::stoi(words[6]), words.at(7));
        } else if (words[4] == "read") {
            measure_read(on, how, count, words[6]);
        } else if (words[4] == "idle") {
            measure_idle(on, how, count, words[6]);
        } else {
            measure_watches(on, how, count, words[6]);
        }
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "%s\n", failure.what());
        return 1;
    }
    return 0;
}
