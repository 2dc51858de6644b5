#include "web/handlers.hpp"

#include <kcontrol/model/condition.hpp>
#include <kcontrol/serve/embedded_file.hpp>
#include <kcontrol/serve/responses.hpp>
#include <kcontrol/values/time.hpp>

#include "inference_autoscaler/page.hpp"

namespace inference_autoscaler {
namespace {

namespaced_name name_in(const http::routed_request& asked) {
    return namespaced_name(std::string(asked.parameter("namespace")), std::string(asked.parameter("name")));
}

http::response not_found() { return http::error_response(404, "there is no such InferenceScaler"); }

http::response unavailable(const error& failure) {
    return http::try_again_response(1, "the scaler can't be woken now: " + failure.message());
}

}  // namespace

std::optional<http::response> wake_refusal(const inference_scaler* scaler) {
    if (scaler == nullptr) return not_found();
    if (scaler->spec.paused) return http::error_response(409, "the scaler is paused: spec.paused is true");
    if (!scaler->spec.zero || !scaler->spec.zero->listen)
        return http::error_response(409, "the scaler does not listen: set spec.zero.listen to true");
    const auto* conflict = find_condition(scaler->status.conditions, "Conflict");
    if (conflict != nullptr && conflict->status == "True")
        return http::error_response(409, "the scaler changes nothing: " + conflict->message.str());
    return std::nullopt;
}

awaitable<http::response> wake(environment& env, client cluster, namespaced_name scaler, std::stop_token stop) {
    get_options reading;
    reading.stop(stop);
    const auto found = co_await cluster.get<inference_scaler>(scaler, reading);
    if (!found && found.error() != condition::not_found) co_return unavailable(found.error());
    if (auto refused = wake_refusal(found ? &*found : nullptr)) co_return std::move(*refused);
    // Microseconds: a wake after a change of the same second is a wake.
    std::string patch = R"({"metadata":{"annotations":{")" + std::string(wake_annotation) + R"(":")" +
                        format_micro_time(env.wall_now()) + "\"}}}";
    write_options writing;
    writing.stop(std::move(stop));
    const auto written = co_await cluster.patch(resource_of<inference_scaler>(), std::move(scaler), merge_patch_type,
                                                std::move(patch), writing);
    if (written) co_return http::json_response(202, "{\"replicas\":1}\n");
    co_return written.error() == condition::not_found ? not_found() : unavailable(written.error());
}

void add_page(http::router& to, const board& shown) {
    add_files(to, embedded_files());
    to.get("/api/v1/scalers",
           [&shown](const http::routed_request&) { return http::json_response(200, shown.scalers_json()); });
    to.get("/api/v1/scalers/{namespace}/{name}/history", [&shown](const http::routed_request& asked) {
        auto text = shown.history_json(name_in(asked));
        return text.empty() ? not_found() : http::json_response(200, std::move(text));
    });
}

void add_wake(http::router& to, environment& env, client cluster) {
    to.stream("POST", "/wake/{namespace}/{name}",
              [&env, cluster](http::routed_request asked, http::responder& out) -> awaitable<void> {
                  auto answer = co_await wake(env, cluster, name_in(asked), out.disconnected());
                  const auto sent = co_await out.send(std::move(answer));
                  static_cast<void>(sent);
              });
}

}  // namespace inference_autoscaler
