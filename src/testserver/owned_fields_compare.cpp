#include "testserver/owned_fields.hpp"
#include "testserver/schema_shape.hpp"

#include <algorithm>
#include <iterator>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

// Calls `visit(step, before, after)` for each member that either has; a null pointer where it is absent.
template <class Visit>
void visit_members(const json::object& before, const json::object& after, const Visit& visit) {
    for (const auto& member : before) {
        visit("f:" + std::string(member.key()), &member.value(), after.if_contains(member.key()));
    }
    for (const auto& member : after) {
        if (!before.contains(member.key())) visit("f:" + std::string(member.key()), nullptr, &member.value());
    }
}

template <class Visit>
void visit_items(const list_shape& shape, const json::array& before, const json::array& after, const Visit& visit) {
    for (const auto& item : before) {
        const std::string step = item_step(shape, item);
        visit(step, &item, find_item(shape, after, step));
    }
    for (const auto& item : after) {
        const std::string step = item_step(shape, item);
        if (find_item(shape, before, step) == nullptr) visit(step, nullptr, &item);
    }
}

void compare_values(const resource_type& type, const owned_path& path, const json::value* before,
                    const json::value* after, field_changes& out) {
    if (before == nullptr) return collect_fields(type, path, *after, true, out.written);
    if (after == nullptr) return collect_fields(type, path, *before, true, out.removed);
    if (json::equal(*before, *after)) return;
    const auto deeper = [&](const std::string& step, const json::value* a, const json::value* b) {
        compare_values(type, below(path, step), a, b, out);
    };
    const list_shape shape = shape_of(type, path);
    if (before->is_object() && after->is_object() && !is_atomic_map(type, path)) {
        visit_members(before->get_object(), after->get_object(), deeper);
    } else if (is_list_of_items(shape, *before) && is_list_of_items(shape, *after)) {
        visit_items(shape, before->get_array(), after->get_array(), deeper);
    } else if ((before->is_null() && is_merged(type, path, *after)) ||
               (after->is_null() && is_merged(type, path, *before))) {
        // null stands for a list or map with nothing in it.
        collect_fields(type, path, *before, true, out.removed);
        collect_fields(type, path, *after, true, out.written);
        out.removed.erase(path);
        out.written.erase(path);
    } else {
        owned_set had;
        owned_set has;
        collect_fields(type, path, *before, true, had);
        collect_fields(type, path, *after, true, has);
        std::set_difference(had.begin(), had.end(), has.begin(), has.end(),
                            std::inserter(out.removed, out.removed.end()));
        out.written.merge(has);
    }
}

std::optional<std::string> duplicate_below(const resource_type& type, const owned_path& path, const json::value& v) {
    if (v.is_object()) {
        for (const auto& member : v.get_object()) {
            auto found = duplicate_below(type, below(path, "f:" + std::string(member.key())), member.value());
            if (found) return found;
        }
    }
    const list_shape shape = shape_of(type, path);
    if (!is_merged_list(shape, v)) return std::nullopt;
    std::set<std::string> seen;
    for (const auto& item : v.get_array()) {
        const std::string step = item_step(shape, item);
        if (!seen.insert(step).second) {
            return path_text(path) + ": duplicate entries for key " + path_text({step});
        }
        if (auto found = duplicate_below(type, below(path, step), item)) return found;
    }
    return std::nullopt;
}

}  // namespace
}  // namespace detail

field_changes compare_fields(const resource_type& type, const json::object& before, const json::object& after) {
    field_changes out;
    detail::visit_members(before, after, [&](const std::string& step, const json::value* a, const json::value* b) {
        detail::compare_values(type, {step}, a, b, out);
    });
    strip_identity(out.written);
    strip_identity(out.removed);
    return out;
}

std::optional<std::string> find_duplicate_item(const resource_type& type, const json::object& object) {
    for (const auto& member : object) {
        auto found = detail::duplicate_below(type, {"f:" + std::string(member.key())}, member.value());
        if (found) return found;
    }
    return std::nullopt;
}

}  // namespace kcontrol::testing
