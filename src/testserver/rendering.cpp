#include "testserver/rendering.hpp"

#include <kcontrol/base/trim.hpp>

#include "testserver/cluster_cells.hpp"
#include "testserver/header_text.hpp"
#include "testserver/stored_object.hpp"
#include "testserver/timestamp.hpp"

#include <limits>

namespace kcontrol::inline v0_1::testing {
namespace detail {

std::optional<shape> shape_of_media_range(std::string_view range) {
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

namespace {

json::object column_definition(std::string_view name, std::string_view type, std::string_view format, int priority) {
    json::object column;
    column["name"] = name;
    column["type"] = type;
    column["format"] = format;
    column["description"] = "";
    column["priority"] = priority;
    return column;
}

// As apiextensions-apiserver fills the cell (registry/customresource/tableconvertor): the first value of the path
// counts, and one that does not fit the column's type is none.
json::value cell(const renderer::column& column, const json::value& content, wall_time now) {
    const auto found = column.path.find(content);
    if (!found || found->empty()) return {};
    const json::value& first = *found->front();
    const std::string& type = column.definition.type;
    if (type == "string") return json::value(first.is_null() ? "<no value>" : printed({&first}));
    if (type == "boolean") return first.is_bool() ? first : json::value();
    if (type == "date") return first.is_string() ? json::value(age_text(first.get_string(), now)) : json::value();
    const bool of_text = first.is_uint64() && first.get_uint64() < 0x100;  // a byte of a text, which Go keeps apart
    if (!first.is_number() || of_text) return {};
    if (type == "number") return first.to_number<double>();
    if (!first.is_double()) return first.is_int64() ? first : json::value();
    constexpr double beyond = 9223372036854775808.0;
    const double number = first.get_double();
    const bool fits = number >= -beyond && number < beyond;
    return fits ? static_cast<std::int64_t>(number) : std::numeric_limits<std::int64_t>::min();  // as Go on amd64
}

// The rows of pods that have ended say so.
json::array row_conditions(const resource_type& type, const json::value& content) {
    if (!type.group.empty() || type.plural != "pods") return {};
    const std::string_view phase = json::get_string(content, {"status", "phase"});
    if (phase != "Succeeded" && phase != "Failed") return {};
    json::object one;
    one["type"] = "Completed";
    one["status"] = "True";
    one["reason"] = phase;
    one["message"] = phase == "Succeeded" ? "The pod has completed successfully." : "The pod failed.";
    return {std::move(one)};
}

json::object list_metadata(const list_page& page, bool is_custom) {
    json::object metadata;
    metadata["resourceVersion"] = std::to_string(page.version);
    // A list of custom resources says that there is no more.
    if (is_custom || !page.continue_token.empty()) metadata["continue"] = page.continue_token;
    if (page.remaining) metadata["remainingItemCount"] = *page.remaining;
    return metadata;
}

// Of the classes that say that they are the default, a list marks the one that counts: the newest, and by name.
void mark_default_class(json::array& rows, const list_page& page) {
    std::size_t at = 0;
    json::value* marked = nullptr;
    std::string newest;
    for (const auto& [key, object] : page.items) {
        json::value& name = rows[at++].as_object()["cells"].as_array().front();
        const json::value content(object->content());
        if (!is_default_class(content)) continue;
        std::string created(json::get_string(content, {"metadata", "creationTimestamp"}));
        if (marked != nullptr && created <= newest) continue;  // they come by name
        newest = std::move(created);
        marked = &name;
    }
    if (marked != nullptr) *marked = std::string(marked->as_string()) + " (default)";
}

}  // namespace
}  // namespace detail

outcome<shape> negotiate(std::string_view accept, bool streams) {
    if (trim_blanks(accept, line_blanks).empty()) return shape::object;
    while (!accept.empty()) {
        if (const auto found = detail::shape_of_media_range(detail::cut(accept, ','))) return *found;
    }
    return failure::not_acceptable(streams);
}

bool prefers_yaml(std::string_view accept) {
    while (!accept.empty()) {
        std::string_view range = detail::cut(accept, ',');
        if (detail::shape_of_media_range(range)) return detail::cut(range, ';') == "application/yaml";
    }
    return false;
}

renderer::renderer(const resource_type& type, const request_info& request, shape form, wall_time now)
    : type_(type),
      api_version_(type.api_version(request.version)),
      known_(type.custom || form != shape::table ? nullptr : columns_of_kind(type.id())),
      include_object_(request.parameter("includeObject")),
      form_(form),
      now_(now) {
    if (form_ != shape::table || known_ != nullptr) return;
    const auto declared = type.version_columns.find(request.version);
    const bool by_version = declared != type.version_columns.end();
    std::vector<printer_column> columns = by_version ? declared->second : type.columns;
    if (!by_version) columns.emplace_back("Age", "date", ".metadata.creationTimestamp");
    for (auto& one : columns) {
        auto path = json_path::parse("{" + one.path + "}");
        if (!path) break;  // as a real server does: no column from the first path on that it can't read
        columns_.push_back({std::move(one), std::move(*path)});
    }
}

std::string renderer::object(const stored_object& object) const {
    if (form_ == shape::object) return object.text(type_, api_version_);
    if (form_ == shape::metadata) return json::serialize(metadata_only(object));
    json::object table = table_of(object.version(), true);
    table["rows"].as_array().push_back(row(object));
    return json::serialize(json::value(std::move(table)));
}

std::string renderer::list(const list_page& page) const {
    json::object list;
    if (form_ == shape::table) {
        list = table_of(page.version, true);
        list["metadata"] = detail::list_metadata(page, type_.custom);
        json::array& rows = list["rows"].as_array();
        for (const auto& [key, object] : page.items) rows.push_back(row(*object));
        if (type_.id() == group_resource("storage.k8s.io", "storageclasses")) detail::mark_default_class(rows, page);
        return json::serialize(json::value(std::move(list)));
    }
    list["kind"] = form_ == shape::metadata ? std::string("PartialObjectMetadataList") : type_.list_kind;
    list["apiVersion"] = form_ == shape::metadata ? std::string("meta.k8s.io/v1") : api_version_;
    list["metadata"] = detail::list_metadata(page, type_.custom);
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

std::string renderer::event(std::string_view type, const stored_object& object, bool first) const {
    std::string text;
    text.reserve(object.bare_text().size() + 128);
    text.append(R"({"type":")").append(type).append(R"(","object":)");
    if (form_ == shape::table) {
        json::object table = table_of(object.version(), first);
        table["rows"].as_array().push_back(row(object));
        text += json::serialize(json::value(std::move(table)));
    } else if (form_ == shape::object) {
        detail::append_object_text(object.bare_text(), type_, api_version_, text);
    } else {
        text += this->object(object);
    }
    return text += "}\n";
}

std::string renderer::bookmark(std::uint64_t version, bool ends_initial_events) const {
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

json::value renderer::metadata_only(const stored_object& object) const {
    json::object content = object.content();
    json::object out;
    out["kind"] = "PartialObjectMetadata";
    out["apiVersion"] = "meta.k8s.io/v1";
    out["metadata"] = std::move(metadata_of(content));
    return out;
}

json::array renderer::columns() const {
    json::array columns;
    if (known_ != nullptr) {
        for (const auto& one : known_->columns) {
            columns.push_back(detail::column_definition(one.name, one.type, one.format, one.priority));
        }
        return columns;
    }
    columns.push_back(detail::column_definition("Name", "string", "name", 0));
    for (const auto& one : columns_) {
        const printer_column& of = one.definition;
        columns.push_back(detail::column_definition(of.name, of.type, of.format, of.priority));
    }
    return columns;
}

json::value renderer::row(const stored_object& object) const {
    const json::value content = known_ != nullptr ? json::value(object.content()) : object.value(type_, api_version_);
    json::array cells;
    if (known_ != nullptr) {
        cells = known_->cells(content, now_);
    } else {
        cells.push_back(json::value(json::get_string(content, {"metadata", "name"})));
        for (const auto& one : columns_) cells.push_back(detail::cell(one, content, now_));
    }
    json::array conditions = detail::row_conditions(type_, content);
    json::object row;
    row["cells"] = std::move(cells);
    if (!conditions.empty()) row["conditions"] = std::move(conditions);
    if (include_object_ == "Object") {
        row["object"] = object.value(type_, api_version_);
    } else if (include_object_ != "None") {
        row["object"] = metadata_only(object);
    }
    return row;
}

json::object renderer::table_of(std::uint64_t version, bool with_columns) const {
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
