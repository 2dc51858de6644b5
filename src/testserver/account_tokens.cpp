#include "testserver/account_tokens.hpp"

#include <kcontrol/base/base64.hpp>
#include <kcontrol/runtime/random_uuid.hpp>

#include "testserver/failure_parts.hpp"
#include "testserver/json_values.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

// RFC 7515 §2: base64url without padding.
std::string base64_of_token(std::string_view bytes) {
    std::string out = encode_base64(bytes);
    for (char& c : out) c = c == '+' ? '-' : c == '/' ? '_' : c;
    out.erase(out.find_last_not_of('=') + 1);
    return out;
}

// The first part of all tokens; by it they are recognized, also after they were forgotten.
const std::string& token_header() {
    static const std::string header = base64_of_token(R"({"alg":"RS256","kid":"kcontrol"})") + ".";
    return header;
}

std::string token_name_of(const json::value& object) {
    return std::string(json::get_string(object, {"metadata", "name"}));
}
std::string token_uid_of(const json::value& object) {
    return std::string(json::get_string(object, {"metadata", "uid"}));
}

json::object claim_of(const json::value& object) {
    json::object out;
    out["name"] = token_name_of(object);
    out["uid"] = token_uid_of(object);
    return out;
}

std::string random_bytes(environment& env) {
    std::string out;
    for (int i = 0; i < 32; ++i) {
        const std::uint64_t random = env.random();
        for (int byte = 0; byte < 8; ++byte) out += static_cast<char>(random >> (8 * byte) & 0xff);
    }
    return out;
}

outcome<json::value> find_object(const object_store& store, const group_resource& id, const namespaced_name& key) {
    const auto table = store.table(id);
    const object_ptr object = table == nullptr ? nullptr : table->get(key);
    if (object == nullptr) return failure::not_found(id, key.name);
    return object->value(table->type(), table->type().versions.front());
}

outcome<std::int64_t> seconds_of(const json::value& spec) {
    constexpr std::int64_t shortest = 600, longest = std::int64_t{1} << 32, usual = 3600;
    const json::value* asked = json::find(spec, {"expirationSeconds"});
    const std::int64_t seconds = asked != nullptr && asked->is_int64() ? asked->get_int64() : usual;
    const std::string_view problem = seconds < shortest  ? "may not specify a duration less than 10 minutes"
                                     : seconds > longest ? "may not specify a duration larger than 2^32 seconds"
                                                         : "";
    if (problem.empty()) return seconds;
    return failure::invalid({"authentication.k8s.io", "TokenRequest"}, "", "spec.expirationSeconds",
                            "FieldValueInvalid",
                            "Invalid value: " + std::to_string(seconds) + ": " + std::string(problem));
}

std::string audiences_text(const std::vector<std::string>& audiences) {
    std::string out = "[";
    for (const auto& one : audiences) out += (out.size() > 1 ? " " : "") + in_quotes(one);
    return out + "]";
}

// The object that a token is to end with.
outcome<void> bind_token(const object_store& store, const std::string& ns, const json::value& reference,
                         token_order& order) {
    const std::string kind(json::get_string(reference, {"kind"}));
    const std::string version(json::get_string(reference, {"apiVersion"}));
    const std::string name(json::get_string(reference, {"name"}));
    const std::string uid(json::get_string(reference, {"uid"}));
    const bool core = version.empty() || version == "v1";
    json::value* const place = !core              ? nullptr
                               : kind == "Pod"    ? &order.pod
                               : kind == "Secret" ? &order.secret
                               : kind == "Node"   ? &order.node
                                                  : nullptr;
    if (place == nullptr) {
        const std::string group = version.find('/') == std::string::npos ? "/" + version : version;
        return failure::bad_request("cannot bind token to object of type " + group + ", Kind=" + kind);
    }
    const group_resource id("", place == &order.pod ? "pods" : place == &order.secret ? "secrets" : "nodes");
    auto found = find_object(store, id, {place == &order.node ? "" : ns, name});
    if (!found) return found.error();
    if (place == &order.pod &&
        json::get_string(*found, {"spec", "serviceAccountName"}) != std::string_view(token_name_of(order.account))) {
        return failure::bad_request("cannot bind token for serviceaccount " + in_quotes(token_name_of(order.account)) +
                                    " to pod running with different serviceaccount name.");
    }
    if (!uid.empty() && uid != token_uid_of(*found)) {
        return failure::conflict({"", kind}, name,
                                 "the UID in the bound object reference (" + uid +
                                     ") does not match the UID in record. The object might have been deleted and then "
                                     "recreated");
    }
    *place = std::move(*found);
    if (place != &order.pod) return {};
    const std::string node(json::get_string(order.pod, {"spec", "nodeName"}));
    if (auto on = find_object(store, {"", "nodes"}, {"", node})) order.node = std::move(*on);
    return {};
}

}  // namespace
}  // namespace detail

