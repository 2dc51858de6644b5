// The time that one reconcile may take.
#pragma once

#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/scope.hpp>
#include <kcontrol/runtime/timer.hpp>

#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

namespace kcontrol::detail {

// Triggers a stop source when a reconcile's time is up. Until then it belongs to that reconcile.
class time_limit {
public:
    time_limit(environment& env, const executor& ex, std::stop_token parent, std::optional<duration> limit)
        : within_(std::move(parent)), passed_(std::make_shared<bool>(false)) {
        if (!limit) return;
        timer_ = env.make_timer(ex);
        source_ = std::make_shared<scope>(within_);
        within_ = source_->token();
        timer_->async_wait(env.now() + *limit, [source = source_, passed = passed_](bool expired) {
            if (!expired) return;
            *passed = true;
            source->stop();
        });
    }
    ~time_limit() {
        if (timer_) timer_->cancel();
    }
    time_limit(const time_limit&) = delete;
    time_limit& operator=(const time_limit&) = delete;

    const std::stop_token& token() const noexcept { return within_; }
    bool passed() const noexcept { return *passed_; }

private:
    std::stop_token within_;
    std::shared_ptr<bool> passed_;
    std::shared_ptr<scope> source_;
    std::unique_ptr<timer> timer_;
};

}  // namespace kcontrol::detail
