#include "control/free_places.hpp"

#include <kcontrol/documents/value.hpp>
#include <kcontrol/http/url.hpp>

#include <algorithm>
#include <charconv>

namespace inference_autoscaler {
namespace {

constexpr std::string_view gpu = "nvidia.com/gpu", product = "nvidia.com/gpu.product";

std::int64_t count_in(const dict<quantity_text>& resources) {
    const quantity_text* found = resources.get(gpu);
    std::int64_t out = 0;
    if (found != nullptr) std::from_chars(found->text().data(), found->text().data() + found->text().size(), out);
    return out;
}

}  // namespace

std::int64_t gpus_of(const target_pod& pod) {
    std::int64_t out = 0;
    for (const auto& each : pod.spec.containers)  // a limit alone is a request, too
        out += std::max(count_in(each.resources.limits), count_in(each.resources.requests));
    return out;
}

std::string fits_query(const target_pod& like, std::int32_t pods) {
    const text* of = like.spec.node_selector.get(product);
    http::query_builder query;
    query.append("pods", std::to_string(pods)).append("gpus", std::to_string(gpus_of(like)));
    if (of != nullptr) query.append("product", of->view());
    return query.after("/api/v1/fits");
}

awaitable<std::optional<std::int32_t>> free_places::ask(std::string url, std::shared_ptr<const target_pod> like,
                                                        std::int32_t pods, std::stop_token stop) const {
    const auto where = http::parse_base_url(url);
    if (!where || gpus_of(*like) == 0) co_return std::nullopt;
    const auto over = connect_(ex_, where->endpoint, http::tls_options());
    if (!over) co_return std::nullopt;
    http::request what("GET", where->path_prefix + fits_query(*like, pods));
    http::exchange_options bounds;
    bounds.deadline(std::chrono::seconds(2)).max_body(std::size_t{1} << 16).stop(std::move(stop));
    const auto answer = co_await (*over)->round_trip(std::move(what), bounds);
    if (!answer || answer->status != 200) co_return std::nullopt;
    const auto said = json::parse(answer->body);
    const auto* most = said ? json::find(*said, {"largestGang"}) : nullptr;
    if (most == nullptr || !most->is_number()) co_return std::nullopt;
    co_return static_cast<std::int32_t>(std::clamp(most->to_number<double>(), 0.0, 1e6));
}

}  // namespace inference_autoscaler
