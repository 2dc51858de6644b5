#include "testserver/selected_fields.hpp"

#include <algorithm>
#include <array>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

// The value at a dotted path.
std::string text_at_path(const json::value& whole, std::string_view path) {
    const json::value* at = &whole;
    while (!path.empty()) {
        const std::size_t dot = std::min(path.find('.'), path.size());
        if (!at->is_object()) return {};
        at = at->get_object().if_contains(path.substr(0, dot));
        if (at == nullptr) return {};
        path.remove_prefix(std::min(dot + 1, path.size()));
    }
    if (at->is_string()) return std::string(at->get_string());
    return at->is_null() ? std::string() : json::serialize(*at);
}

// A field whose name in selectors is not its path, or whose absence means a value.
struct special_field {
    std::string_view group, resource, field;
    std::string_view path;    // where it is
    std::string_view absent;  // its text without a value
    std::string_view other_path = {};
};

constexpr std::array special_fields = {
    special_field{"", "pods", "spec.host", "spec.nodeName", ""},
    special_field{"", "pods", "spec.hostNetwork", "spec.hostNetwork", "false"},
    // It can be named, and no pod has it.
    special_field{"", "pods", "status.podIPs", "-", ""},
    special_field{"", "nodes", "spec.unschedulable", "spec.unschedulable", "false"},
    special_field{"", "events", "source", "source.component", "", "reportingComponent"},
    special_field{"", "replicationcontrollers", "status.replicas", "status.replicas", "0"},
    special_field{"batch", "jobs", "status.successful", "status.succeeded", "0"},
};

// Kinds whose API names their fields itself, with what it says of others; the rest take the two of metadata.
struct own_fields {
    std::string_view group, resource;
    bool has_namespace;                                                   // metadata.namespace is one of them
    std::string_view before = "field label not supported: ", after = {};  // around the field's name
};

constexpr std::array own_fields_table = {
    own_fields{"", "pods", true},
    own_fields{"", "nodes", false},
    own_fields{"", "replicationcontrollers", true},
    own_fields{"", "events", true},
    own_fields{"", "namespaces", false},
    own_fields{"", "secrets", true},
    own_fields{"", "services", true},
    own_fields{"events.k8s.io", "events", true},
    own_fields{"batch", "jobs", true, "field label \"", "\" not supported for Job"},
    own_fields{"certificates.k8s.io", "certificatesigningrequests", false},
    own_fields{"certificates.k8s.io", "clustertrustbundles", false},
    own_fields{"certificates.k8s.io", "podcertificaterequests", false},
    own_fields{"resource.k8s.io", "resourceslices", false,
               "field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: "},
};

}  // namespace
}  // namespace detail

std::optional<std::string> field_selector_problem(const resource_type& type, std::string_view field) {
    const auto is_it = [&type](const auto& row) { return row.group == type.group && row.resource == type.plural; };
    const auto own = std::find_if(detail::own_fields_table.begin(), detail::own_fields_table.end(), is_it);
    const bool names_itself = own != detail::own_fields_table.end();
    const auto& known = type.selectable_fields;
    if (std::find(known.begin(), known.end(), field) != known.end() || field == "metadata.name") return std::nullopt;
    const bool has_namespace = names_itself ? own->has_namespace : !type.custom || type.namespaced;
    if (field == "metadata.namespace" && has_namespace) return std::nullopt;
    const std::string name(field);
    if (names_itself) return std::string(own->before) + name + std::string(own->after);
    if (type.custom) return "field label not supported: " + name;
    return "\"" + name + R"(" is not a known field selector: only "metadata.name", "metadata.namespace")";
}

std::string selected_field(const group_resource& id, std::string_view field, const json::value& content) {
    for (const auto& row : detail::special_fields) {
        if (row.group != id.group || row.resource != id.resource || row.field != field) continue;
        std::string text = detail::text_at_path(content, row.path);
        if (text.empty() && !row.other_path.empty()) text = detail::text_at_path(content, row.other_path);
        return text.empty() ? std::string(row.absent) : text;
    }
    return detail::text_at_path(content, field);
}

}  // namespace kcontrol::testing
