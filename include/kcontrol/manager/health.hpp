// Health endpoints: named checks, answered in Kubernetes' text format.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/http/message.hpp>
#include <kcontrol/serve/router.hpp>
#include <kcontrol/transport/server_options.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

/// Says whether a part is well; its error says why not. Called for each request, so it must be quick.
using health_check = std::function<result<void>()>;

/// More about a part, well or not: lines that a verbose answer shows below the check's own. As quick as a health_check.
using health_details = std::function<std::vector<std::string>()>;

/// A check and the name it has in the answer.
class named_check {
public:
    /// In this order: the name, the check, the details.
    named_check(std::string n, health_check c, health_details d = {})
        : name(std::move(n)), check(std::move(c)), details(std::move(d)) {}

    std::string name;        ///< as in `/readyz/NAME` and `?exclude=NAME`
    health_check check;      ///< called at each request; an empty one fails
    health_details details;  ///< may be empty
};

/// Answers `GET PATH`, `GET PATH/NAME`, `?verbose` and `?exclude=NAME` (repeatable) as kube-apiserver and
/// controller-runtime do: 200 "ok", or 500 with one line a check, sorted by name. `?verbose` adds the lines of a
/// check's details, indented. Without checks there is one named ping. The reason of a failure is given where
/// `?verbose` asks for it, and by `GET PATH/NAME`; else an answer says "reason withheld". (kube-apiserver gives it by
/// `GET PATH/NAME` only.) Other paths are answered with 404, other methods than GET and HEAD with 405. A check that
/// throws has failed. `path` is "/healthz" or "/readyz"; its name stands in the last line of a verbose answer.
KCONTROL_DECL http::response health_handler(const http::request& req, std::string_view path,
                                            const std::vector<named_check>& checks);

/// Adds health_handler() to a router, for `path` and all below it. `checks` is asked at each request.
KCONTROL_DECL void add_health_routes(http::router& to, const std::string& path,
                                     std::function<std::vector<named_check>()> checks);

/// Limits for a server that answers such checks only, on a port of its own: small, and short-lived. A kubelet asks on a
/// new connection each time and must get through whatever else happens to the program; so what others do at the port
/// for readers must not matter to this one.
KCONTROL_DECL http::server_options health_server_options();

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/manager/impl/health.ipp>
#endif
