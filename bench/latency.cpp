// PB-6: how soon a controller reconciles what an event of a watch tells. A manager with one controller against the
// peers' replay server, over TLS; the server sends at random intervals, whatever the client does, and writes the time
// into each object.
//
// usage: latency URL CA_FILE RATE...
// For each rate of events a second, "latency to reconcile at RATE/s TAB value TAB unit" as the peers' programs do.
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/manager/manager.hpp>
#include <kcontrol/runtime/wait.hpp>

#include "measure.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace kcontrol_bench;
using pod = kcontrol::api::core::v1::pod;

constexpr std::chrono::seconds each_lasts(5);  // as with the peers

// Microseconds from the server's stamp to each reconcile that began since the last look.
struct delays {
    std::vector<double> us;
    std::size_t reconciled = 0;  // objects without a stamp too

    void take(const pod& seen, const kcontrol::environment& env) {
        ++reconciled;
        const auto stamp = seen.metadata.annotations.find("replay/sent");
        if (stamp == seen.metadata.annotations.end()) return;
        const auto now = env.wall_now().time_since_epoch();
        const auto sent = std::chrono::nanoseconds(std::stoll(stamp->second.str()));
        us.push_back(std::chrono::duration<double, std::micro>(now - sent).count());
    }
};

void print_quantiles(const std::string& phase, std::vector<double> us) {
    std::sort(us.begin(), us.end());
    const auto at = [&](double q) { return us[static_cast<std::size_t>(q * static_cast<double>(us.size() - 1))]; };
    print(phase.c_str(), at(0.50), "us p50");
    print(phase.c_str(), at(0.99), "us p99");
    if (us.size() >= 1000) print(phase.c_str(), at(0.999), "us p99.9");
}

class session {
public:
    session(replay_server& server, kcontrol::manager& m, delays& all) : server_(server), m_(m), all_(all) {}

    kcontrol::awaitable<void> run(std::vector<std::string> rates) {
        try {
            m_.start();
            auto pods = m_.get_informer<pod>();
            const std::stop_token never;
            const std::optional<kcontrol::time_point> deadline = m_.env().now() + std::chrono::minutes(5);
            const bool synced = co_await pods->wait_synced(never, deadline);
            if (!synced) throw std::runtime_error("not synced after 5 min: " + pods->status().reason);
            co_await rest();
            for (auto& rate : rates) co_await pace(rate);
        } catch (const std::exception& failed) {
            failure = failed.what();
        }
        co_await m_.stop();
        server_.close();
    }

    std::string failure;

private:
    // Until nothing has been reconciled for a while: the list, or a rate's events.
    kcontrol::awaitable<void> rest() {
        const std::stop_token never;
        std::size_t seen = 0;
        do {
            seen = all_.reconciled;
            co_await kcontrol::sleep_for(m_.env(), std::chrono::milliseconds(500), never);
        } while (seen != all_.reconciled);
    }

    // An object that changes again while it is pending is reconciled once for both, as with the peers.
    kcontrol::awaitable<void> pace(std::string rate) {
        const auto count = static_cast<long>(std::stod(rate) * std::chrono::duration<double>(each_lasts).count());
        all_.us.clear();
        co_await server_.order("/replay/events?count=" + std::to_string(count) + "&rate=" + rate);
        const std::stop_token never;
        co_await kcontrol::sleep_for(m_.env(), each_lasts, never);
        co_await rest();
        if (all_.us.empty()) throw std::runtime_error("no event was reconciled at " + rate + "/s");
        print_quantiles("latency to reconcile at " + rate + "/s", all_.us);
    }

    replay_server& server_;
    kcontrol::manager& m_;
    delays& all_;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) return std::fprintf(stderr, "usage: latency URL CA_FILE RATE...\n"), 2;
    try {
        replay_server server(argv[1], argv[2]);
        delays all;
        kcontrol::manager m(server.env, server.context.get_executor(), server.api());
        const auto built = kcontrol::controller_builder(m, "latency")
                               .for_<pod>()
                               .complete([&](kcontrol::reconcile_context,
                                             std::shared_ptr<const pod> seen) -> kcontrol::reconciliation {
                                   all.take(*seen, server.env);
                                   co_return kcontrol::reconcile_result::done();
                               });
        if (!built) throw std::runtime_error(built.error().what());
        session measured(server, m, all);
        boost::asio::co_spawn(server.context, measured.run({argv + 3, argv + argc}), boost::asio::detached);
        server.context.run();
        if (!measured.failure.empty()) throw std::runtime_error(measured.failure);
    } catch (const std::exception& failed) {
        return std::fprintf(stderr, "latency: %s\n", failed.what()), 1;
    }
    return 0;
}
