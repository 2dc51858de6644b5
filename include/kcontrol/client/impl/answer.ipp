#pragma once

#include <kcontrol/base/ascii.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/base/utf8.hpp>
#include <kcontrol/client/detail/answer.hpp>
#include <kcontrol/client/detail/frame.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::detail {

inline constexpr std::string_view point_at_api_server =
    "check that `server` in the kubeconfig is the address of the API server itself, not of a login page or a proxy";

inline bool is_json_type(std::string_view content_type) {
    return istarts_with(content_type, "application/json") || istarts_with(content_type, "text/json");
}

inline bool looks_like_html(std::string_view body) {
    const auto first = body.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && body[first] == '<';
}

inline bool is_html_type(std::string_view content_type) {
    return istarts_with(content_type, "text/html") || istarts_with(content_type, "application/xhtml");
}

// What bytes are that are no text, by how they begin; empty: they may be text.
// Sources: RFC 1952 §2.3.1, RFC 8878 §3.1.1, k8s.io/apimachinery/pkg/runtime/serializer/protobuf.
inline std::string_view binary_name(std::string_view body) {
    using namespace std::string_view_literals;
    if (body.starts_with("\x1f\x8b"sv)) return "gzip-compressed";
    if (body.starts_with("\x28\xb5\x2f\xfd"sv)) return "zstd-compressed";
    if (body.starts_with("k8s\0"sv)) return "Kubernetes protobuf";
    return {};
}

// Nothing of ours asks for a coding, so nobody may use one (RFC 9110 §12.5.3).
inline std::string_view content_coding(const http::response_head& head) {
    const auto coding = head.headers.get("Content-Encoding");
    return istarts_with(coding, "identity") ? std::string_view() : coding;
}

inline error unasked_bytes(int http_status, const std::string& what) {
    return error(errc::not_an_api_server, "the server answered " + std::to_string(http_status) + " with " + what +
                                              ", which nobody asked for: have the proxy before the API server "
                                              "leave answers as they are, or " +
                                              std::string(point_at_api_server));
}

inline std::optional<std::int64_t> answer_integer(json::node n) {
    if (n.kind() != json::kind::integer) return std::nullopt;
    return n.as_int64();
}

KCONTROL_DECL std::string server_text(std::string_view text, std::size_t most) {
    text = utf8_prefix(text, most);
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
    return escape_control(text);
}

KCONTROL_DECL std::optional<std::chrono::seconds> retry_after_of(const http::fields& headers) {
    const auto text = headers.get("Retry-After");
    if (text.empty() || text.size() > 9) return std::nullopt;
    std::int64_t seconds = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') return std::nullopt;
        seconds = seconds * 10 + (c - '0');
    }
    return std::min(std::chrono::seconds(seconds), api_status::max_retry_after);
}

KCONTROL_DECL error status_error(json::node status, int http_status) {
    constexpr std::size_t most_causes = 32;
    api_status out;
    const auto code = answer_integer(status["code"]);
    out.code = code && *code >= 100 && *code <= 599 ? static_cast<int>(*code) : http_status;
    out.reason = server_text(answer_text(status["reason"]), 128);
    out.message = server_text(answer_text(status["message"]));
    const json::node details = status["details"];
    if (details.is_object()) {
        const auto seconds = answer_integer(details["retryAfterSeconds"]);
        if (seconds && *seconds > 0)
            out.retry_after = std::min(std::chrono::seconds(*seconds), api_status::max_retry_after);
        const json::node causes = details["causes"];
        if (causes.is_array()) {
            for (const json::node cause : causes.elements()) {
                if (out.causes.size() == most_causes) break;
                if (!cause.is_object()) continue;
                out.causes.push_back({server_text(answer_text(cause["reason"]), 128),
                                      server_text(answer_text(cause["message"])),
                                      server_text(answer_text(cause["field"]), 512)});
            }
        }
    }
    if (out.message.empty()) out.message = "the server answered " + std::to_string(out.code) + " and did not say why";
    return error(std::move(out));
}

inline error redirect_error(const http::response_head& answer) {
    // What follows '?' in a Location may be a login's state.
    std::string_view where = answer.headers.get("Location");
    where = where.substr(0, where.find_first_of("?#"));
    std::string message = "the server answered " + std::to_string(answer.status);
    if (!where.empty()) message += " and points to " + server_text(where, 200);
    return error(errc::not_an_api_server,
                 message + "; redirects are not followed: " + std::string(point_at_api_server));
}

inline error html_error(int http_status) {
    return error(errc::not_an_api_server, "the server answered " + std::to_string(http_status) +
                                              " with a web page: " + std::string(point_at_api_server));
}

