#include <kcontrol/model/names.hpp>

#include "testserver/cel_functions.hpp"

#include <algorithm>

namespace kcontrol::inline v0_1::testing::detail {
namespace {

template <class T>
cel_result held_or_error(result<T> read) {
    if (!read) return cel_error(read.error().message());
    return cel_value(std::move(*read));
}

std::int64_t number_of_order(std::weak_ordering order) { return order < 0 ? -1 : order > 0 ? 1 : 0; }

// What quantities and versions have: compareTo() and its like.
template <class T>
cel_answer compared(std::string_view name, const T& a, const T& b) {
    const std::int64_t order = number_of_order(a <=> b);
    if (name == "compareTo") return cel_value(order);
    if (name == "isLessThan") return cel_value(order < 0);
    if (name == "isGreaterThan") return cel_value(order > 0);
    return std::nullopt;
}

cel_result parsed_quantity(const std::string& text) {
    auto read = quantity::parse(text);
    if (read) return cel_value(std::move(*read));
    // Kubernetes says which part is wrong.
    const std::size_t sign = text.starts_with('+') || text.starts_with('-') ? 1 : 0;
    const std::size_t digits = std::min(text.find_first_not_of("0123456789.", sign), text.size());
    const std::size_t letters = std::min(text.find_first_not_of("eEinumkKMGTP", digits), text.size());
    const std::size_t exponent =
        letters < text.size() && (text[letters] == '+' || text[letters] == '-') ? letters + 1 : letters;
    if (digits == sign || text.find_first_not_of("0123456789", exponent) != std::string::npos) {
        return cel_error("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
    }
    return cel_error("unable to parse quantity's suffix");
}

// The functions that make something of a text.
cel_answer call_of_words(std::string_view name, const cel_arguments& arguments) {
    static constexpr std::string_view names[] = {"quantity", "isQuantity", "ip",    "isIP",   "ip.isCanonical", "cidr",
                                                 "isCIDR",   "url",        "isURL", "semver", "isSemver"};
    if (std::find(std::begin(names), std::end(names), name) == std::end(names)) return std::nullopt;
    const auto* text = arguments[0].get<std::string>();
    if (text == nullptr) return cel_no_overload();
    if (name == "quantity") return parsed_quantity(*text);
    if (name == "isQuantity") return cel_value(parsed_quantity(*text).has_value());
    if (name == "ip") return held_or_error(parse_cel_ip(*text));
    if (name == "isIP") return cel_value(parse_cel_ip(*text).has_value());
    if (name == "ip.isCanonical") {
        const auto read = parse_cel_ip(*text);
        if (!read) return cel_error(read.error().message());
        return cel_value(to_text(*read) == *text);
    }
    if (name == "cidr") {
        auto read = parse_cel_cidr(*text);
        if (read) return cel_value(*read);
        return cel_error("network address parse error during conversion from string: " + read.error().message());
    }
    if (name == "isCIDR") return cel_value(parse_cel_cidr(*text).has_value());
    if (name == "isURL") return cel_value(parse_cel_url(*text).has_value());
    if (name == "url") {
        auto read = parse_cel_url(*text);
        if (read) return cel_value(std::move(*read));
        return cel_error("URL parse error during conversion from string: " + read.error().message());
    }
    const bool normalizes = arguments.size() == 2;
    if (normalizes && arguments[1].get<bool>() == nullptr) return cel_no_overload();
    auto read = parse_cel_semver(*text, normalizes && *arguments[1].get<bool>());
    if (name == "isSemver") return cel_value(read.has_value());
    return held_or_error(std::move(read));
}

cel_answer call_of_quantity(std::string_view name, const quantity& amount, const cel_arguments& arguments) {
    if (name == "sign") return cel_value(std::int64_t(amount.sign()));
    if (name == "isInteger") return cel_value(amount.as_int64().has_value());
    if (name == "asApproximateFloat") return cel_value(amount.as_double());
    if (name == "asInteger") {
        const auto whole = amount.as_int64();
        if (!whole) return cel_error("cannot convert value to integer");
        return cel_value(*whole);
    }
    if (arguments.size() != 2) return std::nullopt;
    const auto* other = arguments[1].get<quantity>();
    const auto* whole = arguments[1].get<std::int64_t>();
    if (name == "add" || name == "sub") {
        if (other == nullptr && whole == nullptr) return cel_no_overload();
        const quantity by = other != nullptr ? *other : quantity(*whole);
        return cel_value(name == "add" ? amount + by : amount - by);
    }
    return other != nullptr ? compared(name, amount, *other) : std::nullopt;
}

cel_answer call_of_address(std::string_view name, const cel_ip& address) {
    if (name == "family") return cel_value(std::int64_t(address.is_v6 ? 6 : 4));
    if (name == "isUnspecified") return cel_value(address.is_unspecified());
    if (name == "isLoopback") return cel_value(address.is_loopback());
    if (name == "isLinkLocalMulticast") return cel_value(address.is_link_local_multicast());
    if (name == "isLinkLocalUnicast") return cel_value(address.is_link_local_unicast());
    if (name == "isGlobalUnicast") return cel_value(address.is_global_unicast());
    return std::nullopt;
}

cel_answer call_of_network(std::string_view name, const cel_cidr& network, const cel_arguments& arguments) {
    if (name == "ip") return cel_value(network.address);
    if (name == "prefixLength") return cel_value(std::int64_t(network.length));
    if (name == "masked") return cel_value(cel_cidr{network.address.masked(network.length), network.length});
    if (name != "containsIP" && name != "containsCIDR") return std::nullopt;
    cel_value other = arguments[1];
    if (const auto* text = other.get<std::string>()) {
        auto read = *call_of_words(name == "containsIP" ? "ip" : "cidr", {cel_value(*text)});
        if (!read) return read;
        other = std::move(*read);
    }
    if (const auto* address = other.get<cel_ip>(); address != nullptr && name == "containsIP") {
        return cel_value(network.contains(*address));
    }
    const auto* inner = other.get<cel_cidr>();
    if (inner == nullptr || name != "containsCIDR") return cel_no_overload();
    return cel_value(network.contains(*inner));
}

cel_answer call_of_url(std::string_view name, const cel_url& url) {
    if (name == "getScheme") return cel_value(url.scheme);
    if (name == "getHost") return cel_value(url.host);
    if (name == "getHostname") return cel_value(url.hostname());
    if (name == "getPort") return cel_value(url.port());
    if (name == "getEscapedPath") return cel_value(url.path);
    if (name != "getQuery") return std::nullopt;
    cel_map::entries out;
    for (const auto& [key, values] : url.query_values()) {
        out.emplace_back(key, cel_list(std::vector<cel_value>(values.begin(), values.end())));
    }
    return cel_value(cel_map(std::move(out)));
}

// A name that something is added to, as generateName, may end in dashes.
std::string without_dashes(std::string text) {
    if (text.size() > 1 && text.ends_with('-')) text.replace(text.size() - 2, 2, "a");  // as apimachinery does
    return text;
}

std::vector<std::string> problems_by_format(std::string_view format, const std::string& text, text_checks& texts) {
    if (format == "dns1123Label") return check_dns1123_label(text);
    if (format == "dns1123Subdomain") return check_dns1123_subdomain(text);
    if (format == "dns1035Label") return check_dns1035_label(text);
    if (format == "qualifiedName") return check_label_key(text);
    if (format == "dns1123LabelPrefix") return check_dns1123_label(without_dashes(text));
    if (format == "dns1123SubdomainPrefix") return check_dns1123_subdomain(without_dashes(text));
    if (format == "dns1035LabelPrefix") return check_dns1035_label(without_dashes(text));
    if (format == "labelValue") return check_label_value(text);
    if (format == "uri") {
        const auto read = parse_cel_url(text);
        return read ? std::vector<std::string>() : std::vector<std::string>{read.error().message()};
    }
    if (texts.has_format(format, text)) return {};
    if (format == "uuid") return {"does not match the UUID format"};
    return {format == "byte" ? "invalid base64" : "invalid " + std::string(format)};
}

cel_answer call_of_format(std::string_view name, bool is_method, const cel_arguments& arguments, text_checks& texts) {
    if (!is_method && name == "format.named") {
        const auto* wanted = arguments[0].get<std::string>();
        if (wanted == nullptr) return cel_no_overload();
        if (*wanted == "named" || !knows_cel_function("format." + *wanted)) return cel_value(cel_optional());
        return cel_value(cel_optional{std::make_shared<const cel_value>(cel_format{*wanted})});
    }
    if (!is_method && name.starts_with("format.")) return cel_value(cel_format{std::string(name.substr(7))});
    const auto* format = arguments.empty() ? nullptr : arguments[0].get<cel_format>();
    if (format == nullptr || name != "validate") return std::nullopt;
    const auto* text = arguments[1].get<std::string>();
    if (text == nullptr) return cel_no_overload();
    const auto problems = problems_by_format(format->name, *text, texts);
    if (problems.empty()) return cel_value(cel_optional());
    const cel_list list(std::vector<cel_value>(problems.begin(), problems.end()));
    return cel_value(cel_optional{std::make_shared<const cel_value>(list)});
}

}  // namespace

cel_answer call_cel_of_kubernetes(std::string_view name, bool is_method, const cel_arguments& arguments,
                                  text_checks& texts) {
    if (auto done = call_of_format(name, is_method, arguments, texts)) return done;
    if (arguments.empty()) return std::nullopt;
    if (!is_method) {
        if (auto done = call_of_words(name, arguments)) return done;
    }
    const cel_value& target = arguments[0];
    if (const auto* amount = target.get<quantity>()) return call_of_quantity(name, *amount, arguments);
    if (const auto* address = target.get<cel_ip>()) return call_of_address(name, *address);
    if (const auto* network = target.get<cel_cidr>()) return call_of_network(name, *network, arguments);
    if (const auto* url = target.get<cel_url>()) return call_of_url(name, *url);
    const auto* version = target.get<cel_semver>();
    if (version == nullptr) return std::nullopt;
    if (name == "major") return cel_value(static_cast<std::int64_t>(version->major));
    if (name == "minor") return cel_value(static_cast<std::int64_t>(version->minor));
    if (name == "patch") return cel_value(static_cast<std::int64_t>(version->patch));
    const auto* other = arguments.size() == 2 ? arguments[1].get<cel_semver>() : nullptr;
    return other != nullptr ? compared(name, *version, *other) : std::nullopt;
}

}  // namespace kcontrol::testing::detail
