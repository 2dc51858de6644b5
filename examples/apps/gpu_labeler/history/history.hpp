// What the GPUs measured over the last day, in memory. A plain state machine: samples and time in, points out.
//
// Points lie in slots of a fixed length, twice: short slots for the last hour, long ones for the last day. A slot's
// value is the mean of what was measured in it. Numbers are kept as float. With the default layout a GPU costs
// 12 metrics x (360 + 1440) slots x 4 bytes = 86,400 bytes: 8 GPUs 0.69 MB, and never more than 16 GPUs 1.38 MB.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/time.hpp>

#include "health/sample.hpp"
#include "history/metrics.hpp"
#include "history/slot_ring.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpu_labeler {

/// How long and how fine the past is kept.
class history_layout {
public:
    slot_layout recent{10, 360};    ///< an hour, as fine as samples usually come
    slot_layout earlier{60, 1440};  ///< a day
    std::size_t most_gpus = 16;     ///< for a newcomer beyond that, the one that left longest ago is forgotten

    /// Slots of the recent past as long as the time between samples, in whole seconds, so that no slot stays empty
    /// between two of them.
    static history_layout for_samples_every(kcontrol::duration interval);
};

struct history_point {
    std::int64_t time = 0;  ///< seconds since the epoch: where the slot begins
    float value = 0;

    bool operator==(const history_point&) const = default;
};

/// Thread-safety: shared objects unsafe.
class history {
public:
    /// A GPU that was measured within the time that is kept.
    struct known_gpu {
        std::string uuid;
        unsigned index = 0;          ///< that it had last
        std::int64_t last_seen = 0;  ///< seconds since the epoch
    };

    explicit history(history_layout layout = history_layout());

    /// Takes in what was measured at `now`. GPUs that are lost, and those of a node whose driver is away, leave a gap.
    /// Where the clock was set back, the points that lie in the future now are dropped: times increase from point to
    /// point. A GPU that was not seen for as long as the past is kept is forgotten.
    void record(kcontrol::wall_time now, const std::vector<gpu_sample>& gpus);

    /// Those that have a past, by index; the one seen last comes first where an index was had by several.
    std::vector<known_gpu> gpus() const;

    /// The points at or after `since` (seconds since the epoch), oldest first; none for a GPU that is not known.
    std::vector<history_point> points(std::string_view uuid, metric which,
                                      std::optional<std::int64_t> since = std::nullopt) const;

    /// All of it as bytes for restore(), some 60 for each slot in which something was measured.
    std::string save() const;

    /// Becomes what save() made, without what is too old at `now` or lies after it. Slots of another length than the
    /// layout's are left out, and so are metrics that are not known here. Errors: decode_failed; nothing has changed
    /// then.
    kcontrol::result<void> restore(std::string_view saved, kcontrol::wall_time now);

    /// Bytes held, of slots and of names.
    std::size_t bytes() const noexcept;

private:
    struct series {
        known_gpu gpu;
        slot_ring recent;
        slot_ring earlier;
    };

    series* find(std::string_view uuid) noexcept;
    series* begin_series(const gpu_sample& gpu, std::int64_t now);
    void move_to(std::int64_t now);

    history_layout layout_;
    std::vector<series> series_;
};

}  // namespace gpu_labeler
