#include "read_crd.hpp"

#include "crd_names.hpp"
#include "naming.hpp"
#include "read_schema.hpp"

#include <algorithm>

namespace kcontrol_gen {
namespace {

using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;

constexpr std::string_view api_version = "apiextensions.k8s.io/v1";

bool has_properties(const json::value& schema) { return !object_of(schema, "properties").empty(); }

bool is_crd(const json::value& document) { return text_of(document, "kind") == "CustomResourceDefinition"; }

bool is_list(const json::value& document) {
    const auto kind = text_of(document, "kind");
    return kind == "CustomResourceDefinitionList" || kind == "List";
}

/// controller-gen writes a quantity as an int-or-string with a pattern.
bool is_quantity(const json::value& schema) {
    return is_true(schema, "x-kubernetes-int-or-string") && text_of(schema, "pattern").starts_with("^(\\+|-)?(([0-9]+");
}

/// metadata, spec and status are there by value at the top, and metadata and spec in what looks like a pod template.
bool is_by_value(std::string_view name, const json::object& siblings, bool top) {
    if (top) return name == "metadata" || name == "spec" || name == "status";
    return (name == "metadata" || name == "spec") && siblings.contains("metadata") && siblings.contains("spec");
}

/// A better word than the member's own name for what everybody knows: pod templates.
std::string word_for(std::string_view name, const json::value& schema) {
    const auto has_containers = [](const json::value* spec) {
        const auto* properties = spec != nullptr ? member(*spec, "properties") : nullptr;
        const auto* containers = properties != nullptr ? member(*properties, "containers") : nullptr;
        return containers != nullptr && text_of(*containers, "type") == "array";
    };
    if (name == "spec" && has_containers(&schema)) return "pod_spec";
    const auto* properties = member(schema, "properties");
    if (name == "template" && properties != nullptr && has_containers(member(*properties, "spec")))
        return "pod_template";
    auto word = snake_case(name);
    return word.empty() ? "x" : word;
}

void write_signature(const type_ref& type, std::string& out) {
    out += std::to_string(static_cast<int>(type.form));
    if (type.nullable) out += 'n';
    if (type.element) {
        out += '<';
        write_signature(*type.element, out);
        out += '>';
    }
    out += type.object;
}

}  // namespace

std::string signature_of(const object_type& type) {
    std::string out;
    const auto add = [&](const std::string& text) { out += std::to_string(text.size()) + ':' + text; };
    for (const auto& f : type.fields) {
        add(f.json_name);
        write_signature(f.type, out);
        out += f.required ? 'r' : '-';
        out += f.by_value ? 'v' : '-';
        for (const auto& value : f.enum_values) add(value);
        out += '|';
        add(f.default_json);
        add(f.list_type);
        for (const auto& key : f.map_keys) add(key);
        out += ';';
    }
    return out;
}

bool crd_reader::accepts(const json::value& document) {
    if (is_crd(document)) return true;
    if (text_of(document, "kind") == "CustomResourceDefinitionList") return true;
    if (!is_list(document)) return false;
    return std::ranges::any_of(array_of(document, "items"), is_crd);
}

result<void> crd_reader::add(const json::value& document, const std::string& name) {
    if (is_crd(document)) return add_crd(document, name);
    std::size_t number = 0;
    for (const auto& item : array_of(document, "items")) {
        ++number;
        // The items of a typed list need not say what they are.
        const bool typed = text_of(document, "kind") == "CustomResourceDefinitionList";
        if (!typed && !is_crd(item)) continue;
        const auto done = add_crd(item, name + ", item " + std::to_string(number));
        if (!done) return done.error();
    }
    return {};
}

result<void> crd_reader::add_crd(const json::value& crd, const std::string& name) {
    const auto fail = [&](const std::string& what) { return error(errc::decode_failed, name + ": " + what); };
    const auto version = text_of(crd, "apiVersion");
    if (!version.empty() && version != api_version) {
        return fail("apiVersion is " + printable(version) + ", and only " + std::string(api_version) +
                    " is read; ask a current API server for the CRD, which converts it");
    }
    const auto* spec = member(crd, "spec");
    if (spec == nullptr || !spec->is_object()) return fail("spec: missing");
    if (text_of(*spec, "group").empty()) return fail("spec.group: missing or not a text");
    const auto* names = member(*spec, "names");
    for (const std::string_view part : {"kind", "plural"}) {
        if (names == nullptr || text_of(*names, part).empty()) {
            return fail("spec.names." + std::string(part) + ": missing or not a text");
        }
    }
    if (array_of(*spec, "versions").empty()) return fail("spec.versions: missing or empty");
    std::size_t index = 0;
    for (const auto& each : array_of(*spec, "versions")) {
        const auto where = name + ": spec.versions[" + std::to_string(index++) + "]";
        const auto done = add_version(*spec, each, where);
        if (!done) return done.error();
    }
    return {};
}

result<void> crd_reader::add_version(const json::value& spec, const json::value& version, const std::string& name) {
    const auto fail = [&](const std::string& what) { return error(errc::decode_failed, name + what); };
    if (text_of(version, "name").empty()) return fail(".name: missing or not a text");
    if (const auto* served = member(version, "served"); served != nullptr && *served == false) return {};
    const auto* holder = member(version, "schema");
    const auto* source = holder != nullptr ? member(*holder, "openAPIV3Schema") : nullptr;
    if (source == nullptr || !source->is_object()) {
        return fail(".schema.openAPIV3Schema: missing; every version of a v1 CRD has one");
    }
    const auto& names = *member(spec, "names");
    kind k;
    k.group = text_of(spec, "group");
    k.version = text_of(version, "name");
    k.name = text_of(names, "kind");
    k.plural = text_of(names, "plural");
    k.list_kind = text_of(names, "listKind");
    k.namespaced = text_of(spec, "scope") != "Cluster";
    k.preferred = is_true(version, "storage");
    if (const auto* subresources = member(version, "subresources")) {
        for (const std::string_view each : {"status", "scale"}) {
            if (member(*subresources, each) != nullptr) k.subresources.emplace_back(each);
        }
    }
    const auto same = [&](const kind& other) {
        return other.group == k.group && other.version == k.version && other.name == k.name;
    };
    if (std::ranges::any_of(out_.kinds, same)) {
        return fail(": " + printable(k.name) + " " + printable(k.version) + " of " + printable(k.group) +
                    " was there already; give each CRD once");
    }
    k.type = k.version + "/" + k.group + "/" + k.name;

    const auto path = printable(k.name) + " " + printable(k.version) + ": ";
    if (is_true(*source, "x-kubernetes-preserve-unknown-fields")) {
        out_.remarks.push_back({path + "(top)", "members beside the known ones are kept by a patch, not by the type"});
    }
    versions_[k.version];  // is named, even if no object below the kind has a type
    object_type top;
    top.name = k.name;
    top.group = k.group;
    top.version = k.version;
    const auto& properties = object_of(*source, "properties");
    const auto required = texts_of(*source, "required");
    for (const auto& property : properties) {
        field f;
        f.json_name = key_of(property);
        if (f.json_name == "apiVersion" || f.json_name == "kind" || f.json_name == "metadata") continue;
        f.required = std::ranges::find(required, f.json_name) != required.end();
        read_field_facts(property.value(), f);
        f.type =
            type_of(property.value(),
                    {k.version, path + f.json_name, {snake_case(k.name), word_for(f.json_name, property.value())}});
        f.by_value = f.type.form == shape::object && !f.type.nullable && is_by_value(f.json_name, properties, true);
        top.fields.push_back(std::move(f));
    }
    out_.types[k.type] = std::move(top);
    out_.kinds.push_back(std::move(k));
    return {};
}

type_ref crd_reader::raw(const place& at, const std::string& reason) {
    out_.remarks.push_back({at.path, "kept as raw JSON (" + reason + ")"});
    return scalar(shape::raw);
}

type_ref crd_reader::type_of(const json::value& source, const place& at) {
    auto made = type_without_null(source, at);
    made.nullable = is_true(source, "nullable");
    return made;
}

type_ref crd_reader::type_without_null(const json::value& source, const place& at) {
    if (is_quantity(source)) return scalar(shape::quantity);
    if (const auto form = scalar_shape(source)) return scalar(*form == shape::time ? shape::date_time : *form);
    const auto type = text_of(source, "type");
    if (is_true(source, "x-kubernetes-preserve-unknown-fields")) return raw(at, "x-kubernetes-preserve-unknown-fields");
    if (is_true(source, "x-kubernetes-embedded-resource")) return raw(at, "x-kubernetes-embedded-resource");
    if (type == "array") {
        const auto* items = member(source, "items");
        if (items == nullptr || !items->is_object()) return raw(at, "an array without a schema of its items");
        auto words = at.words;
        words.back() = singular(words.back());
        return container(shape::list, type_of(*items, {at.version, at.path + "[]", std::move(words)}));
    }
    const auto* values = member(source, "additionalProperties");
    if (has_properties(source)) {
        if (values != nullptr && *values != false) return raw(at, "properties beside additionalProperties");
        return object_of_properties(source, at);
    }
    if (values != nullptr && values->is_object()) {
        auto words = at.words;
        words.back() = singular(words.back());
        return container(shape::map, type_of(*values, {at.version, at.path + "{}", std::move(words)}));
    }
    if (type == "object") return raw(at, "an object without properties");
    return raw(at, type.empty() ? "no type" : "the unknown type " + printable(type));
}

type_ref crd_reader::object_of_properties(const json::value& source, const place& at) {
    object_type made;
    made.version = at.version;
    const auto& properties = object_of(source, "properties");
    const auto required = texts_of(source, "required");
    for (const auto& property : properties) {
        field f;
        f.json_name = key_of(property);
        f.required = std::ranges::find(required, f.json_name) != required.end();
        read_field_facts(property.value(), f);
        auto words = at.words;
        words.push_back(word_for(f.json_name, property.value()));
        f.type = type_of(property.value(), {at.version, at.path + "." + printable(f.json_name), std::move(words)});
        f.by_value = f.type.form == shape::object && !f.type.nullable && is_by_value(f.json_name, properties, false);
        made.fields.push_back(std::move(f));
    }
    auto& types = versions_[at.version];
    const auto fresh = at.version + "#" + std::to_string(types.by_signature.size());
    const auto [known, inserted] =
        types.by_signature.emplace(family_of(at.words.back()) + '\n' + signature_of(made), fresh);
    if (inserted) out_.types[fresh] = std::move(made);
    types.occurrences_of[known->second].push_back({at.words.size(), at.path, at.words});
    return object(known->second);
}

void crd_reader::name_types() {
    for (auto& [version, types] : versions_) {
        std::set<std::string> taken;
        for (auto& [key, type] : out_.types) {
            if (type.version == version && !key.starts_with(version + "#")) {
                type.name = unique(identifier(type.name), taken);
                type.named = true;
            }
        }
        // Short names go to what lies nearest to the top.
        std::vector<std::pair<occurrence, std::string>> order;
        for (auto& [key, list] : types.occurrences_of) {
            std::ranges::sort(list, {}, [](const occurrence& o) { return std::tie(o.depth, o.path); });
            order.emplace_back(list.front(), key);
        }
        std::ranges::sort(order, {}, [](const auto& e) { return std::tie(e.first.depth, e.first.path); });
        for (const auto& [first, key] : order) {
            std::vector<std::vector<std::string>> paths;
            for (const auto& each : types.occurrences_of[key]) paths.push_back(each.words);
            out_.types[key].name = name_of_type(paths, taken);
            out_.types[key].named = true;
        }
    }
}

schema crd_reader::finish() {
    name_types();
    std::ranges::sort(out_.kinds, {}, [](const kind& k) { return std::tie(k.version, k.group, k.name); });
    std::ranges::sort(out_.remarks, {}, [](const remark& r) { return std::tie(r.path, r.reason); });
    return std::move(out_);
}

}  // namespace kcontrol_gen
