#include "reader/gpu_reader.hpp"

#include "health/read_sample.hpp"
#include "inventory/read.hpp"
#include "topology/read_topology.hpp"

namespace gpu_labeler {

using kcontrol::result;

namespace {

// NVML is one in the process, so that its users must know of each other.
guarded_calls::session_factory with_users(guarded_calls::session_factory make, std::shared_ptr<nvml_users> users) {
    return [make = std::move(make), users = std::move(users)] {
        auto session = make();
        session->users = users;
        return session;
    };
}

}  // namespace

gpu_reader::gpu_reader(kcontrol::environment& env, kcontrol::executor ex, session_factory make_session,
                       reader_limits most)
    : env_(env),
      calls_(env, ex, with_users(make_session, users_), most),
      events_(env, ex, with_users(std::move(make_session), users_), most) {}

// A call about one GPU that hangs doesn't cost the others: they are asked without it.
template <class T>
kcontrol::awaitable<result<T>> gpu_reader::ask_those_that_answer(std::function<T(nvml_session&)> question,
                                                                 std::stop_token stop) {
    auto left_out = calls_.hanging_gpus();
    auto answer = co_await calls_.ask(question, stop);
    while (!answer && calls_.hanging_gpus() > left_out) {
        left_out = calls_.hanging_gpus();
        answer = co_await calls_.ask(question, stop);
    }
    co_return answer;
}

kcontrol::awaitable<result<inventory>> gpu_reader::read(std::stop_token stop) {
    const std::function<result<inventory>(nvml_session&)> question = read_inventory;
    auto answer = co_await ask_those_that_answer(question, stop);
    if (!answer) co_return answer.error();
    auto& found = *answer;
    // Where all hang it is the driver that does.
    if (found && found->gpus.empty() && !found->lost.empty() && calls_.hanging_gpus() > 0) {
        co_return kcontrol::error(kcontrol::errc::timeout, found->lost.front().why);
    }
    co_return std::move(found);
}

kcontrol::awaitable<result<node_sample>> gpu_reader::sample(std::stop_token stop) {
    const std::function<node_sample(nvml_session&)> question = read_sample;
    auto answer = co_await ask_those_that_answer(question, stop);
    if (!answer && answer.error() == kcontrol::errc::stopped) co_return answer.error();
    node_sample taken;
    if (answer && !answer->gpus.empty() && calls_.hanging_gpus() >= answer->gpus.size()) {
        taken.state = reader_state::hanging;
        taken.message = answer->gpus.front().reason;
    } else if (answer) {
        taken = std::move(*answer);
    } else {
        const bool hangs = answer.error() == kcontrol::errc::timeout;
        taken.state = hangs ? reader_state::hanging : reader_state::failing;
        taken.message = answer.error().message();
    }
    taken.time = env_.wall_now();
    known_.complete(taken);
    rates_.complete(taken, env_.now());
    co_return taken;
}

kcontrol::awaitable<result<topology>> gpu_reader::connections(std::stop_token stop) {
    std::function<result<topology>(nvml_session&)> question = read_topology;
    auto answer = co_await calls_.ask(std::move(question), stop);
    if (!answer) co_return answer.error();
    co_return std::move(*answer);
}

kcontrol::awaitable<void> gpu_reader::watch_events(std::function<void(const gpu_event&)> on_event,
                                                   std::stop_token stop) {
    std::function<void(const gpu_event&)> note = [this, notify = std::move(on_event)](const gpu_event& event) {
        if (event.kind == gpu_event_kind::xid && !event.uuid.empty()) {
            known_.note_xid(event.uuid, event.xid, env_.wall_now());
        }
        notify(event);
    };
    co_await events_.run(std::move(note), stop);
}

}  // namespace gpu_labeler
