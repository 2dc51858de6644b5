// What a cache has and a server does not, or the other way round, as a plain function; and which of it is news.
#pragma once

#include <kcontrol/config.hpp>
#include <kcontrol/model/object_key.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// One object in which they differ, by its versions; empty: it is not there.
class audit_finding {
public:
    audit_finding() = default;
    audit_finding(namespaced_name k, std::string c, std::string s)
        : key(std::move(k)), cached(std::move(c)), served(std::move(s)) {}

    namespaced_name key;
    std::string cached;
    std::string served;

    friend bool operator==(const audit_finding&, const audit_finding&) = default;
};

using versions_by_key = std::map<namespaced_name, std::string>;

/// What differs and is not merely on its way, as far as one look can tell. `served` is a list of the server of version
/// `as_of`, and the cache has passed that version. What it has that is newer has changed since the list. What it lacks
/// may have been deleted since, so that the server is to be asked about that object again.
KCONTROL_DECL std::vector<audit_finding> compare_with_list(const versions_by_key& cached, const versions_by_key& served,
                                                           std::string_view as_of);

/// Which differences have been told.
///
/// Thread-safety: shared objects unsafe.
class audit_journal {
public:
    /// All that a whole audit has found. Returns what is news.
    KCONTROL_DECL std::vector<audit_finding> found(const std::vector<audit_finding>& all);
    std::size_t size() const noexcept { return known_.size(); }

private:
    std::map<namespaced_name, audit_finding> known_;
};

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cluster/impl/audit_rule.ipp>
#endif
