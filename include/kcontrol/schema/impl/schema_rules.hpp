// The rules that apply to a field: its own, those of its type, and whether it has a default.
#pragma once

#include <kcontrol/model/metadata_fields.hpp>
#include <kcontrol/model/rules.hpp>
#include <kcontrol/values/type_descriptor.hpp>

#include <algorithm>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// What the schemas of Kubernetes' own projects say of a resource.Quantity (controller-tools, known_types.go).
inline constexpr std::string_view quantity_pattern =
    "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+"
    "))))?$";

/// The rules of a field, and below them those of its struct. CEL rules stay apart, for they add up.
inline field_rules merge_rules(const field_rules* field, const field_rules* own) {
    if (field == nullptr) return own == nullptr ? field_rules() : *own;
    field_rules all = *field;
    if (own == nullptr) return all;
    const auto take = [](auto& value, const auto& from, const auto& unset) {
        if (value == unset) value = from;
    };
    const std::string_view none;
    all.is_nullable |= own->is_nullable;
    all.keeps_unknown_fields |= own->keeps_unknown_fields;
    all.is_embedded_resource |= own->is_embedded_resource;
    take(all.fewest_properties, own->fewest_properties, -1);
    take(all.most_properties, own->most_properties, -1);
    take(all.map, own->map, map_type_rule::unset);
    take(all.description, own->description, none);
    take(all.title_text, own->title_text, none);
    take(all.format_name, own->format_name, none);
    if (all.default_is == default_kind::none) {
        all.default_is = own->default_is;
        all.default_text = own->default_text;
    }
    return all;
}

/// The type behind std::optional and boxed.
inline const type_descriptor& without_optional(const type_descriptor& type) {
    const type_descriptor* bare = &type;
    while (bare->kind == type_kind::optional) bare = bare->element;
    return *bare;
}

/// The fields of a struct that its schema has, by name. Of metadata inside an object it has what templates use.
inline std::vector<const field_descriptor*> schema_fields(const type_descriptor& type) {
    static constexpr std::string_view of_templates[] = {"name", "namespace", "labels", "annotations", "finalizers"};
    const bool metadata = &type == &describe<object_meta>();
    std::vector<const field_descriptor*> fields;
    fields.reserve(type.field_count);
    for (std::size_t i = 0; i < type.field_count; ++i) {
        const auto& field = type.fields[i];
        if (metadata && std::ranges::count(of_templates, field.name) == 0) continue;
        fields.push_back(&field);
    }
    std::ranges::sort(fields, {}, &field_descriptor::name);
    return fields;
}

inline const field_rules* own_rules_of(const type_descriptor& type) { return type.rules; }

/// A list without a list type has that of its elements.
inline void take_list_type(field_rules& all, const type_descriptor& type) {
    if (type.kind != type_kind::list || all.list != list_type_rule::unset) return;
    const field_rules* own = own_rules_of(without_optional(*type.element));
    if (own == nullptr || own->list_keys.empty()) return;
    all.list = list_type_rule::map;
    all.list_keys = own->list_keys;
}

/// All rules of a place that is declared with this type.
inline field_rules rules_at(const type_descriptor& declared, const field_rules* field) {
    const type_descriptor& type = without_optional(declared);
    field_rules all = merge_rules(field, own_rules_of(type));
    all.is_nullable |= declared.nullable;
    take_list_type(all, type);
    return all;
}

inline bool has_default(const field_descriptor& field) {
    return rules_at(*field.type, field.rules).default_is != default_kind::none;
}

}  // namespace kcontrol::detail
