#include "testserver/object_filter.hpp"

#include "testserver/selected_fields.hpp"

#include <optional>

namespace kcontrol::inline v0_1::testing {
outcome<object_filter> object_filter::of_request(const request_info& request, const resource_type& type) {
    object_filter filter;
    filter.namespace_ = request.namespace_;
    filter.id = type.id();
    auto labels = label_selector::parse(request.parameter("labelSelector"));
    if (!labels) return failure::bad_request("unable to parse requirement: " + labels.error().message());
    filter.labels = std::move(*labels);
    auto fields = field_selector::parse(request.parameter("fieldSelector"));
    if (!fields) return failure::bad_request(fields.error().message());
    filter.fields = std::move(*fields);
    for (const auto& requirement : filter.fields.requirements()) {
        if (auto problem = field_selector_problem(type, requirement.field)) return failure::bad_request(*problem);
    }
    return filter;
}

bool object_filter::matches(const namespaced_name& key, const stored_object& object) const {
    if (!namespace_.empty() && key.namespace_ != namespace_) return false;
    const auto label = [&object](std::string_view name) -> std::optional<std::string_view> {
        const auto found = object.labels().find(std::string(name));
        if (found == object.labels().end()) return std::nullopt;
        return found->second;
    };
    if (!labels.matches_with(label)) return false;
    if (fields.empty()) return true;
    std::optional<json::value> content;
    return fields.matches_with([&](std::string_view field) -> std::string {
        if (field == "metadata.name") return key.name;
        if (field == "metadata.namespace") return key.namespace_;
        if (!content) content.emplace(object.content());
        return selected_field(id, field, *content);
    });
}

}  // namespace kcontrol::testing
