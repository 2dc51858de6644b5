// The query of a list or a watch, checked by the rules of metav1.ListOptions.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/testing/request_info.hpp>

#include "testserver/object_filter.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace kcontrol::inline v0_1::testing {

/// What a list or a watch asks for.
///
/// Source: apimachinery, pkg/apis/meta/internalversion/validation; checked against kube-apiserver 1.36.
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class list_query {
public:
    /// resourceVersionMatch; `exact` is for lists only.
    enum class version_match { unset, not_older_than, exact };

    object_filter filter;                         ///< namespace and selectors
    std::int64_t limit = 0;                       ///< 0: all
    std::string continue_token;                   ///< of the page before; empty: the first page
    std::optional<std::uint64_t> version;         ///< nothing: the parameter was absent or empty
    version_match match = version_match::unset;   ///< how `version` is meant
    bool watch = false;                           ///< else a list
    bool bookmarks = false;                       ///< allowWatchBookmarks: a watch gets BOOKMARK events
    std::optional<bool> send_initial_events;      ///< of a watch; set where the server has it so by default
    std::optional<std::chrono::seconds> timeout;  ///< timeoutSeconds of a watch, if not 0; nothing: the server chooses

    /// Fails with Invalid or BadRequest, as Kubernetes does; `watch_lists`: with its feature WatchList, on since 1.34.
    static outcome<list_query> of_request(const request_info& request, const resource_type& type,
                                          bool watch_lists = true);
};

}  // namespace kcontrol::testing
