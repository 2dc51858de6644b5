// A client: a connection with a loop, and the parts that run on it.
#pragma once

#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/service/connection.hpp>

#include "handle_table.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

namespace kcontrol::inline v0_1::service_c {

/// Thread-safety: shared objects safe.
class client_entry final : public entry, public std::enable_shared_from_this<client_entry> {
public:
    static constexpr const char* kind_name = "a client";

    /// Failures: those of kc_client_new().
    static outcome<std::shared_ptr<client_entry>> make(kc_handle self, const char* options);
    ~client_entry() override;

    const char* name() const noexcept override { return kind_name; }
    outcome<void> may_end() const override;
    void end() noexcept override;

    outcome<int> fd() const;
    outcome<void> dispatch(int timeout_ms);

    service::connection& connection() noexcept { return connection_; }
    /// Calls it on the loop and waits for that; at once if this is the loop. What it throws is thrown here. Failures:
    /// its own, and KC_EHANDLE after the end of the loop.
    outcome<void> on_loop(const std::function<result<void>()>& call);
    /// Runs what ends a part, and waits for that; on the loop it does not wait, and end() does.
    void end_part(std::function<awaitable<void>()> step) noexcept;
    bool in_loop() const noexcept { return connection_.in_loop(); }
    /// Whether end() has begun: a part that is put into the table later ends at once.
    bool ended() const noexcept { return ended_.load(); }
    /// Stops the loop's thread where it is, for good: the process exits, and libraries that the loop uses are taken
    /// down.
    void freeze() noexcept;

private:
    client_entry(kc_handle self, service::connection connection, bool thread)
        : self_(self), connection_(std::move(connection)), thread_(thread) {}

    awaitable<void> run_end(std::function<awaitable<void>()> step);
    awaitable<result<void>> wait_ends();

    const kc_handle self_;
    service::connection connection_;
    const bool thread_;
    std::atomic<bool> ended_ = false, dispatching_ = false;
    int ending_ = 0;              // parts that end while nobody waits; touched on the loop
    async_event ending_changed_;  // touched on the loop
};

}  // namespace kcontrol::service_c
