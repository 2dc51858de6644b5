// From the objects of the cluster to endpoints: which objects count, and what is wrong with them.
#pragma once

#include <kcontrol/base/error.hpp>
#include <kcontrol/service/detail/endpoint_set.hpp>
#include <kcontrol/service/detail/port_choice.hpp>
#include <kcontrol/service/endpoints_target.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::service::detail {

/// The endpoints of a slice at that port. Source: discovery.k8s.io/v1, EndpointSlice. Of the addresses of an endpoint
/// the first counts, as for kube-proxy; those of type FQDN are no addresses.
KCONTROL_DECL std::vector<endpoint> read_slice(const endpoint_slice& slice, std::uint16_t port);
/// Those of a pod, one for each of its addresses; none if it has ended or has no address yet. Source: the controller of
/// EndpointSlices, k8s.io/endpointslice.
KCONTROL_DECL std::vector<endpoint> read_pod(const followed_pod& pod, std::uint16_t port);

/// Takes what lists and watches bring, in any order, and keeps the endpoints of one target.
///
/// A Service that was deleted takes its slices along at once, though the garbage collector may leave them for a while:
/// those that it owns by its uid.
/// Thread-safety: distinct objects safe; shared objects unsafe.
class endpoints_machine {
public:
    KCONTROL_DECL endpoints_machine(endpoints_target target, port_choice port);

    /// The endpoints of a file. They count until there is a list.
    KCONTROL_DECL void load(std::vector<endpoint> saved);
    KCONTROL_DECL void put(std::shared_ptr<const endpoint_slice> slice);  ///< added or modified
    KCONTROL_DECL void put(const followed_pod& pod);                      ///< added or modified
    KCONTROL_DECL void remove(const std::string& name);                   ///< the slice, or the pod, was deleted
    /// A list: what is not in it is gone.
    KCONTROL_DECL void replace(const std::vector<std::shared_ptr<const endpoint_slice>>& all);
    KCONTROL_DECL void replace(const std::vector<std::shared_ptr<const followed_pod>>& all);
    /// The Service as it is; null: there is none.
    KCONTROL_DECL void put_service(std::shared_ptr<const followed_service> service);

    endpoint_delta take() { return set_.take(); }                         ///< as endpoint_set::take()
    const endpoint_list& value() const noexcept { return set_.value(); }  ///< as of the last take()
    /// What is wrong with the target, as far as the objects say; see endpoints::problem().
    KCONTROL_DECL std::optional<error> problem() const;

private:
    struct source {
        std::shared_ptr<const endpoint_slice> slice;  // null for a pod
        bool matches = false;                         // it has the port
        std::string ports;                            // of one that does not
    };

    KCONTROL_DECL void read(const std::string& name, source& from);
    KCONTROL_DECL void note(const std::string& name, source now);
    template <class Names>
    void keep_only(const Names& names);
    KCONTROL_DECL bool is_orphan(const endpoint_slice& slice) const;
    KCONTROL_DECL std::string known_ports() const;
    KCONTROL_DECL std::optional<error> service_problem() const;

    endpoints_target target_;
    port_choice port_;
    endpoint_set set_;
    std::map<std::string, source> sources_;
    std::size_t matching_ = 0;
    bool service_known_ = false;  // whether there is one
    std::shared_ptr<const followed_service> service_;
    std::vector<std::string> dead_;  // uids of Services that were deleted, the latest
};

}  // namespace kcontrol::service::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/service/impl/endpoints_machine.ipp>
#endif
