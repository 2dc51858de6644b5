// For tests/e2e/test_http2.py: many watches of one client.
//     http2_probe KUBECONFIG COUNT
// Watches the ConfigMaps of default COUNT times from now on. Prints "COUNT watches" when all have begun and "COUNT
// events" when each has heard of something, and ends when a line comes on standard input.
#include <kcontrol/auth/find_config.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/transport/client.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <iostream>
#include <string>
#include <utility>

using namespace kcontrol;

namespace {

const std::string maps = "/api/v1/namespaces/default/configmaps";

class counts {
public:
    explicit counts(int n) : wanted(n) {}
    void add(int& which, const char* what) {
        if (++which == wanted) std::cout << wanted << " " << what << std::endl;
    }
    const int wanted;
    int begun = 0;
    int told = 0;
};

[[noreturn]] void fail(const error& why) {
    std::cerr << why.what() << std::endl;
    std::exit(1);
}

awaitable<void> watch(client c, std::string version, counts& count) {
    http::request req("GET", maps + "?watch=1&timeoutSeconds=600&resourceVersion=" + version);
    const http::exchange_options options;
    auto opened = co_await c.raw_stream(std::move(req), options);
    if (!opened) fail(opened.error());
    count.add(count.begun, "watches");
    std::string buffer(4096, '\0');
    const auto n = co_await opened->body->read_some(buffer, std::chrono::minutes(5), {});
    if (!n) fail(n.error());
    count.add(count.told, "events");
    const auto next = co_await opened->body->read_some(buffer, std::chrono::minutes(5), {});
    static_cast<void>(next);
}

awaitable<void> watch_all(client c, counts& count) {
    http::request list("GET", maps);
    const http::exchange_options options;
    const auto answer = co_await c.raw(std::move(list), options);
    if (!answer) fail(answer.error());
    const auto parsed = json::parse(answer->body);
    if (!parsed) fail(parsed.error());
    const std::string version(json::get_string(*parsed, {"metadata", "resourceVersion"}));
    const auto ex = co_await asio::this_coro::executor;
    for (int i = 0; i < count.wanted; ++i) asio::co_spawn(ex, watch(c, version, count), asio::detached);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    system_environment env;
    asio::io_context context(1);
    const auto config = auth::find_config(env, auth::config_search().file(argv[1]));
    if (!config) fail(config.error());
    auto c = client::connect(env, context.get_executor(), *config,
                             http::make_transport_factory(env, http::transport_options().http2(true)));
    if (!c) fail(c.error());
    counts count(std::stoi(argv[2]));
    asio::co_spawn(context, watch_all(*c, count), asio::detached);
    while (count.told != count.wanted) context.run_one();
    std::cin.get();
    return 0;
}
