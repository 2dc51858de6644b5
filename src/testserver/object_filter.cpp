#include "testserver/object_filter.hpp"

#include <algorithm>
#include <optional>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

// The value at a dotted path, as a field selector compares it.
std::string field_text(const json::value& whole, std::string_view path) {
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

}  // namespace
}  // namespace detail

outcome<object_filter> object_filter::of_request(const request_info& request, const resource_type& type) {
    object_filter filter;
    filter.namespace_ = request.namespace_;
    auto labels = label_selector::parse(request.parameter("labelSelector"));
    if (!labels) return failure::bad_request("unable to parse requirement: " + labels.error().message());
    filter.labels = std::move(*labels);
    auto fields = field_selector::parse(request.parameter("fieldSelector"));
    if (!fields) return failure::bad_request(fields.error().message());
    filter.fields = std::move(*fields);
    for (const auto& requirement : filter.fields.requirements()) {
        const auto& known = type.selectable_fields;
        if (requirement.field == "metadata.name" || requirement.field == "metadata.namespace") continue;
        if (std::find(known.begin(), known.end(), requirement.field) != known.end()) continue;
        std::string offered = R"("metadata.name", "metadata.namespace")";
        for (const auto& field : known) offered += ", \"" + field + "\"";
        return failure::bad_request("\"" + requirement.field + "\" is not a known field selector: only " + offered);
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
        return detail::field_text(*content, field);
    });
}

}  // namespace kcontrol::testing
