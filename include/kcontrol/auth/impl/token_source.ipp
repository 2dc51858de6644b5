#pragma once

#include <kcontrol/auth/detail/token_text.hpp>
#include <kcontrol/auth/token_source.hpp>

namespace kcontrol::inline v0_1::auth {

KCONTROL_DECL token_source::token_source(environment& env, const cluster_config& config)
    : env_(&env), current_(config.token()), file_(config.token_file()) {}

KCONTROL_DECL result<secret_string> token_source::token() {
    constexpr auto period = std::chrono::minutes(1);
    if (file_.empty()) return current_;
    const time_point now = env_->now();
    if (!stale_ && now - read_at_ < period) return current_;
    auto fresh = detail::read_token_file(*env_, file_);
    if (fresh) {
        current_ = std::move(*fresh);
        failure_.reset();
    } else if (current_.empty()) {
        return fresh.error();
    } else {
        failure_ = fresh.error();
    }
    read_at_ = now;
    stale_ = false;
    return current_;
}

KCONTROL_DECL bool token_source::invalidate() {
    if (file_.empty()) return false;
    stale_ = true;
    return true;
}

}  // namespace kcontrol::auth
