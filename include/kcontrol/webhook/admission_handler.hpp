// What answers admission requests: a function of the embedding program, or a chain of defaulters or validators of one
// kind.
#pragma once

#include <kcontrol/model/any_object.hpp>
#include <kcontrol/runtime/executor.hpp>
#include <kcontrol/webhook/admission_response.hpp>

#include <functional>
#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

/// What a defaulter or a validator is told besides the objects. A handle: copies are of the same request.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class admission_context {
public:
    /// `s`: what stop() gives; by default it is never triggered. `r` is not null.
    explicit admission_context(std::shared_ptr<const admission_request> r, std::stop_token s = {})
        : request_(std::move(r)), stop_(std::move(s)) {}

    const admission_request& request() const noexcept { return *request_; }  ///< all that the API server has said
    const admission_user& user() const noexcept { return request_->user; }   ///< who wants it
    admission_operation operation() const noexcept { return request_->operation; }  ///< what is wanted
    bool dry_run() const noexcept { return request_->dry_run; }  ///< nothing that is done may last then

    /// Triggered when the API server waits no longer: its time is over, or it has gone. What is returned afterwards
    /// nobody reads.
    const std::stop_token& stop() const noexcept { return stop_; }

private:
    std::shared_ptr<const admission_request> request_;
    std::stop_token stop_;
};

/// Answers any request. What it throws is told, counted, and a refusal with 500.
using admission_handler = std::function<awaitable<admission_response>(admission_context)>;

namespace detail {

// One defaulter: the object edited, or the same one. One validator: `object` is empty for a deletion, `old` for a
// creation or a connection.
using default_step = std::function<awaitable<result<any_object>>(admission_context, any_object)>;
using validate_step = std::function<awaitable<admission_verdict>(admission_context, any_object object, any_object old)>;

/// Runs the defaulters one after the other, each on what the one before made, and answers with the difference.
/// Deletions are let through.
KCONTROL_DECL admission_handler make_defaulting_handler(resource_info kind, std::vector<default_step> steps);

/// Runs the validators one after the other. Warnings and causes add up; a refusal with another status is the last word.
KCONTROL_DECL admission_handler make_validating_handler(resource_info kind, std::vector<validate_step> steps);

}  // namespace detail
}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/webhook/impl/admission_handler.ipp>
#endif
