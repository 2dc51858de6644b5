// What records of clusters amount to over time: a pure state machine.
#pragma once

#include <kcontrol/multicluster/cluster_record.hpp>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// Takes the records of each look and says which clusters there should be.
///
/// Thread-safety: shared objects unsafe.
class record_tracker {
public:
    /// What a record's kubeconfig comes to.
    using reader = std::function<result<auth::cluster_config>(const cluster_record&)>;

    /// Something about a record that nobody was told yet.
    class complaint {
    public:
        complaint(std::string n, std::string w) : name(std::move(n)), why(std::move(w)) {}
        std::string name;
        std::string why;
    };

    /// All records, as they are now. `again`: also kubeconfigs are read whose revision is the one they were good at.
    KCONTROL_DECL std::vector<complaint> take(const std::vector<cluster_record>& records, const reader& read,
                                              bool again);

    /// The clusters in the order of their names.
    KCONTROL_DECL std::vector<desired_cluster> present() const;

private:
    struct entry {
        std::optional<auth::cluster_config> good;
        std::optional<error> wrong;  // with the record as it is now
        std::string revision;
        cluster_labels labels;
        std::string told;  // the complaint that was made of it
    };
    KCONTROL_DECL static void put(entry& e, const cluster_record& record, result<auth::cluster_config> config);

    std::map<std::string, entry> entries_;
    std::set<std::string> passed_over_;  // complaints about records that are no clusters
};

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/multicluster/impl/record_tracker.ipp>
#endif
