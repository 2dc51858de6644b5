// PB-9: a flood of watch events, told to many handlers of one informer, one of which may be slow. The others are
// measured: how soon they have all, at what cost, and what memory waits for the slow one.
//
// usage: handlers URL CA_FILE HANDLERS SLOW_MS EVENTS
// SLOW_MS 0: none is slow. Prints "flood TAB value TAB unit" as the peers' programs do.
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/cache/informer.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/transport/client.hpp>

#include "measure.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace {

using namespace kcontrol_bench;
using pod = kcontrol::api::core::v1::pod;

/// What the handlers that are not slow have heard of the flood.
struct hearing {
    std::size_t heard = 0, all = 0;
    kcontrol::time_point first{}, last{};
    double most = 0;  // memory, looked at now and then
    bool counts = false;

    void take(const kcontrol::environment& env) {
        if (!counts) return;
        if (heard++ == 0) first = env.now();
        if (heard == all) last = env.now();
        if (heard % 5000 == 0) most = std::max(most, anonymous());
    }
};

kcontrol::awaitable<void> flood(kcontrol::environment& env, kcontrol::any_informer& pods, kcontrol::client api,
                                std::shared_ptr<kcontrol::http::transport> control, std::size_t events,
                                kcontrol::subscription& slow, hearing& fast, std::string& failure) {
    pods.start();
    const std::stop_token never;
    const std::optional<kcontrol::time_point> deadline = env.now() + std::chrono::minutes(5);
    const bool synced = co_await pods.wait_synced(never, deadline);
    // What the slow one has yet to hear of the list is no part of the flood.
    while (synced && slow.lag().pending > 0) co_await kcontrol::sleep_for(env, std::chrono::milliseconds(10), never);
    fast.counts = true;
    const double cpu = cpu_us(), memory = anonymous();
    fast.most = memory;
    kcontrol::http::request ask("POST", "/replay/events?count=" + std::to_string(events));
    kcontrol::http::exchange_options how;
    const auto answer = co_await control->round_trip(std::move(ask), how);
    if (!synced || !answer || answer->status != 200) {
        failure = answer ? "the flood was refused" : std::string(answer.error().what());
    }
    while (failure.empty() && fast.heard < fast.all && env.now() < *deadline) {
        co_await kcontrol::sleep_for(env, std::chrono::milliseconds(1), never);
    }
    if (failure.empty() && fast.heard < fast.all) failure = "not everything was heard within 5 min";
    if (failure.empty()) {
        const auto count = static_cast<double>(events);
        print("flood", count / std::chrono::duration<double>(fast.last - fast.first).count(), "events/s");
        print("flood", (cpu_us() - cpu) / count, "us CPU/event");
        print("flood", (std::max(fast.most, anonymous()) - memory) / 1e6, "MB RSS growth");
    }
    slow.reset();
    co_await pods.stop();
    control->close();
    api.close();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 6) return std::fprintf(stderr, "usage: handlers URL CA_FILE HANDLERS SLOW_MS EVENTS\n"), 2;
    try {
        const auto count = static_cast<std::size_t>(std::stoul(argv[3]));
        const std::chrono::milliseconds slowness(std::stol(argv[4]));
        const auto events = static_cast<std::size_t>(std::stoul(argv[5]));
        kcontrol::system_environment env;
        boost::asio::io_context context(1);
        const auto config = cluster(argv[1], argv[2]);
        const auto factory = kcontrol::http::make_transport_factory(env);
        const auto api = kcontrol::client::connect(env, context.get_executor(), config, factory);
        const auto control = factory(context.get_executor(), config.server(), config.tls());
        if (!api || !control) throw std::runtime_error("the server's address is of no use");
        hearing fast;
        std::string failure;
        kcontrol::informer<pod> pods(env, context.get_executor(), *api);
        std::vector<kcontrol::subscription> held;
        kcontrol::subscription slow;
        if (slowness.count() > 0) {
            slow = pods.subscribe([&](const kcontrol::any_event&) -> kcontrol::awaitable<void> {
                if (fast.counts) co_await kcontrol::sleep_for(env, slowness, {});
            });
        }
        while (held.size() + (slowness.count() > 0 ? 1 : 0) < count) {
            held.push_back(pods.subscribe([&](const kcontrol::any_event&) { fast.take(env); }));
        }
        fast.all = held.size() * events;
        boost::asio::co_spawn(context, flood(env, pods, *api, *control, events, slow, fast, failure),
                              boost::asio::detached);
        context.run();
        if (!failure.empty()) throw std::runtime_error(failure);
    } catch (const std::exception& failed) {
        return std::fprintf(stderr, "handlers: %s\n", failed.what()), 1;
    }
    return 0;
}
