#include "testserver/field_managers.hpp"

#include <kcontrol/testing/failure.hpp>

#include "testserver/failure_parts.hpp"
#include "testserver/owned_fields.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

constexpr std::string_view apply_operation = "Apply";
constexpr std::string_view update_operation = "Update";

// Appliers are the same in whatever version they write, updaters are not. As in fieldmanager's identifiers.
field_manager_entry& entry_of(std::vector<field_manager_entry>& entries, const field_writer& writer,
                              std::string_view operation) {
    const auto is_it = [&](const field_manager_entry& e) {
        return e.manager == writer.manager && e.operation == operation && e.subresource == writer.subresource &&
               (operation == apply_operation || e.api_version == writer.api_version);
    };
    const auto found = std::find_if(entries.begin(), entries.end(), is_it);
    if (found != entries.end()) return *found;
    field_manager_entry& made = entries.emplace_back();
    made.manager = writer.manager;
    made.operation = operation;
    made.subresource = writer.subresource;
    made.api_version = writer.api_version;
    made.time = writer.now;
    return made;
}

owned_set common(const owned_set& a, const owned_set& b) {
    owned_set out;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(out, out.end()));
    return out;
}

void subtract(owned_set& from, const owned_set& what) {
    for (const auto& path : what) from.erase(path);
}

std::string entry_text(const field_manager_entry& entry) {
    std::string out = json::serialize(json::value(entry.manager));
    if (!entry.subresource.empty()) out += " with subresource " + json::serialize(json::value(entry.subresource));
    if (entry.operation == update_operation) out += " using " + entry.api_version;
    return out;
}

// As sets are printed: at each level first what is owned itself, then what is owned below it.
bool is_printed_before(const owned_path& a, const owned_path& b) {
    const std::size_t most = std::min(a.size(), b.size());
    std::size_t same = 0;
    while (same < most && a[same] == b[same]) ++same;
    if (same == most) return a.size() < b.size();
    const bool a_is_last = same + 1 == a.size();
    const bool b_is_last = same + 1 == b.size();
    return a_is_last != b_is_last ? a_is_last : a[same] < b[same];
}

// The 409 of an apply. Source: apimachinery's fieldmanager, conflict.go
failure apply_conflict(const std::map<std::string, owned_set>& clashes) {
    json::array causes;
    std::string message;
    for (const auto& [manager, fields] : clashes) {
        message += "conflicts with " + manager + ":\n";
        std::vector<owned_path> in_order(fields.begin(), fields.end());
        std::sort(in_order.begin(), in_order.end(), is_printed_before);
        for (const auto& path : in_order) {
            json::object cause;
            cause["reason"] = "FieldManagerConflict";
            cause["message"] = "conflict with " + manager;
            cause["field"] = path_text(path);
            causes.push_back(std::move(cause));
            message += "- " + path_text(path) + "\n";
        }
    }
    message.pop_back();
    const std::size_t count = causes.size();
    if (count == 1) {
        const auto& [manager, fields] = *clashes.begin();
        message = "conflict with " + manager + ": " + path_text(*fields.begin());
    }
    json::object details;
    details["causes"] = std::move(causes);
    return make_failure(
        409, "Conflict",
        "Apply failed with " + std::to_string(count) + (count == 1 ? " conflict: " : " conflicts: ") + message,
        std::move(details));
}

json::object without_managed_fields(json::object object) {
    if (json::value* metadata = object.if_contains("metadata"); metadata != nullptr && metadata->is_object()) {
        metadata->get_object().erase("managedFields");
    }
    return object;
}

// A kind with a schema has no nulls; one without keeps them.
void drop_nulls(json::value& v) {
    if (v.is_array()) {
        for (auto& item : v.get_array()) drop_nulls(item);
    }
    if (!v.is_object()) return;
    json::object rest;
    for (auto& member : v.get_object()) {
        if (member.value().is_null()) continue;
        drop_nulls(member.value());
        rest[member.key()] = std::move(member.value());
    }
    v = std::move(rest);
}

// Metadata has a schema everywhere.
void drop_typed_nulls(const resource_type& type, json::object& object) {
    if (type.custom) {
        if (json::value* metadata = object.if_contains("metadata")) drop_nulls(*metadata);
        return;
    }
    json::value whole(std::move(object));
    drop_nulls(whole);
    object = std::move(whole.get_object());
}

}  // namespace
}  // namespace detail

