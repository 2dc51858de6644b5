// value_schema: what a structural schema says of a JSON value that becomes one of CEL.
#pragma once

#include <kcontrol/config.hpp>
#include <kcontrol/documents/value.hpp>

#include <string_view>

namespace kcontrol::inline v0_1::cel {

inline bool schema_flag(const json::value& schema, std::string_view name) {
    const json::value* found = json::find(schema, {name});
    return found != nullptr && *found == true;
}

/// What the schema says of a member, or null. A member that is not declared has the schema of additionalProperties.
inline const json::value* declared_member(const json::value& schema, std::string_view name) {
    return json::find(schema, {"properties", name});
}
inline const json::value* additional_schema(const json::value& schema) {
    const json::value* found = json::find(schema, {"additionalProperties"});
    return found != nullptr && found->is_object() ? found : nullptr;
}
inline const json::value* member_schema(const json::value& schema, std::string_view name) {
    const json::value* declared = declared_member(schema, name);
    return declared != nullptr ? declared : additional_schema(schema);
}

/// What a schema says of a value. Without a schema, values are what their JSON is.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class value_schema {
public:
    const json::value* schema = nullptr;  ///< a structural schema, which outlives the value; null: none
    bool is_resource = false;             ///< the root of an object: it has apiVersion, kind and metadata

    /// Of an object; without a schema where it is not declared.
    KCONTROL_DECL value_schema member(std::string_view name) const;
    KCONTROL_DECL value_schema item() const;                  ///< of a list
    KCONTROL_DECL bool hides(std::string_view member) const;  ///< not declared, so that rules can't see it
};

}  // namespace kcontrol::cel

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cel/impl/value_schema.ipp>
#endif
