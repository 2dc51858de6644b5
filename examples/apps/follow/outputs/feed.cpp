#include "outputs/feed.hpp"

#include <kcontrol/runtime/backoff.hpp>
#include <kcontrol/runtime/failure_log.hpp>

#include <algorithm>
#include <chrono>
#include <optional>

namespace follow {
namespace {

using kcontrol::error;
using kcontrol::time_point;

// What is looked at again anyway is not waited for longer than that.
kcontrol::backoff_policy retries(const output& to) {
    return kcontrol::backoff_policy()
        .initial(std::chrono::milliseconds(100))
        .cap(to.again().value_or(std::chrono::seconds(10)))
        .jitter(0.2)
        .reset_after(std::chrono::minutes(2));
}

// What is logged of one output: each new failure, and that it is over.
class feed_log {
public:
    feed_log(kcontrol::logger log, std::string name) : log_(std::move(log)), name_(std::move(name)) {}

    void failed(const error& why, time_point now) {
        if (const auto entry = failures_.failed(why.code(), now)) {
            auto fields = kcontrol::failure_fields("error", why.what(), *entry);
            fields.push_back({"output", name_});
            log_.error("the output is not up to date; it is tried again", std::move(fields));
        }
    }
    void succeeded(time_point now) {
        const bool reported = failures_.reported();
        const auto entry = failures_.recovered(now);
        if (!reported || !entry) return;
        std::vector<kcontrol::log_field> fields{{"output", name_}};
        kcontrol::append_recovery_field(fields, *entry);
        log_.info("the output is up to date again", std::move(fields));
    }

private:
    kcontrol::logger log_;
    std::string name_;
    kcontrol::failure_log<kcontrol::error_code> failures_;
};

}  // namespace

kcontrol::awaitable<void> feed(kcontrol::environment& env, output& to, board& from, std::function<void()> ended,
                               kcontrol::logger log, std::stop_token stop) {
    feed_log told(log, to.name());
    kcontrol::backoff pause(retries(to));
    std::uint64_t seen = 0;
    std::optional<time_point> due;
    while (!stop.stop_requested()) {
        if (from.number() == seen && (!due || env.now() < *due)) {
            co_await from.changed().wait(env, stop, due);
            continue;
        }
        seen = from.number();
        const auto begun = env.now();
        const auto done = co_await to.put(from.now(), stop);
        if (stop.stop_requested()) co_return;
        if (done) {
            told.succeeded(env.now());
            pause.reset();
            due.reset();
            if (const auto again = to.again()) due = env.now() + *again;
        } else if (to.is_final(done.error())) {
            log.error("the output is closed", {{"output", to.name()}, {"error", done.error().what()}});
            ended();
            co_return;
        } else {
            told.failed(done.error(), env.now());
            due = env.now() + pause.next(env.now(), kcontrol::random_unit(env));
        }
        if (to.gap() > kcontrol::duration::zero()) co_await kcontrol::sleep_until(env, begun + to.gap(), stop);
    }
}

}  // namespace follow
