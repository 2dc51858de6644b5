#pragma once

#include <kcontrol/codec/release_workspace.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/watch/impl/memory_reserve.hpp>
#include <kcontrol/watch/reflector.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <new>
#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

// Every object of a server has both; without them it can't be told from others.
inline std::optional<error> lacks_identity(const object_meta& meta) {
    if (meta.name.empty()) return error(errc::decode_failed, "metadata.name: missing");
    if (meta.uid.empty()) return error(errc::decode_failed, "metadata.uid: missing");
    return std::nullopt;
}

// Neither name nor uid says which object is gone.
inline bool deletes_nobody(const watch_event& event) {
    return event.type == watch_event_type::deleted && event.invalid != nullptr && !event.invalid->has_name() &&
           event.invalid->metadata.uid.empty();
}

// A server ends a watch at its time; one that has not by then is not there.
inline constexpr duration watch_grace = std::chrono::seconds(5);

inline bool is_of_list(reflector_step step) {
    return step == reflector_step::list || step == reflector_step::stream || step == reflector_step::receive ||
           step == reflector_step::replace || step == reflector_step::clear;
}

// Those in which an open watch, or the streamed list that becomes one, stays open.
inline bool keeps_watch(reflector_step step) {
    return step == reflector_step::read || step == reflector_step::probe || step == reflector_step::receive ||
           step == reflector_step::replace;
}

inline error stream_ended() {
    return error(errc::truncated, "the server ended a streamed list before all objects had come");
}

inline error no_memory(const resource_info& info) {
    return error(errc::out_of_memory, "there is no memory for the objects of kind " + info.gvk.kind +
                                          "; give the process more, or select fewer objects or fields");
}

inline awaitable<reflector_action> at_once(reflector_action next) { co_return next; }

inline awaitable<reflector_action> probed(awaitable<result<std::string>> asked, reflector_action step,
                                          std::stop_token stop, reflector_fsm& fsm, const environment& env) {
    const auto version = co_await std::move(asked);
    if (stop.stop_requested()) co_return step;
    co_return fsm.on_probe(version, env.now());
}

inline awaitable<reflector_action> slept(awaitable<wake> asleep, reflector_action step, std::stop_token stop,
                                         reflector_fsm& fsm, const environment& env) {
    static_cast<void>(co_await std::move(asleep));
    if (stop.stop_requested()) co_return step;
    co_return fsm.on_timer(env.now());
}

}  // namespace detail

KCONTROL_DECL reflector::reflector(environment& env, executor ex, const resource_info& info, reflector_options options,
                                   reflector_sink& sink)
    : env_(&env),
      info_(&info),
      options_(std::move(options)),
      sink_(&sink),
      fsm_(options_.policy()),
      guards_(env, std::move(ex)) {}

// After every wait the stop token is checked before the sink is called, so that an ended run changes nothing.
//
// Where there is no memory, everything that the next step does not need is let go before that begins, for even to wait
// takes some; else the same would follow at once, for ever, and nobody else on this thread would get on.
KCONTROL_DECL awaitable<void> reflector::run(client cl, std::stop_token stop) {
    cl = cl.live();  // what fills a cache does not read from one
    forget_list();
    failed_at_ = env_->now();
    detail::memory_reserve::refill();
    reflector_action next = fsm_.start(env_->now());
    while (!stop.stop_requested()) {
        bool exhausted = false;
        try {
            sink_->stepped();
            if (!detail::keeps_watch(next.step)) co_await close_watch();
            if (stop.stop_requested()) break;
            next = co_await take_step(cl, next, stop);
            detail::memory_reserve::refill();
        } catch (const std::bad_alloc&) {
            exhausted = true;
        }
        if (!exhausted || stop.stop_requested()) continue;
        forget_list();
        stream_.reset();
        detail::memory_reserve::release();
        const error why = detail::no_memory(*info_);
        next = detail::is_of_list(next.step) ? fsm_.on_list_failed(why, env_->now(), unit())
                                             : fsm_.on_watch_broken(why, env_->now(), unit());
    }
    co_await close_watch();
    forget_list();
}

KCONTROL_DECL void reflector::forget_list() {
    listed_ = {};
    initial_ = {};
}

