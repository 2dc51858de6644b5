#include "inventory/gpu_reader.hpp"

#include <kcontrol/runtime/detached_thread.hpp>

#include <boost/asio/post.hpp>

#include <chrono>
#include <optional>

namespace gpu_labeler {

using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;

struct gpu_reader::question {
    std::shared_ptr<nvml_session> session;
    std::optional<result<inventory>> answer;  // on the strand
    kcontrol::async_event answered;
    // Who is second counts: the thread that comes back, or the reader that no longer waits for it.
    std::atomic<bool> settled = false;
};

gpu_reader::gpu_reader(kcontrol::environment& env, kcontrol::executor ex, session_factory make_session,
                       reader_limits most)
    : env_(env), executor_(std::move(ex)), make_session_(std::move(make_session)), most_(most) {}

gpu_reader::~gpu_reader() {
    const std::lock_guard lock(door_->mutex);
    door_->open = false;
}

void gpu_reader::start(const std::shared_ptr<question>& q) {
    kcontrol::run_detached([q, ex = executor_, door = door_, hanging = hanging_]() mutable {
        auto answer = q->session->read();
        if (q->settled.exchange(true)) {  // nobody waits any more
            --*hanging;
            return;
        }
        const std::lock_guard lock(door->mutex);
        if (!door->open) return;
        boost::asio::post(ex, [q = std::move(q), answer = std::move(answer)]() mutable {
            q->answer = std::move(answer);
            q->answered.notify_all();
        });
    });
}

void gpu_reader::give_up(question& q) {
    if (!q.settled.exchange(true)) ++*hanging_;
    session_.reset();  // the thread uses it
}

kcontrol::awaitable<result<inventory>> gpu_reader::read(std::stop_token stop) {
    if (*hanging_ >= most_.threads) {
        co_return error(errc::unavailable, std::to_string(*hanging_) + " calls of NVML hang; the GPUs are not asked " +
                                               "again until one returns. The node probably needs a reboot");
    }
    if (!session_) session_ = make_session_();
    const auto q = std::make_shared<question>();
    q->session = session_;
    start(q);
    auto deadline = env_.now() + most_.call;
    while (!q->answer) {
        const auto why = co_await q->answered.wait(env_, stop, deadline);
        if (q->answer) break;
        if (why == kcontrol::wake::stopped) {
            give_up(*q);
            co_return error(errc::stopped, "stopped while the GPUs were asked");
        }
        const auto call = q->session->watch().current();
        deadline = (call ? call->since : env_.now()) + most_.call;
        if (call && env_.now() >= deadline) {
            give_up(*q);
            const auto seconds = std::chrono::duration_cast<std::chrono::milliseconds>(most_.call).count();
            co_return error(errc::timeout,
                            call->name + " has not returned for " + std::to_string(seconds) + " ms; the driver hangs");
        }
    }
    auto answer = std::move(*q->answer);
    co_return answer;
}

}  // namespace gpu_labeler
