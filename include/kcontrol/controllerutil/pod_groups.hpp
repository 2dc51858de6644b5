// PodGroups: by one a scheduler places all pods of a gang, or none. For whichever of three kinds a server has.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/client/api_discovery.hpp>
#include <kcontrol/codec/resource_of.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1 {

/// One of the kinds of that name: Kubernetes' own, the one of the scheduler's plugin, or Volcano's.
class pod_group_kind {
public:
    const resource_info* info;  ///< of the PodGroups that make() makes; it lives as long as the program
    /// A group of so many pods, of which none starts without the others.
    any_object (*make)(object_meta metadata, std::int32_t members);
    /// The pod names its group.
    void (*join)(std::string_view group, api::core::v1::pod& to);
};

/// Which of them a server has, asked every ten minutes for all who use it.
///
/// Thread-safety: shared objects unsafe; use it on the client's executor.
class pod_groups {
public:
    /// For pods of that scheduler ("" is the default one): Volcano's where it is "volcano", else Kubernetes' own
    /// (scheduling.k8s.io, v1beta1 or v1alpha2, KEP-4671), else the plugin's (scheduling.x-k8s.io/v1alpha1). Null if
    /// the server has none, or forbids to ask. Errors: those of api_discovery::catalog().
    KCONTROL_DECL awaitable<result<const pod_group_kind*>> served(client c, std::string scheduler,
                                                                  std::stop_token stop);

private:
    std::optional<api_discovery> server_;
};

namespace detail {

KCONTROL_DECL awaitable<result<void>> make_pod_group(client c, const pod_group_kind& kind,
                                                     const resource_info& owned_by, object_meta owner,
                                                     object_meta group, std::int32_t members, list_options earlier,
                                                     write_options how);

}  // namespace detail

/// Makes the group of that name and those labels, which `owner` controls, in its namespace; one that is there stays as
/// it is, so another number of members takes another name. `earlier` selects the groups of which those that the owner
/// controls, all but this one, are deleted then. Errors: those of client::create, but for already_exists, and of
/// prune(); they name the PodGroup.
template <resource Owner>
awaitable<result<void>> create_pod_group(client c, const pod_group_kind& kind, const Owner& owner, object_meta group,
                                         std::int32_t members, list_options earlier, write_options how) {
    return detail::make_pod_group(std::move(c), kind, resource_of<Owner>(), owner.metadata, std::move(group), members,
                                  std::move(earlier), std::move(how));
}

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/controllerutil/impl/pod_groups.ipp>
#endif
