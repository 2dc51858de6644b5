// The query of /api/v1/jobs: which jobs, how many of them, and what of each.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/model/label_selector.hpp>
#include <kcontrol/runtime/time.hpp>

#include "jobs/job_fields.hpp"
#include "jobs/kind_names.hpp"
#include "table/job_table.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace training_monitor {

/// What a reader asked for.
struct job_query {
    job_filter filter;
    kcontrol::label_selector labels;
    std::optional<std::int64_t> since;  ///< seconds since the epoch: leaves out jobs that had ended before
    std::optional<std::size_t> limit;   ///< so many jobs at most
    job_fields fields;

    /// It lets every job pass.
    bool takes_all() const { return filter.empty() && labels.requirements().empty() && !since; }
    /// Whether a job that the filter let pass is wanted altogether.
    bool wants(const job_view& job) const;
};

/// `cluster`, `namespace`, `kind` and `state`, each repeatable and each a list with commas; empty ones do not restrict.
/// `label`, a selector as `kubectl -l` takes it, repeatable; `since`, an RFC 3339 time or how long before `now`
/// ("90m", "24h"); `limit`, a number from 1; `fields`, names of a job's members, repeatable and with commas.
/// Errors: invalid_argument naming the parameter, the value and what would be allowed.
kcontrol::result<job_query> parse_job_query(std::string_view query, kcontrol::wall_time now);

/// Refuses any parameter. Errors: invalid_argument.
kcontrol::result<void> expect_no_query(std::string_view query, std::string_view allowed = "none");

}  // namespace training_monitor
