// The API server for tests under load: many objects, a thousand watches, and writes of which ten of them see each.
//
// usage: test_server [OBJECTS [WATCHES [WRITES [process|tls]]]]       100000, 1000, 20000, and both
// Rows of "phase TAB value TAB unit": in process without sockets, then over TLS, the client on a thread of its own.
#include <kcontrol/client/client.hpp>
#include <kcontrol/testing/local_api_server.hpp>
#include <kcontrol/transport/client.hpp>

#include "measure.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace kcontrol_bench;
using kcontrol::awaitable;
namespace asio = boost::asio;
namespace http = kcontrol::http;
namespace testing = kcontrol::testing;

constexpr int seen_by = 10;  // watches that see a write

class load {
public:
    int objects = 100'000, watches = 1000, writes = 20'000;

    int namespaces() const { return std::max(1, watches / seen_by); }
    std::string path(int ns) const { return "/api/v1/namespaces/ns-" + std::to_string(ns) + "/configmaps"; }
};

http::request patch_of(const load& how, int n) {
    const int ns = n % how.namespaces(), object = n / how.namespaces() % std::max(1, how.objects / how.namespaces());
    http::request out("PATCH", how.path(ns) + "/c-" + std::to_string(object));
    out.headers.set("Content-Type", "application/merge-patch+json");
    out.body = R"({"data":{"n":")" + std::to_string(n) + "\"}}";
    return out;
}

void fill(testing::api_server& api, const load& how) {
    for (int i = 0; i < how.namespaces(); ++i) {
        api.create({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "ns-" + std::to_string(i)}}}})
            .value();
    }
    const std::string filling(800, 'x');
    for (int i = 0; i < how.objects; ++i) {
        api.create({{"apiVersion", "v1"},
                    {"kind", "ConfigMap"},
                    {"metadata",
                     {{"name", "c-" + std::to_string(i / how.namespaces())},
                      {"namespace", "ns-" + std::to_string(i % how.namespaces())},
                      {"labels", {{"app", "bench"}}}}},
                    {"data", {{"text", filling}}}})
            .value();
    }
}

void print_rates(const char* phase, const load& how, double seconds, double cpu, std::uint64_t delivered) {
    print(phase, how.writes / seconds, "writes/s");
    print(phase, static_cast<double>(delivered) / seconds, "deliveries/s");
    print(phase, cpu / how.writes, "us CPU/write");
}

// What a handler writes to: events are counted.
class counting_responder final : public http::responder {
public:
    explicit counting_responder(std::atomic<std::uint64_t>& events) : events_(events) {}
    awaitable<kcontrol::result<void>> send(http::response answer) override {
        status = answer.status;
        co_return kcontrol::result<void>();
    }
    awaitable<kcontrol::result<void>> start(http::response_head head) override {
        status = head.status;
        co_return kcontrol::result<void>();
    }
    awaitable<kcontrol::result<void>> write(std::string piece) override {
        events_ += static_cast<std::uint64_t>(std::count(piece.begin(), piece.end(), '\n'));
        co_return kcontrol::result<void>();
    }
    void abort() override {}
    std::stop_token disconnected() const override { return {}; }

    int status = 0;

private:
    std::atomic<std::uint64_t>& events_;
};

void rethrow(std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);
}

awaitable<void> hold(http::handler handler, std::string target, std::atomic<std::uint64_t>& events) {
    counting_responder out(events);
    http::server_request ask(http::request("GET", std::move(target)));
    co_await handler(std::move(ask), out);
}

awaitable<void> write_all(http::handler handler, const load& how, std::atomic<std::uint64_t>& events) {
    for (int n = 0; n < how.writes; ++n) {
        counting_responder out(events);
        http::server_request ask(patch_of(how, n));
        co_await handler(std::move(ask), out);
        if (out.status != 200) throw std::runtime_error("a write got " + std::to_string(out.status));
        co_await asio::post(asio::use_awaitable);  // the watches have their turns
    }
}

