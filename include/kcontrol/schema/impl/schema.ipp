#pragma once

#include <kcontrol/json/members.hpp>
#include <kcontrol/schema/impl/schema_rules.hpp>
#include <kcontrol/schema/schema.hpp>

namespace kcontrol::inline v0_1::detail {

/// Walks a table and writes its schema. The order of members is that of apiextensions.k8s.io/v1 JSONSchemaProps.
class schema_writer {
public:
    bool write(const type_descriptor& declared, const field_rules* field, bool as_resource) {
        const type_descriptor& type = without_optional(declared);
        const field_rules* own = own_rules_of(type);
        const field_rules r = rules_at(declared, field);
        if (type.kind == type_kind::custom && !type.custom->schema.empty()) return write_custom(type, r);
        const bool number_or_string =
            r.is_int_or_string || type.kind == type_kind::int_or_string || type.kind == type_kind::quantity;
        out_.begin_object();
        text("description", r.description);
        if (!number_or_string) text("type", r.is_embedded_resource ? "object" : type_name(type));
        text("format", r.format_name.empty() ? format_of(type) : r.format_name);
        text("title", r.title_text);
        if (!write_default(r)) return false;
        write_bounds(type, r);
        if (!write_enum(type, r)) return false;
        if (r.most_properties >= 0) out_.member("maxProperties", r.most_properties);
        if (r.fewest_properties >= 0) out_.member("minProperties", r.fewest_properties);
        if (type.kind == type_kind::structure) write_required(type);
        if (type.kind == type_kind::list && !write_element("items", "[]", type, field)) return false;
        if (number_or_string) out_.key("anyOf"), out_.raw(R"([{"type":"integer"},{"type":"string"}])");
        if (type.kind == type_kind::structure && !write_properties(type, as_resource)) return false;
        if (type.kind == type_kind::map && !write_element("additionalProperties", "*", type, field)) return false;
        flag("nullable", r.is_nullable);
        const bool any = (type.kind == type_kind::raw || type.kind == type_kind::custom) && !number_or_string;
        flag("x-kubernetes-preserve-unknown-fields", r.keeps_unknown_fields || any);
        flag("x-kubernetes-embedded-resource", r.is_embedded_resource);
        flag("x-kubernetes-int-or-string", number_or_string);
        if (!write_list_type(type, r)) return false;
        if (r.map != map_type_rule::unset) {
            out_.member("x-kubernetes-map-type", r.map == map_type_rule::atomic ? "atomic" : "granular");
        }
        write_cel(field, own);
        out_.end_object();
        return true;
    }

    std::string take() { return out_.take(); }
    error failure() const { return error(errc::invalid_argument, failure_); }

private:
    bool fail(std::string what) {
        failure_ = (path_.empty() ? std::string("the schema") : path_) + ": " + std::move(what);
        return false;
    }
    void text(std::string_view name, std::string_view value) {
        if (!value.empty()) out_.member(name, value);
    }
    void flag(std::string_view name, bool value) {
        if (value) out_.member(name, true);
    }

    static std::string_view type_name(const type_descriptor& type) {
        switch (type.kind) {
        case type_kind::boolean: return "boolean";
        case type_kind::int32:
        case type_kind::int64: return "integer";
        case type_kind::number: return "number";
        case type_kind::string:
        case type_kind::text:
        case type_kind::timestamp:
        case type_kind::microseconds: return "string";
        case type_kind::list: return "array";
        case type_kind::map:
        case type_kind::structure: return "object";
        default: return {};
        }
    }
    static std::string_view format_of(const type_descriptor& type) {
        switch (type.kind) {
        case type_kind::int32: return "int32";
        case type_kind::int64: return "int64";
        case type_kind::number: return "double";
        case type_kind::timestamp:
        case type_kind::microseconds: return "date-time";
        default: return {};
        }
    }

    /// A schema as its codec states it; the field adds its description.
    bool write_custom(const type_descriptor& type, const field_rules& r) {
        json::document document;
        const auto schema = document.parse(type.custom->schema);
        if (!schema || !schema->is_object()) return fail("the schema of its custom_codec is not a JSON object");
        out_.begin_object();
        text("description", r.description);
        for (const auto member : schema->members()) {
            if (member.name == "description" && !r.description.empty()) continue;
            out_.key(member.name);
            out_.raw(member.value.to_json());
        }
        out_.end_object();
        return true;
    }

    bool write_json(std::string_view what, std::string_view value) {
        json::document document;
        const auto parsed = document.parse(value);
        if (!parsed) {
            return fail("the " + std::string(what) + " `" + std::string(value) +
                        "` is not JSON; the JSON of a string has quotes");
        }
        out_.raw(parsed->to_json());
        return true;
    }

    bool write_default(const field_rules& r) {
        if (r.default_is == default_kind::none) return true;
        out_.key("default");
        if (r.default_is == default_kind::json) return write_json("default", r.default_text);
        out_.value(r.default_text);
        return true;
    }

