// What validation of Kubernetes' own kinds is made of: rules of names, and the collector of problems.
#pragma once

#include <kcontrol/cel/network.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/testing/failure.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1::testing {
namespace detail {

constexpr std::string_view label_rule =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view label_value_rule =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
constexpr std::string_view qualified_name_rule =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr std::string_view config_key_rule =
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or "
    "'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

inline bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }
inline bool is_config_key(std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return is_word(c) || c == '-' || c == '_' || c == '.'; });
}
inline bool is_name_part(std::string_view text) {
    return is_config_key(text) && text.size() <= 63 && is_word(text.front()) && is_word(text.back());
}
inline bool is_dns_label(std::string_view text) {
    const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
    return !text.empty() && text.size() <= 63 && std::all_of(text.begin(), text.end(), fits) && text.front() != '-' &&
           text.back() != '-';
}

// What is wrong with the name of a port, or nothing.
inline std::string wrong_with_port_name(std::string_view name) {
    if (name.empty()) return {};
    if (name.size() > 15) return "must be no more than 15 characters";
    const auto is_part = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
    const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
    if (!std::all_of(name.begin(), name.end(), is_part)) {
        return "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)";
    }
    if (std::none_of(name.begin(), name.end(), is_letter)) return "must contain at least one letter (a-z)";
    if (name.find("--") != std::string_view::npos) return "must not contain consecutive hyphens";
    if (name.front() == '-' || name.back() == '-') return "must not begin or end with a hyphen";
    return {};
}

constexpr std::string_view percent_rule =
    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for "
    "validation is '[0-9]+%')";
inline bool is_percent(std::string_view text) {
    return text.size() > 1 && text.find_first_not_of("0123456789") == text.size() - 1 && text.back() == '%';
}

// Collects what is wrong.
class validator {
public:
    std::vector<field_problem> problems;

