// Time zones by name, from the system's database. Abseil is behind it: g++ 12 has no std::chrono zones.
#pragma once

#include <kcontrol/base/result.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace gpu_labeler::cron {

/// The rules of a place's clocks. Times are seconds since 1970 UTC.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access. Loaded zones are shared and kept until
/// the process ends.
class time_zone {
public:
    /// While the clocks were at one distance from UTC, and when that ends (nothing: never).
    struct stretch {
        std::int64_t offset;
        std::optional<std::int64_t> until;
    };

    /// A name of the time zone database (`Europe/Berlin`), `UTC`, or `Local`.
    /// Errors: invalid_argument, naming it: not a name, or not in the system's database.
    static kcontrol::result<time_zone> load(std::string_view name);
    static time_zone utc();
    /// As TZ and /etc/localtime say.
    static time_zone local();
    /// Always so many seconds east of UTC.
    static time_zone fixed(int offset);

    stretch stretch_at(std::int64_t second) const;

    /// RFC 3339 with this zone's offset, `2024-05-01T12:00:00+02:00`; `Z` where the offset is zero.
    std::string format(std::int64_t second) const;

private:
    struct rules;
    explicit time_zone(std::shared_ptr<const rules> loaded) : rules_(std::move(loaded)) {}
    std::shared_ptr<const rules> rules_;
};

}  // namespace gpu_labeler::cron
