#include "read_openapi.hpp"

#include "naming.hpp"
#include "read_schema.hpp"

#include <algorithm>
#include <functional>

namespace kcontrol_gen {
namespace {

using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;

constexpr std::string_view ref_prefix = "#/components/schemas/";

/// Types that Go encodes by hand; the documents say little about them.
std::optional<shape> well_known(std::string_view key) {
    const auto is = [&](std::string_view tail) { return key.ends_with(tail); };
    if (is(".api.resource.Quantity")) return shape::quantity;
    if (is(".meta.v1.Time")) return shape::time;
    if (is(".meta.v1.MicroTime")) return shape::micro_time;
    if (is(".intstr.IntOrString")) return shape::int_or_string;
    return std::nullopt;
}

class document_reader {
public:
    document_reader(const json::value& document, std::string name, schema& into)
        : document_(document), name_(std::move(name)), out_(into) {}

    result<void> read() {
        if (!text_of(document_, "openapi").starts_with("3.")) {
            return fail("is not an OpenAPI v3 document (Kubernetes publishes them at /openapi/v3)");
        }
        if (const auto* info = member(document_, "info"); info != nullptr && out_.origin.empty()) {
            out_.origin = std::string(text_of(*info, "title")) + " " + std::string(text_of(*info, "version"));
        }
        read_paths();
        if (!problem_.empty()) return fail(problem_);
        return {};
    }

private:
    error fail(const std::string& what) const { return error(errc::decode_failed, name_ + ": " + what); }

    const json::value* component(std::string_view key) const {
        const auto* components = member(document_, "components");
        const auto* schemas = components != nullptr ? member(*components, "schemas") : nullptr;
        return schemas != nullptr ? member(*schemas, key) : nullptr;
    }

    // --- kinds

    void read_paths() {
        for (const auto& path : object_of(document_, "paths")) {
            for (const auto& method : path.value().is_object() ? path.value().get_object() : json::object()) {
                read_operation(key_of(path), method.value());
            }
        }
        // In the order of the components, whatever the order of the paths.
        const auto* components = member(document_, "components");
        if (components == nullptr) return;
        for (const auto& entry : object_of(*components, "schemas")) {
            const auto found = served_.find(std::string(key_of(entry)));
            if (found != served_.end()) add_kind(found->first, found->second);
        }
    }

    /// `/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale`: the parts after the group-version.
    void read_operation(std::string_view path, const json::value& operation) {
        const auto* gvk = member(operation, "x-kubernetes-group-version-kind");
        if (gvk == nullptr) return;
        const std::string group(text_of(*gvk, "group"));
        const std::string version(text_of(*gvk, "version"));
        const std::string name(text_of(*gvk, "kind"));
        const auto root = group.empty() ? "/api/" + version + "/" : "/apis/" + group + "/" + version + "/";
        const auto key = key_of_kind(group, version, name);
        if (key.empty()) return;  // of another document, or an options type of a connect verb
        auto& found = served_[key];
        found.group = group;
        found.version = version;
        found.name = name;
        if (!path.starts_with(root)) return;  // a subresource of another group: pods/eviction
        auto rest = path.substr(root.size());
        if (rest.starts_with("watch/")) return;
        const bool namespaced = rest.starts_with("namespaces/{namespace}/");
        if (namespaced) rest.remove_prefix(std::string_view("namespaces/{namespace}/").size());
        const auto plural = rest.substr(0, rest.find('/'));
        const auto tail = rest.size() > plural.size() ? rest.substr(plural.size() + 1) : std::string_view();
        if (tail.empty() || tail == "{name}") {
            found.plural = plural;
            found.scoped_by_namespace |= namespaced;
            add_once(found.verbs, std::string(text_of(operation, "x-kubernetes-action")));
        } else if (tail.starts_with("{name}/")) {
            subresources_[std::string(plural)].insert(std::string(tail.substr(std::string_view("{name}/").size())));
        }
    }

    static void add_once(std::vector<std::string>& to, std::string what) {
        if (what == "post") what = "create";
        if (what == "put") what = "update";
        if (std::ranges::find(to, what) == to.end()) to.push_back(std::move(what));
    }

    /// The component that carries this group, version and kind alone.
    std::string key_of_kind(const std::string& group, const std::string& version, const std::string& name) const {
        const auto* components = member(document_, "components");
        if (components == nullptr) return {};
        for (const auto& entry : object_of(*components, "schemas")) {
            const auto& list = array_of(entry.value(), "x-kubernetes-group-version-kind");
            if (list.size() != 1) continue;
            if (text_of(list[0], "group") == group && text_of(list[0], "version") == version &&
                text_of(list[0], "kind") == name) {
                return std::string(key_of(entry));
            }
        }
        return {};
    }

    struct served {
        std::string group, version, name, plural;
        std::vector<std::string> verbs;
        bool scoped_by_namespace = false;
    };

    void add_kind(const std::string& key, const served& what) {
        const auto same = [&](const kind& k) {
            return k.group == what.group && k.version == what.version && k.name == what.name;
        };
        const auto known = std::ranges::find_if(out_.kinds, same);
        if (known != out_.kinds.end() && (!known->plural.empty() || what.plural.empty())) return;
        kind k;
        k.group = what.group;
        k.version = what.version;
        k.name = what.name;
        k.plural = what.plural;
        k.namespaced = what.scoped_by_namespace || what.plural.empty();
        k.verbs = what.verbs;
        std::ranges::sort(k.verbs);
        if (std::ranges::find(k.verbs, "list") != k.verbs.end()) k.list_kind = k.name + "List";
        if (!k.plural.empty()) k.subresources.assign(subresources_[k.plural].begin(), subresources_[k.plural].end());
        k.type = key;
        add_type(key);
        if (known != out_.kinds.end()) {
            *known = std::move(k);
        } else {
            out_.kinds.push_back(std::move(k));
        }
    }

