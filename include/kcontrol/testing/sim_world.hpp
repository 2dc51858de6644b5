// A simulated world with API servers in it: whole controllers under virtual time and chosen faults, in milliseconds.
#pragma once

#include <kcontrol/client/client.hpp>
#include <kcontrol/testing/detail/spawned.hpp>
#include <kcontrol/testing/sim_context.hpp>
#include <kcontrol/testing/sim_environment.hpp>
#include <kcontrol/testing/sim_network.hpp>
#include <kcontrol/testing/sim_server.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::testing {

/// Clusters, a network, clocks, and an executor for the code under test. Equal seeds run equally, step for step.
///
/// Thread-safety: shared objects unsafe; one thread.
/// Object lifetime: outlives all that was made in it. Stop informers, controllers and managers before it goes (`run(
/// informer.stop())`): a coroutine that is still suspended then is never freed.
class sim_world {
public:
    /// Without a server; `seed` decides order, latencies and random numbers.
    explicit sim_world(std::uint64_t seed = 1);
    ~sim_world();
    sim_world(const sim_world&) = delete;
    sim_world& operator=(const sim_world&) = delete;

    /// A kind that all servers serve, those that are there and those to come; see resource_type_of().
    void register_resource(const resource_type& type);

    /// The server of that name, made on first use, with those options.
    sim_server& add_server(const std::string& name, const api_server_options& options = {});

    /// A client on the world's executor.
    result<client> connect(const auth::cluster_config& config);
    /// The same for a server of this world, which can't fail.
    client connect(const sim_server& server);

    /// Runs a coroutine to its end on the world's executor and returns its value. What it throws is thrown here. Throws
    /// std::runtime_error if it has not ended within `limit` of virtual time.
    template <class T>
    T run(awaitable<T> work, duration limit = std::chrono::hours(1)) {
        const auto started = detail::spawn<T>(executor_, std::move(work));
        context_.run_until([&started] { return started->done; }, context_.now() + limit);
        return detail::take(*started, "sim_world::run(): the coroutine did not end within the limit");
    }
    /// The same of a coroutine without a value.
    void run(awaitable<void> work, duration limit = std::chrono::hours(1)) {
        run(detail::as_value(std::move(work)), limit);
    }

    /// Runs a coroutine; true if it ended within `limit` of virtual time. What it throws is thrown here.
    bool ends_within(duration limit, awaitable<void> work);
    /// The same of a coroutine whose value does not matter.
    template <class T>
    bool ends_within(duration limit, awaitable<T> work) {
        return ends_within(limit, detail::drop_value(std::move(work)));
    }

    /// Runs until virtual time has moved on by `d`.
    void run_for(duration d) { context_.run_for(d); }
    /// Runs until `done` holds; false if it does not within `limit` of virtual time.
    bool run_until(const std::function<bool()>& done, duration limit = std::chrono::hours(1));

    /// Where the code under test runs: a strand, as a program's single thread would be.
    const executor& get_executor() const noexcept { return executor_; }
    sim_context& context() noexcept { return context_; }  ///< the virtual clock, and what runs next
    sim_environment& env() noexcept { return env_; }      ///< clocks, files and variables of all that is in it
    sim_network& network() noexcept { return network_; }  ///< that its servers and clients are on

private:
    sim_context context_;
    sim_environment env_;
    sim_network network_;
    executor executor_;
    std::vector<resource_type> types_;
    std::map<std::string, std::unique_ptr<sim_server>> servers_;
};

}  // namespace kcontrol::testing
