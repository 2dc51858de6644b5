#pragma once

#include <kcontrol/json/members.hpp>
#include <kcontrol/service/detail/cache_text.hpp>
#include <kcontrol/service/detail/private_file.hpp>
#include <kcontrol/service/impl/follow_loop.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::service::detail {

inline constexpr duration cache_period = std::chrono::seconds(1);
inline constexpr std::size_t most_cache_bytes = std::size_t{64} << 20;

inline std::string followed_objects::to_string() const {
    std::string out = info->plural;
    if (!info->gvk.group.empty()) out += "." + info->gvk.group;
    if (!name.empty()) out += " \"" + name + "\"";
    return out + " of namespace " + selection.in_namespace();
}

inline std::string followed_objects::rule() const {
    json::writer out;
    const auto list_of = [&](std::string_view key, std::initializer_list<std::string_view> values) {
        write_values(out, key, values);
    };
    out.begin_object();
    list_of("apiGroups", {info->gvk.group});
    list_of("resources", {info->plural});
    if (!name.empty()) list_of("resourceNames", {name});
    list_of("verbs", {"list", "watch"});
    out.end_object();
    return out.take();
}

inline error followed_objects::refused() const {
    return error(api_errc::forbidden, to_string() +
                                          " may not be listed and watched; a Role of that namespace, bound "
                                          "to this program's account, needs the rule " +
                                          rule());
}

inline std::optional<error> followed_feed::failure() const {
    const reflector_fsm& fsm = source.fsm();
    switch (fsm.state()) {
    case reflector_state::forbidden: return what.refused();
    case reflector_state::not_installed:
    case reflector_state::failed: return error(fsm.failure(), what.to_string() + ": " + fsm.reason());
    case reflector_state::idle:
    case reflector_state::listing:
    case reflector_state::live: break;
    }
    return std::nullopt;
}

inline void followed_feed::log_state(const logger& log, time_point now, std::string_view otherwise) {
    const reflector_state state = source.fsm().state();
    if (state == reflector_state::live) {
        const bool was_logged = failures_.reported();
        const auto entry = failures_.recovered(now);
        if (!entry || !was_logged) return;
        std::vector<log_field> fields{{"what", what.to_string()}};
        append_recovery_field(fields, *entry);
        log.info("followed again", std::move(fields));
        return;
    }
    const auto why = failure();
    if (!why) return;
    const auto entry = failures_.failed(why->code(), now);
    if (!entry) return;
    auto fields = failure_fields("reason", escape_control(why->message()), *entry);
    if (state == reflector_state::forbidden) fields.push_back({"rule", what.rule()});
    log.warning(otherwise, std::move(fields));
}

inline follow_loop::follow_loop(environment& env, executor ex, client cl, followed_objects what, duration stale_after,
                                std::string cache_file, logger log)
    : env_(env),
      ex_(std::move(ex)),
      log_(std::move(log)),
      calls_(std::make_shared<guarded_calls>(env, log_)),
      cl_(cl.live()),
      stale_after_(std::max<duration>(stale_after, std::chrono::seconds(1))),
      cache_file_(std::move(cache_file)),
      main_(env, ex_, std::move(what), *this),
      tasks_(env, ex_, log_),
      machine_(stale_after_) {
    add_feed(main_);
}

// --- what the reflector brings

inline void follow_loop::replace(listed_objects all) {
    for (const auto& one : all.invalid) mark_invalid(one);
    take_list(std::move(all.objects));
    machine_.listed(now());
    unsaved_ = true;
    wake();
}

inline void follow_loop::apply(any_object object) {
    take(object);
    wake();
}

inline void follow_loop::remove(any_object last) {
    drop(last.meta().name.str());
    wake();
}

inline void follow_loop::mark_invalid(invalid_object object) {
    log_.warning("an object can't be read: what was known of it stays until it is deleted",
                 {{"what", main_.what.to_string()},
                  {"name", escape_control(object.key().name)},
                  {"reason", escape_control(object.why.what())}});
}

inline void follow_loop::remove_invalid(const invalid_object& last) {
    drop(last.key().name);
    wake();
}

// The watch is open, and brought something, if only its own beginning. What it brought is published before the state
// becomes live.
inline bool follow_loop::ready() const {
    machine_.brought(now());
    auto& self = const_cast<follow_loop&>(*this);
    if (notified_ == freshness::live) {
        self.publish_facts();
    } else {
        self.wake();
    }
    return true;
}

inline void follow_loop::stepped() {
    main_.log_state(log_, env_.now(), "the value can't be followed: it stays as it is");
    if (main_.source.fsm().is_watching()) return;
    machine_.closed(now());
    publish_facts();
    wake();
}

// --- runs

inline void follow_loop::start(std::stop_token parent) {
    if (is_running()) return;
    if (!std::exchange(loaded_, true)) load_cache();
    const auto before = present_;
    present_ = std::make_shared<turn>(std::move(parent));
    tasks_.spawn(run(shared_from_this(), present_, before));
}

