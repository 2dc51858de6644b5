#pragma once

#include <kcontrol/cel/impl/functions.hpp>
#include <kcontrol/model/names.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::cel::detail {
template <class T>
inline value_result held_or_error(result<T> read) {
    if (!read) return evaluation_error(read.error().message());
    return value(std::move(*read));
}

inline std::int64_t number_of_order(std::weak_ordering order) { return order < 0 ? -1 : order > 0 ? 1 : 0; }

// What quantities and versions have: compareTo() and its like.
template <class T>
inline function_answer compared(std::string_view name, const T& a, const T& b) {
    const std::int64_t order = number_of_order(a <=> b);
    if (name == "compareTo") return value(order);
    if (name == "isLessThan") return value(order < 0);
    if (name == "isGreaterThan") return value(order > 0);
    return std::nullopt;
}

inline value_result parsed_quantity(const std::string& text) {
    auto read = quantity::parse(text);
    if (read) return value(std::move(*read));
    // Kubernetes says which part is wrong.
    const std::size_t sign = text.starts_with('+') || text.starts_with('-') ? 1 : 0;
    const std::size_t digits = std::min(text.find_first_not_of("0123456789.", sign), text.size());
    const std::size_t letters = std::min(text.find_first_not_of("eEinumkKMGTP", digits), text.size());
    const std::size_t exponent =
        letters < text.size() && (text[letters] == '+' || text[letters] == '-') ? letters + 1 : letters;
    if (digits == sign || text.find_first_not_of("0123456789", exponent) != std::string::npos) {
        return evaluation_error(
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
    }
    return evaluation_error("unable to parse quantity's suffix");
}

// The functions that make something of a text.
inline function_answer call_of_words(std::string_view name, const function_arguments& arguments) {
    static constexpr std::string_view names[] = {"quantity", "isQuantity", "ip",    "isIP",   "ip.isCanonical", "cidr",
                                                 "isCIDR",   "url",        "isURL", "semver", "isSemver"};
    if (std::find(std::begin(names), std::end(names), name) == std::end(names)) return std::nullopt;
    const auto* text = arguments[0].get<std::string>();
    if (text == nullptr) return no_overload();
    if (name == "quantity") return parsed_quantity(*text);
    if (name == "isQuantity") return value(parsed_quantity(*text).has_value());
    if (name == "ip") return held_or_error(parse_ip(*text));
    if (name == "isIP") return value(parse_ip(*text).has_value());
    if (name == "ip.isCanonical") {
        const auto read = parse_ip(*text);
        if (!read) return evaluation_error(read.error().message());
        return value(to_text(*read) == *text);
    }
    if (name == "cidr") {
        auto read = parse_cidr(*text);
        if (read) return value(*read);
        return evaluation_error("network address parse error during conversion from string: " + read.error().message());
    }
    if (name == "isCIDR") return value(parse_cidr(*text).has_value());
    if (name == "isURL") return value(parse_url_value(*text).has_value());
    if (name == "url") {
        auto read = parse_url_value(*text);
        if (read) return value(std::move(*read));
        return evaluation_error("URL parse error during conversion from string: " + read.error().message());
    }
    const bool normalizes = arguments.size() == 2;
    if (normalizes && arguments[1].get<bool>() == nullptr) return no_overload();
    auto read = parse_semver(*text, normalizes && *arguments[1].get<bool>());
    if (name == "isSemver") return value(read.has_value());
    return held_or_error(std::move(read));
}

inline function_answer call_of_quantity(std::string_view name, const quantity& amount,
                                        const function_arguments& arguments) {
    if (name == "sign") return value(std::int64_t(amount.sign()));
    if (name == "isInteger") return value(amount.as_int64().has_value());
    if (name == "asApproximateFloat") return value(amount.as_double());
    if (name == "asInteger") {
        const auto whole = amount.as_int64();
        if (!whole) return evaluation_error("cannot convert value to integer");
        return value(*whole);
    }
    if (arguments.size() != 2) return std::nullopt;
    const auto* other = arguments[1].get<quantity>();
    const auto* whole = arguments[1].get<std::int64_t>();
    if (name == "add" || name == "sub") {
        if (other == nullptr && whole == nullptr) return no_overload();
        const quantity by = other != nullptr ? *other : quantity(*whole);
        return value(name == "add" ? amount + by : amount - by);
    }
    return other != nullptr ? compared(name, amount, *other) : std::nullopt;
}

inline function_answer call_of_address(std::string_view name, const ip_value& address) {
    if (name == "family") return value(std::int64_t(address.is_v6 ? 6 : 4));
    if (name == "isUnspecified") return value(address.is_unspecified());
    if (name == "isLoopback") return value(address.is_loopback());
    if (name == "isLinkLocalMulticast") return value(address.is_link_local_multicast());
    if (name == "isLinkLocalUnicast") return value(address.is_link_local_unicast());
    if (name == "isGlobalUnicast") return value(address.is_global_unicast());
    return std::nullopt;
}

inline function_answer call_of_network(std::string_view name, const cidr_value& network,
                                       const function_arguments& arguments) {
    if (name == "ip") return value(network.address);
    if (name == "prefixLength") return value(std::int64_t(network.length));
    if (name == "masked") return value(cidr_value{network.address.masked(network.length), network.length});
    if (name != "containsIP" && name != "containsCIDR") return std::nullopt;
    value other = arguments[1];
    if (const auto* text = other.get<std::string>()) {
        auto read = *call_of_words(name == "containsIP" ? "ip" : "cidr", {value(*text)});
        if (!read) return read;
        other = std::move(*read);
    }
    if (const auto* address = other.get<ip_value>(); address != nullptr && name == "containsIP") {
        return value(network.contains(*address));
    }
    const auto* inner = other.get<cidr_value>();
    if (inner == nullptr || name != "containsCIDR") return no_overload();
    return value(network.contains(*inner));
}

inline function_answer call_of_url(std::string_view name, const url_value& url) {
    if (name == "getScheme") return value(url.scheme);
    if (name == "getHost") return value(url.host);
    if (name == "getHostname") return value(url.hostname());
    if (name == "getPort") return value(url.port());
    if (name == "getEscapedPath") return value(url.path);
    if (name != "getQuery") return std::nullopt;
    map_value::entries out;
    for (const auto& [key, values] : url.query_values()) {
        out.emplace_back(key, list_value(std::vector<value>(values.begin(), values.end())));
    }
    return value(map_value(std::move(out)));
}

// A name that something is added to, as generateName, may end in dashes.
inline std::string without_dashes(std::string text) {
    if (text.size() > 1 && text.ends_with('-')) text.replace(text.size() - 2, 2, "a");  // as apimachinery does
    return text;
}

inline std::vector<std::string> problems_by_format(std::string_view format, const std::string& text,
                                                   text_checks& texts) {
    if (format == "dns1123Label") return check_dns1123_label(text);
    if (format == "dns1123Subdomain") return check_dns1123_subdomain(text);
    if (format == "dns1035Label") return check_dns1035_label(text);
    if (format == "qualifiedName") return check_label_key(text);
    if (format == "dns1123LabelPrefix") return check_dns1123_label(without_dashes(text));
    if (format == "dns1123SubdomainPrefix") return check_dns1123_subdomain(without_dashes(text));
    if (format == "dns1035LabelPrefix") return check_dns1035_label(without_dashes(text));
    if (format == "labelValue") return check_label_value(text);
    if (format == "uri") {
        const auto read = parse_url_value(text);
        return read ? std::vector<std::string>() : std::vector<std::string>{read.error().message()};
    }
    if (texts.has_format(format, text)) return {};
    if (format == "uuid") return {"does not match the UUID format"};
    return {format == "byte" ? "invalid base64" : "invalid " + std::string(format)};
}

inline function_answer call_of_format(std::string_view name, bool is_method, const function_arguments& arguments,
                                      text_checks& texts) {
    if (!is_method && name == "format.named") {
        const auto* wanted = arguments[0].get<std::string>();
        if (wanted == nullptr) return no_overload();
        if (*wanted == "named" || !knows_function("format." + *wanted)) return value(optional_value());
        return value(optional_value{std::make_shared<const value>(format_value{*wanted})});
    }
    if (!is_method && name.starts_with("format.")) return value(format_value{std::string(name.substr(7))});
    const auto* format = arguments.empty() ? nullptr : arguments[0].get<format_value>();
    if (format == nullptr || name != "validate") return std::nullopt;
    const auto* text = arguments[1].get<std::string>();
    if (text == nullptr) return no_overload();
    const auto problems = problems_by_format(format->name, *text, texts);
    if (problems.empty()) return value(optional_value());
    const list_value list(std::vector<value>(problems.begin(), problems.end()));
    return value(optional_value{std::make_shared<const value>(list)});
}

KCONTROL_DECL function_answer call_kubernetes_function(std::string_view name, bool is_method,
                                                       const function_arguments& arguments, text_checks& texts) {
    if (auto done = call_of_format(name, is_method, arguments, texts)) return done;
    if (arguments.empty()) return std::nullopt;
    if (!is_method) {
        if (auto done = call_of_words(name, arguments)) return done;
    }
    const value& target = arguments[0];
    if (const auto* amount = target.get<quantity>()) return call_of_quantity(name, *amount, arguments);
    if (const auto* address = target.get<ip_value>()) return call_of_address(name, *address);
    if (const auto* network = target.get<cidr_value>()) return call_of_network(name, *network, arguments);
    if (const auto* url = target.get<url_value>()) return call_of_url(name, *url);
    const auto* version = target.get<semver_value>();
    if (version == nullptr) return std::nullopt;
    if (name == "major") return value(static_cast<std::int64_t>(version->major));
    if (name == "minor") return value(static_cast<std::int64_t>(version->minor));
    if (name == "patch") return value(static_cast<std::int64_t>(version->patch));
    const auto* other = arguments.size() == 2 ? arguments[1].get<semver_value>() : nullptr;
    return other != nullptr ? compared(name, *version, *other) : std::nullopt;
}

}  // namespace kcontrol::cel::detail
