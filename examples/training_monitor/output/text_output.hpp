// The terminal's view: tables of clusters and jobs, and lines for changes. Pure text, escaped for terminals.
#pragma once

#include "table/change.hpp"
#include "table/job_table.hpp"

#include <cstddef>
#include <string>

namespace training_monitor {

/// How text is laid out.
class text_layout {
public:
    text_layout() = default;

    /// More columns, nothing cut short.
    text_layout& wide(bool on) { return wide_ = on, *this; }
    /// ANSI colors.
    text_layout& color(bool on) { return color_ = on, *this; }
    /// Cut lines to so many; 0: don't.
    text_layout& columns(std::size_t n) { return columns_ = n, *this; }
    /// Keep to so many, unfinished jobs first; 0: don't.
    text_layout& rows(std::size_t n) { return rows_ = n, *this; }

    bool wide() const noexcept { return wide_; }
    bool color() const noexcept { return color_; }
    std::size_t columns() const noexcept { return columns_; }
    std::size_t rows() const noexcept { return rows_; }

private:
    bool wide_ = false, color_ = false;
    std::size_t columns_ = 0, rows_ = 0;
};

/// Clusters, then jobs. `more` jobs are beyond those given.
std::string snapshot_text(const job_table::cluster_list& clusters, job_table::job_list jobs, kcontrol::wall_time now,
                          const text_layout& layout, std::size_t more = 0);

/// {"clusters":[…],"jobs":[…]}, a line.
std::string snapshot_json(const job_table::cluster_list& clusters, const job_table::job_list& jobs,
                          kcontrol::wall_time now);

/// One change as a line for people; empty for what would only be noise (a cluster's counters).
std::string change_text(const change& c, const cluster_view* cluster_before, kcontrol::wall_time now);

/// {"id":…,"event":"job","data":{…}}, a line.
std::string change_json(const change& c, kcontrol::wall_time now);

/// "2d3h", "3h12m", "5m4s", "42s"; empty for nothing.
std::string duration_text(std::optional<std::int64_t> seconds);

}  // namespace training_monitor
