#include "nvml/guarded_calls.hpp"

#include "nvml/detached_thread.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <system_error>

namespace gpu_labeler {

using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;

struct guarded_calls::asked {
    std::shared_ptr<nvml_session> session;
    std::function<void(nvml_session&)> question;
    bool is_answered = false;  // on the strand
    kcontrol::async_event answered;
    // Who is second counts: the thread that comes back, or the one that no longer waits for it.
    std::atomic<bool> settled = false;
    std::atomic<bool> returned = false;
    std::optional<unsigned> gpu;  // in a call about which it was given up
    std::string why;
};

guarded_calls::guarded_calls(kcontrol::environment& env, kcontrol::executor ex, session_factory make_session,
                             reader_limits most)
    : env_(env), executor_(std::move(ex)), make_session_(std::move(make_session)), most_(most) {}

guarded_calls::~guarded_calls() {
    const std::lock_guard lock(door_->mutex);
    door_->open = false;
}

int guarded_calls::hanging() const noexcept {
    const auto hangs = [](const auto& q) { return !q->returned; };
    return static_cast<int>(std::count_if(given_up_.begin(), given_up_.end(), hangs));
}

int guarded_calls::hanging_in_general() const noexcept {
    const auto hangs = [](const auto& q) { return !q->gpu && !q->returned; };
    return static_cast<int>(std::count_if(given_up_.begin(), given_up_.end(), hangs));
}

std::map<unsigned, std::string> guarded_calls::gpus_left_out() const {
    std::map<unsigned, std::string> out;
    for (const auto& q : given_up_) {
        if (q->gpu && !q->returned) out.emplace(*q->gpu, q->why);
    }
    return out;
}

result<void> guarded_calls::start(const std::shared_ptr<asked>& q) {
    auto work = [q, ex = executor_, door = door_]() mutable {
        q->question(*q->session);
        if (q->settled.exchange(true)) {  // nobody waits any more
            q->session->close();
            q->returned = true;
            return;
        }
        const std::lock_guard lock(door->mutex);
        if (!door->open) return;
        boost::asio::post(ex, [q = std::move(q)] {
            q->is_answered = true;
            q->answered.notify_all();
        });
    };
    try {
        run_detached(std::move(work));
    } catch (const std::system_error& none) {
        return error(errc::unavailable, std::string("the system has no thread to ask the GPUs with (") + none.what() +
                                            "); is the limit of processes or of memory too low?");
    }
    return {};
}

void guarded_calls::give_up(const std::shared_ptr<asked>& q) {
    if (!q->settled.exchange(true)) given_up_.push_back(q);
    session_.reset();  // the thread uses it
}

kcontrol::awaitable<result<void>> guarded_calls::run(std::function<void(nvml_session&)> question,
                                                     std::stop_token stop) {
    while (busy_) {
        const auto why = co_await idle_.wait(env_, stop);
        if (why == kcontrol::wake::stopped) co_return error(errc::stopped, "stopped before the GPUs were asked");
    }
    std::erase_if(given_up_, [](const auto& q) { return q->returned.load(); });
    if (hanging_in_general() >= most_.threads()) {
        co_return error(errc::timeout, std::to_string(hanging()) +
                                           " calls of NVML hang; the GPUs are not asked again " +
                                           "until one returns. The node probably needs a reboot");
    }
    if (!session_) session_ = make_session_();
    session_->hanging_gpus = gpus_left_out();
    const auto q = std::make_shared<asked>();
    q->session = session_;
    q->question = std::move(question);
    if (const auto begun = start(q); !begun) co_return begun.error();
    busy_ = true;
    auto done = co_await wait(q, stop);
    busy_ = false;
    idle_.notify_all();
    co_return done;
}

kcontrol::awaitable<result<void>> guarded_calls::wait(std::shared_ptr<asked> q, std::stop_token stop) {
    auto deadline = env_.now() + most_.call();
    while (!q->is_answered) {
        const auto why = co_await q->answered.wait(env_, stop, deadline);
        if (q->is_answered) break;
        if (why == kcontrol::wake::stopped) {
            give_up(q);
            co_return error(errc::stopped, "stopped while the GPUs were asked");
        }
        const auto call = q->session->watch().current();
        deadline = (call ? call->since : env_.now()) + most_.call();
        if (call && env_.now() >= deadline) {
            const auto length = std::chrono::duration_cast<std::chrono::milliseconds>(most_.call()).count();
            q->gpu = call->gpu;
            q->why = call->name + " has not returned for " + std::to_string(length) + " ms; the driver hangs";
            give_up(q);
            co_return error(errc::timeout, q->why);
        }
    }
    co_return result<void>();
}

}  // namespace gpu_labeler
