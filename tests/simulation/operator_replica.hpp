// One process of an operator in a simulation: a manager that contends for the Lease, and a reconciler.
#pragma once

#include <kcontrol/manager/manager.hpp>
#include <kcontrol/testing/sim_world.hpp>

#include "simulation/site.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace kcontrol::test {

/// Bugs that the operator, or the library, could have: the simulation must find them, or it can't find anything.
enum class operator_bug {
    none,
    unfenced,         ///< writes go round the fence
    no_finalizer,     ///< a site may go before its leaf
    early_finalizer,  ///< the finalizer goes before the leaf
    error_is_done,    ///< a write that failed is not tried again
    no_owned,         ///< nobody looks after leaves that others change
    blind_status,     ///< the status is written over whatever the server has
    unnoted,          ///< the caches do not know what this process writes
    stale_reads,      ///< reads do not wait for what this process wrote
};

/// A process that may be stopped, cut off, or crash, which is a cut for ever: nobody can tell the two apart.
class operator_replica {
public:
    operator_replica(testing::sim_world& world, testing::sim_server& server, std::string name, client_options treats,
                     operator_bug bug, std::function<void(std::string)> violation);
    operator_replica(const operator_replica&) = delete;
    operator_replica& operator=(const operator_replica&) = delete;

    void start();
    /// Nothing of it reaches the server any more. What was on its way is answered to nobody.
    void crash();
    /// Ends what runs in it, of a crashed one as well.
    awaitable<void> stop();

    bool leading() const { return !crashed_ && manager_->get_elector()->leading(); }
    bool crashed() const noexcept { return crashed_; }
    const std::string& name() const noexcept { return name_; }
    const std::string& host() const noexcept { return host_; }
    std::uint64_t reconciles() const noexcept { return reconciles_; }

private:
    awaitable<result<void>> reconcile(reconcile_context ctx, std::shared_ptr<const site> found);
    awaitable<result<void>> clean_up(client c, std::shared_ptr<const site> found, std::stop_token stop);
    awaitable<result<void>> bring_up(client c, std::shared_ptr<const site> found, std::stop_token stop);
    awaitable<result<void>> show(client c, site now, std::int64_t served);
    awaitable<result<site>> enter(client c, site now, phase_of<site_phases> to, std::int64_t served);
    awaitable<void> work();
    void check_read(const leaf* found, const object_meta& written, const char* how);
    awaitable<void> read_back(client c, leaf written, std::stop_token stop);
    awaitable<result<void>> remove_leaf(client c, namespaced_name key, std::stop_token stop);
    get_options careful(std::stop_token stop) const;

    testing::sim_world& world_;
    testing::api_server& api_;
    std::string name_, host_;
    operator_bug bug_;
    std::function<void(std::string)> violation_;
    std::map<std::string, int> active_;  // reconciles by object
    std::uint64_t reconciles_ = 0;
    bool crashed_ = false;
    std::unique_ptr<manager> manager_;
};

}  // namespace kcontrol::test
