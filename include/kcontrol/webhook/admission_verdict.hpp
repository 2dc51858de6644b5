// What a validator says of a request: yes, or no with reasons; and in both cases warnings.
#pragma once

#include <kcontrol/base/error.hpp>
#include <kcontrol/schema/validate.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

/// A verdict in the making: `admission_verdict().refuse(field_error(…)).warn("…")`. Without a reason against it, the
/// request is let through.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class admission_verdict {
public:
    admission_verdict() = default;

    /// 403 Forbidden with these words.
    static admission_verdict deny(std::string why) {
        api_status status;
        status.code = 403;
        status.reason = "Forbidden";
        status.message = std::move(why);
        return deny(std::move(status));
    }
    /// With a status of one's own. A code below 400 becomes 400.
    static admission_verdict deny(api_status status) {
        admission_verdict out;
        out.status_ = std::move(status);
        return out;
    }
    /// 422 Invalid with these causes, as the API server's own validation; none: the request is let through.
    static admission_verdict invalid(field_errors errors) {
        admission_verdict out;
        out.errors_ = std::move(errors);
        return out;
    }

    /// One more cause of 422 Invalid.
    admission_verdict& refuse(field_error why) { return errors_.push_back(std::move(why)), *this; }
    /// The same of a value that is wrong: `refuse("spec.replicas", "11", "must be at most 10")`.
    admission_verdict& refuse(std::string path, std::string value, std::string why) {
        return refuse(field_error(std::move(path), field_error_kind::invalid, std::move(value), std::move(why)));
    }
    /// The same of a member that may not be there.
    admission_verdict& forbid(std::string path, std::string why) {
        return refuse(field_error(std::move(path), field_error_kind::forbidden, {}, std::move(why)));
    }
    /// A line that kubectl shows the user; at most some 120 characters, and without "Warning:", which it puts before.
    admission_verdict& warn(std::string text) { return warnings_.push_back(std::move(text)), *this; }
    /// For the audit log. The API server puts the webhook's name before `key`.
    admission_verdict& annotate(std::string key, std::string value) {
        return annotations_.insert_or_assign(std::move(key), std::move(value)), *this;
    }

    /// Whether nothing is against it: neither a status nor a cause.
    bool allowed() const noexcept { return !status_ && errors_.empty(); }
    /// That of deny(); without one, causes are a 422.
    const std::optional<api_status>& status() const noexcept { return status_; }
    /// What refuse(), forbid() and invalid() said.
    const field_errors& errors() const noexcept { return errors_; }
    /// Shown to the user whatever the verdict is.
    const std::vector<std::string>& warnings() const noexcept { return warnings_; }
    /// For the audit log, by key, without the webhook's name.
    const std::map<std::string, std::string>& annotations() const noexcept { return annotations_; }

    /// Takes what another one says: warnings and causes add up, the first status stays.
    KCONTROL_DECL void merge(admission_verdict other);

private:
    std::optional<api_status> status_;
    field_errors errors_;
    std::vector<std::string> warnings_;
    std::map<std::string, std::string> annotations_;
};

/// The verdict that an error is: the API server's status as it is, 504 for a timeout, 503 for a stop, 500 for a
/// function that threw, 403 with its words for anything else.
KCONTROL_DECL admission_verdict verdict_of(const error& why);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/webhook/impl/admission_verdict.ipp>
#endif
