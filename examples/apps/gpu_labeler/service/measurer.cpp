#include "service/measurer.hpp"

#include "health/derive_health.hpp"

#include <algorithm>
#include <chrono>

namespace gpu_labeler {
namespace {

constexpr auto between_events = std::chrono::milliseconds(500);

std::string_view name_of(gpu_health health) noexcept {
    switch (health) {
    case gpu_health::ok: return "ok";
    case gpu_health::degraded: return "degraded";
    case gpu_health::failed: return "failed";
    }
    return "";
}

std::string_view name_of(gpu_event_kind kind) noexcept {
    switch (kind) {
    case gpu_event_kind::xid: return "XID";
    case gpu_event_kind::memory_error: return "memory error";
    case gpu_event_kind::mig_changed: return "divided otherwise";
    case gpu_event_kind::recovery: return "asks for another recovery";
    case gpu_event_kind::lost: return "lost";
    case gpu_event_kind::released:
    case gpu_event_kind::unwatched: break;
    }
    return "";
}

bool is_of_a_gpu(const gpu_event& event) {
    return event.kind != gpu_event_kind::released && event.kind != gpu_event_kind::unwatched;
}

}  // namespace

measurer::measurer(kcontrol::environment& env, gpu_reader& gpus, std::optional<pod_resources_client> pods,
                   kcontrol::duration interval, kcontrol::logger log)
    : env_(env), gpus_(gpus), pods_(std::move(pods)), interval_(interval), log_(std::move(log)) {}

kcontrol::awaitable<void> measurer::measure(std::stop_token stop) {
    next_ = env_.now();
    while (!stop.stop_requested()) {
        has_happened_ = false;
        const auto begun = env_.now();
        // One for an event is beside the others: many of them don't put off the next.
        if (begun >= next_) next_ = std::max(next_ + interval_, begun);
        co_await take(stop);
        while (!stop.stop_requested() && !has_happened_ && env_.now() < next_) {
            co_await happened_.wait(env_, stop, next_);
        }
        if (has_happened_) co_await kcontrol::sleep_until(env_, begun + between_events, stop);
    }
}

void measurer::change_interval(kcontrol::duration interval) {
    if (interval == interval_) return;
    interval_ = interval;
    next_ = env_.now();
    happened_.notify_all();
    changed_.notify_all();
}

kcontrol::awaitable<void> measurer::watch(std::stop_token stop) {
    std::function<void(const gpu_event&)> on_event = [this](const gpu_event& event) { note(event); };
    co_await gpus_.watch_events(std::move(on_event), stop);
}

kcontrol::awaitable<void> measurer::take(std::stop_token stop) {
    auto sample = co_await gpus_.sample(stop);
    if (!sample) co_return;
    log_changes(*sample);
    publish(std::move(*sample));
}

void measurer::publish(node_sample sample) {
    attribute_users(sample, users_);
    if (on_sample_) on_sample_(sample);
    last_ = std::move(sample);
}

kcontrol::awaitable<void> measurer::ask_kubelet(std::stop_token stop) {
    auto next = env_.now();
    while (pods_ && !stop.stop_requested()) {
        const auto pods = co_await pods_->list(stop);
        if (stop.stop_requested()) co_return;
        const auto why = pods ? std::string() : pods.error().message();
        if (why != pods_error_ && !why.empty()) log_.warning("who uses the GPUs is not known", {{"error", why}});
        pods_error_ = why;
        auto now = pods ? users_of(*pods) : std::vector<device_user>();
        if (now != users_) {
            users_ = std::move(now);
            if (last_.state != reader_state::starting) publish(last_);
        }
        next = std::max(next + interval_, env_.now());
        co_await changed_.wait(env_, stop, next);
    }
}

void measurer::note(const gpu_event& event) {
    const bool of_program = event.kind == gpu_event_kind::xid && meaning_of_xid(event.xid) == xid_meaning::application;
    if (is_of_a_gpu(event)) log_event(event, of_program);
    if (event.kind == gpu_event_kind::unwatched) {
        const auto length = std::chrono::duration_cast<std::chrono::milliseconds>(event.lasted).count();
        log_.warning("events of the GPUs were not watched for a while, so that XIDs of that time are not known",
                     {{"milliseconds", std::to_string(length)}});
    }
    has_happened_ = true;
    happened_.notify_all();
    if (!of_program && on_change_) on_change_();
}

void measurer::log_event(const gpu_event& event, bool of_program) {
    std::vector<kcontrol::log_field> fields{{"event", std::string(name_of(event.kind))}};
    if (!event.uuid.empty()) fields.push_back({"gpu", event.uuid});
    if (event.kind == gpu_event_kind::xid) {
        fields.push_back({"xid", std::to_string(event.xid)});
        fields.push_back({"meaning", std::string(describe_xid(event.xid))});
    }
    if (of_program) {
        log_.info("GPU event", std::move(fields));
    } else {
        log_.warning("GPU event", std::move(fields));
    }
}

void measurer::log_changes(const node_sample& sample) {
    if (sample.state != last_.state && !sample.message.empty()) {
        log_.warning("the GPUs can't be measured", {{"reason", sample.message}});
    } else if (sample.state != last_.state) {
        log_.info("the GPUs are measured", {{"gpus", std::to_string(sample.gpus.size())}});
    }
    // That nobody can be asked is one thing, and not one for each GPU.
    if (sample.state != reader_state::ok && sample.state != reader_state::no_device) return;
    const auto before = std::exchange(told_, {});
    for (const auto& gpu : sample.gpus) {
        told_[gpu.index] = gpu.health;
        const auto was = before.find(gpu.index);
        if (gpu.health == (was == before.end() ? gpu_health::ok : was->second)) continue;
        std::vector<kcontrol::log_field> fields{{"index", std::to_string(gpu.index)},
                                                {"gpu", gpu.uuid},
                                                {"health", std::string(name_of(gpu.health))},
                                                {"reason", gpu.reason}};
        if (gpu.health == gpu_health::ok) {
            log_.info("GPU healthy again", std::move(fields));
        } else {
            log_.warning("GPU unhealthy", std::move(fields));
        }
    }
}

}  // namespace gpu_labeler
