#pragma once

#include <kcontrol/cluster/channel_source.hpp>
#include <kcontrol/runtime/guarded_calls.hpp>

#include <boost/asio/post.hpp>

#include <deque>
#include <mutex>
#include <vector>

namespace kcontrol::inline v0_1 {

struct channel_source::state : std::enable_shared_from_this<channel_source::state> {
    state(environment& env, executor x, channel_options o)
        : ex(std::move(x)), options(std::move(o)), calls(env, options.log()) {}

    // On any thread, with the lock held.
    void schedule() {
        if (scheduled || events.empty()) return;
        scheduled = true;
        boost::asio::post(ex, [weak = weak_from_this()] {
            if (const auto self = weak.lock()) self->drain();
        });
    }

    bool heard() {
        std::erase_if(handlers, [](const auto& one) { return one.expired(); });
        return !handlers.empty();
    }

    // Some at a time: others work on the executor, too.
    void drain() {
        static constexpr int at_a_time = 64;
        for (int i = 0; i < at_a_time; ++i) {
            any_event next;
            {
                const std::lock_guard lock(mutex);
                if (events.empty() || !heard()) {
                    scheduled = false;
                    return;
                }
                next = std::move(events.front());
                events.pop_front();
            }
            tell(next);
        }
        const std::lock_guard lock(mutex);
        scheduled = false;
        schedule();
    }

    void tell(const any_event& event) {
        const auto present = handlers;  // a handler may subscribe another one
        for (const auto& weak : present) {
            const auto handler = weak.lock();
            if (!handler) continue;
            calls.call(
                "an event handler", [&] { (*handler)(event); }, [&] { return to_string(event.object().key()); });
        }
    }

    const executor ex;
    const channel_options options;
    guarded_calls calls;                                     // of the executor
    std::vector<std::weak_ptr<any_event_handler>> handlers;  // of the executor
    std::mutex mutex;                                        // guards what follows
    std::deque<any_event> events;
    bool scheduled = false;
    std::uint64_t refused = 0;
};

KCONTROL_DECL channel_source::channel_source(environment& env, executor ex, channel_options options)
    : state_(std::make_shared<state>(env, std::move(ex), std::move(options))) {}

KCONTROL_DECL channel_source::~channel_source() = default;

KCONTROL_DECL result<void> channel_source::send(any_event event) {
    const std::string& name = state_->options.name();
    if (!event.object()) {
        return error(errc::invalid_argument, "event for " + name + ": it has no object; say at least a name");
    }
    const std::lock_guard lock(state_->mutex);
    if (state_->events.size() >= state_->options.capacity()) {
        ++state_->refused;
        return error(errc::limit_exceeded, name + ": " + std::to_string(state_->events.size()) +
                                               " events wait already, which is its capacity");
    }
    state_->events.push_back(std::move(event));
    state_->schedule();
    return {};
}

KCONTROL_DECL std::size_t channel_source::waiting() const {
    const std::lock_guard lock(state_->mutex);
    return state_->events.size();
}

KCONTROL_DECL std::uint64_t channel_source::refused() const {
    const std::lock_guard lock(state_->mutex);
    return state_->refused;
}

KCONTROL_DECL subscription channel_source::subscribe(any_event_handler handler) {
    auto kept = std::make_shared<any_event_handler>(std::move(handler));
    state_->handlers.push_back(kept);
    const std::lock_guard lock(state_->mutex);
    state_->schedule();
    return subscription(kept);
}

KCONTROL_DECL awaitable<bool> channel_source::wait_synced(std::stop_token, std::optional<time_point>) {
    co_return true;
}

KCONTROL_DECL std::string channel_source::describe() const {
    return state_->options.name() + ", with " + std::to_string(waiting()) + " events that wait";
}

KCONTROL_DECL std::string channel_source::kind() const { return state_->options.name(); }

}  // namespace kcontrol
