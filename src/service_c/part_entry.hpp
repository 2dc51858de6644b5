// A part of a client: what runs on its loop, and the program's callback.
#pragma once

#include "callback_gate.hpp"
#include "client_entry.hpp"

#include <boost/asio/post.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1::service_c {

/// Hosts a `Part`: a class with `result<void> start()` and `awaitable<…> stop()`, which are called on the client's
/// loop. Its getters may be called on any thread, also after stop().
///
/// Thread-safety: shared objects safe.
template <class Part>
class part_entry : public entry, public std::enable_shared_from_this<part_entry<Part>> {
public:
    part_entry(kc_handle owner, std::shared_ptr<client_entry> client) : owner_(owner), client_(std::move(client)) {}
    ~part_entry() override {
        // A reader on another thread may have held it until now. The part belongs to the loop, or to what is left of
        // that.
        if (!part_) return;
        try {
            boost::asio::post(client_->connection().get_executor(), [last = std::move(part_)] {});
        } catch (...) {
            // No memory: it has ended, and goes here.
            return;
        }
    }

    outcome<void> may_end() const override {
        if (!gate_->runs_here()) return {};
        return failure{KC_EBUSY,
                       std::string("kc_free: ") + name() + " can't be freed in its own callback: free it after that"};
    }
    void end() noexcept override {
        gate_->close();
        client_->end_part([self = this->shared_from_this()]() -> awaitable<void> { return stop(self); });
    }
    kc_handle owner() const noexcept override { return owner_; }

    /// Makes the part and starts it; waits for that, unless this is the loop already. Failures: those of its start().
    outcome<void> start(std::function<std::unique_ptr<Part>(service::connection&)> make) {
        return client_->on_loop([&]() -> result<void> {
            if (ended_) return error(errc::stopped);
            part_ = make(client_->connection());
            readable_ = part_.get();
            auto started = part_->start();
            if (!started) ended_ = true;
            return started;
        });
    }

    const std::shared_ptr<callback_gate>& gate() const noexcept { return gate_; }
    /// The part, to be read. Failures: KC_EHANDLE before it is there.
    outcome<const Part*> part() const {
        if (const Part* const there = readable_.load()) return there;
        return failure{KC_EHANDLE, std::string(name()) + " is being made: use its handle when the call has returned"};
    }

private:
    static awaitable<void> stop(std::shared_ptr<part_entry> self) {
        if (!std::exchange(self->ended_, true) && self->part_) static_cast<void>(co_await self->part_->stop());
    }

    const kc_handle owner_;
    const std::shared_ptr<client_entry> client_;
    const std::shared_ptr<callback_gate> gate_ = std::make_shared<callback_gate>();
    std::unique_ptr<Part> part_;  // made on the loop
    std::atomic<const Part*> readable_ = nullptr;
    bool ended_ = false;  // touched on the loop
};

/// Makes an `Entry` for a part of the client, gives it a handle, and starts what `make(entry, handle, connection)`
/// returns. The handle stands in *out before the part can call anything. Failures: those of the part's start(), and
/// KC_EHANDLE for a client that is freed meanwhile; *out is 0 then.
template <class Entry, class Make>
outcome<void> start_part(const char* call, kc_handle client, kc_handle* out, Make make) {
    auto& table = handle_table::of_process();
    auto on = table.find<client_entry>(client);
    if (!on) return on.error();
    const kc_handle handle = table.reserve();
    const auto made = std::make_shared<Entry>(client, *on);
    table.put(handle, made);
    *out = handle;
    outcome<void> started;
    try {
        started = made->start([&](service::connection& c) { return make(*made, handle, c); });
    } catch (...) {
        *out = 0;
        table.take(handle);
        throw;
    }
    if (started && !(*on)->ended()) return {};
    *out = 0;
    // Another thread that has freed the client may have taken it.
    if (const auto taken = table.take(handle); taken && started) taken->end();
    if ((*on)->ended()) return failure{KC_EHANDLE, std::string(call) + ": the client was freed meanwhile"};
    failure why = started.error();
    why.text.insert(0, std::string(call) + ": ");
    return why;
}

}  // namespace kcontrol::service_c
