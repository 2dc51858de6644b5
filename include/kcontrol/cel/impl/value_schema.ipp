#pragma once

#include <kcontrol/cel/value_schema.hpp>

namespace kcontrol::inline v0_1::cel {
namespace detail {

// What rules see of every resource's metadata.
inline const json::value& resource_part(std::string_view name) {
    static const json::value text = json::object({{"type", "string"}});
    static const json::value metadata =
        json::object({{"type", "object"}, {"properties", json::object({{"name", text}, {"generateName", text}})}});
    return name == "metadata" ? metadata : text;
}

inline bool is_resource_part(std::string_view name) {
    return name == "apiVersion" || name == "kind" || name == "metadata";
}

}  // namespace detail

KCONTROL_DECL value_schema value_schema::member(std::string_view name) const {
    value_schema out;
    if (schema == nullptr) return out;
    if (is_resource && detail::is_resource_part(name)) {
        out.schema = &detail::resource_part(name);
        return out;
    }
    out.schema = member_schema(*schema, name);
    out.is_resource = out.schema != nullptr && schema_flag(*out.schema, "x-kubernetes-embedded-resource");
    return out;
}

KCONTROL_DECL value_schema value_schema::item() const {
    value_schema out;
    if (schema == nullptr) return out;
    out.schema = json::find(*schema, {"items"});
    out.is_resource = out.schema != nullptr && schema_flag(*out.schema, "x-kubernetes-embedded-resource");
    return out;
}

KCONTROL_DECL bool value_schema::hides(std::string_view member) const {
    if (schema == nullptr) return false;
    if (is_resource && detail::is_resource_part(member)) return false;
    return member_schema(*schema, member) == nullptr;
}

}  // namespace kcontrol::cel
