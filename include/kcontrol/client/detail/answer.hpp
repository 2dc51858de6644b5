// What an answer means: how an API server differs from other servers, and a Status from other bodies.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/base/error.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/http/message.hpp>
#include <kcontrol/json/lazy.hpp>

#include <optional>
#include <string_view>

namespace kcontrol::detail {

inline bool is_success(int http_status) noexcept { return http_status >= 200 && http_status < 300; }

/// The text of a string node or lazy node, empty of any other.
template <class Node>
std::string_view answer_text(Node n) {
    return n.is_string() ? n.as_string() : std::string_view{};
}

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
/// The same in place: `answer` must outlive the nodes.
KCONTROL_DECL result<json::lazy_node> answer_json(const http::response& answer, json::lazy_document& into);

/// not_an_api_server if the head of a 2xx answer announces something else than JSON.
KCONTROL_DECL std::optional<error> refuse_content_type(const http::response_head& head);

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/client/impl/answer.ipp>
#endif
