// PB-9: a flood of watch events, told to many handlers of one informer, one of which may be slow. The others are
// measured: how soon they have all, at what cost, and what memory waits for the slow one.
//
// usage: handlers URL CA_FILE HANDLERS SLOW_MS EVENTS
// SLOW_MS 0: none is slow. Prints "flood TAB value TAB unit" as the peers' programs do.
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/cache/informer.hpp>
#include <kcontrol/runtime/wait.hpp>

#include "measure.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <algorithm>
#include <exception>
#include <stdexcept>
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

kcontrol::awaitable<void> flood_handlers(replay_server& server, kcontrol::any_informer& pods, std::size_t events,
                                         kcontrol::subscription& slow, hearing& fast) {
    kcontrol::environment& env = server.env;
    pods.start();
    const std::stop_token never;
    const std::optional<kcontrol::time_point> deadline = env.now() + std::chrono::minutes(5);
    const bool synced = co_await pods.wait_synced(never, deadline);
    if (!synced) throw std::runtime_error("not synced after 5 min: " + pods.status().reason);
    // What the slow one has yet to hear of the list is no part of the flood.
    while (slow.lag().pending > 0) co_await kcontrol::sleep_for(env, std::chrono::milliseconds(10), never);
    fast.counts = true;
    const double cpu = cpu_us(), memory = anonymous();
    fast.most = memory;
    co_await server.order("/replay/events?count=" + std::to_string(events));
    while (fast.heard < fast.all && env.now() < *deadline) {
        co_await kcontrol::sleep_for(env, std::chrono::milliseconds(1), never);
    }
    if (fast.heard < fast.all) throw std::runtime_error("not everything was heard within 5 min");
    print_flood(events, fast.last - fast.first, cpu_us() - cpu, std::max(fast.most, anonymous()) - memory);
}

kcontrol::awaitable<void> flood(replay_server& server, kcontrol::any_informer& pods, std::size_t events,
                                kcontrol::subscription& slow, hearing& fast, std::string& failure) {
    try {
        co_await flood_handlers(server, pods, events, slow, fast);
    } catch (const std::exception& failed) {
        failure = failed.what();
    }
    slow.reset();
    co_await pods.stop();
    server.close();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 6) return std::fprintf(stderr, "usage: handlers URL CA_FILE HANDLERS SLOW_MS EVENTS\n"), 2;
    try {
        const auto count = static_cast<std::size_t>(std::stoul(argv[3]));
        const std::chrono::milliseconds slowness(std::stol(argv[4]));
        const auto events = static_cast<std::size_t>(std::stoul(argv[5]));
        replay_server server(argv[1], argv[2]);
        hearing fast;
        std::string failure;
        kcontrol::informer<pod> pods(server.env, server.context.get_executor(), server.api());
        std::vector<kcontrol::subscription> held;
        kcontrol::subscription slow;
        if (slowness.count() > 0) {
            slow = pods.subscribe([&](const kcontrol::any_event&) -> kcontrol::awaitable<void> {
                if (fast.counts) co_await kcontrol::sleep_for(server.env, slowness, {});
            });
        }
        while (held.size() + (slowness.count() > 0 ? 1 : 0) < count) {
            held.push_back(pods.subscribe([&](const kcontrol::any_event&) { fast.take(server.env); }));
        }
        fast.all = held.size() * events;
        boost::asio::co_spawn(server.context, flood(server, pods, events, slow, fast, failure), boost::asio::detached);
        server.context.run();
        if (!failure.empty()) throw std::runtime_error(failure);
    } catch (const std::exception& failed) {
        return std::fprintf(stderr, "handlers: %s\n", failed.what()), 1;
    }
    return 0;
}
