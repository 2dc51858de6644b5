// What the monitor shows of a cluster and of each kind it watches there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace training_monitor {

/// One kind in one cluster. `lists` and `watches` count requests since the cluster joined: they say who was rebuilt
/// and who was left alone.
struct kind_view {
    std::string kind;
    std::string api_version;
    std::string state;  ///< idle listing live paused not-installed forbidden failed
    std::string reason;
    std::uint64_t objects = 0;
    std::uint64_t lists = 0;
    std::uint64_t watches = 0;
    std::string last_event;            ///< RFC 3339, or empty
    std::uint64_t invalid = 0;         ///< objects that can't be decoded now
    std::uint64_t server_changes = 0;  ///< times another server answered at the same address
    std::uint64_t rollbacks = 0;       ///< times the server's versions went back

    friend bool operator==(const kind_view&, const kind_view&) = default;
};

struct cluster_view {
    std::string name;
    std::string state;  ///< connecting live degraded unreachable failed
    std::string reason;
    std::string server;
    std::uint64_t generation = 0;
    std::string last_sync;  ///< RFC 3339, or empty
    std::vector<kind_view> kinds;
    std::string pods;         ///< state of the watch of training pods, as kinds have one; empty: none yet
    std::string pods_reason;  ///< why it is not live

    friend bool operator==(const cluster_view&, const cluster_view&) = default;
};

/// Equal but for the times at which the server was last heard, which change with every event.
inline bool same_but_for_times(cluster_view a, const cluster_view& b) {
    a.last_sync = b.last_sync;
    if (a.kinds.size() != b.kinds.size()) return false;
    for (std::size_t i = 0; i < a.kinds.size(); ++i) a.kinds[i].last_event = b.kinds[i].last_event;
    return a == b;
}

/// True if readers who know `a` should be notified of `b`: anything but those times changed, or they are getting stale.
bool is_news(const cluster_view& a, const cluster_view& b);

}  // namespace training_monitor
