#pragma once

#include <kcontrol/base/thrown.hpp>
#include <kcontrol/cache/detail/handler_lane.hpp>
#include <kcontrol/cache/detail/shared_watch.hpp>

#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace kcontrol::inline v0_1::detail {

// What failed in a way that nobody foresaw is tried again after this.
inline constexpr duration unforeseen_pause = std::chrono::seconds(1);

KCONTROL_DECL shared_watch::shared_watch(environment& env, executor ex, client cl, const resource_info& first,
                                         informer_options options)
    : env_(env),
      ex_(std::move(ex)),
      client_(std::move(cl)),
      options_(std::move(options)),
      log_(options_.log().with("kind", first.gvk.kind)),
      source_(env_, ex_, first, options_.reflector(), *this),
      tasks_(env_, ex_, log_) {}

// --- the turns

KCONTROL_DECL void shared_watch::join(const std::shared_ptr<watch_view>& view) {
    auto own = seat_of(*view);
    if (!own) own = seats_.emplace_back(std::make_shared<seat>(view));
    if (!term_ || term_->stopped()) term_ = std::make_unique<scope>();
    if (!running_) {
        running_ = true;
        // Not before those that start together have all joined.
        boost::asio::post(ex_, [self = shared_from_this()] { self->tasks_.spawn(run(self)); });
        return;
    }
    const bool filled = own->part && own->complete;
    if (in_turn_ && !filled) term_->rebuild();
}

KCONTROL_DECL void shared_watch::left() {
    if (!term_) return;
    if (!is_wanted()) {
        term_->stop();
    } else if (in_turn_ && !reads_metadata_only_ && only_metadata_wanted()) {
        term_->rebuild();
    }
}

KCONTROL_DECL awaitable<bool> shared_watch::drained(std::optional<time_point> deadline) {
    const auto self = shared_from_this();
    if (self->is_wanted()) co_return true;
    const std::uint64_t mine = self->turns_;
    while (self->in_turn_ && self->turns_ == mine) {
        const wake reason = co_await self->turn_ended_.wait(self->env_, {}, deadline);
        if (reason == wake::timeout) co_return false;
    }
    co_return true;
}

KCONTROL_DECL void shared_watch::rebuild(client next, resume_mode mode) {
    client_ = std::move(next);
    if (mode == resume_mode::relist) source_.forget_version();
    if (!is_wanted()) return;
    for (const auto& one : seats_) {
        if (const auto view = one->wanting()) view->begin_generation();
    }
    if (!term_->stopped()) term_->rebuild();
}

inline awaitable<void> shared_watch::run(std::shared_ptr<shared_watch> self) {
    while (!self->term_->stopped() && self->begin_turn()) {
        const std::stop_token turn = self->turn_;
        client with = self->client_;
        bool failed = false;
        try {
            co_await self->source_.run(std::move(with), turn);
        } catch (...) {
            failed = true;
            self->log_.error("a watch ended unforeseen and is begun anew", {{"error", describe_thrown()}});
        }
        if (failed) {
            self->source_.list_at_start();
            co_await sleep_for(self->env_, unforeseen_pause, turn);
        }
        self->in_turn_ = false;
        ++self->turns_;
        self->turn_ended_.notify_all();
    }
    self->running_ = false;
    self->stepped();
}

// Whether anybody reads: a token of an informer's parent may be triggered on another thread at any time.
KCONTROL_DECL bool shared_watch::begin_turn() {
    std::erase_if(seats_, [](const auto& one) { return one->view.expired(); });
    std::vector<const resource_info*> readers;
    bool complete = true;
    for (const auto& one : seats_) {
        const auto view = one->wanting();
        one->part.reset();
        if (!view) continue;
        one->part = readers.size();
        readers.push_back(&view->reads());
        complete = complete && one->complete;
    }
    if (readers.empty()) return false;
    reads_metadata_only_ = only_metadata_wanted();
    joint_ = readers.size() > 1 ? std::make_unique<joint_kind>(readers) : nullptr;
    source_.read_as(joint_ ? *joint_ : *readers.front());
    if (!complete) source_.list_at_start();
    turn_ = term_->token();
    return in_turn_ = true;
}

