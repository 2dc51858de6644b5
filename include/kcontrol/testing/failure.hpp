// A refusal of the API server: the metav1.Status it answers with, word for word as Kubernetes says it.
#pragma once

#include <kcontrol/base/error.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/testing/group_resource.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::testing {

/// One thing that is wrong with an object.
class field_problem {
public:
    field_problem() = default;
    /// `f`: the field, `c`: the cause, `t`: the text.
    field_problem(std::string f, std::string_view c, std::string t)
        : field(std::move(f)), cause(c), text(std::move(t)) {}

    std::string field;  ///< "spec.containers[0].name"
    std::string cause;  ///< "FieldValueInvalid" and the like
    std::string text;   ///< "Required value"
};

/// What the server refuses with: an HTTP code and a Status.
///
/// Texts and details are those of kube-apiserver 1.37 (seen with the cases in tests/conformance).
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class failure {
public:
    failure() = default;
    /// `c`: the HTTP code, `r`: the reason, `m`: the message.
    failure(int c, std::string_view r, std::string m) : code(c), reason(r), message(std::move(m)) {}

    int code = 500;                       ///< HTTP status; 0: a page "404 page not found" is answered, no Status
    std::string reason;                   ///< metav1.StatusReason: "NotFound"; may be empty
    std::string message;                  ///< in Kubernetes' words, for people
    std::optional<json::object> details;  ///< StatusDetails: name, group, kind, causes; nothing: left out
    std::string continue_token;           ///< metadata.continue of an expired list, or empty

    /// The Status object.
    json::value status() const;
    /// The same as the library's error, as a client would have decoded it.
    error to_error() const;

    /// 404 of an object that is not there.
    static failure not_found(const group_resource& what, std::string_view name);
    /// 409 of a name that is taken.
    static failure already_exists(const group_resource& what, std::string_view name);
    /// 409 "Operation cannot be fulfilled on …: " + why.
    static failure conflict(const group_resource& what, std::string_view name, std::string_view why);
    /// The 409 of a stale resourceVersion.
    static failure modified(const group_resource& what, std::string_view name);
    static failure bad_request(std::string message);  ///< 400 with that message
    /// 422 with one cause. `cause` is "FieldValueInvalid" and the like, `problem` its text.
    static failure invalid(const group_resource& kind, std::string_view name, std::string_view field,
                           std::string_view cause, std::string_view problem);
    /// 422 with all that is wrong, which is not nothing.
    static failure invalid(const group_resource& kind, std::string_view name,
                           const std::vector<field_problem>& problems);
    /// 422 of a JSON patch that can't be applied.
    static failure unprocessable();
    static failure expired(std::string message);  ///< 410 with that message: the history is forgotten
    /// 504 of a resourceVersion that is ahead of the server.
    static failure too_large_version(std::uint64_t wanted, std::uint64_t current);
    static failure unauthorized();  ///< 401: nobody knows who asks
    /// 403 "X is forbidden: " + why; `name` may be empty.
    static failure forbidden(const group_resource& what, std::string_view name, std::string_view why);
    static failure method_not_allowed();  ///< 405: the resource does not have this verb
    /// 415; `accepted` lists the media types that there are, with commas.
    static failure unsupported_media_type(std::string_view accepted);
    /// `streams`: the request may be answered with a watch, too.
    static failure not_acceptable(bool streams);
};

/// A value, or the server's refusal.
template <class T>
using outcome = basic_result<T, failure>;

[[noreturn]] void throw_exception_from_error(const failure&);

}  // namespace kcontrol::testing
