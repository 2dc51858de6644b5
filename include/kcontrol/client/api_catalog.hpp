// What a server serves: groups, versions, kinds, and which of them a word on a command line means. No I/O.
#pragma once

#include <kcontrol/base/error.hpp>
#include <kcontrol/json/reader.hpp>
#include <kcontrol/model/resource.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

/// "scale" of deployments, with the kind that goes over the wire there.
class api_subresource {
public:
    std::string name;                ///< "scale", "status": what stands behind the object's name in a path
    group_version_kind gvk;          ///< of what goes over the wire there; autoscaling/v1 Scale is of another group
    std::vector<std::string> verbs;  ///< "get", "patch" and so on, as the server lists them
};

/// A kind in one version, as a server serves it.
class api_resource {
public:
    group_version_kind gvk;                     ///< of its objects in this version
    std::string plural;                         ///< "deployments", as paths have it
    std::string singular;                       ///< "deployment"; empty where the server does not say it
    bool namespaced = false;                    ///< false: its objects are in no namespace
    std::vector<std::string> verbs;             ///< "get", "list", "watch" and so on, as the server lists them
    std::vector<std::string> short_names;       ///< "deploy": what people type, and find() knows
    std::vector<std::string> categories;        ///< "all": words for several kinds at once; see in_category()
    std::vector<api_subresource> subresources;  ///< "status" among them where it has one

    KCONTROL_DECL bool can(std::string_view verb) const;  ///< whether `verbs` has it
    /// Null if there is none of that name.
    KCONTROL_DECL const api_subresource* subresource(std::string_view name) const;
    /// `namespaced` as a resource_info has it.
    resource_scope scope() const noexcept { return namespaced ? resource_scope::namespaced : resource_scope::cluster; }
};

/// A group with its versions, the preferred one first. The core group is "".
class api_group {
public:
    std::string name;                   ///< "apps"; empty: the core group
    std::vector<std::string> versions;  ///< also those whose kinds could not be had
};

/// A group-version of which the kinds could not be had, or which is stale: then the kinds are there that the server
/// remembers, if any. Mostly the program behind an aggregated API is down.
class api_failure {
public:
    std::string group;    ///< empty: the core group
    std::string version;  ///< the one that is missing or stale; others of the group may be there
    error why;            ///< the answer to its discovery; service_unavailable where that is stale

    /// "group/version", or "version" for the core group.
    std::string group_version() const { return group.empty() ? version : group + "/" + version; }
};

/// The kinds of a server. In order of groups as the server has them, then of versions, preferred ones first.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class api_catalog {
public:
    std::vector<api_group> groups;        ///< the core group first, then in the server's order
    std::vector<api_resource> resources;  ///< one for each kind in each version
    std::vector<api_failure> failures;    ///< group-versions that `resources` lacks, or has as they were before

    /// The kind; with an empty version that which the server prefers. Null if there is none.
    KCONTROL_DECL const api_resource* find(const group_version_kind& gvk) const;
    /// What a word means, as kubectl has it: "pods", "pod", "po", "Pod", "deployments.apps", "deployments.v1.apps".
    /// Names come before short names, these before kinds; letters are equal in both cases; of several groups the first
    /// one counts that has it. Null if nothing has that name.
    KCONTROL_DECL const api_resource* find(std::string_view word) const;
    /// The kinds of a category ("all"), each in its preferred version.
    KCONTROL_DECL std::vector<const api_resource*> in_category(std::string_view category) const;
    /// Those that each group prefers, which is what "api-resources" shows.
    KCONTROL_DECL std::vector<const api_resource*> preferred() const;
    /// The first failure of the group, or null.
    KCONTROL_DECL const api_failure* failure_of(std::string_view group) const;

private:
    const api_resource* find_named(std::string_view name, std::string_view version, std::string_view group,
                                   bool any_group) const;
    bool is_preferred(const api_resource& one) const;
};

namespace detail {

/// Adds the groups of an APIGroupDiscoveryList. A version that the server calls stale is a failure; its kinds are added
/// all the same. Errors: decode_failed if it is no such list.
KCONTROL_DECL result<void> add_aggregated(json::node list, api_catalog& to);
/// Adds the groups of an APIVersions (of the core group) or an APIGroupList, without kinds.
KCONTROL_DECL result<void> add_groups(json::node list, api_catalog& to);
/// The kinds of an APIResourceList, subresources with their kinds.
KCONTROL_DECL result<std::vector<api_resource>> read_api_resources(json::node list, std::string_view group,
                                                                   std::string_view version);

}  // namespace detail
}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/client/impl/api_catalog.ipp>
#endif
