// The settings of the in-process API server.
#pragma once

#include <kcontrol/apiserver/object_store.hpp>
#include <kcontrol/runtime/time.hpp>

namespace kcontrol::testing {

/// The settings of a server.
class api_server_options {
public:
    api_server_options& store(store_options options) { return store_ = options, *this; }
    api_server_options& bookmark_period(duration d) { return bookmark_period_ = d, *this; }
    api_server_options& min_watch_timeout(duration d) { return min_watch_timeout_ = d, *this; }

    const store_options& store() const noexcept { return store_; }
    /// Between two bookmarks of a watch; another one comes 2 s before its end.
    duration bookmark_period() const noexcept { return bookmark_period_; }
    /// A watch without timeoutSeconds ends at random between this and twice this.
    duration min_watch_timeout() const noexcept { return min_watch_timeout_; }

private:
    store_options store_;
    duration bookmark_period_ = std::chrono::seconds(60);
    duration min_watch_timeout_ = std::chrono::minutes(30);
};

}  // namespace kcontrol::testing
