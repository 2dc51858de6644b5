// Where an informer stands, with the names of its kind and scope: what readiness, metrics and people are told.
#pragma once

#include <kcontrol/cache/informer.hpp>

#include <string>
#include <utility>

namespace kcontrol {

/// One informer at one moment.
class informer_report {
public:
    informer_report(group_version_kind k, std::string ns, informer_status s)
        : gvk(std::move(k)), namespace_(std::move(ns)), status(std::move(s)) {}

    group_version_kind gvk;
    std::string namespace_;  ///< empty: all namespaces
    informer_status status;

    /// "Pod (v1)", or "Pod (v1) in NAMESPACE".
    KCONTROL_DECL std::string name() const;
    /// The name, the state, the reason and the number of objects.
    KCONTROL_DECL std::string describe() const;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cluster/impl/informer_report.ipp>
#endif
