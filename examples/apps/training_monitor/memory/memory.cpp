#include "memory/memory.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <utility>

namespace training_monitor {
namespace {

namespace asio = boost::asio;
using kcontrol::awaitable;
using kcontrol::result;

constexpr kcontrol::duration first_backoff = std::chrono::seconds(1);
constexpr kcontrol::duration last_backoff = std::chrono::seconds(30);
constexpr kcontrol::duration retain_period = std::chrono::minutes(10);
constexpr kcontrol::duration crowded_pause = std::chrono::seconds(30);  // to look through all jobs takes a while
constexpr std::size_t forget_at_once = 1000;

// On the worker.
awaitable<result<std::uint64_t>> write_there(std::shared_ptr<state_file> file,
                                             std::shared_ptr<const state_batch> batch) {
    co_return file->write(*batch);
}

stored_job stored(job_record& r) {
    stored_job out;
    out.row = r.row;
    out.view = r.view;
    out.state = r.state();
    out.first_seen = r.first_seen;
    out.last_seen = r.last_seen;
    out.gone = r.settled_gone();
    out.notified = r.notified;
    out.first_span = r.first_span;
    std::uint64_t number = r.first_span;
    for (const auto& s : r.spans) {
        if (number >= r.saved_spans) out.spans.emplace_back(number, s);
        ++number;
    }
    r.saved_spans = number - 1;  // the last one may yet change
    return out;
}

}  // namespace

memory::memory(kcontrol::environment& env, kcontrol::executor ex, kcontrol::executor worker,
               std::unique_ptr<state_file> file, history& past, kcontrol::logger log, memory_options options)
    : env_(env),
      ex_(std::move(ex)),
      worker_(std::move(worker)),
      file_(std::move(file)),
      past_(past),
      log_(std::move(log)),
      options_(options),
      tasks_(env, ex_, log_) {
    status_.path = file_->path();
}

memory::~memory() { past_.on_touched(nullptr); }

result<void> memory::start() {
    auto jobs = file_->load_jobs();
    if (!jobs) return jobs.error();
    const auto clusters = file_->kept_clusters();
    if (!clusters) return clusters.error();
    const auto last = file_->load_run();
    if (!last) return last.error();
    const auto last_row = file_->last_row();
    if (!last_row) return last_row.error();
    auto points = file_->load_totals();
    if (!points) return points.error();
    totals_at_start_ = std::move(*points);
    auto care = file_->load_acknowledgements();
    if (!care) return care.error();
    care_at_start_ = std::move(*care);
    auto alerts = file_->load_alerts();
    if (!alerts) return alerts.error();
    alerts_at_start_ = std::move(*alerts);
    const auto counted = file_->load_gpu_hours();
    if (!counted) return counted.error();
    if (hours_) hours_->restore(*counted);
    next_row_ = *last_row + 1;
    began_ = env_.wall_now();
    has_clusters_ = !clusters->empty();
    for (auto& job : *jobs) {
        // One that had not changed for long was in view all the same.
        const bool was_in_view = !job.gone && *last && job.last_seen > (*last)->began;
        if (was_in_view) job.last_seen = std::max(job.last_seen, (*last)->until);
        if (hours_) hours_->resume(job);
        past_.restore(std::move(job));
    }
    past_.on_touched([this](job_record& r) { touch(r); });
    retain_at_ = env_.now();
    tasks_.spawn(run(lifetime_.token()));
    return {};
}

void memory::touch(job_record& r) {
    ++touched_;
    if (r.dirty) return;
    r.dirty = true;
    dirty_.push_back(&r);
    hurry();
}

// Something is to be written: at the end of the delay, which the first change began, or now if it is a lot.
void memory::hurry() {
    const bool first = waiting() == 1;
    if (first && !batch_) due_ = env_.now() + options_.delay();
    if (dirty_.size() == options_.max_batch() && backoff_ == kcontrol::duration::zero()) due_ = env_.now();
    if (first || dirty_.size() == options_.max_batch()) changed_.notify_all();
}

void memory::take(const std::vector<change>& changes) {
    for (const auto& c : changes) {
        if (!c.cluster) continue;
        const auto& view = *c.cluster;
        stored_cluster one;
        one.name = view.name;
        one.server = view.server;
        one.state = c.type == change_type::cluster_removed ? "left" : view.state;
        one.reason = view.reason;
        one.last_seen = env_.wall_now();
        ++touched_;
        if (clusters_.insert_or_assign(view.name, std::move(one)).second) hurry();
    }
}

void memory::take(const totals_point& point) {
    const bool is_one_more = points_.size() == 0;
    hours_due_ = true;
    points_.record(kcontrol::wall_time(std::chrono::seconds(point.time)), point.counts);
    ++touched_;
    if (is_one_more) hurry();
}

void memory::take(const acknowledgement& one, bool removed) {
    ++touched_;
    if (care_.insert_or_assign(acknowledgements::key_of(one), stored_acknowledgement{one, removed}).second) hurry();
}

void memory::take(const notices::kept_alert& one) {
    ++touched_;
    if (alerts_.insert_or_assign({one.receiver, one.what.thread}, one).second) hurry();
}

std::size_t memory::waiting() const {
    return dirty_.size() + forgotten_.size() + clusters_.size() + points_.size() + care_.size() + alerts_.size();
}

bool memory::has_work() const { return batch_ || run_due_ || waiting() > 0; }

void memory::make_batch() {
    auto next = std::make_shared<state_batch>();
    next->jobs.reserve(dirty_.size());
    for (auto* r : dirty_) {
        if (r->row == 0) r->row = next_row_++;
        next->jobs.push_back(stored(*r));
        r->dirty = false;
    }
    dirty_.clear();
    next->forgotten = std::exchange(forgotten_, {});
    for (auto& [name, cluster] : clusters_) next->clusters.push_back(std::move(cluster));
    clusters_.clear();
    for (auto& [job, one] : care_) next->acknowledgements.push_back(std::move(one));
    care_.clear();
    for (auto& [key, one] : alerts_) next->alerts.push_back(std::move(one));
    alerts_.clear();
    next->run = run_time{began_, env_.wall_now()};
    run_due_ = false;
    if (points_.size() > 0) {
        next->totals = points_.since(std::nullopt);
        const auto kept = std::min<kcontrol::duration>(options_.retain_for(), std::chrono::hours(24));
        next->totals_from = next->totals.back().time - std::chrono::ceil<std::chrono::seconds>(kept).count();
        points_.clear();
    }
    if (hours_ && (std::exchange(hours_due_, false) || stopped_)) {
        next->gpu_hours = hours_->take_changes(env_.wall_now());
    }
    batch_upto_ = touched_;
    batch_ = std::move(next);
}

awaitable<void> memory::write_once() {
    if (!batch_) make_batch();
    auto there = write_there(file_, batch_);
    const auto done = co_await asio::co_spawn(worker_, std::move(there), asio::use_awaitable);
    ++attempts_;
    if (done) {
        if (!status_.failure.empty()) log_.info("the state file is written again", {{"file", status_.path}});
        status_.failure.clear();
        ++status_.writes;
        status_.bytes = *done;
        saved_ = batch_upto_;
        batch_.reset();
        backoff_ = kcontrol::duration::zero();
        due_ = env_.now() + options_.delay();
        retain_by_size();
    } else {
        ++status_.failed_writes;
        if (status_.failure != done.error().message()) {
            log_.error("the state can't be written; it is kept in memory and tried again",
                       {{"error", done.error().message()}});
        }
        status_.failure = done.error().message();
        backoff_ = std::min(last_backoff, std::max(first_backoff, 2 * backoff_));
        due_ = env_.now() + backoff_;
    }
    written_.notify_all();
}

awaitable<void> memory::run(std::stop_token stop) {
    while (!stop.stop_requested()) {
        const auto now = env_.now();
        if (now >= retain_at_) retain_by_age();
        if (crowded_ && !has_work() && now >= crowded_until_) retain_by_size();
        if (has_work() && now >= due_) co_await write_once();
        if (stop.stop_requested()) break;
        auto next = retain_at_;
        if (has_work()) {
            next = std::min(next, due_);
        } else if (crowded_) {
            next = std::min(next, crowded_until_);
        }
        co_await changed_.wait(env_, stop, next);
    }
}

void memory::forget(std::vector<std::unique_ptr<job_record>> records) {
    for (const auto& r : records) {
        if (r->dirty) dirty_.erase(std::find(dirty_.begin(), dirty_.end(), r.get()));
        if (r->row == 0) continue;
        ++touched_;
        ++status_.forgotten;
        forgotten_.push_back(r->row);
    }
    if (!forgotten_.empty() && !batch_) due_ = env_.now();
}

void memory::retain_by_age() {
    retain_at_ = env_.now() + retain_period;
    run_due_ = env_.wall_now() > began_;  // also where nothing changes, the file says until when somebody looked
    auto old = past_.forget(env_.wall_now() - options_.retain_for(), forget_at_once);
    if (old.size() == forget_at_once) retain_at_ = env_.now() + options_.delay();  // there may be more
    forget(std::move(old));
}

void memory::retain_by_size() {
    if (status_.bytes <= options_.retain_size()) {
        crowded_ = false;
        return;
    }
    if (env_.now() < crowded_until_) return;
    auto old = past_.forget(env_.wall_now() + std::chrono::seconds(1), std::max<std::size_t>(1, past_.size() / 20),
                            history::forgettable::gone);
    if (old.empty()) crowded_until_ = env_.now() + crowded_pause;
    if (old.empty() && !std::exchange(crowded_, true)) {
        log_.warning("the state file is larger than --retain-size: all jobs in it are in view, none can be forgotten",
                     {{"file", status_.path}, {"bytes", std::to_string(status_.bytes)}});
    }
    forget(std::move(old));
}

awaitable<result<void>> memory::flush(std::stop_token stop) {
    const auto target = touched_;
    const auto first_attempt = attempts_;
    if (saved_ < target) {
        due_ = env_.now();
        changed_.notify_all();
    }
    while (saved_ < target) {
        if (stopped_) co_return kcontrol::error(kcontrol::errc::stopped, "the state file is closed");
        // A batch may be under way that does not hold all of it: then the one after it does.
        const auto woken = co_await written_.wait(env_, stop);
        if (woken == kcontrol::wake::stopped) co_return kcontrol::error(kcontrol::errc::stopped, "flush");
        if (saved_ >= target) break;
        if (attempts_ > first_attempt && !status_.failure.empty()) {
            co_return kcontrol::error(kcontrol::errc::file_failed, status_.failure);
        }
        due_ = env_.now();
        changed_.notify_all();
    }
    co_return result<void>();
}

awaitable<void> memory::stop() {
    if (std::exchange(stopped_, true)) co_return;
    lifetime_.stop();
    co_await tasks_.join();
    run_due_ = true;
    // A batch that failed before, then what gathered behind it.
    for (int i = 0; i < 2 && has_work(); ++i) {
        co_await write_once();
        if (!status_.failure.empty()) break;
    }
    if (touched_ > saved_) {
        log_.error("what changed last is not in the state file; it is learned again at the next start",
                   {{"file", status_.path}, {"changes", std::to_string(touched_ - saved_)}});
    }
    written_.notify_all();
}

memory_status memory::status() const {
    auto out = status_;
    out.waiting = touched_ - saved_;
    out.jobs = past_.size();
    return out;
}

}  // namespace training_monitor
