#include "web/event_hub.hpp"

#include <kcontrol/serve/responses.hpp>

#include "web/view_json.hpp"

namespace training_monitor {
namespace {

namespace http = kcontrol::http;

std::string render(std::uint64_t id, const change& c, kcontrol::wall_time now) {
    kcontrol::json::writer data;
    if (c.job) {
        write(data, *c.job, now, c.previous);
    } else {
        write(data, *c.cluster);
    }
    return http::format_event(id, to_string(c.type), data.text());
}

std::string render_ready(std::uint64_t id, std::size_t clusters, std::size_t jobs) {
    kcontrol::json::writer data;
    data.begin_object();
    data.member("clusters", clusters);
    data.member("jobs", jobs);
    data.end_object();
    return http::format_event(id, "ready", data.text());
}

}  // namespace

void event_hub::publish(const std::vector<change>& changes) {
    if (stream_.clients() == 0) return;
    const auto now = env_.wall_now();
    for (const auto& c : changes) stream_.publish(render(c.id, c, now));
}

kcontrol::awaitable<void> event_hub::serve(http::responder& out, http::response_head head) {
    // What send_present() keeps while the client reads it.
    if (out.holds((table_.size() + table_.clusters().size()) * sizeof(std::shared_ptr<const job_view>))) {
        const http::event_stream::opening first = [this](http::responder& to) { return send_present(to); };
        co_await stream_.serve(out, std::move(head), first);
    } else {
        auto full = http::try_again_response(1, "too much is being read at the same time; try again");
        (void)co_await out.send(std::move(full));
    }
}

// It is taken before anything changes. Ids are taken for all of it at once: what changes while it is being sent has
// higher ones.
kcontrol::awaitable<kcontrol::result<void>> event_hub::send_present(http::responder& out) {
    const auto clusters = table_.clusters();
    const auto all = table_.all_jobs();
    const auto& jobs = *all;
    std::uint64_t id = table_.reserve_ids(clusters.size() + jobs.size() + 1);
    const auto& options = stream_.options();
    // `heartbeat` is no field of the format, so that other readers skip it; the page learns from it how long to wait.
    const auto heartbeat = std::chrono::duration_cast<std::chrono::milliseconds>(options.heartbeat());
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
        if (piece.size() < options.piece_bytes()) continue;
        const auto written = co_await out.write(std::exchange(piece, {}));
        if (!written) co_return written;
    }
    piece += render_ready(id, clusters.size(), jobs.size());
    auto written = co_await out.write(std::move(piece));
    out.holds(0);
    co_return written;
}

}  // namespace training_monitor
