#pragma once

#include <kcontrol/base/ascii.hpp>
#include <kcontrol/client/api_catalog.hpp>
#include <kcontrol/client/detail/answer.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1 {
namespace detail {

inline std::vector<std::string> texts_in(json::node list) {
    std::vector<std::string> out;
    if (!list.is_array()) return out;
    for (const json::node one : list.elements()) {
        if (one.is_string()) out.emplace_back(one.as_string());
    }
    return out;
}

// The group and version of what an answer is where it says so, else those of its place.
inline group_version_kind kind_said(json::node of, std::string_view group, std::string_view version) {
    group_version_kind out{std::string(group), std::string(version), {}};
    if (!of.is_object()) return out;
    out.kind = answer_text(of["kind"]);
    const auto said_version = answer_text(of["version"]);
    if (said_version.empty()) return out;
    out.group = answer_text(of["group"]);
    out.version = said_version;
    return out;
}

inline api_subresource aggregated_subresource_of(json::node from, const group_version_kind& place) {
    api_subresource out;
    out.name = answer_text(from["subresource"]);
    out.gvk = kind_said(from["responseKind"], place.group, place.version);
    out.verbs = texts_in(from["verbs"]);
    return out;
}

inline void add_aggregated_resource(json::node from, std::string_view group, std::string_view version,
                                    api_catalog& to) {
    if (!from.is_object()) return;
    api_resource one;
    one.plural = answer_text(from["resource"]);
    const json::node kind = from["responseKind"];
    if (kind.is_object()) one.gvk.kind = answer_text(kind["kind"]);
    // One without a kind of its own has subresources only, and can't be asked for.
    if (one.plural.empty() || one.gvk.kind.empty()) return;
    one.gvk.group = group;
    one.gvk.version = version;
    one.singular = answer_text(from["singularResource"]);
    one.namespaced = answer_text(from["scope"]) == "Namespaced";
    one.verbs = texts_in(from["verbs"]);
    one.short_names = texts_in(from["shortNames"]);
    one.categories = texts_in(from["categories"]);
    const json::node below = from["subresources"];
    if (below.is_array()) {
        for (const json::node each : below.elements()) {
            if (!each.is_object()) continue;
            one.subresources.push_back(aggregated_subresource_of(each, one.gvk));
        }
    }
    to.resources.push_back(std::move(one));
}

inline void add_aggregated_version(json::node from, api_group& group, api_catalog& to) {
    if (!from.is_object()) return;
    const std::string version(answer_text(from["version"]));
    if (version.empty()) return;
    group.versions.push_back(version);
    if (answer_text(from["freshness"]) == "Stale") {
        to.failures.push_back({group.name, version,
                               error(api_errc::service_unavailable,
                                     "the server can't reach the program behind this API (its discovery is stale)")});
    }
    const json::node resources = from["resources"];
    if (!resources.is_array()) return;
    for (const json::node one : resources.elements()) add_aggregated_resource(one, group.name, version, to);
}

KCONTROL_DECL result<void> add_aggregated(json::node list, api_catalog& to) {
    const json::node items = list["items"];
    if (answer_text(list["kind"]) != "APIGroupDiscoveryList" || !(items.is_array() || items.is_null())) {
        return error(errc::decode_failed, "the server's answer is not an APIGroupDiscoveryList");
    }
    if (items.is_null()) return {};
    for (const json::node item : items.elements()) {
        if (!item.is_object()) continue;
        api_group group;
        const json::node metadata = item["metadata"];
        if (metadata.is_object()) group.name = answer_text(metadata["name"]);
        const json::node versions = item["versions"];
        if (!versions.is_array()) continue;
        for (const json::node version : versions.elements()) add_aggregated_version(version, group, to);
        if (!group.versions.empty()) to.groups.push_back(std::move(group));
    }
    return {};
}

inline api_group group_of(json::node from) {
    api_group out;
    out.name = answer_text(from["name"]);
    const json::node preferred = from["preferredVersion"];
    if (preferred.is_object()) {
        const auto first = answer_text(preferred["version"]);
        if (!first.empty()) out.versions.emplace_back(first);
    }
    const json::node versions = from["versions"];
    if (!versions.is_array()) return out;
    for (const json::node one : versions.elements()) {
        if (!one.is_object()) continue;
        const std::string version(answer_text(one["version"]));
        const bool known = std::find(out.versions.begin(), out.versions.end(), version) != out.versions.end();
        if (!version.empty() && !known) out.versions.push_back(version);
    }
    return out;
}

KCONTROL_DECL result<void> add_groups(json::node list, api_catalog& to) {
    const auto kind = answer_text(list["kind"]);
    if (kind == "APIVersions") {
        api_group core;
        core.versions = texts_in(list["versions"]);
        if (!core.versions.empty()) to.groups.push_back(std::move(core));
        return {};
    }
    const json::node groups = list["groups"];
    if (kind != "APIGroupList" || !(groups.is_array() || groups.is_null())) {
        return error(errc::decode_failed, "the server's answer is not an APIGroupList");
    }
    if (groups.is_null()) return {};
    for (const json::node one : groups.elements()) {
        if (!one.is_object()) continue;
        api_group group = group_of(one);
        if (!group.name.empty() && !group.versions.empty()) to.groups.push_back(std::move(group));
    }
    return {};
}

inline api_resource api_resource_from(json::node one, std::string_view group, std::string_view version) {
    api_resource out;
    out.plural = answer_text(one["name"]);
    out.singular = answer_text(one["singularName"]);
    out.gvk = group_version_kind(std::string(group), std::string(version), std::string(answer_text(one["kind"])));
    const json::node namespaced = one["namespaced"];
    out.namespaced = namespaced.kind() == json::kind::boolean && namespaced.as_bool();
    out.verbs = texts_in(one["verbs"]);
    out.short_names = texts_in(one["shortNames"]);
    out.categories = texts_in(one["categories"]);
    return out;
}

KCONTROL_DECL result<std::vector<api_resource>> read_api_resources(json::node list, std::string_view group,
                                                                   std::string_view version) {
    const json::node resources = list["resources"];
    if (answer_text(list["kind"]) != "APIResourceList" || !(resources.is_array() || resources.is_null())) {
        return error(errc::decode_failed, "the server's answer is not an APIResourceList");
    }
    std::vector<api_resource> out;
    std::vector<std::pair<std::string, api_subresource>> below;
    if (resources.is_null()) return out;
    for (const json::node one : resources.elements()) {
        if (!one.is_object()) continue;
        const std::string_view name = answer_text(one["name"]);
        if (name.empty() || answer_text(one["kind"]).empty()) continue;
        const auto slash = name.find('/');
        if (slash == std::string_view::npos) {
            out.push_back(api_resource_from(one, group, version));
            continue;
        }
        api_subresource sub;
        sub.name = name.substr(slash + 1);
        sub.gvk = kind_said(one, group, version);
        sub.verbs = texts_in(one["verbs"]);
        below.emplace_back(name.substr(0, slash), std::move(sub));
    }
    for (auto& [plural, sub] : below) {
        const auto at =
            std::find_if(out.begin(), out.end(), [&name = plural](const auto& r) { return r.plural == name; });
        if (at != out.end()) at->subresources.push_back(std::move(sub));
    }
    return out;
}

}  // namespace detail

