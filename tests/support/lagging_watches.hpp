// Watches of a simulated server that are behind: what they show is older than a time.
#pragma once

#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/testing/sim_world.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <stop_token>
#include <utility>

namespace kcontrol::test {

/// From its making to its end the watches of a server lag by that time. Both outlive it.
class lagging_watches {
public:
    lagging_watches(testing::sim_world& world, testing::api_server& api, duration by) : world_(world) {
        boost::asio::co_spawn(world.get_executor(), run(world.env(), api, by, stop_.get_token()),
                              boost::asio::detached);
    }
    ~lagging_watches() {
        stop_.request_stop();
        world_.run_for(std::chrono::seconds(1));
    }
    lagging_watches(const lagging_watches&) = delete;
    lagging_watches& operator=(const lagging_watches&) = delete;

private:
    static awaitable<void> run(environment& env, testing::api_server& api, duration by, std::stop_token stop) {
        std::deque<std::pair<time_point, std::uint64_t>> versions;  // since when, and which
        while (!stop.stop_requested()) {
            versions.emplace_back(env.now(), api.resource_version());
            while (versions.size() > 1 && versions[1].first + by <= env.now()) versions.pop_front();
            api.thaw("");  // has the watches look again, which they do when this waits
            api.freeze("", versions.front().second);
            co_await sleep_for(env, std::chrono::milliseconds(50), stop);
        }
        api.thaw("");
    }

    testing::sim_world& world_;
    std::stop_source stop_;
};

}  // namespace kcontrol::test