    void required(std::string field, std::string_view detail = {}) {
        add(std::move(field), "FieldValueRequired",
            detail.empty() ? "Required value" : "Required value: " + std::string(detail));
    }
    void invalid(std::string field, const json::value* v, std::string_view why) {
        add(std::move(field), "FieldValueInvalid",
            "Invalid value: " + (v == nullptr ? std::string("null") : json::serialize(*v)) + ": " + std::string(why));
    }
    void forbidden(std::string field, std::string_view why) {
        add(std::move(field), "FieldValueForbidden", "Forbidden: " + std::string(why));
    }
    void duplicate(std::string field, const json::value& v, std::string_view why = {}) {
        add(std::move(field), "FieldValueDuplicate",
            "Duplicate value: " + json::serialize(v) + (why.empty() ? "" : ": " + std::string(why)));
    }
    void not_found(std::string field, std::string_view name) {
        add(std::move(field), "FieldValueNotFound", "Not found: " + json::serialize(json::value(name)));
    }
    // `choices` as "\"A\", \"B\"".
    void unsupported(std::string field, std::string_view value, std::string_view choices) {
        unsupported_value(std::move(field), json::value(value), choices);
    }
    void unsupported_value(std::string field, const json::value& value, std::string_view choices) {
        add(std::move(field), "FieldValueNotSupported",
            "Unsupported value: " + json::serialize(value) + ": supported values: " + std::string(choices));
    }
    void not_negative(const json::value& of, std::string_view name, const std::string& at) {
        const json::value* v = json::find(of, {name});
        if (v != nullptr && v->is_int64() && v->get_int64() < 0) {
            invalid(at + "." + std::string(name), v, "must be greater than or equal to 0");
        }
    }
    void port(const json::value* v, std::string field) {
        const std::int64_t number = v != nullptr && v->is_int64() ? v->get_int64() : 0;
        if (v != nullptr && v->is_string()) {
            const std::string wrong = wrong_with_port_name(std::string_view(v->get_string()));
            if (!wrong.empty()) invalid(std::move(field), v, wrong);
            return;
        }
        if (number < 1 || number > 65535) {
            const json::value zero = 0;
            invalid(std::move(field), v == nullptr ? &zero : v, "must be between 1 and 65535, inclusive");
        }
    }
    void ip(const json::value& v, std::string field) {
        if (v.is_string() && cel::parse_ip(std::string_view(v.get_string()))) return;
        invalid(std::move(field), &v, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
    }
    // An address of an endpoint: none that means something else on each machine. Source: ValidateNonSpecialIP
    void endpoint_ip(const json::value& v, const std::string& field) {
        const auto address = cel::parse_ip(v.is_string() ? std::string_view(v.get_string()) : std::string_view());
        if (!address) return ip(v, field);
        if (address->is_unspecified())
            invalid(field, &v, "may not be unspecified (" + std::string(v.get_string()) + ")");
        if (address->is_loopback()) invalid(field, &v, "may not be in the loopback range (127.0.0.0/8, ::1/128)");
        if (address->is_link_local_unicast()) {
            invalid(field, &v, "may not be in the link-local range (169.254.0.0/16, fe80::/10)");
        }
        if (address->is_link_local_multicast()) {
            invalid(field, &v, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
        }
    }
    // A path below a directory, which it does not leave. Source: validateLocalDescendingPath
    void relative_path(const json::value& v, const std::string& field) {
        const std::string path = v.is_string() ? std::string(v.get_string()) : std::string();
        if (path.starts_with('/')) invalid(field, &v, "must be a relative path");
        if (("/" + path + "/").find("/../") != std::string::npos) invalid(field, &v, "must not contain '..'");
    }
    // A number of pods or a share of them: an IntOrString that is not negative.
    void int_or_percent(const json::value& of, std::string_view name, const std::string& at) {
        const json::value* v = json::find(of, {name});
        if (v == nullptr || !v->is_string()) return not_negative(of, name, at);
        if (!is_percent(std::string_view(v->get_string()))) invalid(at + "." + std::string(name), v, percent_rule);
    }
    // The protocol of a port at `at`.
    void protocol(const json::value& port, const std::string& at) {
        const std::string_view text = json::get_string(port, {"protocol"});
        if (text == "TCP" || text == "UDP" || text == "SCTP") return;
        unsupported(at + ".protocol", text, R"("SCTP", "TCP", "UDP")");
    }

    void metadata(const json::value& object) {
        if (const json::value* labels = json::find(object, {"metadata", "labels"})) {
            label_map(*labels, "metadata.labels", true);
        }
        if (const json::value* notes = json::find(object, {"metadata", "annotations"})) {
            label_map(*notes, "metadata.annotations", false);
        }
        owners(json::find(object, {"metadata", "ownerReferences"}));
        const json::value* finalizers = json::find(object, {"metadata", "finalizers"});
        if (finalizers == nullptr || !finalizers->is_array()) return;
        std::size_t index = 0;
        for (const auto& name : finalizers->get_array()) {
            const std::string field = "metadata.finalizers[" + std::to_string(index++) + "]";
            const std::string text = name.is_string() ? std::string(name.get_string()) : std::string();
            if (text.find('/') != std::string::npos || text == "orphan" || text == "foregroundDeletion" ||
                text == "kubernetes") {
                continue;
            }
            invalid(field, &name, "name is neither a standard finalizer name nor is it fully qualified");
        }
    }
    void label_map(const json::value& map, const std::string& at, bool values) {
        if (!map.is_object()) return;
        for (const auto& entry : map.get_object()) {
            std::string_view key = entry.key();
            key.remove_prefix(key.rfind('/') == std::string_view::npos ? 0 : key.rfind('/') + 1);
            const json::value shown(entry.key());
            if (!is_name_part(key)) invalid(at, &shown, qualified_name_rule);
            if (!values || !entry.value().is_string()) continue;
            const std::string_view text = entry.value().get_string();
            if (!text.empty() && !is_name_part(text)) invalid(at, &entry.value(), label_value_rule);
        }
    }

private:
    void add(std::string field, std::string_view cause, std::string text) {
        problems.emplace_back(std::move(field), cause, std::move(text));
    }
    void owners(const json::value* list) {
        if (list == nullptr || !list->is_array()) return;
        std::string first;
        for (const auto& owner : list->get_array()) {
            const json::value* controls = json::find(owner, {"controller"});
            if (controls == nullptr || *controls != true) continue;
            const std::string name =
                std::string(json::get_string(owner, {"kind"})) + "/" + std::string(json::get_string(owner, {"name"}));
            if (!first.empty()) {
                invalid("metadata.ownerReferences", list,
                        "Only one reference can have Controller set to true. Found \"true\" in references for " +
                            first + " and " + name);
            }
            first = name;
        }
    }

public:
    template <class Visit>
    static void each(const json::value& of, std::string_view list, const std::string& at, const Visit& visit) {
        const json::value* items = json::find(of, {list});
        if (items == nullptr || !items->is_array()) return;
        each_item(*items, (at.empty() ? at : at + ".") + std::string(list), visit);
    }
    template <class Visit>
    static void each_item(const json::value& items, const std::string& at, const Visit& visit) {
        std::size_t index = 0;
        for (const auto& item : items.get_array()) visit(item, at + "[" + std::to_string(index++) + "]");
    }
};

}  // namespace detail
}  // namespace kcontrol::testing
