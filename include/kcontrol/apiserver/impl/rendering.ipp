#pragma once

#include <kcontrol/apiserver/json_path.hpp>
#include <kcontrol/apiserver/rendering.hpp>
#include <kcontrol/apiserver/timestamp.hpp>

#include <algorithm>

namespace kcontrol::testing {
namespace detail {

inline std::string_view trim(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

// Cuts the part up to `separator` off the front.
inline std::string_view cut(std::string_view& text, char separator) {
    const std::size_t end = std::min(text.find(separator), text.size());
    const std::string_view head = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return trim(head);
}

inline std::optional<shape> shape_of_media_range(std::string_view range) {
    const std::string_view media_type = cut(range, ';');
    if (media_type != "application/json" && media_type != "application/yaml" && media_type != "*/*") {
        return std::nullopt;
    }
    std::string_view as, group;
    while (!range.empty()) {
        std::string_view parameter = cut(range, ';');
        const std::string_view name = cut(parameter, '=');
        if (name == "as") as = parameter;
        if (name == "g") group = parameter;
    }
    if (as.empty()) return shape::object;
    if (group != "meta.k8s.io") return std::nullopt;
    if (as == "Table") return shape::table;
    if (as == "PartialObjectMetadata" || as == "PartialObjectMetadataList") return shape::metadata;
    return std::nullopt;
}

inline json::object column_definition(std::string_view name, std::string_view type, std::string_view format,
                                      int priority) {
    json::object column;
    column["name"] = name;
    column["type"] = type;
    column["format"] = format;
    column["description"] = "";
    column["priority"] = priority;
    return column;
}

inline json::value age_cell(std::string_view timestamp, wall_time now) {
    const auto then = parse_timestamp(timestamp);
    if (!then) return "<unknown>";
    return json::value(human_duration(std::chrono::floor<std::chrono::seconds>(now - *then)));
}

inline json::value cell(const printer_column& column, const json::value& content, wall_time now) {
    const auto found = select_path(content, column.path);
    if (found.empty()) return column.type == "string" ? json::value("") : json::value();
    if (column.type == "date") {
        return found[0]->is_string() ? age_cell(found[0]->get_string(), now) : json::value("<unknown>");
    }
    if (column.type != "string") return *found[0];
    std::string text;
    for (const json::value* v : found) {
        if (!text.empty()) text += ",";
        text += v->is_string() ? std::string(v->get_string()) : json::serialize(*v);
    }
    return json::value(text);
}

inline json::object list_metadata(const list_page& page) {
    json::object metadata;
    metadata["resourceVersion"] = std::to_string(page.version);
    if (!page.continue_token.empty()) metadata["continue"] = page.continue_token;
    if (page.remaining) metadata["remainingItemCount"] = *page.remaining;
    return metadata;
}

}  // namespace detail

KCONTROL_DECL outcome<shape> negotiate(std::string_view accept, bool streams) {
    if (detail::trim(accept).empty()) return shape::object;
    while (!accept.empty()) {
        if (const auto found = detail::shape_of_media_range(detail::cut(accept, ','))) return *found;
    }
    return failure::not_acceptable(streams);
}

KCONTROL_DECL bool prefers_yaml(std::string_view accept) {
    while (!accept.empty()) {
        std::string_view range = detail::cut(accept, ',');
        if (detail::shape_of_media_range(range)) return detail::cut(range, ';') == "application/yaml";
    }
    return false;
}

KCONTROL_DECL renderer::renderer(const resource_type& type, const request_info& request, shape form, wall_time now)
    : type_(type),
      api_version_(type.api_version(request.version)),
      include_object_(request.parameter("includeObject")),
      form_(form),
      now_(now) {}

KCONTROL_DECL std::string renderer::object(const stored_object& object) const {
    if (form_ == shape::object) return object.text(type_, api_version_);
    if (form_ == shape::metadata) return json::serialize(metadata_only(object));
    json::object table = table_of(object.version(), true);
    table["rows"].as_array().push_back(row(object));
    return json::serialize(json::value(std::move(table)));
}

KCONTROL_DECL std::string renderer::list(const list_page& page) const {
    json::object list;
    if (form_ == shape::table) {
        list = table_of(page.version, true);
        list["metadata"] = detail::list_metadata(page);
        json::array& rows = list["rows"].as_array();
        for (const auto& [key, object] : page.items) rows.push_back(row(*object));
        return json::serialize(json::value(std::move(list)));
    }
    list["kind"] = form_ == shape::metadata ? std::string("PartialObjectMetadataList") : type_.list_kind;
    list["apiVersion"] = form_ == shape::metadata ? std::string("meta.k8s.io/v1") : api_version_;
    list["metadata"] = detail::list_metadata(page);
    std::string text = json::serialize(json::value(std::move(list)));
    text.back() = ',';  // instead of the closing brace
    text += R"("items":[)";
    for (const auto& [key, object] : page.items) {
        if (form_ == shape::metadata) {
            text += json::serialize(metadata_only(*object));
        } else {
            // Items of built-in lists carry no kind and apiVersion; those of custom resources do.
            text += type_.custom ? object->text(type_, api_version_) : object->bare_text();
        }
        text += ',';
    }
    if (!page.items.empty()) text.pop_back();
    return text += "]}";
}

KCONTROL_DECL std::string renderer::event(std::string_view type, const stored_object& object, bool first) const {
    std::string text = R"({"type":")";
    text.append(type).append(R"(","object":)");
    if (form_ == shape::table) {
        json::object table = table_of(object.version(), first);
        table["rows"].as_array().push_back(row(object));
        text += json::serialize(json::value(std::move(table)));
    } else {
        text += this->object(object);
    }
    return text += "}\n";
}

KCONTROL_DECL std::string renderer::bookmark(std::uint64_t version, bool ends_initial_events) const {
    json::object content;
    content["kind"] = type_.kind;
    content["apiVersion"] = api_version_;
    if (form_ == shape::metadata) {
        content["kind"] = "PartialObjectMetadata";
        content["apiVersion"] = "meta.k8s.io/v1";
    }
    json::object metadata;
    metadata["resourceVersion"] = std::to_string(version);
    if (ends_initial_events) {
        metadata["annotations"].emplace_object()["k8s.io/initial-events-end"] = "true";
    }
    content["metadata"] = std::move(metadata);
    if (form_ == shape::table) content = table_of(version, false);
    return R"({"type":"BOOKMARK","object":)" + json::serialize(json::value(std::move(content))) + "}\n";
}

KCONTROL_DECL json::value renderer::metadata_only(const stored_object& object) const {
    json::object content = object.content();
    json::object out;
    out["kind"] = "PartialObjectMetadata";
    out["apiVersion"] = "meta.k8s.io/v1";
    out["metadata"] = std::move(metadata_of(content));
    return out;
}

KCONTROL_DECL json::array renderer::columns() const {
    json::array columns;
    columns.push_back(detail::column_definition("Name", "string", "name", 0));
    for (const auto& column : type_.columns) {
        columns.push_back(detail::column_definition(column.name, column.type, "", column.priority));
    }
    columns.push_back(detail::column_definition("Age", "string", "", 0));
    return columns;
}

KCONTROL_DECL json::value renderer::row(const stored_object& object) const {
    const json::value content(object.content());
    json::array cells;
    cells.push_back(json::value(json::get_string(content, {"metadata", "name"})));
    for (const auto& column : type_.columns) cells.push_back(detail::cell(column, content, now_));
    cells.push_back(detail::age_cell(json::get_string(content, {"metadata", "creationTimestamp"}), now_));
    json::object row;
    row["cells"] = std::move(cells);
    if (include_object_ == "Object") {
        row["object"] = object.value(type_, api_version_);
    } else if (include_object_ != "None") {
        row["object"] = metadata_only(object);
    }
    return row;
}

KCONTROL_DECL json::object renderer::table_of(std::uint64_t version, bool with_columns) const {
    json::object table;
    table["kind"] = "Table";
    table["apiVersion"] = "meta.k8s.io/v1";
    table["metadata"].emplace_object()["resourceVersion"] = std::to_string(version);
    table["columnDefinitions"] = nullptr;
    if (with_columns) table["columnDefinitions"] = columns();
    table["rows"] = json::array();
    return table;
}

}  // namespace kcontrol::testing
