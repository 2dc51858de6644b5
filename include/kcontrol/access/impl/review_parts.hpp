// What a review asks and what its answer says; the words of a refusal. No I/O.
#pragma once

#include <kcontrol/api/authentication/v1.hpp>
#include <kcontrol/api/authorization/v1.hpp>
#include <kcontrol/base/ascii.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/http/message.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/serve/responses.hpp>
#include <kcontrol/transport/keyed_digest.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::detail {

using token_review = api::authentication::v1::token_review;
using access_review = api::authorization::v1::subject_access_review;
/// Whose a token is; null: nobody's.
using token_owner = std::shared_ptr<const api::authentication::v1::user_info>;

/// A question that is at the cluster, for all who ask it meanwhile.
template <class Value>
struct open_review {
    std::optional<result<Value>> answer;
    async_event answered;
};

template <class Value>
using open_reviews = std::map<http::keyed_digest::value, std::shared_ptr<open_review<Value>>>;

// The token of "Bearer TOKEN"; the scheme's case does not matter (RFC 9110 §11.1).
inline std::string_view bearer_token_of(std::string_view header) {
    constexpr std::string_view scheme = "bearer";
    if (header.size() <= scheme.size() || header[scheme.size()] != ' ') return {};
    if (!istarts_with(header, scheme)) return {};
    header.remove_prefix(scheme.size());
    while (header.starts_with(' ')) header.remove_prefix(1);
    while (header.ends_with(' ')) header.remove_suffix(1);
    return header;
}

// A server that answers rubbish may repeat what it was asked.
inline std::string without_secret(std::string text, std::string_view secret) {
    for (auto at = text.find(secret); !secret.empty() && at != std::string::npos; at = text.find(secret)) {
        text.replace(at, secret.size(), "[token]");
    }
    return text;
}

inline http::response access_refusal(int status, const std::string& text) {
    http::response out = http::text_response(status, std::to_string(status) + ": " + text + "\n");
    if (status == 401) out.headers.set("WWW-Authenticate", "Bearer");
    if (status == 503) out.headers.set("Retry-After", "1");
    return out;
}

// k8s.io/apiserver/plugin/pkg/authenticator/token/webhook: a token that is for nobody who was named is nobody's.
inline token_owner owner_of(const token_review& answer, const std::vector<std::string>& audiences) {
    if (!answer.status.authenticated.value_or(false)) return nullptr;
    const auto named = [&](const text& one) {
        return std::find(audiences.begin(), audiences.end(), std::string_view(one)) != audiences.end();
    };
    const auto& of_token = answer.status.audiences;
    if (!audiences.empty() && std::none_of(of_token.begin(), of_token.end(), named)) return nullptr;
    return std::make_shared<const api::authentication::v1::user_info>(answer.status.user);
}

inline result<bool> decision_of(const access_review& answer) {
    const bool denied = answer.status.denied.value_or(false);
    if (answer.status.allowed && denied) {
        return error(errc::decode_failed, "the SubjectAccessReview is both allowed and denied");
    }
    return answer.status.allowed;
}

inline std::shared_ptr<const access_review> access_question(const api::authentication::v1::user_info& who,
                                                            const std::string& path, const std::string& verb) {
    const auto made = std::make_shared<access_review>();
    access_review& out = *made;
    out.spec.user = who.username;
    out.spec.uid = who.uid;
    out.spec.groups = who.groups;
    out.spec.extra = who.extra;
    api::authorization::v1::non_resource_attributes what;
    what.path = path;
    what.verb = verb;
    out.spec.non_resource_attributes = std::move(what);
    return made;
}

}  // namespace kcontrol::detail
