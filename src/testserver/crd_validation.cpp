#include "testserver/crd_validation.hpp"

#include <kcontrol/base/ascii.hpp>
#include <kcontrol/model/names.hpp>
#include <kcontrol/testing/resource_type.hpp>

#include "testserver/cel_rules.hpp"
#include "testserver/crd_schema_validation.hpp"
#include "testserver/json_values.hpp"
#include "testserver/structural_values.hpp"

#include <algorithm>
#include <set>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

constexpr std::string_view dns_1035_rule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and "
    "end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
    "'[a-z]([-a-z0-9]*[a-z0-9])?')";

/// Collects what is wrong with a definition outside of its schemas.
class definition_validator {
public:
    definition_validator(const json::value& crd, bool lenient_cel) : crd_(crd), lenient_cel_(lenient_cel) {}

    void check() {
        const std::string name = said({"metadata", "name"});
        if (name != said({"spec", "names", "plural"}) + "." + said({"spec", "group"})) {
            add("metadata.name", "FieldValueInvalid",
                "Invalid value: " + go_quoted(name) + R"(: must be spec.names.plural+"."+spec.group)");
        }
        if (said({"spec", "group"}).empty()) required("spec.group");
        check_scope();
        check_versions();
        check_names();
        check_conversion();
    }

    std::vector<field_problem> problems;

private:
    std::string said(std::initializer_list<std::string_view> path) const {
        return std::string(json::get_string(crd_, path));
    }
    void add(std::string field, std::string_view cause, std::string text) {
        problems.emplace_back(std::move(field), cause, std::move(text));
    }
    void required(std::string field, const std::string& why = {}) {
        add(std::move(field), "FieldValueRequired", "Required value" + (why.empty() ? "" : ": " + why));
    }

    void check_scope() {
        const std::string scope = said({"spec", "scope"});
        if (scope.empty()) {
            required("spec.scope");
        } else if (scope != "Cluster" && scope != "Namespaced") {
            add("spec.scope", "FieldValueNotSupported",
                "Unsupported value: " + go_quoted(scope) + R"(: supported values: "Cluster", "Namespaced")");
        }
    }

    std::vector<const json::value*> versions() const {
        std::vector<const json::value*> out;
        const json::value* all = json::find(crd_, {"spec", "versions"});
        if (all != nullptr && all->is_array()) {
            for (const auto& one : all->get_array()) out.push_back(&one);
        }
        return out;
    }

    // What all versions have alike is named without a version.
    std::string path_of(std::string_view member, std::string_view shared, std::size_t index) const {
        const auto all = versions();
        const json::value* first = json::find(*all.front(), {member});
        const bool alike = std::all_of(all.begin(), all.end(), [&](const json::value* one) {
            const json::value* found = json::find(*one, {member});
            return (found == nullptr) == (first == nullptr) && (found == nullptr || json::equal(*found, *first));
        });
        if (alike) return "spec." + std::string(shared);
        return "spec.versions[" + std::to_string(index) + "]." + std::string(member);
    }

