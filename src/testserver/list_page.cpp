#include "testserver/list_page.hpp"

#include "testserver/json_values.hpp"

#include <algorithm>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

constexpr std::string_view base64url_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

// Without padding, as continue tokens are written (RFC 4648 §5).
std::string base64url(std::string_view bytes) {
    std::string out;
    std::uint32_t bits = 0;
    int have = 0;
    for (const char c : bytes) {
        bits = (bits << 8) | static_cast<unsigned char>(c);
        for (have += 8; have >= 6; have -= 6) out.push_back(base64url_digits[(bits >> (have - 6)) & 63]);
    }
    if (have > 0) out.push_back(base64url_digits[(bits << (6 - have)) & 63]);
    return out;
}

/// Bytes, or the place of the first character that is none of base64url.
class decoded_base64url {
public:
    std::string bytes;
    std::optional<std::size_t> broken_at;
};

decoded_base64url from_base64url(std::string_view text) {
    decoded_base64url out;
    std::uint32_t bits = 0;
    int have = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::size_t digit = base64url_digits.find(text[i]);
        if (digit == std::string_view::npos) {
            out.broken_at = i;
            return out;
        }
        bits = (bits << 6) | static_cast<std::uint32_t>(digit);
        if ((have += 6) < 8) continue;
        have -= 8;
        out.bytes.push_back(static_cast<char>((bits >> have) & 0xff));
    }
    if (text.size() % 4 == 1) out.broken_at = text.size() - 1;
    return out;
}

// Where a list goes on; version -1: at whatever state there is now.
struct continuation {
    std::int64_t version = 0;
    namespaced_name last;
};

// The key behind which a list goes on, as etcd has it: below that of the list.
std::string start_of(const namespaced_name& last, const std::string& ns) {
    const bool shows_namespace = ns.empty() && !last.namespace_.empty();
    return (shows_namespace ? "/" + last.namespace_ : std::string()) + "/" + last.name + std::string(1, '\0');
}

// `ns`: the namespace of the list, or empty.
std::string encode_continuation(std::int64_t version, const namespaced_name& last, const std::string& ns) {
    json::object token;
    token["v"] = "meta.k8s.io/v1";
    token["rv"] = version;
    token["start"] = start_of(last, ns);
    return base64url(json::serialize(json::value(std::move(token))));
}

// The object behind which the list goes on, of the key in a token. A token of another list goes on somewhere.
namespaced_name last_of(std::string_view start, const std::string& ns, bool namespaced) {
    if (start.starts_with('/')) start.remove_prefix(1);
    if (start.ends_with('\0')) start.remove_suffix(1);
    if (!ns.empty() || !namespaced) return namespaced_name(ns, std::string(start));
    const std::size_t slash = std::min(start.find('/'), start.size());
    return namespaced_name(std::string(start.substr(0, slash)),
                           std::string(start.substr(std::min(slash + 1, start.size()))));
}

failure invalid_continuation(const std::string& why) {
    return failure::bad_request("invalid continue token: continue key is not valid: " + why);
}

// "kube-system/coredns": no way up and no empty part.
bool is_clean_path(std::string_view path) {
    if (path.starts_with('/')) path.remove_prefix(1);
    while (true) {
        const std::size_t slash = path.find('/');
        const std::string_view part = path.substr(0, slash);
        if (part.empty() || part == "." || part == "..") return false;
        if (slash == std::string_view::npos) return true;
        path.remove_prefix(slash + 1);
    }
}

// What is wrong with the text in a token, as Go says it.
std::string problem_of_token(std::string_view text, const result<json::value>& token) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (token && !token->is_object()) {
        return "json: cannot unmarshal " + std::string(json_type(*token)) +
               " into Go value of type storage.continueToken";
    }
    if (first == std::string_view::npos) return "unexpected end of JSON input";
    return "invalid character '" + std::string(1, text[first]) + "' looking for beginning of value";
}

