// Where an informer stands, with the names of its kind and scope: what readiness, metrics and people are told.
#pragma once

#include <kcontrol/cache/informer.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

/// Several informers as one: the worst state with its reason, synced if all are, and the sums of the counts.
KCONTROL_DECL void merge(informer_status& into, const informer_status& other);
/// The sums of the counts alone.
KCONTROL_DECL void add_counts(informer_status& into, const informer_status& other);
/// The same for another view of one watch: what both have in common counts once.
KCONTROL_DECL void merge_view(informer_status& into, const informer_status& other);

/// One informer at one moment.
class informer_report {
public:
    /// The kind, the namespace (empty: all) and the status.
    informer_report(group_version_kind k, std::string ns, informer_status s)
        : gvk(std::move(k)), namespace_(std::move(ns)), status(std::move(s)) {}

    group_version_kind gvk;  ///< the kind in the version that is watched
    std::string namespace_;  ///< empty: all namespaces
    informer_status status;  ///< as it was then; of several views of one watch what merge_view() makes

    /// "Pod (v1)", or "Pod (v1) in NAMESPACE".
    KCONTROL_DECL std::string name() const;
    /// The name, the state, the reason and the number of objects.
    KCONTROL_DECL std::string describe() const;
};

/// The informers of one kind after the other, as informer_set::all() has them, views of one watch as one.
KCONTROL_DECL std::vector<informer_report> reports_of(const std::vector<std::shared_ptr<any_informer>>& all);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cluster/impl/informer_report.ipp>
#endif
