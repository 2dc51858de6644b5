// Who answered the reads of a cluster's client, what they waited for, and what audits of its caches have found: as
// numbers, and as metrics.
#pragma once

#include <kcontrol/metrics/metrics_writer.hpp>
#include <kcontrol/model/resource.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace kcontrol::inline v0_1 {

/// Of one kind, since its cluster was made.
class read_counts {
public:
    // Reads by who answered them.
    std::uint64_t cached = 0;           ///< the cache, also that an object is not there
    std::uint64_t not_watched = 0;      ///< the server: the kind is not watched, or as another C++ type
    std::uint64_t after_conflict = 0;   ///< the server: the cache was behind with that object
    std::uint64_t after_own_write = 0;  ///< the server: the cache did not show in time what this program wrote
    std::uint64_t metadata_only = 0;    ///< the server: the cache keeps metadata alone, for want of memory
    std::uint64_t no_index = 0;         ///< the server: a field selector that no index fits
    std::uint64_t paged = 0;            ///< the server: a page of a list, or a selector that can't be read
    // Reads that ended with an error of the cache.
    std::uint64_t out_of_scope = 0;  ///< the cache holds other namespaces, or what other selectors select
    std::uint64_t not_synced = 0;    ///< the first list was not complete in time, or the read was stopped
    std::uint64_t too_old = 0;       ///< the version that was asked for had not come in time, or the read was stopped
    // Reads that waited.
    std::uint64_t sync_waits = 0;       ///< for the first list
    std::uint64_t version_waits = 0;    ///< for a version: each that names one, also where it was there at once
    std::uint64_t own_write_waits = 0;  ///< for what this program wrote

    friend bool operator==(const read_counts&, const read_counts&) = default;
};

/// What audits of one kind's caches have found.
class audit_counts {
public:
    std::uint64_t clean = 0;         ///< audits without a difference
    std::uint64_t different = 0;     ///< audits that found a difference, which the log names
    std::uint64_t inconclusive = 0;  ///< the server did not say, or the cache was not as far as the list in time
    std::size_t differences = 0;     ///< objects in which cache and server differ now

    friend bool operator==(const audit_counts&, const audit_counts&) = default;
};

using audit_counts_by_kind = std::map<group_version_kind, audit_counts>;
using read_counts_by_kind = std::map<group_version_kind, read_counts>;

/// Writes the families kcontrol_cache_read…, with the labels cluster, kind and api_version.
KCONTROL_DECL void write_read_metrics(metrics_writer& out, const std::string& cluster, const read_counts_by_kind& all);

/// Writes the families kcontrol_cache_audit…, with the same labels.
KCONTROL_DECL void write_audit_metrics(metrics_writer& out, const std::string& cluster,
                                       const audit_counts_by_kind& all);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cluster/impl/read_counts.ipp>
#endif
