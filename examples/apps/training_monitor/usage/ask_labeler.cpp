#include "usage/ask_labeler.hpp"

#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/http/url.hpp>

#include "usage/labeler_pod.hpp"

#include <chrono>
#include <utility>

namespace training_monitor {
namespace {

using namespace std::chrono_literals;

constexpr auto list_deadline = 10s;
constexpr auto answer_deadline = 5s;

// The API server says 503 where it can't reach the pod: that is no sign of a busy API server.
kcontrol::error unreachable(const kcontrol::error& why, const usage_options& where) {
    if (why.code() != kcontrol::api_errc::service_unavailable) return why;
    return kcontrol::error(why.code(), "the API server can't reach the labeler's pod at port " +
                                           std::to_string(where.labeler_port()) +
                                           " (503): does a NetworkPolicy or the flag of the port keep it away?");
}

}  // namespace

kcontrol::awaitable<kcontrol::result<std::map<std::string, std::string>>> find_labelers(kcontrol::client from,
                                                                                        usage_options where,
                                                                                        std::stop_token stop) {
    using outcome = kcontrol::result<std::map<std::string, std::string>>;
    kcontrol::list_options which;
    which.in_namespace(where.labeler_namespace()).label_selector(where.labeler_selector()).resource_version("0");
    which.deadline(list_deadline).stop(std::move(stop));
    const auto listed = co_await from.list_page<labeler_pod>(std::move(which));
    if (!listed) co_return outcome(listed.error());
    std::map<std::string, std::string> out;
    for (const auto& pod : listed->items) {
        if (pod->spec.node_name.empty() || pod->status.phase != "Running") continue;
        out.emplace(pod->spec.node_name, std::string(std::string_view(pod->metadata.name)));
    }
    co_return outcome(std::move(out));
}

kcontrol::awaitable<kcontrol::result<node_report>> ask_labeler(kcontrol::client from, usage_options where,
                                                               std::string pod, std::stop_token stop) {
    kcontrol::http::request req("GET", "/api/v1/namespaces/" +
                                           kcontrol::http::percent_encode(where.labeler_namespace()) + "/pods/" +
                                           kcontrol::http::percent_encode(pod) + ":" +
                                           std::to_string(where.labeler_port()) + "/proxy/api/v1/gpus");
    req.headers.set("Accept", "application/json");
    kcontrol::http::exchange_options bounds;
    bounds.deadline(answer_deadline).max_body(most_report_bytes).stop(std::move(stop));
    const auto answer = co_await from.raw(std::move(req), std::move(bounds));
    if (!answer) co_return kcontrol::result<node_report>(unreachable(answer.error(), where));
    auto read = read_node_report(answer->body);
    co_return read;
}

}  // namespace training_monitor
