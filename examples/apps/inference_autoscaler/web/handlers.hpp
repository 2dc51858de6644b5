// What the autoscaler serves: the page, /api/v1/scalers and POST /wake.
#pragma once

#include <kcontrol/client/client.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/serve/router.hpp>

#include "api/validation.hpp"
#include "web/board.hpp"

namespace inference_autoscaler {

/// Why a scaler is not woken: 404 without one, 409 where it is paused, in conflict, or does not listen. Nothing: it is.
std::optional<http::response> wake_refusal(const inference_scaler* scaler);

/// Writes the annotation, with the time, on the scaler: 202 `{"replicas":1}`, or wake_refusal(), or 503 where the API
/// server does not answer. The scaler is read and written at the server, for a cache may be late.
awaitable<http::response> wake(environment& env, client cluster, namespaced_name scaler, std::stop_token stop);

/// Adds "/", /api/v1/scalers and /api/v1/scalers/NS/NAME/history. `shown` outlives the router.
void add_page(http::router& to, const board& shown);
/// Adds POST /wake/NS/NAME. `env` outlives the router.
void add_wake(http::router& to, environment& env, client cluster);

}  // namespace inference_autoscaler
