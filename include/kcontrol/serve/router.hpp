// Answers requests by their path and method: one handler of many routes.
#pragma once

#include <kcontrol/http/handler.hpp>
#include <kcontrol/http/url.hpp>
#include <kcontrol/serve/route_table.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::http {

/// A request with what the pattern of its route took from its path.
class routed_request : public server_request {
public:
    /// A request, and what the variables of a pattern took; by default there are none.
    explicit routed_request(server_request r, path_parameters p = {})
        : server_request(std::move(r)), parameters_(std::move(p)) {}

    /// The target without and after its '?'.
    std::string_view path() const noexcept { return split_target(target).first; }
    std::string_view query() const noexcept { return split_target(target).second; }  ///< undecoded; empty without '?'
    /// What a variable of the pattern took, or empty.
    std::string_view parameter(std::string_view name) const noexcept { return parameters_.get(name); }

private:
    path_parameters parameters_;
};

/// Answers whole at once. It must be quick.
using response_function = std::function<response(const routed_request&)>;
/// Answers by the responder: as a stream, or after some waiting. An http::handler is one.
using route_handler = std::function<awaitable<void>(routed_request, responder&)>;

/// Routes to answers; route_table says what patterns are. What no route fits gets 404, what fits for other methods only
/// 405 with Allow, and a broken escape in what a variable takes 400, as error_response() (responses.hpp).
///
/// Thread-safety: shared objects safe for const access if the answers are. Routes are added before it serves.
/// Object lifetime: outlives the server that its handler() is given to.
class router {
public:
    /// Adds a route of GET, and so of HEAD.
    KCONTROL_DECL router& get(std::string_view pattern, response_function answer);
    /// Adds a route. `method` empty: every method, for what decides about methods itself.
    KCONTROL_DECL router& add(std::string method, std::string_view pattern, response_function answer);
    /// Adds a route that `serve` answers by the responder; `method` and `pattern` as of add().
    KCONTROL_DECL router& stream(std::string method, std::string_view pattern, route_handler serve);
    /// Answers the requests, of any method, that no route fits.
    KCONTROL_DECL router& otherwise(response_function answer);

    /// The answer to a request; nothing if its route is one of stream().
    KCONTROL_DECL std::optional<response> answer(server_request asked) const;

    /// For an http::server. Valid as long as the router lives.
    KCONTROL_DECL http::handler handler() const;

private:
    struct route {
        response_function answer;  ///< or else:
        route_handler serve;
    };
    struct choice {
        const route* chosen = nullptr;  ///< none: `refused`
        response refused;
        routed_request asked;
    };
    choice choose(server_request asked) const;
    awaitable<void> serve(server_request asked, responder& out) const;

    route_table table_;
    std::vector<route> routes_;
    response_function otherwise_;
};

}  // namespace kcontrol::http

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/serve/impl/router.ipp>
#endif
