// One simulated cluster of a swarm: an API server whose objects change and whose world fails, and the record of it.
#pragma once

#include <kcontrol/auth/cluster_config.hpp>
#include <kcontrol/testing/api_server.hpp>
#include <kcontrol/testing/event_checker.hpp>
#include <kcontrol/testing/sim_network.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace kcontrol::test {

class swarm_host {
public:
    /// `enabled`: a bit for each fault that may happen; 0 makes a calm cluster. `protobuf`: its objects travel so.
    swarm_host(testing::sim_context& context, testing::sim_environment& env, testing::sim_network& network,
               std::string name, std::uint64_t enabled, bool protobuf);

    /// Writes and fails for so long.
    void start(duration restless);
    /// Takes every fault back.
    void heal();
    void stop();

    const std::string& name() const noexcept { return name_; }
    bool calm() const noexcept { return enabled_ == 0; }
    bool wanted() const noexcept { return wanted_; }
    auth::cluster_config config() const;
    /// Whether a function that hears of this cluster throws now; each answer is another throw of the dice.
    bool callback_throws() { return throw_percent_ > 0 && below(100) < throw_percent_; }
    testing::api_server& server() noexcept { return *server_; }

    /// uid → version and value of what the server holds.
    std::map<std::string, std::string> present() const;

    /// The manager calls the cluster live, and has asked for so many lists.
    void note_live(std::uint64_t lists);
    /// It has let it go.
    void note_left() { left_ = true; }
    /// Lists that were asked for until the cluster was first live: the pages of the first one.
    std::uint64_t first_list_requests() const noexcept { return first_list_requests_; }

    /// Holds the events against what was written.
    void check_history(const testing::event_checker& seen, bool never_relisted,
                       std::vector<std::string>& violations) const;

    /// Streamed lists that were asked for, of the last 10,000 requests.
    std::uint64_t streams() const;
    bool spoiled() const noexcept { return spoiled_; }
    std::uint64_t protobuf_requests() const noexcept { return protobuf_requests_; }
    std::uint64_t writes() const noexcept { return writes_; }
    std::uint64_t faults() const noexcept { return faults_; }

    /// wanted() or config() differ.
    std::function<void()> on_desired_change;

private:
    awaitable<void> write(std::stop_token stop);
    awaitable<void> fail(std::stop_token stop);
    awaitable<void> restore_after(duration d, std::function<void()> restore, std::stop_token stop);

    void write_once();
    void create(const std::string& object);
    void update(const std::string& object);
    void remove(const std::string& object);
    void spoil(const std::string& object);
    void roll_back(std::stop_token stop);
    void fail_once(std::stop_token stop);
    void throw_for_a_while(std::stop_token stop);
    void lasting(duration least, duration most, std::function<void()> restore, std::stop_token stop);
    testing::fault choose_fault(const http::server_request& request);

    std::uint64_t below(std::uint64_t bound) { return bound == 0 ? 0 : env_->random() % bound; }
    duration between(duration least, duration most) {
        return least + duration(static_cast<duration::rep>(below(static_cast<std::uint64_t>((most - least).count()))));
    }

    testing::sim_context* context_;
    testing::sim_environment* env_;
    testing::sim_network* network_;
    std::string name_;
    std::uint64_t enabled_;
    bool protobuf_;
    executor strand_;
    std::unique_ptr<testing::api_server> server_;
    std::stop_source stop_;
    std::string token_ = "token-0";
    bool wanted_ = true;
    bool installed_ = true;
    unsigned storm_percent_ = 0;
    unsigned stream_fault_percent_ = 0;
    unsigned stale_percent_ = 0;
    unsigned throw_percent_ = 0;                             // of the functions that hear of this cluster
    std::map<std::string, std::vector<std::string>> truth_;  // uid → versions; a deletion as "-version"
    std::optional<std::uint64_t> live_at_;                   // server's version when the cluster was first live
    bool left_ = false;
    bool kind_removed_ = false;
    bool rolled_back_ = false;
    std::uint64_t protobuf_requests_ = 0;
    bool spoiled_ = false;  // an object could not be read
    std::optional<testing::store_snapshot> snapshot_;
    std::optional<time_point> quiet_until_;  // nobody writes
    std::uint64_t first_list_requests_ = 0;
    std::uint64_t writes_ = 0;
    std::uint64_t faults_ = 0;
};

}  // namespace kcontrol::test
