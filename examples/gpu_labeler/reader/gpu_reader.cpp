#include "reader/gpu_reader.hpp"

#include "health/read_sample.hpp"
#include "inventory/read.hpp"

namespace gpu_labeler {

using kcontrol::result;

gpu_reader::gpu_reader(kcontrol::environment& env, kcontrol::executor ex, session_factory make_session,
                       reader_limits most)
    : env_(env), calls_(env, std::move(ex), std::move(make_session), most) {}

kcontrol::awaitable<result<inventory>> gpu_reader::read(std::stop_token stop) {
    std::function<result<inventory>(nvml_session&)> question = read_inventory;
    auto answer = co_await calls_.ask(std::move(question), stop);
    if (!answer) co_return answer.error();
    co_return std::move(*answer);
}

kcontrol::awaitable<result<node_sample>> gpu_reader::sample(std::stop_token stop) {
    const std::function<node_sample(nvml_session&)> question = read_sample;
    auto left_out = calls_.hanging_gpus();
    auto answer = co_await calls_.ask(question, stop);
    // A call about one GPU that hangs doesn't cost the others: they are asked without it.
    while (!answer && calls_.hanging_gpus() > left_out) {
        left_out = calls_.hanging_gpus();
        answer = co_await calls_.ask(question, stop);
    }
    if (!answer && answer.error() == kcontrol::errc::stopped) co_return answer.error();
    node_sample taken;
    if (answer) {
        taken = std::move(*answer);
    } else {
        taken.state = reader_state::hanging;
        taken.message = answer.error().message();
    }
    taken.time = env_.wall_now();
    known_.complete(taken);
    co_return taken;
}

}  // namespace gpu_labeler
