#include "output/live_output.hpp"

#include "output/text_output.hpp"

#include <utility>

namespace training_monitor {
namespace {

constexpr auto redraw_period = std::chrono::milliseconds(250);
constexpr auto tick_period = std::chrono::seconds(1);

// Each line is cleared to its end as it is rewritten, and what is below afterwards: no flicker.
std::string as_frame(const std::string& text) {
    std::string out = "\x1b[H";
    for (const char c : text) {
        if (c == '\n') out += "\x1b[K";
        out += c;
    }
    return out + "\x1b[J";
}

}  // namespace

void live_output::take(const std::vector<change>& changes) {
    if (format_ == output_format::none) return;
    if (!draws()) return print_lines(changes);
    dirty_ = true;
    changed_.notify_all();
}

void live_output::caption(std::string text) {
    if (draws()) {
        caption_ = std::move(text);
        changed_.notify_all();
    } else if (format_ != output_format::json && format_ != output_format::none) {
        out_.write("-- " + text + "\n");
    }
}

void live_output::print_lines(const std::vector<change>& changes) {
    std::string lines;
    const auto now = env_.wall_now();
    for (const auto& c : changes) {
        if (format_ == output_format::json) {
            lines += change_json(c, now);
            continue;
        }
        const auto before = c.cluster ? printed_[c.cluster->name] : nullptr;
        lines += change_text(c, before.get(), now);
        if (c.type == change_type::cluster) printed_[c.cluster->name] = c.cluster;
        if (c.type == change_type::cluster_removed) printed_.erase(c.cluster->name);
    }
    if (!lines.empty()) out_.write(lines);
}

void live_output::draw() {
    if (out_.behind()) return;
    text_layout layout;
    layout.wide(format_ == output_format::wide);
    layout.color(colors());
    layout.columns(out_.columns());
    const std::string head = headline_ + "\n" + (caption_.empty() ? "" : caption_ + "\n") + "\n";
    layout.rows(out_.rows() > 4 ? out_.rows() - 4 : 0);
    auto jobs = layout.rows() != 0 ? table_.first_jobs(layout.rows()) : table_.jobs();
    const std::size_t more = table_.size() - jobs.size();
    out_.write(as_frame(head + snapshot_text(table_.clusters(), std::move(jobs), env_.wall_now(), layout, more)));
    dirty_ = false;
}

kcontrol::awaitable<void> live_output::run(std::stop_token stop) {
    if (!draws()) co_return;
    out_.write("\x1b[2J");
    while (!stop.stop_requested()) {
        draw();
        co_await kcontrol::sleep_for(env_, redraw_period, stop);
        if (!dirty_) co_await changed_.wait(env_, stop, env_.now() + tick_period);
    }
    draw();
}

void live_output::print_snapshot() {
    if (format_ == output_format::none) return;
    const auto clusters = table_.clusters();
    const auto jobs = table_.jobs();
    text_layout layout;
    layout.wide(format_ == output_format::wide);
    layout.color(colors());
    out_.write(format_ == output_format::json ? snapshot_json(clusters, jobs, env_.wall_now())
                                              : snapshot_text(clusters, jobs, env_.wall_now(), layout));
    out_.flush();
}

}  // namespace training_monitor
