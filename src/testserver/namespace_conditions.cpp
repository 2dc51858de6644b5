#include "testserver/namespace_conditions.hpp"

#include "testserver/json_values.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

struct namespace_condition {
    std::string_view type, reason, message;  // of one that does not hold
};

constexpr std::array namespace_condition_table = {
    namespace_condition{"NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered",
                        "All resources successfully discovered"},
    namespace_condition{"NamespaceDeletionGroupVersionParsingFailure", "ParsedGroupVersions",
                        "All legacy kube types successfully parsed"},
    namespace_condition{"NamespaceDeletionContentFailure", "ContentDeleted",
                        "All content successfully deleted, may be waiting on finalization"},
    namespace_condition{"NamespaceContentRemaining", "ContentRemoved", "All content successfully removed"},
    namespace_condition{"NamespaceFinalizersRemaining", "ContentHasNoFinalizers",
                        "All content-preserving finalizers finished"},
};

json::object condition_of(std::string_view type, bool holds, std::string_view reason, std::string message,
                          const std::string& now) {
    json::object out;
    out["type"] = type;
    out["status"] = holds ? "True" : "False";
    out["lastTransitionTime"] = now;
    out["reason"] = reason;
    out["message"] = std::move(message);
    return out;
}

// Puts it in the place of the condition of its type, or behind the others. False: it is there already.
bool put_condition(json::array& all, json::object condition) {
    for (auto& one : all) {
        if (json::get_string(one, {"type"}) != std::string_view(condition["type"].get_string())) continue;
        if (json::get_string(one, {"status"}) == std::string_view(condition["status"].get_string())) {
            if (const json::value* since = json::find(one, {"lastTransitionTime"})) {
                condition["lastTransitionTime"] = *since;
            }
        }
        json::value made(std::move(condition));
        const bool same = json::equal(one, made);
        one = std::move(made);
        return !same;
    }
    all.push_back(std::move(condition));
    return true;
}

std::string listed(std::string_view title, const std::map<std::string, std::size_t>& counts, std::string_view verb) {
    std::string out(title);
    bool first = true;
    for (const auto& [what, count] : counts) {
        out += (std::exchange(first, false) ? "" : ", ") + what + std::string(verb);
        out += std::to_string(count) + " resource instances";
    }
    return out;
}

}  // namespace
}  // namespace detail

void namespace_remains::add(const group_resource& id, const stored_object& object) {
    ++objects_[id.resource + "." + id.group];
    const json::value content(object.content());
    for (const auto& name : detail::strings_of(json::find(content, {"metadata", "finalizers"}))) ++finalizers_[name];
}

bool namespace_remains::show(json::object& content, const std::string& now) const {
    json::value& status = content["status"];
    if (!status.is_object()) status = json::object();
    json::value& conditions = status.get_object()["conditions"];
    if (!conditions.is_array()) conditions = json::array();
    bool changed = false;
    for (const auto& row : detail::namespace_condition_table) {
        json::object condition = detail::condition_of(row.type, false, row.reason, std::string(row.message), now);
        if (row.type == "NamespaceContentRemaining" && !objects_.empty()) {
            condition = detail::condition_of(row.type, true, "SomeResourcesRemain",
                                             detail::listed("Some resources are remaining: ", objects_, " has "), now);
        } else if (row.type == "NamespaceFinalizersRemaining" && !finalizers_.empty()) {
            const std::string message =
                detail::listed("Some content in the namespace has finalizers remaining: ", finalizers_, " in ");
            condition = detail::condition_of(row.type, true, "SomeFinalizersRemain", message, now);
        }
        changed = detail::put_condition(conditions.get_array(), std::move(condition)) || changed;
    }
    return changed;
}

}  // namespace kcontrol::testing
