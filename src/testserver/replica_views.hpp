// What each replica of the server can show: a test may stop the cache of one.
#pragma once

#include "testserver/list_page.hpp"
#include "testserver/object_store.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

namespace kcontrol::inline v0_1::testing::detail {

/// The caches of the server's replicas. Touched on the server's executor only.
class replica_views {
public:
    explicit replica_views(const object_store& store) : store_(store) {}  ///< `store` outlives it

    void freeze(const std::string& replica, std::uint64_t version) { frozen_[replica] = version; }
    void thaw(const std::string& replica) { frozen_.erase(replica); }

    read_view view_of(const std::string& replica) const {
        const auto found = frozen_.find(replica);
        const std::uint64_t truth = store_.version();
        return found == frozen_.end() ? read_view(truth) : read_view(truth, std::min(truth, found->second));
    }

private:
    const object_store& store_;
    std::map<std::string, std::uint64_t> frozen_;  // replica → the version that its cache stands at
};

}  // namespace kcontrol::testing::detail
