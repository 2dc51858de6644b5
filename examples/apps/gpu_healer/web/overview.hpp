// What the healer's page shows: cases, policies, the times of phases, and whether all of it can be relied on.
#pragma once

#include "api/healing_policy.hpp"
#include "web/answers.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gpu_healer {

struct overview {
    repair_list repairs;
    std::vector<std::shared_ptr<const healing_policy>> policies;
    wall_time now{};
    std::string trouble;  ///< why the rest may be old, or goes on no further; empty: it is as the API server has it
    std::string leader;   ///< the replica that decides; empty: this one, which has no others
};

/// How long cases were in a phase, in seconds, by phase: of the timelines, for cases of any age that are kept. Phases
/// that have not ended yet are missing.
std::map<std::string, std::vector<double>, std::less<>> phase_times(const repair_list& repairs);
/// The smallest value that `percent` of the values do not exceed (nearest rank). `values` is not empty.
double percentile(std::vector<double> values, int percent);

/// What a person does about a case in NeedsHuman, by its reason.
std::string_view advice(std::string_view reason);

/// {"time","trouble","leader","phases":[{"phase","passed","p50","p99"}],"policies":[{"name","selected","ill","tainted",
/// "limit","breakerOpen","since","held":[…],"invalid","dryRun"}],"cases":[…],"older"}: all open cases, then the 100
/// that ended last; `older` is how many more there are. p50 and p99 are seconds or null. A case is what /api/v1/repairs
/// has of it, and "open", "message", "since", "created", "fault", "taint", "dryRun" and "advice".
std::string overview_json(const overview& of);

/// What the manager's caches have now, and whether they are up to date.
overview overview_of(manager& m);
/// Adds "/", which is the page, and /api/v1/overview, which tells of what `look` returns.
void add_page(http::router& to, std::function<overview()> look);

}  // namespace gpu_healer
