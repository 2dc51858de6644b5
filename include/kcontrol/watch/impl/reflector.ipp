#pragma once

#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/watch/reflector.hpp>

#include <utility>

namespace kcontrol {

KCONTROL_DECL reflector::reflector(environment& env, const resource_info& info, reflector_options options,
                                   reflector_sink& sink)
    : env_(&env), info_(&info), options_(std::move(options)), sink_(&sink), fsm_(options_.policy()) {}

// After every wait the stop token is checked before the sink is called, so that an ended run changes nothing.
KCONTROL_DECL awaitable<void> reflector::run(client cl, std::stop_token stop) {
    listed_.clear();
    reflector_action next = fsm_.start();
    while (!stop.stop_requested()) {
        sink_->stepped();
        switch (next.step) {
        case reflector_step::list: next = co_await list(cl, next, stop); break;
        case reflector_step::watch: next = co_await watch(cl, next, stop); break;
        case reflector_step::read: next = co_await read(stop); break;
        case reflector_step::sleep:
            stream_.reset();
            co_await sleep_for(*env_, next.delay, stop);
            if (!stop.stop_requested()) next = fsm_.on_timer();
            break;
        case reflector_step::clear:
            sink_->replace({});
            next = fsm_.on_cleared();
            break;
        }
    }
    stream_.reset();
    listed_.clear();
}

KCONTROL_DECL awaitable<reflector_action> reflector::list(client& cl, reflector_action step, std::stop_token stop) {
    stream_.reset();
    if (step.continue_token.empty()) listed_.clear();
    list_options options;
    options.in_namespace(options_.in_namespace())
        .label_selector(options_.label_selector())
        .field_selector(options_.field_selector())
        .resource_version(step.resource_version)
        .continue_token(step.continue_token)
        .limit(step.limit)
        .pool(pool_)
        .stop(stop);
    ++lists_;
    auto page = co_await cl.list_page(*info_, options);
    if (stop.stop_requested()) co_return step;
    if (!page) co_return fsm_.on_list_failed(page.error(), env_->now(), unit());
    skipped_ += page->skipped;
    for (auto& object : page->items) listed_.push_back(std::move(object));
    reflector_action next = fsm_.on_page(page->resource_version, page->continue_token);
    if (next.step == reflector_step::watch) sink_->replace(std::exchange(listed_, {}));
    co_return next;
}

KCONTROL_DECL awaitable<reflector_action> reflector::watch(client& cl, reflector_action step, std::stop_token stop) {
    stream_.reset();
    const auto spread = options_.watch_timeout_max() - options_.watch_timeout_min();
    const auto extra = std::chrono::seconds(static_cast<std::int64_t>(static_cast<double>(spread.count()) * unit()));
    watch_options options;
    options.in_namespace(options_.in_namespace())
        .label_selector(options_.label_selector())
        .field_selector(options_.field_selector())
        .resource_version(step.resource_version)
        .timeout(options_.watch_timeout_min() + extra)
        .idle(options_.watch_idle())
        .pool(pool_)
        .stop(stop);
    ++watches_;
    auto opened = co_await cl.watch(*info_, options);
    if (stop.stop_requested()) co_return step;
    if (!opened) co_return fsm_.on_watch_refused(opened.error(), env_->now(), unit());
    stream_ = std::move(*opened);
    stream_skipped_ = 0;
    co_return fsm_.on_watch_open(env_->now());
}

KCONTROL_DECL awaitable<reflector_action> reflector::read(std::stop_token stop) {
    auto event = co_await stream_->next(stop);
    if (stop.stop_requested()) co_return reflector_action::read();
    skipped_ += stream_->skipped() - stream_skipped_;
    stream_skipped_ = stream_->skipped();
    if (!event) co_return fsm_.on_watch_broken(event.error(), env_->now(), unit());
    co_return take(std::move(*event));
}

KCONTROL_DECL reflector_action reflector::take(watch_event event) {
    switch (event.type) {
    case watch_event_type::added:
    case watch_event_type::modified: sink_->apply(std::move(event.object)); break;
    case watch_event_type::deleted: sink_->remove(std::move(event.object)); break;
    case watch_event_type::bookmark: break;
    case watch_event_type::error: return fsm_.on_error_event(event.failure, env_->now(), unit());
    case watch_event_type::end: return fsm_.on_watch_end(env_->now(), unit());
    }
    return fsm_.on_event(event.resource_version);
}

}  // namespace kcontrol
