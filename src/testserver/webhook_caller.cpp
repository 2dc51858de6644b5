#include "testserver/webhook_caller.hpp"

#include <kcontrol/http/url.hpp>

#include "testserver/admission_review.hpp"

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

error no_webhook_client(const std::string& why) {
    return error(errc::invalid_argument, "could not get REST client: " + why);
}

}  // namespace

/// Where a webhook is, and what is asked for there.
class webhook_place {
public:
    http::endpoint where;
    std::string path;
};

namespace {

result<webhook_place> place_of(const webhook_client& whom, const service_resolver& services) {
    webhook_place out;
    if (!whom.url.empty()) {
        auto parsed = http::parse_base_url(whom.url);
        if (!parsed) return no_webhook_client(parsed.error().message());
        out.where = std::move(parsed->endpoint);
        out.path = parsed->path_prefix;
    } else {
        out.where = services ? services(whom.service_namespace, whom.service_name, whom.port)
                             : http::endpoint("https", whom.server_name(), whom.port);
        out.path = whom.path;
    }
    if (out.path.empty()) out.path = "/";
    return out;
}

}  // namespace
}  // namespace detail

result<std::shared_ptr<http::transport>> webhook_caller::transport_to(const webhook_client& whom,
                                                                      const http::endpoint& where) {
    auto& slot = transports_[{http::to_string(where) + " " + whom.server_name(), whom.ca_pem}];
    if (slot != nullptr) return slot;
    if (!factory_) {
        return error(errc::unavailable,
                     "this server has no way to webhooks; say api_server_options::webhook_transport()");
    }
    auto made = factory_(executor_, where, http::tls_options().ca_pem(whom.ca_pem).server_name(whom.server_name()));
    if (!made) return made.error();
    slot = *made;
    return slot;
}

awaitable<result<http::response>> webhook_caller::ask(const webhook_client& whom, std::string question,
                                                      duration timeout) {
    const auto place = detail::place_of(whom, services_);
    if (!place) co_return place.error();
    if (!whom.ca_problem.empty()) co_return detail::no_webhook_client(whom.ca_problem);
    const auto way = transport_to(whom, place->where);
    if (!way) co_return detail::no_webhook_client(way.error().message());
    const std::shared_ptr<http::transport> transport = *way;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(timeout).count();
    const std::string query = "?timeout=" + std::to_string(seconds) + "s";
    http::request asked;
    asked.method = "POST";
    asked.target = place->path + query;
    asked.headers.set("Content-Type", "application/json");
    asked.headers.set("Accept", "application/json, */*");
    asked.headers.set("User-Agent", "kube-apiserver-admission");
    asked.body = std::move(question);
    http::exchange_options bounds;
    bounds.deadline(timeout).stop(stop_);
    const time_point deadline = env_.now() + timeout;
    auto answer = co_await transport->round_trip(std::move(asked), bounds);
    if (answer) co_return std::move(*answer);
    const std::string at = place->where.host + ":" + std::to_string(place->where.port);
    const error lost = answer.error();
    // What becomes of a POST whose answer is late nobody knows, but here it matters that it is late.
    const error why = lost == errc::unknown_outcome && env_.now() >= deadline ? error(errc::timeout) : lost;
    co_return error(errc::invalid_argument, call_problem(why, whom, whom.address() + query, at));
}

}  // namespace kcontrol::testing