KCONTROL_DECL bool shared_watch::is_wanted() const {
    return std::any_of(seats_.begin(), seats_.end(), [](const auto& one) { return one->wanting() != nullptr; });
}

KCONTROL_DECL bool shared_watch::only_metadata_wanted() const {
    return std::all_of(seats_.begin(), seats_.end(), [](const auto& one) {
        const auto view = one->wanting();
        return !view || view->reads().metadata_only;
    });
}

KCONTROL_DECL std::shared_ptr<shared_watch::seat> shared_watch::seat_of(const watch_view& view) const {
    const auto found =
        std::find_if(seats_.begin(), seats_.end(), [&](const auto& one) { return one->view.lock().get() == &view; });
    return found == seats_.end() ? nullptr : *found;
}

KCONTROL_DECL bool shared_watch::is_filling(const watch_view& view) const {
    if (!in_turn_ || turn_.stop_requested()) return false;
    const auto own = seat_of(view);
    return own && own->part;
}

KCONTROL_DECL bool shared_watch::has_filled(const watch_view& view) const {
    const auto own = seat_of(view);
    return own && own->complete;
}

// --- what the reflector brings

// A handler may add views and stop some meanwhile. Seats are taken away between two turns only.
template <class Fill>
void shared_watch::fill(Fill fill) {
    last_event_ = env_.wall_now();
    logged_.clear();
    for (std::size_t i = 0; i < seats_.size(); ++i) {
        const auto one = seats_[i];
        const auto view = one->part ? one->wanting() : nullptr;
        if (view) {
            fill(*view, *one);
        } else {
            one->complete = false;
        }
    }
}

// Gives each view its part of an object, or what is wrong with it.
KCONTROL_DECL void shared_watch::fill_parts(const any_object& object, bool deleted) {
    fill([&](watch_view& view, const seat& one) {
        if (!joint_) return view.take(object, deleted);
        const auto& mine = object.get<joint_object>().parts[*one.part];
        if (mine) return view.take(*mine, deleted);
        view.take_invalid(invalid_object(object.meta(), mine.error()), deleted);
    });
}

KCONTROL_DECL void shared_watch::fill_invalid(const invalid_object& object, bool deleted) {
    fill([&](watch_view& view, const seat&) { view.take_invalid(object, deleted); });
}

KCONTROL_DECL void shared_watch::replace(listed_objects all) {
    std::vector<listed_objects> parts;
    if (!joint_) {
        parts.push_back(std::move(all));
    } else {
        const auto objects = std::exchange(all.objects, {});
        parts.assign(seats_.size(), all);
        for (const auto& object : objects) {
            const auto& of_each = object.get<joint_object>().parts;
            for (std::size_t i = 0; i < of_each.size(); ++i) {
                if (of_each[i]) {
                    parts[i].objects.push_back(*of_each[i]);
                } else {
                    parts[i].invalid.emplace_back(object.meta(), of_each[i].error());
                }
            }
        }
    }
    fill([&](watch_view& view, seat& one) {
        one.complete = true;
        view.replace(std::move(parts[*one.part]));
    });
}

KCONTROL_DECL any_object shared_watch::held(const any_object& listed) const {
    auto parts = joint_ ? listed.get<joint_object>().parts : std::vector<result<any_object>>{listed};
    bool any = false;
    for (const auto& one : seats_) {
        const auto view = one->part ? one->view.lock() : nullptr;
        if (!view || !parts[*one->part]) continue;
        any_object mine = view->held(*parts[*one->part]);
        if (!mine) continue;
        parts[*one->part] = std::move(mine);
        any = true;
    }
    if (!any) return {};
    return joint_ ? *join_parts(std::move(parts)) : *parts.front();
}

