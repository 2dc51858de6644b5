#include "testserver/owned_fields.hpp"

#include "testserver/schema_shape.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kcontrol::inline v0_1::testing {
namespace detail {

void collect_fields(const resource_type& type, const owned_path& path, const json::value& v, bool whole,
                    owned_set& out) {
    if (is_merged_map(type, path, v)) {
        if (is_owned_map(type, path, whole) || (!path.empty() && path.back().starts_with("k:"))) out.insert(path);
        for (const auto& member : v.get_object()) {
            collect_fields(type, below(path, "f:" + std::string(member.key())), member.value(), whole, out);
        }
        return;
    }
    const list_shape shape = shape_of(type, path);
    // Who applies an empty list owns no item.
    if (!whole && is_list_of_items(shape, v) && v.get_array().empty()) return;
    if (!is_merged_list(shape, v)) {
        out.insert(path);
        return;
    }
    if (whole) out.insert(path);
    for (const auto& item : v.get_array()) {
        collect_fields(type, below(path, item_step(shape, item)), item, whole, out);
    }
}

namespace {

void append_fields_v1(const owned_set& fields, json::object& root) {
    for (const auto& path : fields) {
        json::object* at = &root;
        for (const auto& step : path) {
            json::value& next = (*at)[step];
            if (!next.is_object()) next = json::object();
            at = &next.get_object();
        }
        // A member with members of its own below says so with a dot; they come after it in the set.
        if (owns_below(fields, path)) (*at)["."] = json::object();
    }
}

void read_fields_v1(const json::object& from, const owned_path& path, owned_set& out) {
    if (!path.empty() && (from.empty() || from.contains("."))) out.insert(path);
    for (const auto& member : from) {
        if (member.key() == "." || !member.value().is_object()) continue;
        read_fields_v1(member.value().get_object(), below(path, std::string(member.key())), out);
    }
}

}  // namespace
}  // namespace detail

std::string path_text(const owned_path& path) {
    std::string out;
    for (const auto& step : path) {
        const std::string rest = step.substr(std::min<std::size_t>(2, step.size()));
        if (step.starts_with("v:")) {
            out += "[=" + rest + "]";
        } else if (step.starts_with("k:")) {
            std::string keys;
            if (const auto key = json::parse(rest); key && key->is_object()) {
                for (const auto& member : key->get_object()) {
                    if (!keys.empty()) keys += ',';
                    keys.append(member.key()).append("=").append(json::serialize(member.value()));
                }
            }
            out += "[" + keys + "]";
        } else {
            out += "." + rest;
        }
    }
    return out;
}

json::object fields_v1(const owned_set& fields) {
    json::object root;
    detail::append_fields_v1(fields, root);
    return root;
}

owned_set parse_fields_v1(const json::value& fields) {
    owned_set out;
    if (fields.is_object()) detail::read_fields_v1(fields.get_object(), {}, out);
    return out;
}

bool owns_below(const owned_set& fields, const owned_path& path) {
    const auto next = fields.upper_bound(path);
    return next != fields.end() && next->size() > path.size() && std::equal(path.begin(), path.end(), next->begin());
}

owned_set fields_of(const resource_type& type, const json::object& object, bool whole) {
    owned_set out;
    for (const auto& member : object) {
        detail::collect_fields(type, {"f:" + std::string(member.key())}, member.value(), whole, out);
    }
    strip_identity(out);
    return out;
}

void strip_identity(owned_set& fields) {
    for (const char* name : {"apiVersion", "kind", "metadata"}) fields.erase({std::string("f:") + name});
    for (const char* name : {"name", "namespace", "generateName", "selfLink", "uid", "resourceVersion", "generation",
                             "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"}) {
        fields.erase({"f:metadata", std::string("f:") + name});
    }
    for (auto it = fields.begin(); it != fields.end();) {
        const bool managed = it->size() > 1 && it->at(0) == "f:metadata" && it->at(1) == "f:managedFields";
        it = managed ? fields.erase(it) : std::next(it);
    }
}

}  // namespace kcontrol::testing
