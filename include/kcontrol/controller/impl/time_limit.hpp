// What ends one reconcile before its controller: its time, and the deletion of its object.
#pragma once

#include <kcontrol/controller/options.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/reasoned_stop.hpp>
#include <kcontrol/runtime/timer.hpp>

#include <memory>

namespace kcontrol::inline v0_1::detail {

// The stop token of a reconcile: that of its run, or, where the options say so, one of its own under it.
class time_limit {
public:
    time_limit(environment& env, const executor& ex, const reasoned_token& within, const controller_options& options)
        : within_(within) {
        const auto& limit = options.reconciliation_timeout();
        if (!limit && !options.cancel_on_delete()) return;
        own_ = std::make_shared<reasoned_stop>(stop_parents(within));
        within_ = own_->token();
        if (options.cancel_on_delete()) ended_when_gone_ = own_;
        if (!limit) return;
        timer_ = env.make_timer(ex);
        timer_->async_wait(env.now() + *limit, [own = std::weak_ptr(own_)](bool expired) {
            const auto still = own.lock();
            if (expired && still) still->stop(stop_reason::timeout);
        });
    }
    ~time_limit() {
        if (timer_) timer_->cancel();
    }
    time_limit(const time_limit&) = delete;
    time_limit& operator=(const time_limit&) = delete;

    const reasoned_token& token() const noexcept { return within_; }
    // What the deletion of the object stops; of no one if that is not asked for.
    std::weak_ptr<reasoned_stop> stop_of_its_own() const { return ended_when_gone_; }

private:
    reasoned_token within_;
    std::shared_ptr<reasoned_stop> own_;
    std::weak_ptr<reasoned_stop> ended_when_gone_;
    std::unique_ptr<timer> timer_;
};

}  // namespace kcontrol::detail
