#include "service/labeler.hpp"

#include "messages.hpp"

#include <chrono>

namespace gpu_labeler {
namespace {

std::string milliseconds(kcontrol::duration d) {
    return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(d).count());
}

}  // namespace

labeler::labeler(kcontrol::environment& env, loop_settings settings, read_function read,
                 std::unique_ptr<label_store> store, kcontrol::logger log)
    : env_(env),
      loop_(std::move(settings), env.now(), kcontrol::random_unit(env)),
      read_(std::move(read)),
      store_(std::move(store)),
      log_(std::move(log)) {}

void labeler::event() {
    loop_.event();
    happened_.notify_all();
}

void labeler::node_renewed() {
    loop_.renewed();
    happened_.notify_all();
}

void labeler::change(loop_settings settings) {
    loop_.change(std::move(settings), env_.now());
    happened_.notify_all();
}

kcontrol::awaitable<void> labeler::run(std::stop_token stop) {
    for (;;) {
        if (stop.stop_requested()) loop_.stop();
        const auto step = loop_.next(env_.now(), env_.wall_now(), kcontrol::random_unit(env_));
        status_.settled = loop_.settled();
        status_.keeps_old = loop_.keeps_old();
        switch (step.action) {
        case loop_action::end: co_return;
        case loop_action::read: co_await read(stop); break;
        case loop_action::look: co_await look(stop); break;
        case loop_action::write: co_await write(stop); break;
        case loop_action::wait: {
            std::optional<kcontrol::time_point> until;
            if (step.until != kcontrol::time_point::max()) until = step.until;
            co_await happened_.wait(env_, stop, until);
            break;
        }
        }
    }
}

kcontrol::awaitable<void> labeler::read(std::stop_token stop) {
    const auto begin = env_.now();
    auto answer = co_await read_(stop);
    if (stop.stop_requested()) co_return;
    ++status_.reads;
    if (!answer) {
        ++status_.read_failures;
        const auto& why = answer.error().message();
        if (why != status_.read_error) log_.error("the GPUs can't be read", {{"error", why}});
        status_.read_error = why;
        const bool kept = loop_.keeps_old();
        loop_.read_failed(env_.now(), env_.wall_now(), kcontrol::random_unit(env_));
        if (kept && !loop_.keeps_old()) {
            log_.warning("the GPUs could not be read for too long; their labels go", {{"error", why}});
        }
        co_return;
    }
    if (!status_.read_error.empty()) log_.info("the GPUs can be read again");
    status_.read_error.clear();
    status_.last_read = env_.wall_now();
    status_.last_read_took = env_.now() - begin;
    took(answer->found);
    status_.labels = answer->marks.labels.size();
    auto wanted = wanted_of(std::move(answer->marks));
    loop_.read(env_.now(), env_.wall_now(), std::move(wanted));
}

// What was read, without what nobody takes.
node_marks labeler::wanted_of(node_marks read) {
    const auto all = read.labels.size() + read.annotations.size();
    for (const auto& mark : take_invalid(read)) {
        if (refusals_.is_news(mark)) tell(mark);
    }
    auto wanted = refusals_.without(std::move(read));
    status_.refused = all - wanted.labels.size() - wanted.annotations.size();
    return wanted;
}

void labeler::tell(const refused_mark& mark) {
    log_.error("a label is refused, and left out; the others are written",
               {{"name", mark.key}, {"value", in_quotes(mark.value)}, {"error", mark.why}});
}

void labeler::took(const inventory& found) {
    const bool first = status_.reads - status_.read_failures == 1;
    if (first || found.gpus.size() != status_.gpus) {
        log_.info("GPUs of this node", {{"gpus", std::to_string(found.gpus.size())},
                                        {"lost", std::to_string(found.lost.size())},
                                        {"driver", found.driver_version},
                                        {"milliseconds", milliseconds(status_.last_read_took)}});
    }
    if (found.lost != lost_) {
        for (const auto& gpu : found.lost) {
            log_.warning("a GPU does not answer", {{"index", std::to_string(gpu.index)}, {"error", gpu.why}});
        }
        lost_ = found.lost;
    }
    status_.gpus = found.gpus.size();
    status_.lost = found.lost.size();
    if (on_read_) on_read_(found);
}

kcontrol::awaitable<void> labeler::look(std::stop_token stop) {
    // Not after a failure: then the look is for what that left. What is refused now may be taken by the next read.
    if (status_.store_error.empty()) refusals_.forget();
    auto there = co_await store_->look(stop);
    if (stop.stop_requested()) co_return;
    ++status_.looks;
    if (!there) {
        store_failed(there.error());
        co_return;
    }
    loop_.looked(std::move(*there));
    if (!loop_.settled()) co_return;
    store_works();
    log_.info("the labels are there already", {{"where", store_->name()}});
}

kcontrol::awaitable<void> labeler::write(std::stop_token stop) {
    const auto begin = env_.now();
    auto wanted = *loop_.wanted();
    const auto labels = wanted.labels.size();
    const auto done = co_await store_->write(std::move(wanted), stop);
    if (!done && stop.stop_requested()) co_return;
    if (!done && done.error() == kcontrol::api_errc::invalid) {
        auto asked = *loop_.wanted();
        const bool can_do = co_await do_without_refused(std::move(asked), stop);
        if (can_do || stop.stop_requested()) co_return;
    }
    if (!done) {
        store_failed(done.error());
        co_return;
    }
    ++status_.writes;
    status_.last_write = env_.wall_now();
    status_.last_write_took = env_.now() - begin;
    loop_.wrote();
    store_works();
    log_.info("labels written", {{"where", store_->name()},
                                 {"labels", std::to_string(labels)},
                                 {"milliseconds", milliseconds(status_.last_write_took)}});
}

// True: with fewer marks it may work, and they are the ones that are wanted now.
kcontrol::awaitable<bool> labeler::do_without_refused(node_marks wanted, std::stop_token stop) {
    const auto found = co_await store_->find_refused(wanted, std::move(stop));
    if (!found || found->empty()) co_return false;
    for (const auto& mark : *found) {
        if (refusals_.note(mark)) tell(mark);
    }
    status_.refused += found->size();
    loop_.make_do(refusals_.without(std::move(wanted)));
    co_return true;
}

void labeler::store_failed(const kcontrol::error& why) {
    ++status_.store_failures;
    if (why.message() != status_.store_error) {
        log_.error("the labels can't be written", {{"error", why.message()}});
    }
    status_.store_error = why.message();
    loop_.store_failed(env_.now(), kcontrol::random_unit(env_));
}

void labeler::store_works() { status_.store_error.clear(); }

}  // namespace gpu_labeler