    void check_versions() {
        const auto all = versions();
        std::size_t storages = 0;
        std::set<std::string> names;
        bool twice = false;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const std::string name(json::get_string(*all[i], {"name"}));
            twice = twice || !names.insert(name).second;
            if (!check_dns1035_label(name).empty()) {
                for (const auto& field :
                     {"spec.versions[" + std::to_string(i) + "].name", std::string("spec.version")}) {
                    if (field == "spec.version" && i > 0) continue;
                    add(field, "FieldValueInvalid",
                        "Invalid value: " + go_quoted(name) + ": " + std::string(dns_1035_rule));
                }
            }
            storages += schema_flag(*all[i], "storage") ? 1U : 0U;
            check_version(*all[i], i);
        }
        if (storages != 1) {
            add("spec.versions", "FieldValueInvalid",
                "Invalid value: " + shown_versions() + ": must have exactly one version marked as storage version");
        }
        if (twice)
            add("spec.versions", "FieldValueInvalid",
                "Invalid value: " + shown_versions() + ": must contain unique version names");
        if (storages == 0) {
            add("status.storedVersions", "FieldValueInvalid",
                "Invalid value: null: must have at least one stored version");
        }
    }

    // As Go shows its own structs; what all versions have alike is not in them.
    std::string shown_versions() const {
        std::string out = "[";
        for (const auto* one : versions()) {
            json::object shown;
            out += (out.size() > 1 ? "," : "");
            shown["Name"] = json::get_string(*one, {"name"});
            shown["Served"] = schema_flag(*one, "served");
            shown["Storage"] = schema_flag(*one, "storage");
            shown["Deprecated"] = schema_flag(*one, "deprecated");
            for (const std::string_view name :
                 {"DeprecationWarning", "Schema", "Subresources", "AdditionalPrinterColumns", "SelectableFields"}) {
                shown[name] = nullptr;
            }
            out += json::serialize(json::value(std::move(shown)));
        }
        return out + "]";
    }

    // What all versions have alike is told once.
    bool is_told(std::string_view member, std::size_t index) const {
        return index > 0 && path_of(member, "", index) == "spec.";
    }

    void check_version(const json::value& version, std::size_t index) {
        if (!is_told("schema", index)) check_schema(version, index);
        if (!is_told("subresources", index)) {
            check_scale(version, path_of("subresources", "subresources", index) + ".scale");
        }
        if (!is_told("additionalPrinterColumns", index)) {
            check_columns(version, path_of("additionalPrinterColumns", "additionalPrinterColumns", index));
        }
    }

    void check_schema(const json::value& version, std::size_t index) {
        const std::string path = path_of("schema", "validation", index) + ".openAPIV3Schema";
        const json::value* schema = json::find(version, {"schema", "openAPIV3Schema"});
        if (schema == nullptr) {
            required("spec.versions[" + std::to_string(index) + "].schema.openAPIV3Schema");
        } else {
            schema_shape_validator shape;
            shape.check_root(*schema, path);
            auto found = shape.take();
            // Rules are read by the schema: of one that is wrong they would say what nobody can act on.
            std::vector<unread_rule> unread;
            if (found.empty()) find_unknown_rules(*schema, path, found, lenient_cel_ ? &unread : nullptr);
            for (auto& problem : found) problems.push_back(std::move(problem));
        }
    }

    void check_scale(const json::value& version, const std::string& path) {
        if (json::find(version, {"subresources", "scale"}) == nullptr) return;
        for (const auto& [name, root] :
             {std::pair("specReplicasPath", ".spec"), std::pair("statusReplicasPath", ".status")}) {
            const std::string given(json::get_string(version, {"subresources", "scale", name}));
            if (given.empty()) {
                required(path + "." + name);
            } else if (!given.starts_with(std::string(root) + ".")) {
                add(path + "." + name, "FieldValueInvalid",
                    "Invalid value: " + go_quoted(given) + ": should be a json path under " + root);
            }
        }
    }

    void check_columns(const json::value& version, const std::string& path) {
        const json::value* columns = json::find(version, {"additionalPrinterColumns"});
        if (columns == nullptr || !columns->is_array()) return;
        std::size_t index = 0;
        for (const auto& column : columns->get_array()) {
            const std::string place = path + "[" + std::to_string(index++) + "]";
            const std::string type(json::get_string(column, {"type"}));
            static const std::set<std::string> types = {"boolean", "date", "integer", "number", "string"};
            if (json::get_string(column, {"name"}).empty()) required(place + ".name");
            if (type.empty()) {
                required(place + ".type", "must be one of boolean,date,integer,number,string");
            } else if (!types.contains(type)) {
                add(place + ".type", "FieldValueInvalid",
                    "Invalid value: " + go_quoted(type) + ": must be one of boolean,date,integer,number,string");
            }
            const std::string shown(json::get_string(column, {"jsonPath"}));
            if (shown.empty()) {
                required(place + ".JSONPath");
            } else if (shown.front() != '.') {
                add(place + ".JSONPath", "FieldValueInvalid",
                    "Invalid value: " + go_quoted(shown) + ": must be a simple json path starting with .");
            }
        }
    }

    void check_label(const std::string& field, const std::string& text, std::string_view before) {
        if (text.empty()) return required(field);
        if (check_dns1035_label(text).empty()) return;
        add(field, "FieldValueInvalid",
            "Invalid value: " + go_quoted(text) + ": " + std::string(before) + std::string(dns_1035_rule));
    }

    void check_names() {
        constexpr std::string_view mixed = "may have mixed case, but should otherwise match: ";
        const std::string kind = said({"spec", "names", "kind"}), list = said({"spec", "names", "listKind"});
        const auto checked = [&](const std::string& field, const std::string& text) {
            if (text.empty()) return required(field);
            if (check_dns1035_label(ascii_lower(text)).empty()) return;
            add(field, "FieldValueInvalid",
                "Invalid value: " + go_quoted(text) + ": " + std::string(mixed) + std::string(dns_1035_rule));
        };
        check_label("spec.names.plural", said({"spec", "names", "plural"}), "");
        check_label("spec.names.singular", said({"spec", "names", "singular"}), "");
        checked("spec.names.kind", kind);
        checked("spec.names.listKind", list);
        std::size_t index = 0;
        for (const auto& name : strings_of(json::find(crd_, {"spec", "names", "shortNames"}))) {
            check_label("spec.names.shortNames[" + std::to_string(index++) + "]", name, "");
        }
        if (!kind.empty() && kind == list) {
            add("spec.names.listKind", "FieldValueInvalid",
                "Invalid value: " + go_quoted(list) + ": kind and listKind may not be the same");
        }
    }

    void check_conversion() {
        const std::string strategy = said({"spec", "conversion", "strategy"});
        if (strategy.empty() || strategy == "None") return;
        if (strategy != "Webhook") {
            add("spec.conversion.strategy", "FieldValueNotSupported",
                "Unsupported value: " + go_quoted(strategy) + R"(: supported values: "None", "Webhook")");
            return;
        }
        if (json::find(crd_, {"spec", "conversion", "webhook", "clientConfig"}) == nullptr) {
            required("spec.conversion.webhookClientConfig", "required when strategy is set to Webhook");
        }
        if (json::find(crd_, {"spec", "conversion", "webhook", "conversionReviewVersions"}) == nullptr) {
            required("spec.conversion.conversionReviewVersions");
        }
    }

    const json::value& crd_;
    bool lenient_cel_;
};

