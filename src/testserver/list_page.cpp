#include "testserver/list_page.hpp"

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

std::optional<std::string> from_base64url(std::string_view text) {
    std::string out;
    std::uint32_t bits = 0;
    int have = 0;
    for (const char c : text) {
        const std::size_t digit = base64url_digits.find(c);
        if (digit == std::string_view::npos) return std::nullopt;
        bits = (bits << 6) | static_cast<std::uint32_t>(digit);
        if ((have += 6) < 8) continue;
        have -= 8;
        out.push_back(static_cast<char>((bits >> have) & 0xff));
    }
    return out;
}

// Where a list goes on; version -1: at whatever state there is now.
struct continuation {
    std::int64_t version = 0;
    namespaced_name last;
};

std::string encode_continuation(std::int64_t version, const namespaced_name& last) {
    json::object token;
    token["v"] = "meta.k8s.io/v1";
    token["rv"] = version;
    token["start"] = last.namespace_ + "/" + last.name + std::string(1, '\0');
    return base64url(json::serialize(json::value(std::move(token))));
}

outcome<continuation> decode_continuation(std::string_view text) {
    const failure refused = failure::bad_request("invalid continue token: continue key is not valid");
    const auto bytes = from_base64url(text);
    if (!bytes) return refused;
    const auto token = json::parse(*bytes);
    if (!token) return refused;
    const json::value* version = json::find(*token, {"rv"});
    std::string_view start = json::get_string(*token, {"start"});
    const std::size_t slash = start.find('/');
    if (version == nullptr || !version->is_int64() || slash == std::string_view::npos) return refused;
    if (start.back() == '\0') start.remove_suffix(1);
    continuation from;
    from.version = version->get_int64();
    from.last = namespaced_name(std::string(start.substr(0, slash)), std::string(start.substr(slash + 1)));
    return from;
}

failure expired_continuation(const namespaced_name& last) {
    failure expired = failure::expired(
        "The provided continue parameter is too old to display a consistent list result. You can start a new list "
        "without the continue parameter, or use the continue token in this response to retrieve the remainder of the "
        "results. Continuing with the provided token results in an inconsistent list - objects that were created, "
        "modified, or deleted between the time the first chunk was returned and now may show up in the list.");
    expired.continue_token = encode_continuation(-1, last);
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
    const bool unlimited = query.limit <= 0 || (query.version == 0U && query.continue_token.empty());
    namespaced_name after;
    if (query.continue_token.empty()) {
        auto version = detail::version_to_show(table, query, view);
        if (!version) return version.error();
        page.version = *version;
    } else {
        auto from = detail::decode_continuation(query.continue_token);
        if (!from) return from.error();
        after = from->last;
        page.version = from->version < 0 ? view.truth : static_cast<std::uint64_t>(from->version);
        if (page.version < table.oldest()) return detail::expired_continuation(after);
        if (page.version > view.truth) return failure::too_large_version(page.version, view.truth);
    }
    std::int64_t remaining = 0;
    const bool counting = !query.filter.has_selector();
    // A scan of one namespace starts there and ends after it: keys are ordered by namespace first.
    const std::string& ns = query.filter.namespace_;
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
        page.continue_token = detail::encode_continuation(shown, page.items.back().first);
        if (counting) page.remaining = remaining;
    }
    return page;
}

}  // namespace kcontrol::testing