// No coroutine: a frame with room for each of these steps would be 4 KiB, for every event and while a watch is quiet.
KCONTROL_DECL awaitable<reflector_action> reflector::take_step(client& cl, reflector_action step,
                                                               std::stop_token stop) {
    switch (step.step) {
    case reflector_step::identify: return identify(cl, std::move(stop));
    case reflector_step::list: return list(cl, std::move(step), std::move(stop));
    case reflector_step::replace: return detail::at_once(replace(step.by_content));
    case reflector_step::stream:
    case reflector_step::watch: return watch(cl, std::move(step), std::move(stop));
    case reflector_step::receive: return receive(std::move(stop));
    case reflector_step::read: return read(cl, std::move(stop));
    case reflector_step::probe: {
        auto version = consistent_version(cl, stop);
        return detail::probed(std::move(version), std::move(step), std::move(stop), fsm_, *env_);
    }
    case reflector_step::sleep: {
        failed_at_ = env_->now();
        auto slept = hurry_.wait(*env_, stop, env_->now() + step.delay);
        return detail::slept(std::move(slept), std::move(step), std::move(stop), fsm_, *env_);
    }
    case reflector_step::clear:
        list_bytes_ = 0;
        sink_->replace({});
        break;
    }
    return detail::at_once(fsm_.on_cleared());
}

KCONTROL_DECL awaitable<reflector_action> reflector::identify(client& cl, std::stop_token stop) {
    const auto who = co_await cl.identify(failed_at_, stop);
    if (stop.stop_requested()) co_return reflector_action::identify();
    co_return fsm_.on_identity(who, env_->now(), unit());
}

KCONTROL_DECL awaitable<reflector_action> reflector::list(client& cl, reflector_action step, std::stop_token stop) {
    if (step.continue_token.empty()) {
        forget_list();
        meter_.emplace(options_.policy().bounds(), env_->now());
        page_bytes_ = 0;
    }
    list_options options;
    options.in_namespace(options_.in_namespace())
        .label_selector(options_.label_selector())
        .field_selector(options_.field_selector())
        .shard_selector(options_.shard_selector())
        .resource_version(step.resource_version)
        .continue_token(step.continue_token)
        .limit(step.limit)
        .max_items(options_.policy().bounds().max_items())
        .pool(pool_)
        .reuse([this](const any_object& listed, std::string_view version) {
            return !version.empty() && fsm_.is_of_known_history(version) ? sink_->held(listed) : any_object();
        })
        .stop(stop);
    // A page is half as large after too_large, so the bound of the list is the meter's; one that was raised counts
    // here.
    options.max_body(
        std::max<std::uint64_t>(std::as_const(options).max_body(), options_.policy().bounds().max_bytes()));
    ++lists_;
    auto page = co_await cl.list_page(*info_, options);
    if (stop.stop_requested()) co_return step;
    if (!page) co_return fsm_.on_list_failed(page.error(), env_->now(), unit());
    co_return take_page(std::move(*page));
}

KCONTROL_DECL reflector_action reflector::take_page(any_list page) {
    if (const auto over = meter_->add(page, env_->now())) {
        forget_list();
        return fsm_.on_list_failed(*over, env_->now(), unit());
    }
    page_bytes_ += page.bytes;
    listed_.objects.reserve(listed_.objects.size() + page.items.size());
    for (auto& object : page.items) {
        if (auto lacks = detail::lacks_identity(object.meta())) {
            listed_.invalid.emplace_back(object.meta(), std::move(*lacks));
        } else {
            listed_.objects.push_back(std::move(object));
        }
    }
    listed_.invalid.insert(listed_.invalid.end(), std::make_move_iterator(page.invalid.begin()),
                           std::make_move_iterator(page.invalid.end()));
    return fsm_.on_page(page.resource_version, page.continue_token, env_->now());
}

KCONTROL_DECL reflector_action reflector::replace(bool by_content) {
    listed_.by_content = by_content;
    listed_.version = fsm_.list_version();
    list_bytes_ = page_bytes_;
    sink_->replace(std::exchange(listed_, {}));
    release_workspace(*pool_);  // and now for the quiet part
    return fsm_.on_replaced(env_->now());
}

