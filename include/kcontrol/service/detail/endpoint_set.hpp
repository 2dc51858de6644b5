// Endpoints that several sources (EndpointSlices, pods) report, as one value without duplicates.
#pragma once

#include <kcontrol/config.hpp>
#include <kcontrol/service/endpoints_snapshot.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::service::detail {

/// What differs from one value to the next; see endpoints_change.
class endpoint_delta {
public:
    std::vector<endpoint> added, removed;
    bool empty() const noexcept { return added.empty() && removed.empty(); }
};

/// Which of two reports of one address and port counts.
enum class conflict_rule {
    newest,   ///< that of the source with the larger resourceVersion
    running,  ///< one that is not terminating, among equal ones the newest: a pod may outlive the use of its address
};

/// Each source reports its endpoints as a whole, with a version; a later report replaces the one before. The value has
/// one endpoint for each address and port.
///
/// What a change costs depends on what changed, but for one pass over the parts of the value.
/// Thread-safety: distinct objects safe; shared objects unsafe.
class endpoint_set {
public:
    explicit endpoint_set(conflict_rule rule = conflict_rule::newest) : rule_(rule) {}

    /// The source reports these. Of two with one address and port the first counts.
    KCONTROL_DECL void put(const std::string& source, std::string_view version, std::vector<endpoint> all);
    /// The source is gone. Nothing happens if it is not known.
    KCONTROL_DECL void remove(const std::string& source);

    /// Brings the value up to date; what differs from the value after the call before.
    KCONTROL_DECL endpoint_delta take();
    const endpoint_list& value() const noexcept { return value_; }  ///< as of the last take()

private:
    using key = std::pair<std::string, std::uint16_t>;
    using entry = std::shared_ptr<const endpoint>;
    struct key_hash {
        std::size_t operator()(const key& k) const noexcept {
            return std::hash<std::string>{}(k.first) * 31 + k.second;
        }
    };
    struct report {
        std::string version;
        std::vector<entry> entries;  // in order, each address and port once
    };
    using sources = std::map<std::string, report>;
    using places = std::set<key>;
    struct claim {
        const sources::value_type* by;
        entry value;
    };
    using claims = std::vector<claim>;

    static key key_of(const endpoint& e) { return {e.address, e.port}; }
    static KCONTROL_DECL std::vector<endpoint> in_order(std::vector<endpoint> all);
    KCONTROL_DECL void add(const sources::value_type& by, const entry& what);
    KCONTROL_DECL void drop(const sources::value_type& by, const endpoint& what);
    KCONTROL_DECL void exchange(const sources::value_type& by, const entry& what);
    KCONTROL_DECL bool counts_more(const claim& a, const claim& b) const;
    KCONTROL_DECL entry winner(const key& of) const;
    static KCONTROL_DECL bool is_before(const entry& e, const key& k) noexcept;
    static KCONTROL_DECL bool is_at(const entry& e, const key& k) noexcept;
    KCONTROL_DECL endpoint_list::storage changed(const endpoint_list::storage& old, places::const_iterator from,
                                                 places::const_iterator to, endpoint_delta& delta) const;

    conflict_rule rule_;
    sources sources_;
    std::unordered_map<key, claims, key_hash> claims_;
    std::size_t contested_ = 0;  // keys with several claims
    places touched_;             // since take()
    endpoint_list value_;
};

}  // namespace kcontrol::service::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/service/impl/endpoint_set.ipp>
#endif
