#include "node/marks_json.hpp"

#include <kcontrol/json/members.hpp>

#include <algorithm>

namespace gpu_labeler {
namespace {

namespace json = kcontrol::json;

bool is_our_entry(const json::value& entry) {
    return json::get_string(entry, {"manager"}) == field_manager && json::get_string(entry, {"operation"}) == "Apply" &&
           json::get_string(entry, {"subresource"}).empty();
}

void write_map(json::writer& out, std::string_view name, const label_map& values) {
    if (values.empty()) return;
    begin_object(out, name);
    for (const auto& [key, value] : values) out.member(key, value);
    out.end_object();
}

}  // namespace

label_map ours_in(const json::value& object, std::string_view section, std::string_view member) {
    label_map out;
    const auto* entries = json::find(object, {"metadata", "managedFields"});
    const auto* values = json::find(object, {section, member});
    if (!entries || !entries->is_array() || !values || !values->is_object()) return out;
    const std::string section_field = "f:" + std::string(section);
    const std::string member_field = "f:" + std::string(member);
    for (const auto& entry : entries->get_array()) {
        if (!is_our_entry(entry)) continue;
        const auto* fields = json::find(entry, {"fieldsV1", section_field, member_field});
        if (!fields || !fields->is_object()) continue;
        for (const auto& [field, unused] : fields->get_object()) {
            const std::string_view name(field.data(), field.size());
            if (!name.starts_with("f:")) continue;  // "." is the map itself
            const auto* value = values->get_object().if_contains(name.substr(2));
            if (value && value->is_string()) out[std::string(name.substr(2))] = value->get_string().c_str();
        }
    }
    return out;
}

node_marks marks_of_node(const json::value& node) {
    return {ours_in(node, "metadata", "labels"), ours_in(node, "metadata", "annotations")};
}

node_marks marks_of_node_feature(const json::value& feature) { return {ours_in(feature, "spec", "labels"), {}}; }

std::string node_text(const node_marks& marks) {
    json::writer out;
    out.begin_object();
    begin_object(out, "metadata");
    write_map(out, "labels", marks.labels);
    write_map(out, "annotations", marks.annotations);
    out.end_object();
    out.end_object();
    return out.take();
}

std::string node_feature_text(std::string_view node, const node_marks& marks) {
    json::writer out;
    out.begin_object();
    begin_object(out, "metadata");
    write_map(out, "labels", {{"nfd.node.kubernetes.io/node-name", std::string(node)}});
    out.end_object();
    begin_object(out, "spec");
    out.key("features");  // older versions of the kind want it, and all three in it
    out.raw(R"({"attributes":{},"flags":{},"instances":{}})");
    write_map(out, "labels", marks.labels);
    out.end_object();
    out.end_object();
    return out.take();
}

}  // namespace gpu_labeler