    void write_bounds(const type_descriptor& type, const field_rules& r) {
        if (r.highest) out_.member("maximum", *r.highest);
        flag("exclusiveMaximum", r.highest && r.maximum_excluded);
        if (r.lowest) out_.member("minimum", *r.lowest);
        flag("exclusiveMinimum", r.lowest && r.minimum_excluded);
        if (r.longest >= 0) out_.member("maxLength", r.longest);
        if (r.shortest >= 0) out_.member("minLength", r.shortest);
        text("pattern", type.kind == type_kind::quantity && r.pattern_text.empty() ? quantity_pattern : r.pattern_text);
        if (r.most_items >= 0) out_.member("maxItems", r.most_items);
        if (r.fewest_items >= 0) out_.member("minItems", r.fewest_items);
        if (r.factor) out_.member("multipleOf", *r.factor);
    }

    bool write_enum(const type_descriptor& type, const field_rules& r) {
        if (r.allowed.empty()) return true;
        begin_array(out_, "enum");
        for (const std::string_view value : r.allowed) {
            if (type_name(type) == "string") {
                out_.value(value);
            } else if (!write_json("enum value", value)) {
                return false;
            }
        }
        out_.end_array();
        return true;
    }

    void write_required(const type_descriptor& type) {
        bool any = false;
        for (const auto* field : schema_fields(type)) {
            if (!field->required) continue;
            if (!any) out_.key("required"), out_.begin_array();
            any = true;
            out_.value(field->name);
        }
        if (any) out_.end_array();
    }

    bool write_element(std::string_view key, std::string_view step, const type_descriptor& type,
                       const field_rules* field) {
        out_.key(key);
        return write_at(step, *type.element, field == nullptr ? nullptr : field->elements(), false);
    }

    bool write_at(std::string_view step, const type_descriptor& type, const field_rules* field, bool is_root_metadata) {
        const std::size_t length = path_.size();
        if (!path_.empty() && step.front() != '[') path_ += '.';
        path_ += step;
        bool done = true;
        if (is_root_metadata) {
            out_.raw(R"({"type":"object"})");  // the server has its own checks for it, and refuses any other schema
        } else {
            done = write(type, field, false);
        }
        if (done) path_.resize(length);
        return done;
    }

    bool write_properties(const type_descriptor& type, bool as_resource) {
        if (std::ranges::count(inside_, &type) != 0) {
            return fail(
                "this type contains itself, and a structural schema is finite; make the member a raw_json, or "
                "give its type a custom_codec with a schema");
        }
        const auto fields = schema_fields(type);
        if (fields.empty() && !as_resource) return true;
        inside_.push_back(&type);
        begin_object(out_, "properties");
        // apiVersion and kind are in no field list, and take their places in the order.
        constexpr std::string_view implied[] = {"apiVersion", "kind"};
        std::size_t next = as_resource ? 0 : std::size(implied);
        const auto write_implied_before = [&](std::string_view name) {
            for (; next < std::size(implied) && implied[next] < name; ++next) {
                out_.key(implied[next]);
                out_.raw(R"({"type":"string"})");
            }
        };
        for (const auto* field : fields) {
            write_implied_before(field->name);
            out_.key(field->name);
            const bool metadata = as_resource && field->name == "metadata";
            if (!write_at(field->name, *field->type, field->rules, metadata)) return false;
        }
        write_implied_before("~");
        out_.end_object();
        inside_.pop_back();
        return true;
    }

    bool write_list_type(const type_descriptor& type, const field_rules& r) {
        if (r.list == list_type_rule::unset) return true;
        if (r.list == list_type_rule::map) {
            const type_descriptor& element = without_optional(*type.element);
            begin_array(out_, "x-kubernetes-list-map-keys");
            for (const std::string_view key : r.list_keys) {
                if (!is_list_key(element, key)) {
                    return fail("list_type_map(\"" + std::string(key) +
                                "\"): the elements need a field of that name that is required or has a default");
                }
                out_.value(key);
            }
            out_.end_array();
        }
        constexpr std::string_view names[] = {"", "atomic", "set", "map"};
        out_.member("x-kubernetes-list-type", names[static_cast<std::size_t>(r.list)]);
        return true;
    }

    static bool is_list_key(const type_descriptor& element, std::string_view key) {
        if (element.kind != type_kind::structure) return true;  // a custom schema: the server will say
        const auto* end = element.fields + element.field_count;
        const auto* found = std::ranges::find(element.fields, end, key, &field_descriptor::name);
        return found != end && (found->required || has_default(*found));
    }

    void write_cel(const field_rules* field, const field_rules* own) {
        const bool any = (field != nullptr && !field->cel.empty()) || (own != nullptr && !own->cel.empty());
        if (!any) return;
        begin_array(out_, "x-kubernetes-validations");
        for (const field_rules* rules : {own, field}) {
            if (rules == nullptr) continue;
            for (const cel_rule& rule : rules->cel) write_cel_rule(rule);
        }
        out_.end_array();
    }

    void write_cel_rule(const cel_rule& rule) {
        out_.begin_object();
        out_.member("rule", rule.rule);
        text("message", rule.message_);
        text("messageExpression", rule.message_expression_);
        text("reason", rule.reason_);
        text("fieldPath", rule.field_path_);
        if (rule.optional_old_self_) out_.member("optionalOldSelf", *rule.optional_old_self_);
        out_.end_object();
    }

    json::writer out_;
    std::string path_;
    std::string failure_;
    std::vector<const type_descriptor*> inside_;
};

KCONTROL_DECL result<std::string> write_schema(const type_descriptor& type, bool as_resource) {
    schema_writer writer;
    if (!writer.write(type, nullptr, as_resource)) return writer.failure();
    return writer.take();
}

}  // namespace kcontrol::detail
