#include "web/event_hub.hpp"

#include "web/view_json.hpp"

namespace training_monitor {
namespace {

std::string render(std::uint64_t id, const change& c, kcontrol::wall_time now) {
    kcontrol::json::writer data;
    if (c.job) {
        write(data, *c.job, now, c.previous);
    } else {
        write(data, *c.cluster);
    }
    return format_event(id, to_string(c.type), data.text());
}

std::string render_ready(std::uint64_t id, std::size_t clusters, std::size_t jobs) {
    kcontrol::json::writer data;
    data.begin_object();
    data.member("clusters", clusters);
    data.member("jobs", jobs);
    data.end_object();
    return format_event(id, "ready", data.text());
}

}  // namespace

// Keeps a client on the list as long as its coroutine runs.
class event_hub::membership {
public:
    explicit membership(event_hub& hub) : hub_(hub) {
        at_ = hub.clients_.emplace(hub.clients_.end(), hub.options_.max_queued_bytes());
    }
    ~membership() { hub_.clients_.erase(at_); }
    membership(const membership&) = delete;
    membership& operator=(const membership&) = delete;
    client& self() noexcept { return *at_; }

private:
    event_hub& hub_;
    std::list<client>::iterator at_;
};

void event_hub::publish(const std::vector<change>& changes) {
    if (clients_.empty()) return;
    const auto now = env_.wall_now();
    for (const auto& c : changes) {
        const auto event = std::make_shared<const std::string>(render(c.id, c, now));
        for (auto& each : clients_) {
            each.queue.push(event);
            each.wake.notify_all();
        }
    }
}

kcontrol::awaitable<void> event_hub::serve(kcontrol::http::responder& out, kcontrol::http::response_head head) {
    const auto started = co_await out.start(std::move(head));
    if (!started) co_return;
    membership member(*this);  // what changes from here on is queued; the present state is taken before anything does
    const bool sent = co_await send_present(out);
    if (sent) co_await send_changes(out, member.self());
}

// Ids are taken for all of it at once: what changes while it is being sent has higher ones.
kcontrol::awaitable<bool> event_hub::send_present(kcontrol::http::responder& out) {
    const auto clusters = table_.clusters();
    const auto jobs = table_.jobs();
    std::uint64_t id = table_.reserve_ids(clusters.size() + jobs.size() + 1);
    // `heartbeat` is no field of the format, so that other readers skip it; the page learns from it how long to wait.
    const auto heartbeat = std::chrono::duration_cast<std::chrono::milliseconds>(options_.heartbeat());
    std::string piece = "retry: 1000\nheartbeat: " + std::to_string(heartbeat.count()) + "\n\n";
    for (std::size_t i = 0; i < clusters.size() + jobs.size(); ++i) {
        change c;
        if (i < clusters.size()) {
            c.type = change_type::cluster;
            c.cluster = clusters[i];
        } else {
            c.job = jobs[i - clusters.size()];
        }
        piece += render(id++, c, env_.wall_now());
        if (piece.size() < options_.piece_bytes()) continue;
        const auto written = co_await out.write(std::exchange(piece, {}));
        if (!written) co_return false;
    }
    piece += render_ready(id, clusters.size(), jobs.size());
    const auto written = co_await out.write(std::move(piece));
    co_return written.has_value();
}

kcontrol::awaitable<void> event_hub::send_changes(kcontrol::http::responder& out, client& self) {
    const std::stop_token gone = out.gone();
    while (!gone.stop_requested()) {
        std::string piece;
        if (self.queue.overflowed()) {
            ++cut_off_;
            const auto last_words = co_await out.write(": too slow; reconnect for the present state\n\n");
            static_cast<void>(last_words);
            co_return;
        }
        if (!self.queue.empty()) {
            piece = self.queue.take(options_.piece_bytes());
        } else {
            const auto woken = co_await self.wake.wait(env_, gone, env_.now() + options_.heartbeat());
            if (woken == kcontrol::wake::notified) continue;
            if (woken == kcontrol::wake::stopped) co_return;
            piece = ": still here\n\n";
        }
        const auto written = co_await out.write(std::move(piece));
        if (!written) co_return;
    }
}

}  // namespace training_monitor
