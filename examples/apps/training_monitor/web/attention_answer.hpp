// What /api/v1/attention and /api/v1/changes answer: the jobs that somebody should look at, and what happened last.
#pragma once

#include <kcontrol/json/writer.hpp>
#include <kcontrol/runtime/time.hpp>
#include <kcontrol/serve/router.hpp>

#include "history/acknowledgements.hpp"
#include "history/history.hpp"
#include "table/job_table.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace training_monitor {

/// Since when all GPUs of a job have been at 0 %, where that is known.
using idle_question = std::function<std::optional<kcontrol::wall_time>(const job_view&)>;

/// What the page needs to know beside jobs.
struct fleet_facts {
    std::string source;  ///< where clusters come from, in words
    std::optional<std::vector<std::string>>
        offers;  ///< of notices and fleet those that are answered; nothing: not told
    const acknowledgements* care =
        nullptr;  ///< who takes care of which job, where that is kept; it outlives the router
    /// Adds to a job's item that a node of it is under repair, if one is; may be empty.
    std::function<void(kcontrol::json::writer&, const job_view&)> write_repair_of{};
};

/// Adds both. 400 for a query that is not theirs. `now` is asked for each answer, `idle_since` of jobs that run; it may
/// be empty. History and table outlive the router.
///
/// Clusters that can't be read come first: as items of the kind Cluster. The answer says how many there are, so that an
/// empty list is not taken for a healthy fleet; `facts` say where clusters come from and what else the page may ask
/// for.
///
/// An answer is kept for a second, for all who ask meanwhile: it takes a look at every job.
void add_attention_routes(kcontrol::http::router& to, const history& past, const job_table& table,
                          std::function<kcontrol::wall_time()> now, idle_question idle_since = {},
                          fleet_facts facts = {});

}  // namespace training_monitor
