// serve_endpoints: a server of the EndpointSlices of one Service, for bench/service_figures.py.
//
// usage: serve_endpoints KUBECONFIG SLICES RATE
// Writes KUBECONFIG, prints "ready" and serves until its standard input ends. Each slice has ten endpoints. After a
// line on standard input an endpoint changes RATE times a second, at even intervals, for each watch: its node's name is
// then the time (CLOCK_MONOTONIC, ns) at which the event is handed to the connection. Events are put together before
// that, so that what is measured is the client.
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/testing/local_api_server.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

namespace http = kcontrol::http;
namespace json = kcontrol::json;
using kcontrol::awaitable;

constexpr std::size_t in_a_slice = 10;
constexpr std::string_view collection = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
constexpr std::size_t digits = 19;  // of a time

class slices {
public:
    slices(kcontrol::environment& env, std::size_t count, int rate)
        : env_(env),
          period_(std::chrono::nanoseconds(1'000'000'000 / rate)),
          nodes_(count, std::vector<std::string>(in_a_slice, std::string(digits, '0'))) {}

    void begin() { begun_ = true, begin_.notify_all(); }

    awaitable<void> answer(http::server_request request, http::responder& out) {
        const auto has = [&](std::string_view part) { return request.target.find(part) != std::string::npos; };
        if (has("sendInitialEvents")) return refuse(out);  // both list, and then watch
        return has("watch=") ? watch(out) : list(out, has("fieldSelector"));
    }

private:
    std::string text(std::size_t number) const {
        std::string out = R"({"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","metadata":{"name":"web-)" +
                          std::to_string(number) + R"(","namespace":"default","uid":"00000000-0000-0000-0000-)" +
                          std::to_string(100'000'000'000 + number) + R"(","resourceVersion":")" +
                          std::to_string(version_) + R"(","labels":{"kubernetes.io/service-name":"web"}},)" +
                          R"("addressType":"IPv4","endpoints":[)";
        for (std::size_t i = 0; i < in_a_slice; ++i) {
            const std::string last = std::to_string(number) + "." + std::to_string(i + 1);
            out += (i == 0 ? "" : ",") + std::string(R"({"addresses":["10.1.)") + last +
                   R"("],"conditions":{"ready":true,"serving":true,"terminating":false},"nodeName":")" +
                   nodes_[number][i] + R"(","zone":"zone-a","targetRef":{"kind":"Pod","namespace":"default",)" +
                   R"("name":"web-)" + last + R"("}})";
        }
        return out + R"(],"ports":[{"name":"http","port":8080,"protocol":"TCP"}]})";
    }

    awaitable<void> refuse(http::responder& out) {
        http::response answer(422);
        answer.body = R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","code":422,)"
                      R"("message":"sendInitialEvents: Forbidden: the WatchList feature gate is off"})";
        answer.headers.add("Content-Type", "application/json");
        co_await out.send(std::move(answer));
    }

    awaitable<void> list(http::responder& out, bool none) {
        http::response answer(200);
        answer.body =
            R"({"kind":"EndpointSliceList","apiVersion":"discovery.k8s.io/v1","metadata":{"resourceVersion":")" +
            std::to_string(version_) + R"("},"items":[)";
        for (std::size_t i = 0; i < nodes_.size() && !none; ++i) answer.body += (i == 0 ? "" : ",") + text(i);
        answer.body += "]}";
        answer.headers.add("Content-Type", "application/json");
        co_await out.send(std::move(answer));
    }

    awaitable<void> watch(http::responder& out) {
        http::response_head head(200);
        head.headers.add("Content-Type", "application/json");
        auto started = co_await out.start(std::move(head));
        const std::stop_token gone = out.disconnected();
        while (started && !begun_ && !gone.stop_requested()) co_await begin_.wait(env_, gone);
        auto due = env_.now();
        for (std::size_t done = 0; started && !gone.stop_requested(); ++done) {
            const std::size_t number = done % nodes_.size();
            std::string& node = nodes_[number][done / nodes_.size() % in_a_slice];
            ++version_;
            node.assign(digits, '#');
            std::string event = R"({"type":"MODIFIED","object":)" + text(number) + "}\n";
            const std::size_t at = event.find('#');
            due += period_;
            co_await kcontrol::sleep_for(env_, due - env_.now(), gone);
            const auto now = std::chrono::nanoseconds(
                std::chrono::steady_clock::now().time_since_epoch());  // seam: ok, a program that measures
            node = std::to_string(now.count());
            node.insert(0, digits - node.size(), '0');
            std::copy(node.begin(), node.end(), event.begin() + static_cast<std::ptrdiff_t>(at));
            started = co_await out.write(std::move(event));
        }
    }

    kcontrol::environment& env_;
    kcontrol::duration period_;
    std::vector<std::vector<std::string>> nodes_;
    std::uint64_t version_ = 1000;
    bool begun_ = false;
    kcontrol::async_event begin_;
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
    slices all(env, static_cast<std::size_t>(std::max(1, std::atoi(argv[2]))), std::max(1, std::atoi(argv[3])));
    server.mount(std::string(collection), [&](http::server_request request, http::responder& out) {
        return all.answer(std::move(request), out);
    });
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
        all.begin();
        input.async_read_some(boost::asio::buffer(one),
                              [&](boost::system::error_code, std::size_t) { context.stop(); });
    });
    context.run();
    std::_Exit(0);  // the server's coroutines die with the process
}
