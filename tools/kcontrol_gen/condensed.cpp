#include "condensed.hpp"

#include <kcontrol/json/members.hpp>

#include "read_openapi.hpp"

#include <algorithm>
#include <array>

namespace kcontrol_gen {
namespace {

using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;

constexpr std::pair<std::string_view, shape> scalars[] = {{"text", shape::text},
                                                          {"bool", shape::boolean},
                                                          {"int32", shape::int32},
                                                          {"int64", shape::int64},
                                                          {"number", shape::number},
                                                          {"bytes", shape::bytes},
                                                          {"quantity", shape::quantity},
                                                          {"time", shape::time},
                                                          {"microTime", shape::micro_time},
                                                          {"raw", shape::raw},
                                                          {"intOrString", shape::int_or_string}};

std::string type_text(const type_ref& type) {
    if (type.form == shape::list) return "[]" + type_text(*type.element);
    if (type.form == shape::map) return "{}" + type_text(*type.element);
    if (type.form == shape::object) return "#" + type.object;
    const auto found = std::ranges::find(scalars, type.form, [](const auto& entry) { return entry.second; });
    return std::string(found->first);
}

bool read_type(std::string_view text, type_ref& to) {
    if (text.starts_with("[]") || text.starts_with("{}")) {
        type_ref element;
        if (!read_type(text.substr(2), element)) return false;
        to = container(text[0] == '[' ? shape::list : shape::map, std::move(element));
        return true;
    }
    if (text.starts_with('#')) {
        to = object(std::string(text.substr(1)));
        return true;
    }
    const auto found = std::ranges::find(scalars, text, [](const auto& entry) { return entry.first; });
    if (found == std::end(scalars)) return false;
    to = scalar(found->second);
    return true;
}

void write_texts(json::writer& out, std::string_view name, const std::vector<std::string>& texts) {
    if (texts.empty()) return;
    write_values(out, name, texts);
}

void write_field(json::writer& out, const field& f) {
    out.begin_object();
    out.member("name", f.json_name);
    out.member("type", type_text(f.type));
    if (f.required) out.member("required", true);
    if (f.by_value) out.member("byValue", true);
    write_texts(out, "enum", f.enum_values);
    if (!f.default_json.empty()) {
        out.key("default");
        out.raw(f.default_json);
    }
    if (!f.list_type.empty()) out.member("list", f.list_type);
    write_texts(out, "keys", f.map_keys);
    out.end_object();
}

void write_kind(json::writer& out, const kind& k) {
    out.begin_object();
    out.member("group", k.group);
    out.member("version", k.version);
    out.member("kind", k.name);
    if (!k.plural.empty()) out.member("plural", k.plural);
    if (!k.list_kind.empty()) out.member("listKind", k.list_kind);
    if (!k.namespaced) out.member("cluster", true);
    write_texts(out, "subresources", k.subresources);
    write_texts(out, "verbs", k.verbs);
    out.member("type", k.type);
    out.end_object();
}

void read_field(const json::value& from, field& to) {
    to.json_name = text_of(from, "name");
    to.required = is_true(from, "required");
    to.by_value = is_true(from, "byValue");
    to.enum_values = texts_of(from, "enum");
    to.list_type = text_of(from, "list");
    to.map_keys = texts_of(from, "keys");
    if (const auto* found = member(from, "default")) to.default_json = json::serialize(*found);
}

}  // namespace

std::string write_condensed(const schema& all) {
    std::string out = "{\"kcontrolSchema\":1,\n";
    json::writer line;
    const auto flush = [&](std::string_view after) {
        out += line.take();
        out += after;
    };
    line.value(all.origin);
    out += "\"origin\":" + line.take() + ",\n\"kinds\":[\n";
    for (std::size_t i = 0; i < all.kinds.size(); ++i) {
        write_kind(line, all.kinds[i]);
        flush(i + 1 < all.kinds.size() ? ",\n" : "\n");
    }
    out += "],\n\"types\":{\n";
    std::size_t left = all.types.size();
    for (const auto& [key, type] : all.types) {
        line.value(key);
        flush(":[");
        for (std::size_t i = 0; i < type.fields.size(); ++i) {
            write_field(line, type.fields[i]);
            flush(i + 1 < type.fields.size() ? "," : "");
        }
        out += --left > 0 ? "],\n" : "]\n";
    }
    out += "},\n\"remarks\":[\n";
    for (std::size_t i = 0; i < all.remarks.size(); ++i) {
        line.begin_array();
        line.value(all.remarks[i].path);
        line.value(all.remarks[i].reason);
        line.end_array();
        flush(i + 1 < all.remarks.size() ? ",\n" : "\n");
    }
    return out + "]}\n";
}

result<void> read_condensed(const json::value& document, const std::string& name, schema& into) {
    const auto fail = [&](std::string what) { return error(errc::decode_failed, name + ": " + what); };
    into.origin = text_of(document, "origin");
    for (const auto& entry : object_of(document, "types")) {
        const std::string key(key_of(entry));
        auto& type = into.types[key];
        place_type(key, type);
        if (!entry.value().is_array()) return fail("types." + key + ": expected an array");
        for (const auto& each : entry.value().get_array()) {
            field f;
            read_field(each, f);
            if (!read_type(text_of(each, "type"), f.type)) return fail("types." + key + "." + f.json_name + ": type");
            type.fields.push_back(std::move(f));
        }
    }
    for (const auto& each : array_of(document, "kinds")) {
        kind k;
        k.group = text_of(each, "group");
        k.version = text_of(each, "version");
        k.name = text_of(each, "kind");
        k.plural = text_of(each, "plural");
        k.list_kind = text_of(each, "listKind");
        k.namespaced = !is_true(each, "cluster");
        k.subresources = texts_of(each, "subresources");
        k.verbs = texts_of(each, "verbs");
        k.type = text_of(each, "type");
        if (!into.types.contains(k.type)) return fail("kinds: " + k.name + " has no type");
        into.kinds.push_back(std::move(k));
    }
    for (const auto& each : array_of(document, "remarks")) {
        if (!each.is_array() || each.get_array().size() != 2) return fail("remarks: expected pairs");
        const auto& pair = each.get_array();
        if (!pair[0].is_string() || !pair[1].is_string()) return fail("remarks: expected texts");
        into.remarks.push_back(
            {std::string(std::string_view(pair[0].get_string())), std::string(std::string_view(pair[1].get_string()))});
    }
    return {};
}

}  // namespace kcontrol_gen