outcome<token_order> order_token(const object_store& store, const namespaced_name& account, const json::value& spec) {
    token_order out;
    auto found = detail::find_object(store, {"", "serviceaccounts"}, account);
    if (!found) return found.error();
    out.account = std::move(*found);
    const auto seconds = detail::seconds_of(spec);
    if (!seconds) return seconds.error();
    out.seconds = *seconds;
    out.audiences = detail::strings_of(json::find(spec, {"audiences"}));
    if (out.audiences.empty()) out.audiences.emplace_back(token_issuer);
    const json::value* reference = json::find(spec, {"boundObjectRef"});
    if (reference == nullptr || !reference->is_object()) return out;
    if (auto bound = detail::bind_token(store, account.namespace_, *reference, out); !bound) return bound.error();
    return out;
}

std::string account_tokens::issue(const token_order& order, environment& env) {
    const wall_time time = env.wall_now();
    const auto old = [time](const auto& entry) { return entry.second.end + std::chrono::minutes(10) < time; };
    std::erase_if(issued_, old);
    const std::int64_t now = std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
    const std::string ns(json::get_string(order.account, {"metadata", "namespace"}));
    const std::string name = detail::token_name_of(order.account);
    const std::string id = random_uuid(env);
    issued_token token;
    token.account = {ns, name};
    token.audiences = order.audiences;
    token.end = time + std::chrono::seconds(order.seconds);
    token.user = requester("system:serviceaccount:" + ns + ":" + name, {});
    token.user.uid = detail::token_uid_of(order.account);
    auto& extra = token.user.extra;
    extra["authentication.kubernetes.io/credential-id"] = {"JTI=" + id};
    json::object about;
    about["namespace"] = ns;
    if (!order.node.is_null()) about["node"] = detail::claim_of(order.node);
    if (!order.pod.is_null()) about["pod"] = detail::claim_of(order.pod);
    if (!order.secret.is_null()) about["secret"] = detail::claim_of(order.secret);
    about["serviceaccount"] = detail::claim_of(order.account);
    const auto show = [&extra](const std::string& kind, const json::value& object) {
        if (object.is_null()) return;
        extra["authentication.kubernetes.io/" + kind + "-name"] = {detail::token_name_of(object)};
        extra["authentication.kubernetes.io/" + kind + "-uid"] = {detail::token_uid_of(object)};
    };
    show("node", order.node);
    show("pod", order.pod);
    // A pod's token names the pod's node, and does not end with it.
    const auto bind = [&](std::string_view resource, const json::value& object, const std::string& in) {
        if (object.is_null()) return;
        token.bound.push_back({group_resource("", std::string(resource)),
                               namespaced_name(in, detail::token_name_of(object)), detail::token_uid_of(object)});
    };
    bind("pods", order.pod, ns);
    bind("secrets", order.secret, ns);
    if (order.pod.is_null()) bind("nodes", order.node, "");
    json::array audiences;
    for (const auto& one : order.audiences) audiences.push_back(json::value(one));
    json::object claims;
    claims["aud"] = std::move(audiences);
    claims["exp"] = now + order.seconds;
    claims["iat"] = now;
    claims["iss"] = token_issuer;
    claims["jti"] = id;
    claims["kubernetes.io"] = std::move(about);
    claims["nbf"] = now;
    claims["sub"] = token.user.name;
    std::string text = detail::token_header() +
                       detail::base64_of_token(json::serialize(json::value(std::move(claims)))) + "." +
                       detail::base64_of_token(detail::random_bytes(env));
    issued_.emplace(text, std::move(token));
    return text;
}

token_verdict account_tokens::judge(std::string_view token, const object_store& store, wall_time now,
                                    std::vector<std::string> audiences) const {
    // The library that a real server checks times with allows for clocks that differ.
    constexpr auto leeway = std::chrono::minutes(1);
    token_verdict out;
    out.known = token.starts_with(detail::token_header());
    const auto found = issued_.find(token);
    if (found == issued_.end()) return out;
    const issued_token& issued = found->second;
    if (audiences.empty()) audiences.emplace_back(token_issuer);
    for (const auto& one : audiences) {
        if (std::find(issued.audiences.begin(), issued.audiences.end(), one) != issued.audiences.end()) {
            out.audiences.push_back(one);
        }
    }
    if (out.audiences.empty()) {
        out.problem = "token audiences " + detail::audiences_text(issued.audiences) +
                      " is invalid for the target audiences " + detail::audiences_text(audiences);
        return out;
    }
    if (now > issued.end + leeway) {
        out.problem = "service account token has expired";
        return out;
    }
    const auto account = detail::find_object(store, {"", "serviceaccounts"}, issued.account);
    if (!account) {
        out.problem = account.error().message;
        return out;
    }
    if (detail::token_uid_of(*account) != issued.user.uid) {
        out.problem = "service account UID (" + detail::token_uid_of(*account) + ") does not match claim (" +
                      issued.user.uid + ")";
        return out;
    }
    for (const auto& bound : issued.bound) {
        const auto object = detail::find_object(store, bound.id, bound.key);
        if (!object || detail::token_uid_of(*object) != bound.uid) return out;
    }
    out.user = issued.user;
    return out;
}

}  // namespace kcontrol::testing