void in_process(const load& how) {
    kcontrol::system_environment env;
    asio::io_context context(1);
    testing::api_server api(env, context.get_executor());
    const double before = live();
    fill(api, how);
    print("in process", (live() - before) / how.objects, "bytes/object");
    std::atomic<std::uint64_t> events{0};
    const std::string since =
        "?watch=true&timeoutSeconds=3600&resourceVersion=" + std::to_string(api.resource_version());
    for (int i = 0; i < how.watches; ++i) {
        asio::co_spawn(context, hold(api.handler(), how.path(i % how.namespaces()) + since, events), rethrow);
    }
    context.poll();
    const double cpu = cpu_us();
    const auto start = env.now();
    asio::co_spawn(context, write_all(api.handler(), how, events), rethrow);
    const auto wanted =
        static_cast<std::uint64_t>(how.writes) * static_cast<std::uint64_t>(std::min(seen_by, how.watches));
    while (events < wanted) context.run_one();
    print_rates("in process", how, std::chrono::duration<double>(env.now() - start).count(), cpu_us() - cpu, events);
    api.end_watches();
    context.poll();
}

// A client with connections of its own.
class tls_client {
public:
    tls_client(const load& how, const kcontrol::auth::cluster_config& config, std::string since)
        : how_(how), factory_(http::make_transport_factory(env_)), since_(std::move(since)) {
        transport_ = factory_(context_.get_executor(), config.server(), config.tls()).value();
    }

    void run() {
        for (int i = 0; i < how_.watches; ++i) asio::co_spawn(context_, watch(i), rethrow);
        while (begun_ < how_.watches) context_.run_one();
        const double cpu = cpu_us();
        const auto start = env_.now();
        for (int i = 0; i < writers; ++i) asio::co_spawn(context_, write(), rethrow);
        const auto wanted =
            static_cast<std::uint64_t>(how_.writes) * static_cast<std::uint64_t>(std::min(seen_by, how_.watches));
        while (events_ < wanted) context_.run_one();
        print_rates("over TLS", how_, std::chrono::duration<double>(env_.now() - start).count(), cpu_us() - cpu,
                    events_);
        stop_.request_stop();
        transport_->close();
        context_.poll();
    }

private:
    static constexpr int writers = 16;

    awaitable<void> watch(int i) {
        http::request ask("GET", how_.path(i % how_.namespaces()) + since_);
        http::exchange_options options;
        options.stop(stop_.get_token()).deadline(std::chrono::minutes(2));
        auto opened = co_await transport_->open_stream(std::move(ask), std::move(options));
        if (!opened) throw std::runtime_error(opened.error().what());
        ++begun_;
        std::string room(std::size_t{4} << 10, '\0');
        const std::stop_token stop = stop_.get_token();
        for (;;) {
            const auto n = co_await opened->body->read_some(room, std::chrono::hours(1), stop);
            if (!n || *n == 0) co_return;
            events_ += static_cast<std::uint64_t>(
                std::count(room.begin(), room.begin() + static_cast<std::ptrdiff_t>(*n), '\n'));
        }
    }

    awaitable<void> write() {
        while (next_ < how_.writes) {
            http::request ask = patch_of(how_, next_++);
            http::exchange_options options;
            const auto answer = co_await transport_->round_trip(std::move(ask), std::move(options));
            if (!answer || answer->status != 200) throw std::runtime_error("a write failed");
        }
    }

    load how_;
    kcontrol::system_environment env_;
    asio::io_context context_{1};
    http::transport_factory factory_;
    std::shared_ptr<http::transport> transport_;
    std::string since_;
    std::stop_source stop_;
    int begun_ = 0, next_ = 0;
    std::uint64_t events_ = 0;
};

void over_tls(const load& how) {
    kcontrol::system_environment env;
    asio::io_context context(1);
    testing::local_api_server server(env, context.get_executor());
    fill(server.api(), how);
    if (const auto started = server.start(); !started) throw std::runtime_error(started.error().what());
    const auto config = server.config();
    const std::string since =
        "?watch=true&timeoutSeconds=3600&resourceVersion=" + std::to_string(server.api().resource_version());
    std::exception_ptr failure;
    std::thread client([&] {
        try {
            tls_client(how, config, since).run();
        } catch (...) {
            failure = std::current_exception();
        }
        asio::post(context, [&context] { context.stop(); });
    });
    const auto work = asio::make_work_guard(context);
    context.run();
    client.join();
    rethrow(failure);
}

}  // namespace

int main(int count, char** words) {
    try {
        load how;
        int* const numbers[] = {&how.objects, &how.watches, &how.writes};
        for (int i = 1; i < count && i <= 3; ++i) *numbers[i - 1] = std::stoi(words[i]);
        const std::string only = count > 4 ? words[4] : "";
        if (only != "tls") in_process(how);
        if (only != "process") over_tls(how);
    } catch (const std::exception& failed) {
        std::fprintf(stderr, "test_server: %s\n", failed.what());
        return 1;
    }
    return 0;
}
