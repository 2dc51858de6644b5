// What validation of Kubernetes' own kinds is made of: rules of names, and the collector of problems.
#pragma once

#include <kcontrol/documents/value.hpp>
#include <kcontrol/testing/failure.hpp>

#include <algorithm>
#include <set>
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
    // `choices` as "\"A\", \"B\"".
    void unsupported(std::string field, std::string_view value, std::string_view choices) {
        add(std::move(field), "FieldValueNotSupported",
            "Unsupported value: " + json::serialize(json::value(value)) +
                ": supported values: " + std::string(choices));
    }
    void not_negative(const json::value& of, std::string_view name, const std::string& at) {
        const json::value* v = json::find(of, {name});
        if (v != nullptr && v->is_int64() && v->get_int64() < 0) {
            invalid(at + "." + std::string(name), v, "must be greater than or equal to 0");
        }
    }
    void port(const json::value* v, std::string field) {
        const std::int64_t number = v != nullptr && v->is_int64() ? v->get_int64() : 0;
        if (v != nullptr && v->is_string()) return;
        if (number < 1 || number > 65535) {
            const json::value zero = 0;
            invalid(std::move(field), v == nullptr ? &zero : v, "must be between 1 and 65535, inclusive");
        }
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

    void pods(const json::value* pod_template, const std::string& at) {
        if (pod_template == nullptr) return;
        if (const json::value* labels = json::find(*pod_template, {"metadata", "labels"})) {
            label_map(*labels, at + ".metadata.labels", true);
        }
        pod_spec(json::find(*pod_template, {"spec"}), at + ".spec");
    }
    void pod_spec(const json::value* spec, const std::string& at) {
        if (spec == nullptr) return;
        std::set<std::string> volumes;
        if (const json::value* list = json::find(*spec, {"volumes"}); list != nullptr && list->is_array()) {
            for (const auto& volume : list->get_array()) volumes.emplace(json::get_string(volume, {"name"}));
        }
        containers(json::find(*spec, {"containers"}), at + ".containers", volumes, true);
        containers(json::find(*spec, {"initContainers"}), at + ".initContainers", volumes, false);
        const std::string_view policy = json::get_string(*spec, {"restartPolicy"});
        if (policy != "Always" && policy != "OnFailure" && policy != "Never") {
            unsupported(at + ".restartPolicy", policy, R"("Always", "OnFailure", "Never")");
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
    void containers(const json::value* list, const std::string& at, const std::set<std::string>& volumes, bool needed) {
        if (list == nullptr || !list->is_array() || list->get_array().empty()) {
            if (needed) required(at);
            return;
        }
        std::set<std::string> names;
        std::size_t index = 0;
        for (const auto& one : list->get_array())
            container(one, at + "[" + std::to_string(index++) + "]", volumes, names);
    }
    void container(const json::value& one, const std::string& at, const std::set<std::string>& volumes,
                   std::set<std::string>& names) {
        const json::value* name = json::find(one, {"name"});
        const std::string text(json::get_string(one, {"name"}));
        if (text.empty()) {
            required(at + ".name");
        } else if (!is_dns_label(text)) {
            invalid(at + ".name", name, label_rule);
        } else if (!names.insert(text).second) {
            add(at + ".name", "FieldValueDuplicate", "Duplicate value: " + json::serialize(*name));
        }
        if (json::get_string(one, {"image"}).empty()) required(at + ".image");
        const std::string_view pull = json::get_string(one, {"imagePullPolicy"});
        if (!pull.empty() && pull != "Always" && pull != "IfNotPresent" && pull != "Never") {
            unsupported(at + ".imagePullPolicy", pull, R"("Always", "IfNotPresent", "Never")");
        }
        each(one, "ports", at, [&](const json::value& item, const std::string& where) {
            port(json::find(item, {"containerPort"}), where + ".containerPort");
        });
        each(one, "env", at, [&](const json::value& item, const std::string& where) {
            if (json::get_string(item, {"name"}).empty()) required(where + ".name");
        });
        each(one, "volumeMounts", at, [&](const json::value& item, const std::string& where) {
            const std::string volume(json::get_string(item, {"name"}));
            if (volume.empty()) return required(where + ".name");
            if (!volumes.contains(volume)) {
                add(where + ".name", "FieldValueNotFound", "Not found: " + json::serialize(json::value(volume)));
            }
        });
    }

public:
    template <class Visit>
    static void each(const json::value& of, std::string_view list, const std::string& at, const Visit& visit) {
        const json::value* items = json::find(of, {list});
        if (items == nullptr || !items->is_array()) return;
        std::size_t index = 0;
        for (const auto& item : items->get_array()) {
            visit(item, at + "." + std::string(list) + "[" + std::to_string(index++) + "]");
        }
    }
};

}  // namespace detail
}  // namespace kcontrol::testing
