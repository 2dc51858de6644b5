// What the page, the interface and the metrics show of the parts.
#pragma once

#include <kcontrol/runtime/environment.hpp>

#include "options.hpp"
#include "parts.hpp"
#include "web/web.hpp"

namespace training_monitor {

/// Adds the routes, the metrics and the readiness report of the parts. Object lifetime: all outlive the site's server.
void fill_site(web& site, kcontrol::environment& env, parts& p, const options& o);

}  // namespace training_monitor
