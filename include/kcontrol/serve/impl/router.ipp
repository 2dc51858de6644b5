#pragma once

#include <kcontrol/serve/responses.hpp>
#include <kcontrol/serve/router.hpp>

namespace kcontrol::inline v0_1::http {

KCONTROL_DECL router& router::get(std::string_view pattern, response_function answer) {
    return add("GET", pattern, std::move(answer));
}

KCONTROL_DECL router& router::add(std::string method, std::string_view pattern, response_function answer) {
    table_.add(std::move(method), pattern);
    routes_.push_back({std::move(answer), nullptr});
    return *this;
}

KCONTROL_DECL router& router::stream(std::string method, std::string_view pattern, route_handler serve) {
    table_.add(std::move(method), pattern);
    routes_.push_back({nullptr, std::move(serve)});
    return *this;
}

KCONTROL_DECL router& router::otherwise(response_function answer) {
    otherwise_ = std::move(answer);
    return *this;
}

inline router::choice router::choose(server_request asked) const {
    auto match = table_.find(asked.method, split_target(asked.target).first);
    choice out{nullptr, response(), routed_request(std::move(asked), std::move(match.parameters))};
    switch (match.outcome) {
    case route_outcome::found: out.chosen = &routes_[match.route]; break;
    case route_outcome::wrong_method: out.refused = method_not_allowed(match.allow); break;
    case route_outcome::malformed_path: out.refused = error_response(400, match.problem); break;
    case route_outcome::unknown_path:
        out.refused = otherwise_ ? otherwise_(out.asked) : error_response(404, "not found");
        break;
    }
    return out;
}

KCONTROL_DECL std::optional<response> router::answer(server_request asked) const {
    choice found = choose(std::move(asked));
    if (found.chosen == nullptr) return std::move(found.refused);
    if (!found.chosen->answer) return std::nullopt;
    return found.chosen->answer(found.asked);
}

inline awaitable<void> router::serve(server_request asked, responder& out) const {
    choice found = choose(std::move(asked));
    if (found.chosen != nullptr && !found.chosen->answer) {
        co_await found.chosen->serve(std::move(found.asked), out);
        co_return;
    }
    response whole = found.chosen != nullptr ? found.chosen->answer(found.asked) : std::move(found.refused);
    const auto sent = co_await out.send(std::move(whole));
    static_cast<void>(sent);  // whoever asked has gone
}

KCONTROL_DECL http::handler router::handler() const {
    return [this](server_request asked, responder& out) { return serve(std::move(asked), out); };
}

}  // namespace kcontrol::http