KCONTROL_DECL void shared_watch::stepped() {
    if (in_turn_ && source_.fsm().state() == reflector_state::live) last_event_ = env_.wall_now();
    if (source_.fsm().stream_refusal() != logged_refusal_) log_streaming();
    bool logged = false;
    for (std::size_t i = 0; i < seats_.size(); ++i) {
        const auto view = seats_[i]->view.lock();
        if (!view) continue;
        const informer_status* const changed = view->refresh();
        if (view->wants() && !std::exchange(logged, true) && changed) write_log(*changed);
        if (changed) view->notify();
    }
}

// --- handlers that are behind

KCONTROL_DECL std::shared_ptr<const handler_lane> shared_watch::full_lane() const {
    for (const auto& one : seats_) {
        const auto view = one->part ? one->wanting() : nullptr;
        if (auto lane = view ? view->full_lane() : nullptr) return lane;
    }
    return nullptr;
}

KCONTROL_DECL awaitable<void> shared_watch::wait_ready(std::stop_token stop) {
    while (!stop.stop_requested()) {
        const auto lane = full_lane();
        if (!lane) break;
        report_waiting(*lane);
        // The deadline lets a context that ends take this along.
        co_await room_.wait(env_, stop, env_.now() + std::chrono::minutes(1));
    }
    waits_for_.clear();
    stepped();
}

KCONTROL_DECL void shared_watch::report_waiting(const handler_lane& lane) {
    const std::string pending = std::to_string(lane.lag().pending);
    const std::string who = lane.name().empty() ? "a handler" : "the handler " + lane.name();
    const bool begins = waits_for_.empty();
    waits_for_ = "the watch waits for " + who + ", which has " + pending + " events yet to be told";
    stepped();
    if (!begins) return;
    const auto times = waits_logged_.count(env_.now());
    if (!times) return;
    std::vector<log_field> fields{{"handler", lane.name()}, {"pending", pending}};
    if (*times > 1) fields.push_back({"times", std::to_string(*times)});
    log_.warning("the watch waits for a handler that wants every version", std::move(fields));
}

// --- the log

KCONTROL_DECL void shared_watch::log_invalid(const invalid_object& object) {
    if (!logged_.insert(object.describe() + "\n" + object.metadata.resource_version.str() + "\n" + object.why.what())
             .second)
        return;
    log_.warning(
        "an object can't be decoded; what was known of it stays",
        {{"object", object.describe()}, {"version", object.metadata.resource_version}, {"error", object.why.what()}});
}

// No failure: a list is as good, but for the server's memory.
KCONTROL_DECL void shared_watch::log_streaming() {
    logged_refusal_ = source_.fsm().stream_refusal();
    if (logged_refusal_.empty()) return;
    log_.info("lists are not streamed any more, but asked for in pages", {{"reason", logged_refusal_}});
}

inline bool is_failed_state(informer_state state) {
    return state == informer_state::failed || state == informer_state::forbidden ||
           state == informer_state::not_installed;
}

KCONTROL_DECL void shared_watch::write_log(const informer_status& now) {
    const std::uint64_t changes = now.server_changes + now.rollbacks;
    if (changes > std::exchange(logged_changes_, changes)) {
        log_.warning("everything is listed anew and compared by content", {{"reason", now.reason}});
    }
    // Until it has listed again, and while it is stopped, what was logged holds.
    const std::string message = "the informer is " + std::string(to_string(now.state));
    if (now.state == informer_state::live) {
        const auto entry = journal_.recovered(env_.now());
        if (!entry) return;
        std::vector<log_field> fields{{"objects", std::to_string(now.objects)}};
        append_recovery_field(fields, *entry);
        log_.info(message, std::move(fields));
    } else if (is_failed_state(now.state)) {
        const auto entry = journal_.failed({now.state, now.failure}, env_.now());
        if (entry) log_.warning(message, failure_fields("reason", now.reason, *entry));
    }
}

}  // namespace kcontrol::detail
