// serve_endpoints: an API server with the EndpointSlices of one Service, for bench/service_figures.py.
//
// usage: serve_endpoints KUBECONFIG SLICES RATE
// Writes KUBECONFIG, prints "ready" and serves until its standard input ends. Each slice has ten endpoints. Once a
// client watches, an endpoint changes RATE times a second, at even intervals: its node's name is the time then
// (CLOCK_MONOTONIC, ns).
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/local_api_server.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

namespace json = kcontrol::json;
using steady = std::chrono::steady_clock;  // seam: ok, a program that measures

constexpr int in_a_slice = 10;

json::value make_slice(int number) {
    json::array endpoints;
    for (int i = 0; i < in_a_slice; ++i) {
        const std::string last = std::to_string(number) + "." + std::to_string(i + 1);
        endpoints.push_back({{"addresses", json::array{"10.1." + last}},
                             {"conditions", {{"ready", true}, {"serving", true}, {"terminating", false}}},
                             {"nodeName", "0"},
                             {"zone", "zone-a"},
                             {"targetRef", {{"kind", "Pod"}, {"namespace", "default"}, {"name", "web-" + last}}}});
    }
    return {
        {"apiVersion", "discovery.k8s.io/v1"},
        {"kind", "EndpointSlice"},
        {"metadata", {{"name", "web-" + std::to_string(number)}, {"labels", {{"kubernetes.io/service-name", "web"}}}}},
        {"addressType", "IPv4"},
        {"endpoints", std::move(endpoints)},
        {"ports", json::array{json::object{{"name", "http"}, {"port", 8080}, {"protocol", "TCP"}}}}};
}

class changer {
public:
    changer(boost::asio::io_context& context, kcontrol::testing::api_server& api, int slices, int rate)
        : timer_(context), api_(api), period_(std::chrono::nanoseconds(1'000'000'000 / rate)) {
        for (int i = 0; i < slices; ++i) slices_.push_back(make_slice(i));
        for (const auto& one : slices_) (void)api_.create(one).value();
    }

    void start() {
        due_ = steady::now();
        next();
    }

private:
    void next() {
        timer_.expires_at(due_);
        timer_.async_wait([this](boost::system::error_code failed) {
            if (failed) return;
            change();
            due_ += period_;
            next();
        });
    }

    void change() {
        auto& slice = slices_[done_ % slices_.size()];
        auto& endpoint = slice.at("endpoints").as_array()[done_ / slices_.size() % in_a_slice];
        ++done_;
        const auto now = std::chrono::nanoseconds(steady::now().time_since_epoch());
        endpoint.as_object()["nodeName"] = std::to_string(now.count());
        (void)api_.update(slice).value();
    }

    boost::asio::steady_timer timer_;
    kcontrol::testing::api_server& api_;
    std::chrono::nanoseconds period_;
    steady::time_point due_;
    std::vector<json::value> slices_;
    std::size_t done_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) return std::fputs("usage: serve_endpoints KUBECONFIG SLICES RATE\n", stderr), 2;
    kcontrol::system_environment env;
    boost::asio::io_context context(1);
    kcontrol::testing::local_api_server server(env, context.get_executor());
    (void)server.api()
        .create(
            {{"apiVersion", "v1"},
             {"kind", "Service"},
             {"metadata", {{"name", "web"}}},
             {"spec",
              {{"selector", {{"app", "web"}}}, {"ports", {{{"name", "http"}, {"port", 80}, {"targetPort", 8080}}}}}}})
        .value();
    changer changes(context, server.api(), std::atoi(argv[2]), std::atoi(argv[3]));
    if (const auto started = server.start(); !started) {
        return std::fprintf(stderr, "serve_endpoints: %s\n", started.error().what().c_str()), 1;
    }
    std::ofstream(argv[1]) << server.kubeconfig();
    std::puts("ready");
    std::fflush(stdout);
    // A line: begin. The end: stop.
    boost::asio::posix::stream_descriptor input(context, ::dup(STDIN_FILENO));
    std::array<char, 1> one{};
    input.async_read_some(boost::asio::buffer(one), [&](boost::system::error_code ended, std::size_t) {
        if (ended) return context.stop();
        changes.start();
        input.async_read_some(boost::asio::buffer(one),
                              [&](boost::system::error_code, std::size_t) { context.stop(); });
    });
    context.run();
    std::_Exit(0);  // the server's coroutines die with the process
}
