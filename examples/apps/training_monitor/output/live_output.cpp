#include "output/live_output.hpp"

#include "output/text_output.hpp"

#include <algorithm>
#include <utility>

namespace training_monitor {
namespace {

constexpr auto redraw_period = std::chrono::milliseconds(250);
constexpr auto tick_period = std::chrono::seconds(1);
// The bytes of one key come together; over a slow line they may not.
constexpr auto escape_patience = std::chrono::milliseconds(50);

constexpr std::size_t usual_rows = 24, usual_columns = 80, least_rows = 5, least_columns = 10;

// Each line is rewritten and cleared to its end: no flicker. One that fills the terminal has nothing to clear, and its
// last character would go instead.
std::string as_frame(const std::vector<std::string>& lines, std::size_t columns) {
    std::string out = "\x1b[H";
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (i != 0) out += "\r\n";
        out += lines[i];
        if (width(lines[i]) < columns) out += "\x1b[K";
    }
    return out;
}

}  // namespace

void live_output::take(const std::vector<change>& changes) {
    if (format_ == output_format::none) return;
    draws() ? draw_soon() : print_lines(changes);
}

void live_output::draw_soon() {
    if (!std::exchange(dirty_, true)) changed_.notify_all();
}

void live_output::caption(std::string text) {
    if (draws()) {
        caption_ = std::move(text);
        draw_soon();
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

terminal_calls live_output::calls() {
    const auto redraw = [this] {
        dirty_ = pressed_ = true;
        changed_.notify_all();
    };
    return {[this](std::string_view bytes) { take_bytes(bytes); }, redraw, [this] { leave(); },
            [this] {
                if (quit_) quit_();
            }};
}

void live_output::take_bytes(std::string_view bytes) {
    press(reader_.take(bytes));
    escape_due_ = env_.now() + escape_patience;
    changed_.notify_all();
}

void live_output::press(const std::vector<key>& keys) {
    for (const auto& pressed : keys) {
        if (pressed.name == key_name::redraw) out_.write("\x1b[2J");
        console_.press(pressed, table_, env_.wall_now());
        dirty_ = pressed_ = true;
    }
    if (const auto wanted = console_.wanted(); wanted && read_) read_(*wanted);
    if (console_.quits() && quit_) quit_();
}

void live_output::show_text(const text_request& of, std::string title, std::vector<std::string> lines) {
    console_.show(of, std::move(title), std::move(lines));
    dirty_ = pressed_ = true;
    changed_.notify_all();
}

void live_output::leave() {
    if (!std::exchange(entered_, false)) return;
    out_.write(std::string(leave_screen));
    if (terminal_) terminal_->give_back();
}

void live_output::draw() {
    if (out_.behind() || (terminal_ && !terminal_->has_foreground())) return;
    if (!std::exchange(entered_, true)) {
        if (terminal_) terminal_->take();
        out_.write(std::string(enter_screen));
    }
    const std::size_t rows = out_.rows() == 0 ? usual_rows : out_.rows();
    const std::size_t columns = out_.columns() == 0 ? usual_columns : out_.columns();
    text_layout layout;
    layout.wide(format_ == output_format::wide).color(colors()).marks(true);
    layout.columns(std::max(columns, least_columns));
    scene shown(table_, env_.wall_now());
    shown.head(headline_, caption_).source(source_).keys(terminal_ && terminal_->has_keys());
    if (console_.opened() && look_) shown.known(look_(*console_.opened()));
    auto lines = console_.picture(shown, std::max(rows, least_rows), layout);
    lines.resize(std::min(lines.size(), rows));
    out_.write(as_frame(lines, columns));
    dirty_ = false;
}

kcontrol::awaitable<void> live_output::run(std::stop_token stop) {
    if (!draws()) co_return;
    while (!stop.stop_requested()) {
        draw();
        pressed_ = false;
        const auto drawn = env_.now();
        while (!stop.stop_requested() && !pressed_) {
            if (reader_.waits() && env_.now() >= escape_due_) {
                press(reader_.flush());
                continue;
            }
            auto due = drawn + (dirty_ ? kcontrol::duration(redraw_period) : kcontrol::duration(tick_period));
            if (env_.now() >= due) break;
            if (reader_.waits()) due = std::min(due, escape_due_);
            co_await changed_.wait(env_, stop, due);
        }
    }
    leave();
}

void live_output::print_snapshot() {
    if (format_ == output_format::none) return;
    const auto clusters = table_.clusters();
    const auto jobs = table_.jobs();
    text_layout layout;
    layout.wide(format_ == output_format::wide);
    layout.color(colors());
    out_.write(format_ == output_format::json ? snapshot_json(clusters, jobs, env_.wall_now())
                                              : snapshot_text(clusters, jobs, env_.wall_now(), layout, source_));
    out_.flush();
}

}  // namespace training_monitor
