#include <kcontrol/base/ascii.hpp>
#include <kcontrol/schema/schema.hpp>
#include <kcontrol/testing/resource_type.hpp>

#include "testserver/builtin_schema.hpp"
#include "testserver/json_values.hpp"
#include "testserver/structural_schema.hpp"
#include "testserver/webhook_client.hpp"

#include <algorithm>

namespace kcontrol::inline v0_1::testing {
namespace detail {

namespace {

printer_column column_of_crd(const json::value& entry) {
    printer_column column;
    column.name = json::get_string(entry, {"name"});
    column.type = json::get_string(entry, {"type"});
    column.path = json::get_string(entry, {"jsonPath"});
    column.format = json::get_string(entry, {"format"});
    const json::value* priority = json::find(entry, {"priority"});
    if (priority != nullptr && priority->is_int64()) column.priority = static_cast<int>(priority->get_int64());
    return column;
}

// Finds the fields of a structural schema, and its lists that have keys or are sets.
void read_schema(const json::value& schema, const std::string& path, resource_type& type) {
    const std::string_view list_type = json::get_string(schema, {"x-kubernetes-list-type"});
    if (list_type == "map" || list_type == "set") {
        auto keys = strings_of(json::find(schema, {"x-kubernetes-list-map-keys"}));
        std::sort(keys.begin(), keys.end());
        type.list_keys[path] = std::move(keys);
    }
    if (const json::value* items = json::find(schema, {"items"})) read_schema(*items, path, type);
    const json::value* properties = json::find(schema, {"properties"});
    if (properties == nullptr || !properties->is_object()) return;
    for (const auto& property : properties->get_object()) {
        std::string below = path.empty() ? "" : path + ".";
        below.append(property.key());
        type.declared_fields.insert(below);
        const std::string_view kind = json::get_string(property.value(), {"type"});
        const json::value* nullable = json::find(property.value(), {"nullable"});
        const bool refuses_null = nullable == nullptr || *nullable != true;
        if (refuses_null && (kind == "array" || kind == "object")) type.structured_fields[below] = kind;
        read_schema(property.value(), below, type);
    }
}

void read_crd_conversion(const json::value& crd, resource_type& type) {
    const json::value* versions = json::find(crd, {"spec", "versions"});
    if (versions != nullptr && versions->is_array()) {
        for (const auto& version : versions->get_array()) {
            const json::value* storage = json::find(version, {"storage"});
            if (storage != nullptr && *storage == true) type.storage_version = json::get_string(version, {"name"});
        }
    }
    if (json::get_string(crd, {"spec", "conversion", "strategy"}) != "Webhook") return;
    auto conversion = std::make_shared<conversion_webhook>();
    if (const json::value* client = json::find(crd, {"spec", "conversion", "webhook", "clientConfig"})) {
        conversion->client = read_webhook_client(*client);
    }
    conversion->review_versions =
        strings_of(json::find(crd, {"spec", "conversion", "webhook", "conversionReviewVersions"}));
    type.conversion = std::move(conversion);
}

void read_crd_version(const json::value& version, resource_type& type) {
    const json::value* served = json::find(version, {"served"});
    if (served == nullptr || *served != true) return;
    const bool first = type.versions.empty();
    const std::string name(json::get_string(version, {"name"}));
    type.versions.push_back(name);
    if (const json::value* schema = json::find(version, {"schema", "openAPIV3Schema"})) {
        auto structure = std::make_shared<structural_schema>(*schema);
        structure->scale_spec = json::get_string(version, {"subresources", "scale", "specReplicasPath"});
        structure->scale_status = json::get_string(version, {"subresources", "scale", "statusReplicasPath"});
        structure->scale_selector = json::get_string(version, {"subresources", "scale", "labelSelectorPath"});
        type.structures[name] = std::move(structure);
    }
    auto& columns = type.version_columns[name];
    const json::value* declared = json::find(version, {"additionalPrinterColumns"});
    if (declared != nullptr && declared->is_array()) {
        for (const auto& entry : declared->get_array()) columns.push_back(column_of_crd(entry));
    }
    if (columns.empty()) columns.emplace_back("Age", "date", ".metadata.creationTimestamp");
    if (!first) return;
    type.status_subresource = json::find(version, {"subresources", "status"}) != nullptr;
    if (const json::value* schema = json::find(version, {"schema", "openAPIV3Schema"})) {
        read_schema(*schema, "", type);
    }
    const json::value* fields = json::find(version, {"selectableFields"});
    if (fields != nullptr && fields->is_array()) {
        for (const auto& entry : fields->get_array()) {
            std::string_view path = json::get_string(entry, {"jsonPath"});
            if (!path.empty() && path.front() == '.') path.remove_prefix(1);
            type.selectable_fields.emplace_back(path);
        }
    }
}

}  // namespace
}  // namespace detail

resource_type::resource_type(std::string g, std::string v, std::string k, std::string p)
    : group(std::move(g)),
      versions(1, v),
      kind(std::move(k)),
      plural(std::move(p)),
      singular(ascii_lower(kind)),
      list_kind(kind + "List") {}

bool resource_type::serves(std::string_view version) const {
    return std::find(versions.begin(), versions.end(), version) != versions.end();
}

std::string resource_type::api_version(std::string_view version) const {
    return group.empty() ? std::string(version) : group + "/" + std::string(version);
}

const schema_type* resource_type::schema_in(std::string_view version) const {
    if (schema == nullptr || version.empty() || version == versions.front()) return schema;
    const builtin_kind* found = builtin_schema::get().find(group, version, kind);
    return found == nullptr ? schema : found->type;
}

const structural_schema* resource_type::structure_in(const std::string& version) const {
    const auto found = structures.find(version);
    return found == structures.end() ? nullptr : found->second.get();
}

const subresource_type* resource_type::subresource(std::string_view name) const {
    for (const auto& one : subresources) {
        if (one.name == name) return &one;
    }
    return nullptr;
}

resource_type resource_type_of(const resource_info& info) {
    resource_type type(info.gvk.group, info.gvk.version, info.gvk.kind, info.plural);
    type.namespaced = info.namespaced();
    if (info.type == nullptr) return type;
    // A type that has no schema, because it contains itself, has no lists that are merged either.
    const auto schema = kcontrol::detail::write_schema(*info.type, true);
    const auto read = schema ? json::parse(*schema) : result<json::value>(schema.error());
    if (!read) return type;
    resource_type declared;
    detail::read_schema(*read, "", declared);
    type.list_keys = std::move(declared.list_keys);
    return type;
}

outcome<resource_type> resource_type_of_crd(const json::value& crd) {
    const group_resource kind("apiextensions.k8s.io", "CustomResourceDefinition");
    const std::string_view name = json::get_string(crd, {"metadata", "name"});
    resource_type type;
    type.group = json::get_string(crd, {"spec", "group"});
    type.kind = json::get_string(crd, {"spec", "names", "kind"});
    type.plural = json::get_string(crd, {"spec", "names", "plural"});
    type.singular = json::get_string(crd, {"spec", "names", "singular"});
    type.list_kind = json::get_string(crd, {"spec", "names", "listKind"});
    type.short_names = detail::strings_of(json::find(crd, {"spec", "names", "shortNames"}));
    type.categories = detail::strings_of(json::find(crd, {"spec", "names", "categories"}));
    type.namespaced = json::get_string(crd, {"spec", "scope"}) != "Cluster";
    const json::value* versions = json::find(crd, {"spec", "versions"});
    if (versions != nullptr && versions->is_array()) {
        for (const auto& version : versions->get_array()) detail::read_crd_version(version, type);
    }
    for (const auto& [field, value] : {std::pair("spec.group", &type.group), std::pair("spec.names.kind", &type.kind),
                                       std::pair("spec.names.plural", &type.plural)}) {
        if (value->empty()) return failure::invalid(kind, name, field, "FieldValueRequired", "Required value");
    }
    if (name != type.plural + "." + type.group) {
        return failure::invalid(
            kind, name, "metadata.name", "FieldValueInvalid",
            "Invalid value: \"" + std::string(name) + "\": must be spec.names.plural+\".\"+spec.group");
    }
    if (type.versions.empty()) {
        return failure::invalid(kind, name, "spec.versions", "FieldValueInvalid",
                                "must have at least one served version");
    }
    detail::read_crd_conversion(crd, type);
    if (type.singular.empty()) type.singular = ascii_lower(type.kind);
    if (type.list_kind.empty()) type.list_kind = type.kind + "List";
    return type;
}

}  // namespace kcontrol::testing
