#include "node/registration_sign.hpp"

#include <kcontrol/base/base64.hpp>
#include <kcontrol/documents/value.hpp>

#include <algorithm>
#include <utility>

namespace gpu_labeler {
namespace {

namespace json = kcontrol::json;

// The middle one of its three parts: base64 without padding, with two letters of its own.
std::optional<json::value> payload_of(std::string_view token) {
    const auto begin = token.find('.');
    const auto end = token.find('.', begin == token.npos ? begin : begin + 1);
    if (end == token.npos) return std::nullopt;
    std::string text(token.substr(begin + 1, end - begin - 1));
    std::replace(text.begin(), text.end(), '-', '+');
    std::replace(text.begin(), text.end(), '_', '/');
    text.append((4 - text.size() % 4) % 4, '=');
    const auto decoded = kcontrol::decode_base64(text);
    if (!decoded) return std::nullopt;
    auto payload = json::parse(*decoded);
    if (!payload || !payload->is_object()) return std::nullopt;
    return std::move(*payload);
}

std::optional<std::int64_t> seconds_at(const json::value& payload, std::initializer_list<std::string_view> path) {
    const auto* found = json::find(payload, path);
    return found && found->is_int64() ? std::optional(found->get_int64()) : std::nullopt;
}

}  // namespace

std::optional<token_claims> read_token_claims(std::string_view token) {
    const auto payload = payload_of(token);
    if (!payload) return std::nullopt;
    const auto issued = seconds_at(*payload, {"iat"});
    const auto expires = seconds_at(*payload, {"exp"});
    if (!issued || !expires) return std::nullopt;
    token_claims out;
    out.issued = *issued;
    // A token that lives for a year, for programs that never read it again, says when it should have been replaced.
    out.lifetime = seconds_at(*payload, {"kubernetes.io", "warnafter"}).value_or(*expires) - *issued;
    if (json::find(*payload, {"kubernetes.io", "node"})) {
        out.node_uid = std::string(json::get_string(*payload, {"kubernetes.io", "node", "uid"}));
    }
    return out;
}

bool registration_sign::saw(std::string_view token) {
    const auto now = read_token_claims(token);
    if (!now || now == last_) return false;
    const auto before = std::exchange(last_, now);
    if (!before) return false;
    if (before->node_uid || now->node_uid) return before->node_uid != now->node_uid;
    return now->issued > before->issued && now->issued - before->issued < before->lifetime / 4 * 3;
}

}  // namespace gpu_labeler
