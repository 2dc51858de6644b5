#include "testserver/namespace_conditions.hpp"

#include "testserver/conditions.hpp"
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
    json::array& conditions = detail::conditions_in(content);
    bool changed = false;
    for (const auto& row : detail::namespace_condition_table) {
        bool holds = false;
        std::string_view reason = row.reason;
        std::string message(row.message);
        if (row.type == "NamespaceContentRemaining" && !objects_.empty()) {
            holds = true;
            reason = "SomeResourcesRemain";
            message = detail::listed("Some resources are remaining: ", objects_, " has ");
        } else if (row.type == "NamespaceFinalizersRemaining" && !finalizers_.empty()) {
            holds = true;
            reason = "SomeFinalizersRemain";
            message = detail::listed("Some content in the namespace has finalizers remaining: ", finalizers_, " in ");
        }
        changed = detail::put_condition(conditions, row.type, holds, reason, message, now) || changed;
    }
    return changed;
}

}  // namespace kcontrol::testing
