#include "notices/repeats.hpp"

#include <algorithm>
#include <utility>

namespace training_monitor::notices {
namespace {

bool is_end(const notice& n) { return !n.to.state() || is_final(*n.to.state()); }

// `later` stands for `earlier`, too.
void cover(const notice& earlier, notice& later) {
    later.from = earlier.from;
    later.changes += earlier.changes;
}

}  // namespace

repeats::answer repeats::push(notice n, kcontrol::time_point at) {
    answer out;
    if (within_ <= kcontrol::duration::zero()) {
        out.now = std::move(n);
        return out;
    }
    forget(at);
    entry& job = jobs_[key_of(*n.job)];
    const auto told = n.to.state() ? job.told.find(*n.to.state()) : job.told.end();
    const bool hold = !is_end(n) && told != job.told.end() && at - told->second < within_;
    if (job.held) {
        cover(*job.held, n);
        out.covered = std::move(job.held);
        job.held.reset();
    } else if (hold) {
        job.due = told->second + within_;
    }
    if (hold) {
        job.held = std::move(n);
        return out;
    }
    if (is_end(n)) {
        jobs_.erase(key_of(*n.job));
    } else {
        job.told[*n.to.state()] = at;
    }
    out.now = std::move(n);
    return out;
}

std::optional<kcontrol::time_point> repeats::next() const {
    std::optional<kcontrol::time_point> out;
    for (const auto& [key, job] : jobs_) {
        if (job.held) out = std::min(out.value_or(job.due), job.due);
    }
    return out;
}

std::vector<notice> repeats::take(kcontrol::time_point now) {
    std::vector<notice> out;
    for (auto& [key, job] : jobs_) {
        if (!job.held || job.due > now) continue;
        job.told[*job.held->to.state()] = now;
        out.push_back(std::move(*job.held));
        job.held.reset();
    }
    return out;
}

std::size_t repeats::held() const {
    return static_cast<std::size_t>(
        std::count_if(jobs_.begin(), jobs_.end(), [](const auto& each) { return each.second.held.has_value(); }));
}

// Of what was told long ago. Seldom, for it looks at all.
void repeats::forget(kcontrol::time_point now) {
    if (now - forgot_ < within_) return;
    forgot_ = now;
    std::erase_if(jobs_, [&](const auto& each) {
        const auto& [told, held, due] = each.second;
        return !held && std::all_of(told.begin(), told.end(), [&](const auto& t) { return now - t.second >= within_; });
    });
}

}  // namespace training_monitor::notices
