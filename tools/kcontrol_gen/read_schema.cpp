#include "read_schema.hpp"

namespace kcontrol_gen {

std::optional<shape> scalar_shape(const json::value& schema) {
    const auto type = text_of(schema, "type");
    const auto format = text_of(schema, "format");
    if (is_true(schema, "x-kubernetes-int-or-string") || format == "int-or-string") return shape::int_or_string;
    if (type == "string") {
        if (format == "date-time") return shape::time;
        return format == "byte" ? shape::bytes : shape::text;
    }
    if (type == "boolean") return shape::boolean;
    if (type == "integer") return format == "int32" ? shape::int32 : shape::int64;
    if (type == "number") return shape::number;
    return std::nullopt;
}

void read_field_facts(const json::value& schema, field& into) {
    into.enum_values = texts_of(schema, "enum");
    into.list_type = text_of(schema, "x-kubernetes-list-type");
    into.map_keys = texts_of(schema, "x-kubernetes-list-map-keys");
    // An empty default is what Go's zero value looks like, and says nothing.
    if (const auto* found = member(schema, "default")) {
        auto text = json::serialize(*found);
        if (text != "{}" && text != "\"\"") into.default_json = std::move(text);
    }
}

}  // namespace kcontrol_gen