std::vector<field_manager_entry> read_managed_fields(const json::object& object) {
    std::vector<field_manager_entry> out;
    const json::value* metadata = object.if_contains("metadata");
    const json::value* list = metadata == nullptr ? nullptr : json::find(*metadata, {"managedFields"});
    if (list == nullptr || !list->is_array()) return out;
    for (const auto& item : list->get_array()) {
        field_manager_entry& entry = out.emplace_back();
        entry.manager = json::get_string(item, {"manager"});
        entry.operation = json::get_string(item, {"operation"});
        entry.api_version = json::get_string(item, {"apiVersion"});
        entry.subresource = json::get_string(item, {"subresource"});
        entry.time = json::get_string(item, {"time"});
        if (const json::value* fields = json::find(item, {"fieldsV1"})) entry.fields = parse_fields_v1(*fields);
    }
    return out;
}

json::array write_managed_fields(std::vector<field_manager_entry> entries) {
    std::erase_if(entries, [](const field_manager_entry& e) { return e.fields.empty(); });
    std::sort(entries.begin(), entries.end(), [](const field_manager_entry& a, const field_manager_entry& b) {
        return std::tie(a.operation, a.time, a.manager, a.api_version, a.subresource) <
               std::tie(b.operation, b.time, b.manager, b.api_version, b.subresource);
    });
    json::array out;
    for (const auto& entry : entries) {
        json::object item;
        item["manager"] = entry.manager;
        item["operation"] = entry.operation;
        item["apiVersion"] = entry.api_version;
        item["time"] = entry.time;
        item["fieldsType"] = "FieldsV1";
        item["fieldsV1"] = fields_v1(entry.fields);
        if (!entry.subresource.empty()) item["subresource"] = entry.subresource;
        out.push_back(std::move(item));
    }
    return out;
}

outcome<applied_fields> apply_fields(const resource_type& type, const json::object& live, json::object config,
                                     const field_writer& writer, bool force) {
    detail::drop_typed_nulls(type, config);
    auto entries = read_managed_fields(live);
    const json::object before = detail::without_managed_fields(live);
    if (entries.empty() && !before.empty()) {
        field_writer unknown = writer;
        unknown.manager = "before-first-apply";
        unknown.subresource.clear();
        detail::entry_of(entries, unknown, detail::update_operation).fields = fields_of(type, before, true);
    }
    field_manager_entry& own = detail::entry_of(entries, writer, detail::apply_operation);
    const owned_set last = std::exchange(own.fields, fields_of(type, config, false));
    const bool same_fields = last == own.fields;
    own.api_version = writer.api_version;
    owned_set managed;
    for (const auto& entry : entries) managed.insert(entry.fields.begin(), entry.fields.end());
    applied_fields out;
    out.object = before;
    merge_fields(type, out.object, config);
    prune_fields(type, out.object, last, managed);
    const field_changes changes = compare_fields(type, before, out.object);
    detail::drop_typed_nulls(type, out.object);  // only now: an owner of a map keeps it though it is empty
    std::map<std::string, owned_set> clashes;
    for (auto& entry : entries) {
        if (&entry == &own) continue;
        owned_set clash = detail::common(entry.fields, changes.written);
        detail::subtract(entry.fields, clash);
        detail::subtract(entry.fields, changes.removed);
        if (!clash.empty()) clashes[detail::entry_text(entry)].merge(clash);
    }
    if (!clashes.empty() && !force) return detail::apply_conflict(clashes);
    if (!same_fields || !changes.empty()) own.time = writer.now;
    out.managed = write_managed_fields(std::move(entries));
    return out;
}

json::array follow_update(const resource_type& type, const json::object& before, const json::object& after,
                          const field_writer& writer) {
    auto entries = read_managed_fields(before);
    const field_changes changes =
        compare_fields(type, detail::without_managed_fields(before), detail::without_managed_fields(after));
    if (!changes.empty()) {
        field_manager_entry& own = detail::entry_of(entries, writer, detail::update_operation);
        for (auto& entry : entries) {
            if (&entry != &own) detail::subtract(entry.fields, changes.written);
            detail::subtract(entry.fields, changes.removed);
        }
        own.fields.insert(changes.written.begin(), changes.written.end());
        own.time = writer.now;
    }
    return write_managed_fields(std::move(entries));
}

}  // namespace kcontrol::testing
