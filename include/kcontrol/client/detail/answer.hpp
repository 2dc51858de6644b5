// What an answer means: how an API server differs from other servers, and a Status from other bodies.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/base/error.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/http/message.hpp>
#include <kcontrol/json/reader.hpp>

#include <optional>
#include <string_view>

namespace kcontrol::inline v0_1::detail {

inline bool is_success(int http_status) noexcept { return http_status >= 200 && http_status < 300; }

/// The text of a string, empty of any other.
inline std::string_view answer_text(json::node n) { return n.is_string() ? n.as_string() : std::string_view{}; }

/// Text of the server as a message may carry it: at most `most` bytes, control characters escaped.
KCONTROL_DECL std::string server_text(std::string_view text, std::size_t most = 2048);

/// The header Retry-After in seconds (a date is not what API servers send, and is ignored), at most 120.
KCONTROL_DECL std::optional<std::chrono::seconds> retry_after_of(const http::fields& headers);

/// A metav1.Status as an error. `http_status` stands in where the Status has no code.
KCONTROL_DECL error status_error(json::node status, int http_status);

/// The error an answer beyond 2xx stands for: not_an_api_server for redirects and HTML, else the server's Status.
KCONTROL_DECL error answer_error(const http::response& answer);

/// Parses the body of a 2xx answer into `into`. Errors: not_an_api_server if it is not JSON by its looks, decode_failed
/// if it is broken, the Status' own if it is a Status of failure.
KCONTROL_DECL result<json::node> answer_json(const http::response& answer, json::document& into);

/// For those who read the body themselves: what a 2xx answer is by its head and its looks, if not JSON.
KCONTROL_DECL std::optional<error> refuse_answer(const http::response& answer);
/// What its body is, if not a whole object of JSON, or if it is a Status of failure.
KCONTROL_DECL std::optional<error> refuse_body(const http::response& answer);
/// Why a body can't be read as an object of JSON.
KCONTROL_DECL error malformed_body(std::string_view body);

/// Whether an object with these members is a Status of failure, and what such a one says.
inline bool is_failure(std::string_view kind, std::string_view status) noexcept {
    return kind == "Status" && status == "Failure";
}
KCONTROL_DECL error failed_answer(const http::response& answer);

/// What refuse_answer() says, by the head alone: not_an_api_server if the head of a 2xx answer announces a web page,
/// something else than JSON, or JSON that is compressed.
KCONTROL_DECL std::optional<error> refuse_head(const http::response_head& head);

/// The same by the first bytes of the body (four will do): a web page, compressed or binary bytes. Nothing: they may be
/// JSON.
KCONTROL_DECL std::optional<error> refuse_first_bytes(int http_status, std::string_view body);

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/client/impl/answer.ipp>
#endif