inline awaitable<void> follow_loop::stop(std::shared_ptr<follow_loop> self) {
    const auto mine = self->present_;
    if (!mine) co_return;
    mine->lifetime.stop();
    while (!mine->ended) co_await self->finished_.wait(self->env_, {});
}

inline void follow_loop::abandon() {
    abandoned_ = true;
    if (present_) present_->lifetime.stop();
}

inline awaitable<void> follow_loop::run(std::shared_ptr<follow_loop> self, std::shared_ptr<turn> mine,
                                        std::shared_ptr<turn> before) {
    while (before && !before->ended) co_await self->finished_.wait(self->env_, {});
    const std::stop_token stop = mine->lifetime.token();
    self->machine_.started(self->now());
    mine->tasks = 1 + self->feeds_.size();
    for (followed_feed* const feed : self->feeds_) self->tasks_.spawn(mirror(self, mine, feed));
    self->tasks_.spawn(alarm(self, mine));
    while (!stop.stop_requested()) {
        mine->due = self->attend(mine);
        if (mine->due < mine->armed) mine->is_due_earlier.notify_all();
        if (stop.stop_requested()) break;
        co_await self->changed_.wait(self->env_, stop);
    }
    while (mine->tasks != 0) co_await self->finished_.wait(self->env_, {});
    self->machine_.closed(self->now());
    self->publish_facts();
    self->save_cache();
    mine->ended = true;
    self->finished_.notify_all();
    self->advanced_.notify_all();
}

inline awaitable<void> follow_loop::mirror(std::shared_ptr<follow_loop> self, std::shared_ptr<turn> mine,
                                           followed_feed* feed) {
    while (!mine->lifetime.stopped()) {
        const std::stop_token stop = mine->mirroring.token();
        co_await feed->source.run(self->cl_, stop);
    }
    self->end_task(*mine);
}

// Wakes the run when it is due. With each event of an open watch that time moves on: a timer that was early looks
// again, which costs less than a timer for each event. Timers do not count suspension, and are late after it; state()
// does not need them.
inline awaitable<void> follow_loop::alarm(std::shared_ptr<follow_loop> self, std::shared_ptr<turn> mine) {
    const std::stop_token stop = mine->lifetime.token();
    while (!stop.stop_requested()) {
        mine->armed = mine->due;
        if (mine->armed == time_point::max()) {
            co_await mine->is_due_earlier.wait(self->env_, stop);
        } else {
            co_await mine->is_due_earlier.wait(self->env_, stop, self->env_.now() + (mine->armed - self->now()));
        }
        if (self->now() < mine->due) continue;
        mine->due = time_point::max();
        self->wake();
    }
    self->end_task(*mine);
}

inline void follow_loop::end_task(turn& mine) {
    --mine.tasks;
    finished_.notify_all();
}

// A list that selects nothing, from the server's cache: it needs no right that the watch does not need.
inline awaitable<void> follow_loop::ask(std::shared_ptr<follow_loop> self, std::shared_ptr<turn> mine, duration limit) {
    const followed_objects& what = self->main_.what;
    const std::string name = what.name.empty() ? "kcontrol-sign-of-life" : what.name;
    list_options options;
    options.in_namespace(what.selection.in_namespace())
        .label_selector(what.selection.label_selector())
        .field_selector("metadata.name=" + name)
        .resource_version("0")
        .limit(1)
        .deadline(limit)
        .stop(mine->lifetime.token());
    client to = self->cl_;
    const auto page = co_await to.list_page(*what.info, options);
    if (mine->lifetime.stopped()) co_return;
    sign_reply how = sign_reply::answered;
    if (!page) {
        const api_status* const status = page.error().status();
        how = status != nullptr && status->code < 500 ? sign_reply::refused : sign_reply::none;
    }
    self->machine_.replied(how, self->now(), random_unit(self->env_));
    self->wake();
}

// Acts on what has happened. When to look again, if nothing happens.
inline time_point follow_loop::attend(const std::shared_ptr<turn>& mine) {
    const freshness_step step = machine_.next(now());
    if (step.resume) {
        log_.debug("the watch is resumed: the server gave a sign of life after it gave none");
        mine->mirroring.rebuild();
    }
    if (step.ask) tasks_.spawn(ask(shared_from_this(), mine, step.limit));
    const bool published_now = publish();
    publish_facts();
    notify(std::exchange(from_cache_, false) || published_now);
    time_point until = step.until;
    if (const auto next = due()) until = std::min(until, *next);
    if (cache_file_.empty() || !unsaved_) return until;
    if (now() >= save_at_) save_cache();
    return unsaved_ ? std::min(until, save_at_) : until;
}

inline std::optional<error> follow_loop::present_problem() const {
    if (!machine_.facts().watched) {
        if (auto why = main_.failure()) return why;
    }
    return content_problem();
}

