#include "reader/event_watch.hpp"

#include <boost/asio/post.hpp>

#include <chrono>
#include <mutex>

namespace gpu_labeler {
namespace {

// How long to wait before the next try.
kcontrol::duration pause_after(const kcontrol::result<int>& ended) {
    if (!ended) return std::chrono::seconds(5);
    switch (*ended) {
    case nvml::success: return std::chrono::milliseconds(500);  // NVML is started anew
    case nvml::not_supported:
    case nvml::function_not_found: return std::chrono::minutes(1);  // another driver may be loaded
    default: return std::chrono::seconds(5);
    }
}

}  // namespace

// Between the thread that waits and the executor.
struct event_watch::mailbox {
    std::mutex mutex;
    bool open = true;
    kcontrol::executor executor;
    std::function<void(const gpu_event&)> on_event;
    std::atomic<bool> stop = false;

    static void put(const std::shared_ptr<mailbox>& box, gpu_event event) {
        const std::lock_guard lock(box->mutex);
        if (!box->open) return;
        boost::asio::post(box->executor, [box, event = std::move(event)] { box->deliver(event); });
    }

    void deliver(const gpu_event& event) {
        if (!stop) on_event(event);
    }

    void close() {
        stop = true;
        const std::lock_guard lock(mutex);
        open = false;
    }
};

event_watch::event_watch(kcontrol::environment& env, kcontrol::executor ex, guarded_calls::session_factory make_session,
                         reader_limits most)
    : env_(env), executor_(ex), calls_(env, std::move(ex), std::move(make_session), most) {}

kcontrol::awaitable<void> event_watch::run(std::function<void(const gpu_event&)> on_event, std::stop_token stop) {
    const auto box = std::make_shared<mailbox>();
    box->executor = executor_;
    box->on_event = std::move(on_event);
    // However this ends, what comes later goes nowhere.
    const std::shared_ptr<void> closer(nullptr, [box](void*) { box->close(); });
    const std::function<int(nvml_session&)> question = [box](nvml_session& session) {
        return wait_for_events(session, box->stop, [&box](gpu_event event) { mailbox::put(box, std::move(event)); });
    };
    while (!stop.stop_requested()) {
        const auto ended = co_await calls_.ask(question, stop);
        (void)co_await kcontrol::sleep_for(env_, pause_after(ended), stop);
    }
}

}  // namespace gpu_labeler