// 410 says that the version is too old, in whatever words a proxy says it: asked again, it would be older still.
inline error expired_by_page() {
    api_status out;
    out.code = 410;
    out.message = html_error(410).message();
    return error(std::move(out));
}

KCONTROL_DECL error answer_error(const http::response& answer) {
    if (answer.status >= 300 && answer.status < 400) return redirect_error(answer);
    const bool is_page = is_html_type(answer.headers.get("Content-Type")) || looks_like_html(answer.body);
    if (is_page && answer.status == 410) return expired_by_page();
    if (is_page) return html_error(answer.status);
    const auto after = retry_after_of(answer.headers);
    json::document document;
    const auto root = document.parse(answer.body);
    if (root && root->is_object() && answer_text((*root)["kind"]) == "Status") {
        error from_body = status_error(*root, answer.status);
        if (!after) return from_body;
        api_status with_header = *from_body.status();
        with_header.retry_after = after;
        return error(std::move(with_header));
    }
    // API servers answer in plain text where no API is involved: "404 page not found". Its number is not said twice.
    api_status out;
    out.code = answer.status;
    const std::string code = std::to_string(answer.status);
    out.message = "the server answered " + code;
    const auto binary = binary_name(answer.body);
    std::string text = server_text(answer.body);
    if (text.starts_with(code + " ")) text.erase(0, code.size() + 1);
    if (!binary.empty() || !content_coding(answer).empty()) {
        out.message += " with " + (binary.empty() ? "encoded" : std::string(binary)) + " bytes";
    } else {
        out.message += text.empty() ? " without a body" : ": " + text;
    }
    out.retry_after = after;
    return error(std::move(out));
}

KCONTROL_DECL std::optional<error> refuse_head(const http::response_head& head) {
    const auto type = head.headers.get("Content-Type");
    if (is_html_type(type)) return html_error(head.status);
    if (const auto coding = content_coding(head); !coding.empty()) {
        return unasked_bytes(head.status, "Content-Encoding " + server_text(coding, 100));
    }
    if (type.empty() || is_json_type(type)) return std::nullopt;
    return error(errc::not_an_api_server, "the server answered " + std::to_string(head.status) + " with " +
                                              server_text(type, 100) +
                                              " instead of JSON: " + std::string(point_at_api_server));
}

KCONTROL_DECL std::optional<error> refuse_first_bytes(int http_status, std::string_view body) {
    if (looks_like_html(body)) return html_error(http_status);
    const auto binary = binary_name(body);
    if (!binary.empty()) return unasked_bytes(http_status, std::string(binary) + " bytes");
    return std::nullopt;
}

KCONTROL_DECL std::optional<error> refuse_answer(const http::response& answer) {
    if (auto refused = refuse_head(answer)) return refused;
    if (auto refused = refuse_first_bytes(answer.status, answer.body)) return refused;
    if (answer.body.find_first_not_of(" \t\r\n") == std::string::npos) {
        return error(errc::not_an_api_server, "the server answered " + std::to_string(answer.status) +
                                                  " with an empty body: " + std::string(point_at_api_server));
    }
    return std::nullopt;
}

KCONTROL_DECL result<json::node> answer_json(const http::response& answer, json::document& into) {
    if (auto refused = refuse_answer(answer)) return *refused;
    auto root = into.parse(answer.body);
    if (!root) return root.error().with_context("the server's answer");
    if (!root->is_object()) return error(errc::decode_failed, "the server's answer is not a JSON object");
    if (is_failure(answer_text((*root)["kind"]), answer_text((*root)["status"]))) {
        return status_error(*root, answer.status);
    }
    return *root;
}

KCONTROL_DECL std::optional<error> refuse_body(const http::response& answer) {
    json::cursor in(answer.body);
    std::string kind, status;
    in.skip_space();
    const bool whole = read_members(in, [&](std::string_view name) {
        if (name == "kind" && kind.empty()) return take_text_or_other(in, kind);
        if (name == "status" && status.empty()) return take_text_or_other(in, status);
        return !take_value(in).empty();
    });
    if (!whole || !is_at_end(in)) return malformed_body(answer.body);
    if (is_failure(kind, status)) return failed_answer(answer);
    return std::nullopt;
}

KCONTROL_DECL error malformed_body(std::string_view body) {
    if (const auto fault = json::find_fault(body)) return fault->with_context("the server's answer");
    return error(errc::decode_failed, "the server's answer is not a JSON object");
}

KCONTROL_DECL error failed_answer(const http::response& answer) {
    json::document document;
    const auto status = document.parse(answer.body);
    if (!status) return status.error().with_context("the server's answer");
    return status_error(*status, answer.status);
}

}  // namespace kcontrol::detail
