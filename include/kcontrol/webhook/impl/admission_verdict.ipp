#pragma once

#include <kcontrol/webhook/admission_verdict.hpp>

#include <iterator>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL void admission_verdict::merge(admission_verdict other) {
    if (!status_) status_ = std::move(other.status_);
    std::move(other.errors_.begin(), other.errors_.end(), std::back_inserter(errors_));
    std::move(other.warnings_.begin(), other.warnings_.end(), std::back_inserter(warnings_));
    for (auto& [key, value] : other.annotations_) annotations_.insert_or_assign(key, std::move(value));
}

KCONTROL_DECL admission_verdict verdict_of(const error& why) {
    api_status status;
    if (why.status() != nullptr) {
        status = *why.status();
    } else if (why == errc::timeout) {
        status.code = 504, status.reason = "Timeout";
    } else if (why == errc::stopped) {
        status.code = 503, status.reason = "ServiceUnavailable";
    } else if (why == errc::callback_failed) {
        status.code = 500, status.reason = "InternalError";
    } else {
        status.code = 403, status.reason = "Forbidden";
    }
    if (status.message.empty()) status.message = why.message().empty() ? why.what() : why.message();
    return admission_verdict::deny(std::move(status));
}

}  // namespace kcontrol
