// What is remembered of one job.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include "jobs/job_view.hpp"

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace training_monitor {

/// One state of a job, and how long it lasted.
struct span {
    job_state state = job_state::unknown;
    std::string reason, message;  ///< the newest while the state lasted; cut to max_text
    kcontrol::wall_time from{};
    std::optional<kcontrol::wall_time> to;  ///< nothing: it lasts
    bool explained = false;                 ///< the message is what pods and events said

    static constexpr std::size_t max_text = 512;
};

/// Identifies a job among all. Views into its record.
struct job_id {
    std::string_view cluster, name_space, kind, name, uid;
    friend auto operator<=>(const job_id&, const job_id&) = default;
};

/// The job_view changes, its names and uid don't.
struct job_record {
    std::shared_ptr<const job_view> view;  ///< as it was last seen
    std::vector<span> spans;               ///< the oldest first, never empty
    kcontrol::wall_time first_seen{};
    kcontrol::wall_time last_seen{};  ///< while it is in view: when it last changed; after a restart: before that
    std::optional<kcontrol::wall_time> gone;
    std::optional<job_state> notified;  ///< the state of which people were notified last
    kcontrol::wall_time stuck_since{};  ///< when view->stuck became what it is
    bool in_view = false;
    std::uint64_t first_span = 0;  ///< the number of the first span kept: how many were dropped

    std::shared_ptr<std::uint32_t> pending;  ///< how many notices of it are not yet delivered; null: none

    std::int64_t row = 0;           ///< memory/'s: where it is in the file; 0: nowhere
    std::uint64_t saved_spans = 0;  ///< memory/'s: spans before this number are in the file as they are
    bool dirty = false;             ///< memory/'s: the file has not got it as it is

    job_id id() const noexcept { return {view->cluster, view->namespace_, view->kind, view->name, view->uid}; }
    job_state state() const noexcept { return spans.back().state; }

    bool has_pending() const noexcept { return pending && *pending > 0; }

    /// When it was found gone, for who keeps it: not before everybody was notified. Until then a restart has to find it
    /// out again, and notify.
    std::optional<kcontrol::wall_time> settled_gone() const { return has_pending() ? std::nullopt : gone; }
};

}  // namespace training_monitor
