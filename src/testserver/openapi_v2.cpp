#include "testserver/openapi_v2.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1::testing::detail {
namespace {

constexpr std::string_view v3_reference = "#/components/schemas/", v2_reference = "#/definitions/";

bool is_set(const json::object& in, std::string_view name) {
    const json::value* found = in.if_contains(name);
    return found != nullptr && *found == true;
}

json::value schema_v2(const json::value& from);

json::object members_v2(const json::object& from) {
    json::object out;
    for (const auto& member : from) out[member.key()] = schema_v2(member.value());
    return out;
}

// What v2 has the same words for.
bool is_kept(std::string_view name) {
    static constexpr std::string_view kept[] = {"description", "type",    "format", "required",
                                                "title",       "default", "enum"};
    return std::find(std::begin(kept), std::end(kept), name) != std::end(kept) || name.starts_with("x-kubernetes-");
}

json::value schema_v2(const json::value& from) {
    if (!from.is_object()) return from;
    const json::object& schema = from.get_object();
    json::object out;
    // A field that may be null, or that has more than is declared, has no type: kubectl refused those values otherwise.
    const bool loose = is_set(schema, "nullable") || is_set(schema, "x-kubernetes-preserve-unknown-fields");
    for (const auto& member : schema) {
        const std::string_view name = member.key();
        if (is_kept(name) && name != "x-kubernetes-validations") out[name] = member.value();
        if (loose) continue;
        if (name == "properties" && member.value().is_object()) out[name] = members_v2(member.value().get_object());
        if (name == "items" || name == "additionalProperties") out[name] = schema_v2(member.value());
    }
    const auto refer = [&out](const json::value& reference) {
        std::string_view name = reference.get_string();
        if (name.starts_with(v3_reference)) name.remove_prefix(v3_reference.size());
        out["$ref"] = std::string(v2_reference) + std::string(name);
    };
    if (const json::value* reference = schema.if_contains("$ref"); reference != nullptr) refer(*reference);
    const json::value* all = schema.if_contains("allOf");
    if (all != nullptr && all->is_array() && all->get_array().size() == 1) {
        if (const json::value* reference = json::find(all->get_array()[0], {"$ref"})) refer(*reference);
    }
    // Quantities and their like: v2 calls them texts.
    if (schema.contains("oneOf") && !out.contains("type")) out["type"] = "string";
    if (is_set(schema, "nullable") || is_set(schema, "x-kubernetes-int-or-string")) out.erase("type");
    return out;
}

json::value parameter_v2(const json::value& from) {
    json::object out = from.get_object();
    if (const json::value* type = json::find(from, {"schema", "type"})) out["type"] = *type;
    out.erase("schema");
    return out;
}

void parameters_to_v2(json::object& of) {
    json::value* all = of.if_contains("parameters");
    if (all == nullptr) return;
    for (auto& one : all->get_array()) one = parameter_v2(one);
}

/// Writes a message field by field.
class message_writer {
public:
    void text(std::uint32_t field, std::string_view v) {
        varint(field << 3U | 2U);
        varint(v.size());
        out_ += v;
    }
    void boolean(std::uint32_t field, bool v) {
        varint(field << 3U);
        varint(v ? 1 : 0);
    }
    std::string take() { return std::move(out_); }

private:
    void varint(std::uint64_t v) {
        for (; v >= 0x80; v >>= 7U) out_ += static_cast<char>(v | 0x80U);
        out_ += static_cast<char>(v);
    }
    std::string out_;
};

// gnostic's Any: YAML, of which JSON is a part.
std::string any_message(const json::value& v) {
    message_writer out;
    out.text(2, json::serialize(v));
    return out.take();
}

std::string named_message(std::string_view name, const std::string& v) {
    message_writer out;
    out.text(1, name);
    out.text(2, v);
    return out.take();
}

std::string text_of(const json::value& in, std::string_view name) { return std::string(json::get_string(in, {name})); }

void put_extensions(message_writer& out, std::uint32_t field, const json::object& of) {
    for (const auto& member : of) {
        if (!std::string_view(member.key()).starts_with("x-")) continue;
        out.text(field, named_message(member.key(), any_message(member.value())));
    }
}

void put_texts(message_writer& out, const json::value& in,
               std::initializer_list<std::pair<std::uint32_t, std::string_view>> fields) {
    for (const auto& [number, name] : fields) {
        if (const std::string v = text_of(in, name); !v.empty()) out.text(number, v);
    }
}

std::string schema_message(const json::value& schema);

std::string wrapped(std::uint32_t field, const std::string& v) {
    message_writer out;
    out.text(field, v);
    return out.take();
}

std::string named_schemas(const json::object& all) {
    message_writer out;
    for (const auto& one : all) out.text(1, named_message(one.key(), schema_message(one.value())));
    return out.take();
}

std::string schema_message(const json::value& schema) {
    message_writer out;
    if (!schema.is_object()) return {};
    put_texts(out, schema, {{1, "$ref"}, {2, "format"}, {3, "title"}, {4, "description"}});
    const json::object& members = schema.get_object();
    if (const json::value* usual = members.if_contains("default")) out.text(5, any_message(*usual));
    const auto array_of = [&members](std::string_view name) {
        static const json::array none;
        const json::value* found = members.if_contains(name);
        return found != nullptr && found->is_array() ? &found->get_array() : &none;
    };
    for (const auto& name : *array_of("required")) {
        if (name.is_string()) out.text(19, name.get_string());
    }
    for (const auto& choice : *array_of("enum")) out.text(20, any_message(choice));
    if (const json::value* more = members.if_contains("additionalProperties")) {
        message_writer either;
        if (more->is_bool()) {
            either.boolean(2, more->get_bool());
        } else {
            either.text(1, schema_message(*more));
        }
        out.text(21, either.take());
    }
    if (const std::string type = text_of(schema, "type"); !type.empty()) out.text(22, wrapped(1, type));
    if (const json::value* items = members.if_contains("items")) out.text(23, wrapped(1, schema_message(*items)));
    const json::value* properties = members.if_contains("properties");
    if (properties != nullptr && properties->is_object()) out.text(25, named_schemas(properties->get_object()));
    put_extensions(out, 31, members);
    return out.take();
}

// ParametersItem > Parameter > NonBodyParameter > the schema of a query's or a path's parameter.
std::string parameter_message(const json::value& parameter) {
    const bool in_path = json::get_string(parameter, {"in"}) == "path";
    message_writer out;
    if (in_path) out.boolean(1, true);
    put_texts(out, parameter, {{2, "in"}, {4, "name"}});
    const std::string type = text_of(parameter, "type");
    if (!type.empty()) out.text(in_path ? 5 : 6, type);
    return wrapped(1, wrapped(2, wrapped(in_path ? 4 : 3, out.take())));
}

void put_parameters(message_writer& out, std::uint32_t field, const json::value& of) {
    const json::value* all = json::find(of, {"parameters"});
    if (all == nullptr || !all->is_array()) return;
    for (const auto& one : all->get_array()) out.text(field, parameter_message(one));
}

std::string operation_message(const json::value& operation) {
    message_writer out;
    put_parameters(out, 8, operation);
    const std::string ok = wrapped(1, wrapped(1, "OK"));  // ResponseValue > Response > description
    out.text(9, wrapped(1, named_message("200", ok)));
    put_extensions(out, 13, operation.get_object());
    return out.take();
}

std::string path_message(const json::value& item) {
    static constexpr std::pair<std::uint32_t, std::string_view> methods[] = {
        {2, "get"}, {3, "put"}, {4, "post"}, {5, "delete"}, {8, "patch"}};
    message_writer out;
    for (const auto& [field, name] : methods) {
        if (const json::value* operation = json::find(item, {name})) out.text(field, operation_message(*operation));
    }
    put_parameters(out, 9, item);
    return out.take();
}

}  // namespace

json::value openapi_v2_of(json::object info, json::object v3_paths, json::object v3_schemas) {
    for (auto& path : v3_paths) {
        json::object& item = path.value().as_object();
        parameters_to_v2(item);
        for (auto& operation : item) {
            if (operation.value().is_object()) parameters_to_v2(operation.value().get_object());
        }
    }
    json::object out;
    out["swagger"] = "2.0";
    out["info"] = std::move(info);
    out["paths"] = std::move(v3_paths);
    out["definitions"] = members_v2(v3_schemas);
    return out;
}

std::string openapi_v2_protobuf(const json::value& document) {
    message_writer out, info, paths;
    out.text(1, "2.0");
    if (const json::value* about = json::find(document, {"info"}))
        put_texts(info, *about, {{1, "title"}, {2, "version"}});
    out.text(2, info.take());
    if (const json::value* all = json::find(document, {"paths"})) {
        for (const auto& path : all->get_object()) paths.text(2, named_message(path.key(), path_message(path.value())));
    }
    out.text(8, paths.take());
    if (const json::value* all = json::find(document, {"definitions"})) out.text(9, named_schemas(all->get_object()));
    return out.take();
}

}  // namespace kcontrol::testing::detail
