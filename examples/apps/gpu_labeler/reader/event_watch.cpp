#include "reader/event_watch.hpp"

#include <boost/asio/post.hpp>

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>

namespace gpu_labeler {
namespace {

// How long to wait before the next try.
kcontrol::duration pause_after(const kcontrol::result<int>& ended) {
    if (!ended) return std::chrono::seconds(5);
    switch (*ended) {
    case nvml::success:                                           // NVML is started anew
    case nvml::not_ready: return std::chrono::milliseconds(100);  // others have not released it yet
    case nvml::not_supported:
    case nvml::function_not_found: return std::chrono::minutes(1);  // another driver may be loaded
    default: return std::chrono::seconds(5);
    }
}

}  // namespace

// Between the threads that wait and the executor.
struct event_watch::mailbox {
    std::mutex mutex;
    bool open = true;
    kcontrol::executor executor;
    std::function<void(const gpu_event&)> on_event;
    std::optional<kcontrol::time_point> watched_until;
    bool closed = false;  // on the strand

    static void put(const std::shared_ptr<mailbox>& box, gpu_event event) {
        const std::lock_guard lock(box->mutex);
        if (!box->open) return;
        boost::asio::post(box->executor, [box, event = std::move(event)] {
            if (!box->closed) box->on_event(event);
        });
    }

    // Events up to now are known. How long before they were not; nothing: for ever.
    std::optional<kcontrol::duration> known_until(kcontrol::time_point now) {
        const std::lock_guard lock(mutex);
        const auto before = watched_until;
        watched_until = now;
        return before ? std::optional(now - *before) : std::nullopt;
    }

    void close() {
        closed = true;
        const std::lock_guard lock(mutex);
        open = false;
    }
};

// Of one thread. One that was given up and comes back must end, as another one waits by then.
class event_watch::listener final : public event_listener {
public:
    listener(const kcontrol::environment& env, std::shared_ptr<mailbox> box) : env_(env), box_(std::move(box)) {}

    bool is_over() const override { return over_; }
    void close() { over_ = true; }

    void watching() override {
        if (over_) return;
        const auto not_known = box_->known_until(env_.now());
        if (std::exchange(begun_, true)) return;
        gpu_event resumed;
        resumed.kind = gpu_event_kind::unwatched;
        resumed.lasted = not_known.value_or(kcontrol::duration::zero());
        mailbox::put(box_, std::move(resumed));
    }

    void notify(gpu_event event) override {
        if (!over_) mailbox::put(box_, std::move(event));
    }

private:
    const kcontrol::environment& env_;
    std::shared_ptr<mailbox> box_;
    std::atomic<bool> over_ = false;
    bool begun_ = false;
};

event_watch::event_watch(kcontrol::environment& env, kcontrol::executor ex, guarded_calls::session_factory make_session,
                         reader_limits most)
    : env_(env), executor_(ex), calls_(env, std::move(ex), std::move(make_session), most) {}

// The first time is no gap.
bool event_watch::watches(const gpu_event& resumed) {
    status_.watching = true;
    if (resumed.lasted == kcontrol::duration::zero()) return false;
    ++status_.gaps;
    status_.unwatched += resumed.lasted;
    return true;
}

kcontrol::awaitable<void> event_watch::run(std::function<void(const gpu_event&)> on_event, std::stop_token stop) {
    const auto box = std::make_shared<mailbox>();
    box->executor = executor_;
    box->on_event = [this, notify = std::move(on_event)](const gpu_event& event) {
        if (event.kind != gpu_event_kind::unwatched || watches(event)) notify(event);
    };
    // However this ends, what comes later goes nowhere.
    const std::shared_ptr<void> closer(nullptr, [box](void*) { box->close(); });
    while (!stop.stop_requested()) {
        const auto ear = std::make_shared<listener>(env_, box);
        const std::shared_ptr<void> over(nullptr, [ear](void*) { ear->close(); });
        std::function<int(nvml_session&)> question = [ear](nvml_session& session) {
            return wait_for_events(session, *ear);
        };
        const auto ended = co_await calls_.ask(std::move(question), stop);
        ear->close();
        status_.watching = false;
        if (stop.stop_requested()) break;
        if (ended && *ended == nvml::success) {
            gpu_event released;
            released.kind = gpu_event_kind::released;
            box->on_event(released);
        }
        (void)co_await kcontrol::sleep_for(env_, pause_after(ended), stop);
    }
}

}  // namespace gpu_labeler
