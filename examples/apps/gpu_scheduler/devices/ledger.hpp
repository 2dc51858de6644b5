// What pods hold of the GPUs of a node.
#pragma once

#include "devices/gpu.hpp"
#include "devices/mig.hpp"
#include "devices/record.hpp"
#include "messages.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace gpu_scheduler {

/// What is held of one GPU.
struct gpu_use {
    std::int64_t memory_mib = 0;  ///< by shares
    int cores = 0;                ///< by shares
    int shares = 0;
    int wholes = 0;         ///< pods that hold all of it; more than one is too many
    slot_mask slots = 0;    ///< by slices
    int media_engines = 0;  ///< slices that have them

    bool is_free() const noexcept { return *this == gpu_use(); }  ///< nothing of it is held
    friend bool operator==(const gpu_use&, const gpu_use&) = default;
};

/// The GPUs of a node, and what is held of them. Whatever pods hold counts, also what is too much.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class node_ledger {
public:
    explicit node_ledger(node_devices devices);

    const node_devices& devices() const noexcept { return *devices_; }
    const gpu_use& use(std::size_t gpu) const { return uses_[gpu]; }  ///< by the place in devices().gpus
    /// The slices that a GPU may have, the largest first; empty if it is not divided or its memory is not known.
    const std::vector<mig_profile>& profiles(std::size_t gpu) const { return (*profiles_)[gpu]; }

    /// Whether a GPU can be given whole: it is healthy, not divided, nothing of it is held, and it is not needed for a
    /// pod of which only the number of GPUs is known.
    bool is_free(std::size_t gpu) const;
    /// What speaks against holding this as well: the device, the field and its value. Success: nothing.
    result<void> check(const device_hold& hold) const;

    /// Counts it. Errors: those of check(); it counts nevertheless, unless there is no such GPU or profile.
    result<void> add(const device_hold& hold);
    /// No longer counts what add() counted.
    void remove(const device_hold& hold);

    /// Counts whole GPUs of a pod without a record, or with a negative number no longer: which ones is not known.
    void add_unknown(int gpus) { unknown_ += gpus; }
    int unknown() const noexcept { return unknown_; }  ///< how many of these there are

private:
    std::size_t place_of(std::string_view uuid) const;  // devices().gpus.size(): there is none
    bool is_untouched(std::size_t gpu) const;
    bool has_spare_gpus() const;  // more GPUs are untouched than unknown() ones
    const mig_profile* profile_of(std::size_t gpu, const device_hold& hold) const;
    void change(std::size_t gpu, const device_hold& hold, int times);

    std::shared_ptr<const node_devices> devices_;  // copies share it
    std::shared_ptr<const std::vector<std::vector<mig_profile>>> profiles_;
    std::vector<gpu_use> uses_;
    std::vector<std::vector<device_hold>> slices_;  // held, by GPU: places may be held twice
    int unknown_ = 0;
};

}  // namespace gpu_scheduler