// Texts of failures may change from try to try; those about the target list what can be chosen.
inline bool is_same_problem(const std::optional<error>& a, const std::optional<error>& b) {
    if (!a || !b) return a.has_value() == b.has_value();
    return a->code() == b->code() && (*a != errc::invalid_argument || a->message() == b->message());
}

inline void follow_loop::notify(bool value_changed) {
    const freshness now_is = state();
    auto wrong = present_problem();
    if (value_changed) unsaved_ = true;
    const bool same = now_is == notified_ && is_same_problem(wrong, problem());
    if (same && !value_changed) return;
    if (now_is != notified_) {
        if (now_is == freshness::stale) {
            log_.warning("stale: the server gave no sign of life", {{"version", std::to_string(version())}});
        } else if (now_is == freshness::live) {
            log_.info("live", {{"version", std::to_string(version())}});
        }
    }
    notified_ = now_is;
    {
        const std::lock_guard lock(problem_mutex_);
        problem_ = wrong;
    }
    advanced_.notify_all();
    if (!abandoned_) call_back(value_changed, now_is, wrong);
}

// --- for any thread

// A value that is held back is not what the server confirmed.
inline void follow_loop::publish_facts() {
    const freshness_facts& now_are = machine_.facts();
    const auto count = [](const std::optional<time_point>& at) { return at ? at->time_since_epoch().count() : never; };
    const bool valid = !is_held_back();
    if (valid) sign_.store(count(now_are.sign), std::memory_order_relaxed);
    watched_.store(valid && now_are.watched, std::memory_order_release);
    saved_.store(count(now_are.saved), std::memory_order_relaxed);
}

inline freshness_facts follow_loop::facts() const {
    const auto at = [](std::int64_t count) {
        return count == never ? std::optional<time_point>() : time_point(duration(count));
    };
    freshness_facts out;
    out.watched = watched_.load(std::memory_order_acquire);
    out.sign = at(sign_.load(std::memory_order_relaxed));
    out.saved = at(saved_.load(std::memory_order_relaxed));
    return out;
}

inline std::optional<error> follow_loop::problem() const {
    const std::lock_guard lock(problem_mutex_);
    return problem_;
}

// --- waits

inline error follow_wait_error(wake why, const std::string& what, const std::optional<error>& problem) {
    if (why == wake::stopped) return error(errc::stopped, what + ": the wait was stopped");
    return error(errc::timeout, what + ": the time is up" + (problem ? "; " + problem->message() : std::string()));
}

inline awaitable<result<void>> follow_loop::wait(std::shared_ptr<follow_loop> self, std::uint64_t after,
                                                 std::stop_token stop, std::optional<time_point> deadline) {
    while (self->version() <= after) {
        if (!self->is_running()) co_return error(errc::unavailable, self->subject() + ": it is not followed");
        const kcontrol::wake why = co_await self->advanced_.wait(self->env_, stop, deadline);
        if (why == kcontrol::wake::notified || self->version() > after) continue;
        co_return follow_wait_error(why, self->subject(), self->problem());
    }
    co_return result<void>();
}

inline awaitable<result<void>> follow_loop::wait_live(std::shared_ptr<follow_loop> self, std::stop_token stop,
                                                      std::optional<time_point> deadline) {
    while (self->state() != freshness::live || self->version() == 0) {
        if (!self->is_running()) co_return error(errc::unavailable, self->subject() + ": it is not followed");
        const kcontrol::wake why = co_await self->advanced_.wait(self->env_, stop, deadline);
        if (why == kcontrol::wake::notified || self->state() == freshness::live) continue;
        co_return follow_wait_error(why, self->subject(), self->problem());
    }
    co_return result<void>();
}

// --- the cache file

inline void follow_loop::load_cache() {
    if (cache_file_.empty()) return;
    const auto ignore = [&](const error& why) {
        log_.warning("the cache file is ignored", {{"file", cache_file_}, {"reason", escape_control(why.what())}});
    };
    const auto text = read_private_file(cache_file_, most_cache_bytes);
    if (!text) return ignore(text.error());
    if (!*text) return;
    const auto read = cache_text::parse(**text, subject());
    if (!read) return ignore(read.error());
    const auto taken = from_cache(read->value);
    if (!taken) return ignore(taken.error());
    const duration old = std::max<duration>(env_.wall_now() - read->confirmed, duration::zero());
    machine_.loaded(now() - old);
    from_cache_ = publish();
    publish_facts();
}

// Only what the server confirmed: a file that is not confirmed stays as it is.
inline void follow_loop::save_cache() {
    save_at_ = now() + cache_period;
    unsaved_ = false;
    if (cache_file_.empty() || !machine_.facts().sign || is_held_back()) return;
    cache_text out;
    out.subject = subject();
    out.confirmed = env_.wall_now() - machine_.facts().age(now());
    out.value = to_cache();
    const auto done = replace_private_file(cache_file_, out.to_json());
    const bool failed_before = std::exchange(save_failed_, !done);
    if (!done && !failed_before) log_.warning("the cache file can't be written", {{"reason", done.error().what()}});
}

}  // namespace kcontrol::service::detail