// Opens a watch, or a streamed list, which becomes one.
KCONTROL_DECL awaitable<reflector_action> reflector::watch(client& cl, reflector_action step, std::stop_token stop) {
    const bool streams = step.step == reflector_step::stream;
    const auto spread = options_.watch_timeout_max() - options_.watch_timeout_min();
    const auto extra = std::chrono::seconds(static_cast<std::int64_t>(static_cast<double>(spread.count()) * unit()));
    const auto asked = options_.watch_timeout_min() + extra;
    watch_options options;
    options.in_namespace(options_.in_namespace())
        .label_selector(options_.label_selector())
        .field_selector(options_.field_selector())
        .shard_selector(options_.shard_selector())
        .resource_version(step.resource_version)
        .initial_events(streams)
        .timeout(asked)
        .grace(detail::watch_grace)
        .idle(bookmarks_.patience(options_.watch_idle()))
        .pool(pool_)
        .stop(stop);
    if (streams) {
        forget_list();
        meter_.emplace(options_.policy().bounds(), env_->now());
    }
    ++(streams ? lists_ : watches_);
    auto opened = co_await cl.watch(*info_, options);
    if (stop.stop_requested()) co_return step;
    if (!opened && streams) co_return fsm_.on_stream_refused(opened.error(), env_->now(), unit());
    if (!opened) co_return fsm_.on_watch_refused(opened.error(), env_->now(), unit());
    stream_ = std::move(*opened);
    watching_ = std::make_unique<scope>(stop);
    bookmarks_.opened();
    behind_ = false;
    if (streams) co_return fsm_.on_stream_open(env_->now(), asked);
    co_return fsm_.on_watch_open(env_->now(), asked);
}

// Takes all objects in one step, for a look at the state after each is dear. Handlers that are behind do not matter
// here: a list is told whole.
KCONTROL_DECL awaitable<reflector_action> reflector::receive(std::stop_token stop) {
    stream_->give_up_at(fsm_.stream_due());
    for (;;) {
        auto event = co_await stream_->next(watching_->token());
        if (stop.stop_requested()) co_return reflector_action::receive();
        std::optional<reflector_action> next;
        if (event) {
            next = take_initial(std::move(*event));
        } else {
            next = fsm_.on_stream_broken(event.error(), env_->now(), unit());
        }
        if (!next) continue;
        if (next->step == reflector_step::replace) {
            stream_->give_up_at(std::nullopt);
        } else {
            failed_at_ = env_->now();
            forget_list();
        }
        co_return std::move(*next);
    }
}

// What to do in place of reading on.
KCONTROL_DECL std::optional<reflector_action> reflector::take_initial(watch_event event) {
    const time_point now = env_->now();
    switch (event.type) {
    case watch_event_type::error: return fsm_.on_stream_refused(event.failure, now, unit());
    case watch_event_type::end: return fsm_.on_stream_broken(detail::stream_ended(), now, unit());
    case watch_event_type::bookmark: {
        if (!event.ends_initial) return fsm_.on_stream_unmarked(now);
        auto next = fsm_.on_streamed(event.resource_version, now);
        if (next.step == reflector_step::replace) {
            ++watches_;
            listed_ = initial_.take();
            page_bytes_ = stream_->received();
        }
        return next;
    }
    case watch_event_type::added:
    case watch_event_type::modified:
    case watch_event_type::deleted: break;
    }
    auto wrong = take_initial_object(event);
    if (!wrong) wrong = meter_->add_streamed(stream_->received(), now);
    if (wrong) return fsm_.on_stream_broken(*wrong, now, unit());
    return std::nullopt;
}

KCONTROL_DECL std::optional<error> reflector::take_initial_object(watch_event& event) {
    const bool deleted = event.type == watch_event_type::deleted;
    if (detail::deletes_nobody(event)) return event.invalid->why;
    if (event.invalid != nullptr) {
        deleted ? initial_.deleted(event.invalid->key()) : initial_.invalid(*event.invalid);
    } else if (deleted) {
        initial_.deleted(event.object.key());
    } else if (auto lacks = detail::lacks_identity(event.object.meta())) {
        initial_.invalid(invalid_object(event.object.meta(), std::move(*lacks)));
    } else if (event.type == watch_event_type::added) {
        any_object held = fsm_.is_of_known_history({}) ? sink_->held(event.object) : any_object();
        initial_.added(held ? std::move(held) : std::move(event.object));
    } else {
        initial_.modified(std::move(event.object));
    }
    return std::nullopt;
}

