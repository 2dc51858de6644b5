// One page of a list: which state it shows, what is on it, and the token that leads to the next one. Pure.
#pragma once

#include "testserver/list_query.hpp"
#include "testserver/resource_table.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::testing {

/// Objects and the metadata of a list.
class list_page {
public:
    std::uint64_t version = 0;                                  ///< the same on all pages of one list
    std::string continue_token;                                 ///< leads to the next page; empty: this is the last
    std::optional<std::int64_t> remaining;                      ///< never with a selector
    std::vector<std::pair<namespaced_name, object_ptr>> items;  ///< in order of namespace and name
};

/// What versions a server can show: a replica's cache may lag behind the truth.
class read_view {
public:
    explicit read_view(std::uint64_t latest) : truth(latest), cache(latest) {}  ///< no cache lags
    /// `lagging`: the version of the cache, at most `latest`.
    read_view(std::uint64_t latest, std::uint64_t lagging) : truth(latest), cache(lagging) {}

    std::uint64_t truth;  ///< what consistent reads (no resourceVersion) see
    std::uint64_t cache;  ///< what reads with a resourceVersion, and watches, see
};

/// Reads a page. Fails with Expired (a version or a token whose history is gone; the status of a token carries
/// one that goes on inconsistently), Timeout (a version from the future), BadRequest (a broken token).
outcome<list_page> read_page(const resource_table& table, const list_query& query, const read_view& view);

}  // namespace kcontrol::testing