    // --- types

    void add_type(const std::string& key) {
        if (out_.types.contains(key)) return;
        const auto* source = component(key);
        if (source == nullptr) {
            if (problem_.empty()) problem_ = "a $ref leads to " + printable(key) + ", which is not in the document";
            return;
        }
        auto& type = out_.types[key];  // first, for types that contain themselves
        place_type(key, type);
        std::vector<field> fields;
        const auto required = texts_of(*source, "required");
        for (const auto& property : object_of(*source, "properties")) {
            field f;
            f.json_name = key_of(property);
            f.required = std::ranges::find(required, f.json_name) != required.end();
            read_field_facts(property.value(), f);
            f.type = type_of(property.value(), key + ": " + f.json_name);
            const auto* fallback = member(property.value(), "default");
            f.by_value = f.type.form == shape::object && fallback != nullptr && fallback->is_object();
            fields.push_back(std::move(f));
        }
        out_.types[key].fields = std::move(fields);
    }

    type_ref type_of(const json::value& source, const std::string& path) {
        auto ref = text_of(source, "$ref");
        const auto& all = array_of(source, "allOf");
        if (ref.empty() && all.size() == 1) ref = text_of(all[0], "$ref");
        if (!ref.empty()) return type_of_ref(ref, path);
        if (const auto form = scalar_shape(source)) return scalar(*form);
        const auto type = text_of(source, "type");
        if (type == "array") {
            const auto* items = member(source, "items");
            return container(shape::list, items != nullptr ? type_of(*items, path + "[]") : raw(path, "no items"));
        }
        const auto* values = member(source, "additionalProperties");
        if (type == "object" && values != nullptr && values->is_object()) {
            return container(shape::map, type_of(*values, path + "{}"));
        }
        return raw(path, type == "object" ? "an object without properties" : "no type");
    }

    type_ref type_of_ref(std::string_view ref, const std::string& path) {
        if (!ref.starts_with(ref_prefix)) {
            if (problem_.empty()) problem_ = "a $ref to outside of the document: " + printable(ref);
            return scalar(shape::raw);
        }
        const std::string key(ref.substr(ref_prefix.size()));
        if (const auto form = well_known(key)) return scalar(*form);
        if (const auto* target = component(key); target != nullptr && !member(*target, "properties")) {
            if (const auto form = scalar_shape(*target)) return scalar(*form);
            return raw(path, key.substr(key.rfind('.') + 1));
        }
        add_type(key);
        return object(key);
    }

    type_ref raw(const std::string& path, const std::string& reason) {
        out_.remarks.push_back({path, "kept as raw JSON (" + reason + ")"});
        return scalar(shape::raw);
    }

    const json::value& document_;
    std::string name_;
    schema& out_;
    std::string problem_;
    std::map<std::string, served> served_;
    std::map<std::string, std::set<std::string>> subresources_;
};

template <class Visit>
void visit_objects(type_ref& type, const Visit& visit) {
    if (type.form == shape::object) visit(type);
    if (type.element) visit_objects(*type.element, visit);
}

void remove_identity(object_type& type) {
    std::erase_if(type.fields, [](const field& f) {
        return f.json_name == "apiVersion" || f.json_name == "kind" || f.json_name == "metadata";
    });
}

}  // namespace

void place_type(const std::string& key, object_type& type) {
    const auto last = key.rfind('.');
    type.name = last == std::string::npos ? key : key.substr(last + 1);
    if (last == std::string::npos || last == 0) return;
    const auto before = key.rfind('.', last - 1);
    if (before == std::string::npos || before == 0) return;
    type.version = key.substr(before + 1, last - before - 1);
    const auto dot = key.rfind('.', before - 1);
    const auto start = dot == std::string::npos ? 0 : dot + 1;
    type.group = key.substr(start, before - start);
}

result<void> read_openapi(const json::value& document, const std::string& name, schema& into) {
    return document_reader(document, name, into).read();
}

void finish_openapi(schema& all) {
    std::set<std::string> kinds;
    for (const auto& k : all.kinds) kinds.insert(k.type);
    std::map<std::string, object_type> embedded;
    for (auto& [key, type] : all.types) {
        for (auto& f : type.fields) {
            visit_objects(f.type, [&](type_ref& to) {
                if (!kinds.contains(to.object)) return;
                auto copy = all.types.at(to.object);
                copy.name = "Embedded" + copy.name;
                to.object += ".embedded";
                embedded.emplace(to.object, std::move(copy));
            });
        }
    }
    for (auto& entry : embedded) all.types.insert(std::move(entry));
    for (auto& k : all.kinds) remove_identity(all.types.at(k.type));
    std::ranges::sort(all.kinds, {}, [](const kind& k) { return std::tie(k.group, k.version, k.name); });
    std::ranges::sort(all.remarks, {}, [](const remark& r) { return std::tie(r.path, r.reason); });
}

}  // namespace kcontrol_gen
