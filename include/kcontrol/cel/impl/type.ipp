#pragma once

#include <kcontrol/cel/type.hpp>

namespace kcontrol::inline v0_1::cel {

KCONTROL_DECL type::type(std::string_view name, type item)
    : name_(name), item_(std::make_shared<const type>(std::move(item))) {}

KCONTROL_DECL type type::object(std::map<std::string, type, std::less<>> members) {
    type out("object");
    out.members_ = std::make_shared<const std::map<std::string, type, std::less<>>>(std::move(members));
    return out;
}

KCONTROL_DECL std::optional<type> type::of(const value_schema& shape) {
    if (shape.schema == nullptr) return type();
    const json::value& schema = *shape.schema;
    if (schema_flag(schema, "x-kubernetes-int-or-string")) return type();
    const std::string_view what = shape.is_resource ? "object" : json::get_string(schema, {"type"});
    const std::string_view format = json::get_string(schema, {"format"});
    if (what == "boolean") return boolean();
    if (what == "integer") return integer();
    if (what == "number") return floating();
    if (what == "string") {
        if (format == "byte") return bytes();
        if (format == "date" || format == "date-time") return timestamp();
        return format == "duration" ? duration() : string();
    }
    const json::value* more = additional_schema(schema);
    if (what == "array" || (what == "object" && more != nullptr && !shape.is_resource)) {
        auto item = of(what == "array" ? shape.item() : shape.member(""));
        if (!item || (what == "array" && json::find(schema, {"items"}) == nullptr)) return std::nullopt;
        return what == "array" ? list(std::move(*item)) : map(std::move(*item));
    }
    if (what != "object") return std::nullopt;
    type out("object");
    out.schema_ = shape;
    return out;
}

KCONTROL_DECL std::optional<type> type::member(std::string_view name) const {
    if (members_ == nullptr) return schema_.hides(name) ? std::nullopt : of(schema_.member(name));
    const auto found = members_->find(name);
    return found != members_->end() ? std::optional(found->second) : std::nullopt;
}

KCONTROL_DECL std::string type::text() const {
    if (is("list")) return "list(" + item().text() + ")";
    if (is("map")) return "map(string, " + item().text() + ")";
    if (is("optional_type")) return "optional_type(" + item().text() + ")";
    return std::string(name_);
}

}  // namespace kcontrol::cel
