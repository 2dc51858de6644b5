// PUT and DELETE of /api/v1/acknowledgements/{cluster}/{namespace}/{kind}/{name}: somebody takes care of a job, for all
// who look.
#pragma once

#include <kcontrol/runtime/time.hpp>
#include <kcontrol/serve/router.hpp>

#include "history/acknowledgements.hpp"
#include "history/history.hpp"
#include "web/attention_answer.hpp"

#include <functional>

namespace training_monitor {

/// PUT takes `{"by": WHO, "note": TEXT}` as application/json, of at most 100 and 500 bytes; the subject of a client's
/// certificate stands in the place of `by`. Both answer 204. Errors: 400 naming the field; 404 for a job that is not
/// known, that needs nobody, or for DELETE one that nobody takes care of; 415 for another type, which a form of another
/// site could send. Who may ask is the guard's affair.
///
/// `now` and `idle_since` are those of add_attention_routes(). History and acknowledgements outlive the router.
void add_acknowledge_routes(kcontrol::http::router& to, const history& past, acknowledgements& care,
                            std::function<kcontrol::wall_time()> now, idle_question idle_since);

}  // namespace training_monitor
