// Which JSON type a schema expects, and which values have it.
#pragma once

#include <kcontrol/model/rules.hpp>
#include <kcontrol/schema/impl/go_text.hpp>
#include <kcontrol/schema/impl/schema_formats.hpp>
#include <kcontrol/values/type_descriptor.hpp>

#include <cmath>
#include <string_view>

namespace kcontrol::inline v0_1::detail {

struct expected_type {
    std::string_view name;  ///< as the server joins them
    std::string_view format;
};

inline expected_type expect_type(const type_descriptor& type, const field_rules& r) {
    if (r.is_int_or_string) return {"integer,string", {}};
    if (r.is_embedded_resource) return {"object", {}};
    switch (type.kind) {
    case type_kind::boolean: return {"boolean", {}};
    case type_kind::int32: return {"integer", "int32"};
    case type_kind::int64: return {"integer", "int64"};
    case type_kind::number: return {"number", "double"};
    case type_kind::string:
    case type_kind::text: return {"string", find_schema_format(r.format_name) != nullptr ? r.format_name : ""};
    case type_kind::timestamp:
    case type_kind::microseconds: return {"string", r.format_name.empty() ? "date-time" : r.format_name};
    case type_kind::quantity:
    case type_kind::int_or_string: return {"integer,string", {}};
    case type_kind::list: return {"array", {}};
    case type_kind::map:
    case type_kind::structure: return {"object", {}};
    case type_kind::raw:
    case type_kind::custom:
    case type_kind::optional: break;
    }
    return {};
}

inline bool has_expected_type(const expected_type& want, json::node value) {
    const std::string_view found = go_type(value);
    const bool any_integer = want.name == "integer" || want.name == "integer,string";
    const bool whole = found == "number" && any_integer && std::fabs(value.as_double()) <= 9007199254740991.0 &&
                       std::floor(value.as_double()) == value.as_double();
    return found == want.name || whole || (want.name == "number" && found == "integer") ||
           (want.name == "integer,string" && (found == "integer" || found == "string"));
}

}  // namespace kcontrol::detail
