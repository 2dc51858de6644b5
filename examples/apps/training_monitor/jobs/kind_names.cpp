#include "jobs/kind_names.hpp"

#include <kcontrol/base/ascii.hpp>

#include "jobs/ruled_kinds.hpp"

#include <algorithm>

namespace training_monitor {
namespace {

bool is_called(std::string_view kind, std::string_view name) {
    if (kcontrol::iequals(kind, name)) return true;
    return name.size() == kind.size() + 1 && (name.back() == 's' || name.back() == 'S') &&
           kcontrol::iequals(kind, name.substr(0, kind.size()));
}

}  // namespace

std::vector<std::string_view> kind_names() {
    std::vector<std::string_view> out(typed_kind_names.begin(), typed_kind_names.end());
    for (const auto& kind : ruled_kinds()) out.emplace_back(kind->rule.name);
    return out;
}

std::string all_kind_names() {
    std::string out;
    for (const auto name : kind_names()) out.append(out.empty() ? "" : ", ").append(name);
    return out;
}

std::string_view find_kind(std::string_view name) {
    for (const auto kind : typed_kind_names) {
        if (is_called(kind, name)) return kind;
    }
    for (const auto& kind : ruled_kinds()) {
        if (is_called(kind->rule.name, name)) return kind->rule.name;
    }
    return {};
}

}  // namespace training_monitor