// Source: apiserver's storage/continue.go. `ns`: the namespace of the list, or empty.
outcome<continuation> decode_continuation(std::string_view text, const std::string& ns, bool namespaced) {
    const auto decoded = from_base64url(text);
    if (decoded.broken_at) {
        return invalid_continuation("illegal base64 data at input byte " + std::to_string(*decoded.broken_at));
    }
    const auto token = json::parse(decoded.bytes);
    if (!token || !token->is_object()) return invalid_continuation(problem_of_token(decoded.bytes, token));
    const json::value* version = json::find(*token, {"rv"});
    if (version != nullptr && !version->is_int64()) {
        return invalid_continuation("json: cannot unmarshal " + std::string(json_type(*version)) +
                                    " into Go struct field continueToken.rv of type int64");
    }
    const std::string_view encoding = json::get_string(*token, {"v"});
    if (encoding != "meta.k8s.io/v1") {
        return invalid_continuation("server does not recognize this encoded version " + std::string(encoding));
    }
    if (version == nullptr || version->get_int64() == 0) {
        return invalid_continuation("incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
    }
    const std::string_view start = json::get_string(*token, {"start"});
    if (start.empty()) return invalid_continuation("encoded start key empty (version meta.k8s.io/v1)");
    if (!is_clean_path(start)) return invalid_continuation(std::string(start));
    continuation from;
    from.version = version->get_int64();
    from.last = last_of(start, ns, namespaced);
    return from;
}

failure expired_continuation(const namespaced_name& last, const std::string& ns) {
    failure expired = failure::expired(
        "The provided continue parameter is too old to display a consistent list result. You can start a new list "
        "without the continue parameter, or use the continue token in this response to retrieve the remainder of the "
        "results. Continuing with the provided token results in an inconsistent list - objects that were created, "
        "modified, or deleted between the time the first chunk was returned and now may show up in the list.");
    expired.continue_token = encode_continuation(-1, last, ns);
    return expired;
}

// The version that a list without a token shows.
outcome<std::uint64_t> version_to_show(const resource_table& table, const list_query& query, const read_view& view) {
    if (!query.version) return view.truth;
    const std::uint64_t wanted = *query.version;
    if (query.match == list_query::version_match::exact) {
        if (wanted > view.truth) return failure::too_large_version(wanted, view.truth);
        if (wanted < table.oldest()) {
            return failure::expired("The resourceVersion for the provided list is too old.");
        }
        return wanted;
    }
    if (wanted > view.cache) return failure::too_large_version(wanted, view.cache);
    return std::max(view.cache, table.oldest());
}

}  // namespace
}  // namespace detail

outcome<list_page> read_page(const resource_table& table, const list_query& query, const read_view& view) {
    list_page page;
    // The cache answers a list at version 0 whole, whatever the limit.
    const bool unlimited = query.limit <= 0 || query.version == 0U;
    // A scan of one namespace starts there and ends after it: keys are ordered by namespace first.
    const std::string& ns = query.filter.namespace_;
    namespaced_name after;
    if (query.continue_token.empty()) {
        auto version = detail::version_to_show(table, query, view);
        if (!version) return version.error();
        page.version = *version;
    } else {
        auto from = detail::decode_continuation(query.continue_token, ns, table.type().namespaced);
        if (!from) return from.error();
        after = from->last;
        page.version = from->version < 0 ? view.truth : static_cast<std::uint64_t>(from->version);
        if (page.version < table.oldest()) return detail::expired_continuation(after, ns);
        if (page.version > view.truth) return failure::too_large_version(page.version, view.truth);
    }
    std::int64_t remaining = 0;
    const bool counting = !query.filter.has_selector();
    after = std::max(after, namespaced_name(ns, ""));
    table.visit_at(page.version, after, [&](const namespaced_name& key, const object_ptr& object) {
        if (!ns.empty() && key.namespace_ != ns) return false;
        if (!query.filter.matches(key, *object)) return true;
        if (unlimited || static_cast<std::int64_t>(page.items.size()) < query.limit) {
            page.items.emplace_back(key, object);
            return true;
        }
        ++remaining;
        return counting;  // one more is enough to know that there is a next page
    });
    if (remaining > 0) {
        const auto shown = static_cast<std::int64_t>(page.version);
        page.continue_token = detail::encode_continuation(shown, page.items.back().first, ns);
        if (counting) page.remaining = remaining;
    }
    return page;
}

}  // namespace kcontrol::testing
