#include "history/history.hpp"

#include <algorithm>
#include <utility>

namespace gpu_labeler {
namespace {

std::int64_t span_of(const history_layout& layout) {
    const auto span = [](const slot_layout& l) { return l.seconds * static_cast<std::int64_t>(l.slots); };
    return std::max(span(layout.recent), span(layout.earlier));
}

// The first multiple of `step` that is not before `at`.
std::int64_t round_up(std::int64_t at, std::int64_t step) {
    const auto over = at % step;
    return over > 0 ? at - over + step : at - over;
}

void collect(std::vector<history_point>& out, const slot_ring& ring, metric which, std::int64_t from, std::int64_t to) {
    for (auto at = round_up(std::max(from, ring.oldest()), ring.seconds()); at < to; at += ring.seconds()) {
        if (const auto value = ring.at(which, at)) out.push_back({at, *value});
    }
}

// Lost GPUs have no UUID or no values.
bool is_measured(const gpu_sample& gpu) {
    return !gpu.uuid.empty() && std::any_of(metrics.begin(), metrics.end(),
                                            [&](const auto& m) { return value_of(gpu, m.which).has_value(); });
}

}  // namespace

history_layout history_layout::for_samples_every(kcontrol::duration interval) {
    history_layout out;
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(interval).count();
    out.recent.seconds = std::clamp<std::int64_t>(seconds, 1, 3600);
    out.earlier.seconds = std::max(out.earlier.seconds, out.recent.seconds);
    return out;
}

history::history(history_layout layout) : layout_(layout) { series_.reserve(layout_.most_gpus); }

history::series* history::find(std::string_view uuid) noexcept {
    const auto found = std::find_if(series_.begin(), series_.end(), [&](const auto& s) { return s.gpu.uuid == uuid; });
    return found == series_.end() ? nullptr : &*found;
}

// nullptr where there are too many that are there now.
history::series* history::begin_series(const gpu_sample& gpu, std::int64_t now) {
    if (series_.size() >= layout_.most_gpus) {
        const auto oldest = std::min_element(series_.begin(), series_.end(), [](const auto& a, const auto& b) {
            return a.gpu.last_seen < b.gpu.last_seen;
        });
        if (oldest == series_.end() || oldest->gpu.last_seen == now) return nullptr;
        series_.erase(oldest);
    }
    series_.push_back({{gpu.uuid, gpu.index, now}, slot_ring(layout_.recent), slot_ring(layout_.earlier)});
    series_.back().recent.move_to(now);
    series_.back().earlier.move_to(now);
    return &series_.back();
}

void history::move_to(std::int64_t now) {
    for (auto& s : series_) {
        // A clock that was set back has not seen what comes later.
        s.gpu.last_seen = std::min(s.gpu.last_seen, now);
        s.recent.move_to(now);
        s.earlier.move_to(now);
    }
    std::erase_if(series_, [&](const auto& s) { return s.gpu.last_seen <= now - span_of(layout_); });
}

void history::record(kcontrol::wall_time time, const std::vector<gpu_sample>& gpus) {
    const std::int64_t now = std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
    move_to(now);
    // First who is there: a newcomer pushes out none of them.
    for (const auto& gpu : gpus) {
        auto* known = is_measured(gpu) ? find(gpu.uuid) : nullptr;
        if (!known) continue;
        known->gpu.index = gpu.index;
        known->gpu.last_seen = now;
    }
    for (const auto& gpu : gpus) {
        if (!is_measured(gpu)) continue;
        auto* known = find(gpu.uuid);
        if (!known) known = begin_series(gpu, now);
        if (!known) continue;
        for (const auto& m : metrics) {
            if (const auto value = value_of(gpu, m.which)) {
                known->recent.add(m.which, *value);
                known->earlier.add(m.which, *value);
            }
        }
    }
}

std::vector<history::known_gpu> history::gpus() const {
    std::vector<known_gpu> out;
    for (const auto& s : series_) out.push_back(s.gpu);
    std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
        return a.index != b.index           ? a.index < b.index
               : a.last_seen != b.last_seen ? a.last_seen > b.last_seen
                                            : a.uuid < b.uuid;
    });
    return out;
}

std::vector<history_point> history::points(std::string_view uuid, metric which,
                                           std::optional<std::int64_t> since) const {
    std::vector<history_point> out;
    const auto found = std::find_if(series_.begin(), series_.end(), [&](const auto& s) { return s.gpu.uuid == uuid; });
    if (found == series_.end()) return out;
    const auto& [gpu, recent, earlier] = *found;
    const auto from = since.value_or(std::min(recent.oldest(), earlier.oldest()));
    // The long slots end where the short ones begin, at the end of a long one: no moment is there twice.
    const auto seam = round_up(recent.oldest(), earlier.seconds());
    collect(out, earlier, which, from, seam);
    collect(out, recent, which, std::max(from, seam), recent.newest() + 1);
    return out;
}

std::size_t history::bytes() const noexcept {
    std::size_t out = series_.capacity() * sizeof(series);
    for (const auto& s : series_) out += s.recent.bytes() + s.earlier.bytes() + s.gpu.uuid.capacity();
    return out;
}

}  // namespace gpu_labeler