KCONTROL_DECL bool api_resource::can(std::string_view verb) const {
    return std::find(verbs.begin(), verbs.end(), verb) != verbs.end();
}

KCONTROL_DECL const api_subresource* api_resource::subresource(std::string_view name) const {
    for (const auto& one : subresources) {
        if (one.name == name) return &one;
    }
    return nullptr;
}

// Resources are in order of preference, so the first one that fits is it.
KCONTROL_DECL const api_resource* api_catalog::find(const group_version_kind& gvk) const {
    for (const auto& one : resources) {
        const bool version_fits = gvk.version.empty() || one.gvk.version == gvk.version;
        if (version_fits && one.gvk.group == gvk.group && one.gvk.kind == gvk.kind) return &one;
    }
    return nullptr;
}

inline const api_resource* api_catalog::find_named(std::string_view name, std::string_view version,
                                                   std::string_view group, bool any_group) const {
    const auto fits = [&](const api_resource& one) {
        return (version.empty() || one.gvk.version == version) && (any_group || one.gvk.group == group);
    };
    for (const auto& one : resources) {
        if (fits(one) && (one.plural == name || one.singular == name)) return &one;
    }
    for (const auto& one : resources) {
        const auto& known = one.short_names;
        if (fits(one) && std::find(known.begin(), known.end(), name) != known.end()) return &one;
    }
    for (const auto& one : resources) {
        if (fits(one) && ascii_lower(one.gvk.kind) == name) return &one;
    }
    return nullptr;
}

KCONTROL_DECL const api_resource* api_catalog::find(std::string_view word) const {
    const std::string text = ascii_lower(word);
    const std::string_view whole = text;
    const auto dot = whole.find('.');
    if (dot == std::string_view::npos) return find_named(whole, {}, {}, true);
    const std::string_view name = whole.substr(0, dot);
    const std::string_view rest = whole.substr(dot + 1);
    if (const auto second = rest.find('.'); second != std::string_view::npos) {
        const auto* found = find_named(name, rest.substr(0, second), rest.substr(second + 1), false);
        if (found != nullptr) return found;
    }
    return find_named(name, {}, rest, false);
}

inline bool api_catalog::is_preferred(const api_resource& one) const {
    return find(group_version_kind(one.gvk.group, {}, one.gvk.kind)) == &one;
}

KCONTROL_DECL std::vector<const api_resource*> api_catalog::in_category(std::string_view category) const {
    std::vector<const api_resource*> out;
    for (const auto& one : resources) {
        const auto& known = one.categories;
        if (std::find(known.begin(), known.end(), category) != known.end() && is_preferred(one)) out.push_back(&one);
    }
    return out;
}

KCONTROL_DECL std::vector<const api_resource*> api_catalog::preferred() const {
    std::vector<const api_resource*> out;
    for (const auto& one : resources) {
        if (is_preferred(one)) out.push_back(&one);
    }
    return out;
}

KCONTROL_DECL const api_failure* api_catalog::failure_of(std::string_view group) const {
    for (const auto& one : failures) {
        if (one.group == group) return &one;
    }
    return nullptr;
}

}  // namespace kcontrol