KCONTROL_DECL awaitable<reflector_action> reflector::read(client& cl, std::stop_token stop) {
    if (fsm_.due() && guards_.running() == 0) guards_.spawn(guard(cl, watching_->token()));
    if (!sink_->ready()) {
        co_await sink_->wait_ready(watching_->token());
        stream_->resume_reading();
        behind_ = true;
    }
    const time_point asked = env_->now();
    auto event = co_await stream_->next(watching_->token());
    if (env_->now() - asked >= std::chrono::seconds(1)) behind_ = false;
    if (stop.stop_requested()) co_return reflector_action::read();
    if (instead_) co_return *std::exchange(instead_, std::nullopt);
    if (event) co_return take(std::move(*event));
    failed_at_ = env_->now();
    co_return fsm_.on_watch_broken(event.error(), env_->now(), unit());
}

// Looks at the open watch when it is due: silence ends no read.
KCONTROL_DECL awaitable<void> reflector::guard(client cl, std::stop_token stop) {
    while (fsm_.due()) {
        co_await sleep_until(*env_, *fsm_.due(), stop);
        if (stop.stop_requested()) co_return;
        reflector_action next = fsm_.on_due(env_->now());
        if (next.step == reflector_step::probe) {
            const auto version = co_await consistent_version(cl, stop);
            if (stop.stop_requested()) co_return;
            next = fsm_.on_probe(version, env_->now());
        }
        if (next.step != reflector_step::read) {
            instead_ = std::move(next);
            watching_->stop();
            co_return;
        }
        sink_->stepped();
    }
}

KCONTROL_DECL awaitable<void> reflector::close_watch() {
    if (watching_) watching_->stop();
    co_await guards_.join();
    watching_.reset();
    stream_.reset();
    instead_.reset();
}

// Only a list without a version is answered from the store itself.
KCONTROL_DECL awaitable<result<std::string>> reflector::consistent_version(client& cl, std::stop_token stop) {
    list_options options;
    options.in_namespace(options_.in_namespace()).limit(1).pool(pool_).stop(std::move(stop));
    auto page = co_await cl.list_page(*info_, options);
    if (!page) co_return page.error();
    co_return std::move(page->resource_version);
}

KCONTROL_DECL reflector_action reflector::take(watch_event event) {
    switch (event.type) {
    case watch_event_type::bookmark:
        behind_ ? bookmarks_.opened() : bookmarks_.bookmark(env_->now());
        stream_->idle(bookmarks_.patience(options_.watch_idle()));
        break;
    case watch_event_type::error:
        failed_at_ = env_->now();
        return fsm_.on_error_event(event.failure, env_->now(), unit());
    case watch_event_type::end: failed_at_ = env_->now(); return fsm_.on_watch_end(env_->now(), unit());
    case watch_event_type::added:
    case watch_event_type::modified:
    case watch_event_type::deleted:
        if (fsm_.is_news(event.resource_version)) take_object(event);
        if (detail::deletes_nobody(event)) {
            return fsm_.on_unknown_deletion(event.invalid->why, event.resource_version, env_->now(), unit());
        }
        break;
    }
    return fsm_.on_event(event.resource_version, env_->now());
}

KCONTROL_DECL void reflector::take_object(watch_event& event) {
    std::optional<invalid_object> invalid;
    if (event.invalid != nullptr) {
        invalid = *event.invalid;
    } else if (auto lacks = detail::lacks_identity(event.object.meta())) {
        invalid.emplace(event.object.meta(), std::move(*lacks));
    }
    const bool deleted = event.type == watch_event_type::deleted;
    if (!invalid) return deleted ? sink_->remove(std::move(event.object)) : sink_->apply(std::move(event.object));
    deleted ? sink_->remove_invalid(*invalid) : sink_->mark_invalid(std::move(*invalid));
}

}  // namespace kcontrol
