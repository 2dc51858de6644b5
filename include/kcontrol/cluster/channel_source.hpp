// A source of events that other code fills, from any thread: webhooks, message queues, another library's callbacks.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/cluster/generic_event.hpp>
#include <kcontrol/cluster/source.hpp>
#include <kcontrol/runtime/environment.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1 {

/// Options of a channel_source.
class channel_options {
public:
    channel_options() = default;
    /// How many events may wait. Default 1024, at least 1.
    channel_options& capacity(std::size_t n) { return capacity_ = n == 0 ? 1 : n, *this; }
    /// What messages and the causes of reconciles call it. Default "channel".
    channel_options& name(std::string n) { return name_ = std::move(n), *this; }
    /// Told what handlers throw. Default: nobody is.
    channel_options& log(logger l) { return log_ = std::move(l), *this; }

    std::size_t capacity() const noexcept { return capacity_; }
    const std::string& name() const noexcept { return name_; }
    const logger& log() const noexcept { return log_; }

private:
    std::size_t capacity_ = 1024;
    std::string name_ = "channel";
    logger log_;
};

/// Hands on what others send. An event waits until somebody is subscribed, and then goes to all who are, in the order
/// in which the events were sent. It is synced from the beginning.
///
/// Thread-safety: send(), waiting() and refused(): shared objects safe, from any thread; all else on the executor
/// given, a strand or a single-threaded context, on which handlers are called. Object lifetime: whoever sends keeps it,
/// as a shared pointer. The environment outlives it.
class channel_source final : public event_source {
public:
    /// `ex`: where handlers are called. Nothing happens before the first event is sent.
    KCONTROL_DECL channel_source(environment& env, executor ex, channel_options options = {});
    KCONTROL_DECL ~channel_source() override;

    /// Takes an event to be told, and never waits. An event has an object. Errors: limit_exceeded (as many events wait
    /// as may; this one is not taken: send it again later, or let the next look at everything make up for it),
    /// invalid_argument (it has no object).
    KCONTROL_DECL result<void> send(any_event event);
    /// A generic event about the object, or about that of the name.
    result<void> send(any_object object) { return send(generic_event(std::move(object))); }
    /// A generic event about the object of that name, of which nothing else is known.
    result<void> send(const namespaced_name& key) { return send(generic_event(key)); }

    /// Events that wait, and how many were not taken so far.
    KCONTROL_DECL std::size_t waiting() const;
    KCONTROL_DECL std::uint64_t refused() const;  ///< how many events send() has refused with limit_exceeded

    [[nodiscard]] KCONTROL_DECL subscription subscribe(any_event_handler handler) override;
    KCONTROL_DECL awaitable<bool> wait_synced(std::stop_token stop, std::optional<time_point> deadline) override;
    KCONTROL_DECL std::string describe() const override;
    KCONTROL_DECL std::string kind() const override;

private:
    struct state;
    std::shared_ptr<state> state_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cluster/impl/channel_source.ipp>
#endif