// What an established definition can't change any more.
void check_definition_change(const json::value& now, const json::value& before, std::vector<field_problem>& problems) {
    std::vector<std::string> versions;
    const json::value* all = json::find(now, {"spec", "versions"});
    if (all != nullptr && all->is_array()) {
        for (const auto& one : all->get_array()) versions.emplace_back(json::get_string(one, {"name"}));
    }
    std::size_t index = 0;
    for (const auto& stored : strings_of(json::find(before, {"status", "storedVersions"}))) {
        const std::string place = "status.storedVersions[" + std::to_string(index++) + "]";
        if (std::find(versions.begin(), versions.end(), stored) != versions.end()) continue;
        problems.emplace_back(place, "FieldValueInvalid",
                              "Invalid value: \"" + stored + "\": missing from spec.versions; " + stored +
                                  " was previously a storage version, and must remain in spec.versions until a storage "
                                  "migration ensures no data remains persisted in " +
                                  stored + " and removes " + stored + " from status.storedVersions");
    }
    const auto fixed = [&](std::string_view field, std::initializer_list<std::string_view> path) {
        const std::string is(json::get_string(now, path));
        if (is == json::get_string(before, path)) return;
        problems.emplace_back(std::string(field), "FieldValueInvalid",
                              "Invalid value: " + json::serialize(json::value(is)) + ": field is immutable");
    };
    fixed("spec.scope", {"spec", "scope"});
    fixed("spec.names.kind", {"spec", "names", "kind"});
    fixed("spec.group", {"spec", "group"});
    fixed("spec.names.plural", {"spec", "names", "plural"});
}

}  // namespace
}  // namespace detail

void set_definition_defaults(json::object& crd) {
    json::value& spec = crd["spec"];
    if (!spec.is_object()) return;
    json::object& members = spec.get_object();
    if (!members.contains("conversion")) members["conversion"].emplace_object()["strategy"] = "None";
    json::value* names = members.if_contains("names");
    if (names == nullptr || !names->is_object()) return;
    json::object& said = names->get_object();
    const std::string kind(json::get_string(*names, {"kind"}));
    if (kind.empty()) return;
    if (json::get_string(*names, {"singular"}).empty()) said["singular"] = ascii_lower(kind);
    if (json::get_string(*names, {"listKind"}).empty()) said["listKind"] = kind + "List";
}

std::vector<field_problem> validate_definition(const json::object& crd, const json::object* before, bool lenient_cel) {
    const json::value whole(crd);
    detail::definition_validator validator(whole, lenient_cel);
    validator.check();
    if (before != nullptr) {
        // A name that does not fit what may not change is said with that.
        std::erase_if(validator.problems, [](const field_problem& one) { return one.field == "metadata.name"; });
        detail::check_definition_change(whole, json::value(*before), validator.problems);
    }
    return std::move(validator.problems);
}

std::vector<taken_rule> unread_rules(const json::value& crd) {
    std::vector<taken_rule> out;
    const json::value* versions = json::find(crd, {"spec", "versions"});
    if (versions == nullptr || !versions->is_array()) return out;
    std::size_t index = 0;
    for (const auto& version : versions->get_array()) {
        const std::string path = "spec.versions[" + std::to_string(index++) + "].schema.openAPIV3Schema";
        const json::value* schema = json::find(version, {"schema", "openAPIV3Schema"});
        if (schema == nullptr) continue;
        std::vector<field_problem> ignored;  // the write would have failed by them
        std::vector<detail::unread_rule> unread;
        detail::find_unknown_rules(*schema, path, ignored, &unread);
        for (auto& rule : unread) {
            out.push_back({std::string(json::get_string(version, {"name"})), std::move(rule.path), std::move(rule.text),
                           std::move(rule.problem)});
        }
    }
    return out;
}

}  // namespace kcontrol::testing
