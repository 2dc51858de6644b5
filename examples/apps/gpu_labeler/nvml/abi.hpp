// What we use of NVML's binary interface, in our own words: types as the library lays them out on 64-bit Linux, and the
// numbers it answers. Nothing of NVIDIA's header is here. Sizes were measured with NVML 13.3's.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gpu_labeler::nvml {

/// A device or MIG device; opaque, and stale once the driver was reloaded.
using device = struct device_tag*;

/// What every function answers.
enum status : int {
    success = 0,
    uninitialized = 1,
    invalid_argument = 2,
    not_supported = 3,
    no_permission = 4,
    not_found = 6,
    driver_not_loaded = 9,
    timed_out = 10,
    library_not_found = 12,
    function_not_found = 13,
    gpu_is_lost = 15,
    reset_required = 16,
    version_mismatch = 18,
    not_ready = 27,
    no_gpu = 28,
    unknown = 999,
};

inline constexpr unsigned uuid_size = 96;
inline constexpr unsigned name_size = 96;
inline constexpr unsigned version_size = 80;

struct memory {
    std::uint64_t total;
    std::uint64_t free;
    std::uint64_t used;  // with what the driver keeps for itself
};
static_assert(sizeof(memory) == 24);

/// `version` must be set before the call.
struct memory_v2 {
    static constexpr std::uint32_t version_2 = 40 | 2U << 24;

    std::uint32_t version;
    std::uint64_t total;
    std::uint64_t reserved;  // by the driver, for itself
    std::uint64_t free;
    std::uint64_t used;
};
static_assert(sizeof(memory_v2) == 40 && offsetof(memory_v2, used) == 32);

/// In percent of the last sample period.
struct utilization {
    std::uint32_t gpu;
    std::uint32_t memory;
};
static_assert(sizeof(utilization) == 8);

enum clock : std::uint32_t { sm_clock = 1, memory_clock = 2 };
enum ecc_kind : std::uint32_t { corrected = 0, uncorrected = 1 };
enum ecc_since : std::uint32_t { since_boot = 0, since_made = 1 };

/// What GetFieldValues answers for one field; `id` and `scope` are set before the call.
struct field_value {
    enum field : std::uint32_t {
        memory_temperature = 82,
        nvlink_transmitted = 138,  // data without the protocol's, in KiB
        nvlink_received = 139,
        recovery_action = 230
    };
    static constexpr std::uint32_t all_links = 0xffffffff;
    enum type : std::uint32_t { is_double, is_uint, is_ulong, is_ulonglong, is_longlong, is_int, is_ushort };

    std::uint32_t id;
    std::uint32_t scope;
    std::int64_t timestamp;
    std::int64_t latency;
    std::uint32_t value_type;
    std::int32_t status;
    unsigned char value[8];
};
static_assert(sizeof(field_value) == 40 && offsetof(field_value, value) == 32);

/// A set of events to wait for; opaque.
using event_set = struct event_set_tag*;

/// Bits of what can be waited for.
enum event_bit : std::uint64_t {
    ecc_double_bit = 0x2,
    xid_reported = 0x8,
    mig_changed = 0x100,
    poison = 0x1000,
    fatal_poison = 0x2000,
    gpu_unavailable = 0x4000,
    recovery_changed = 0x8000,
};

struct event_data {
    static constexpr std::uint32_t not_told = 0xffffffff;

    device gpu;
    std::uint64_t type;
    std::uint64_t data;  // the XID, if that is the type
    std::uint32_t gpu_instance;
    std::uint32_t compute_instance;
};
static_assert(sizeof(event_data) == 32 && offsetof(event_data, compute_instance) == 28);

struct pci_info {
    char bus_id_legacy[16];
    std::uint32_t domain;
    std::uint32_t bus;
    std::uint32_t slot;
    std::uint32_t device_and_vendor;
    std::uint32_t subsystem;
    char bus_id[32];
};
static_assert(sizeof(pci_info) == 68 && offsetof(pci_info, bus_id) == 36);

/// NVLinks are numbered from 0; a GPU has fewer.
inline constexpr unsigned most_links = 36;

enum link_end : std::uint32_t { ends_at_gpu = 0, ends_at_npu = 1, ends_at_switch = 2, end_unknown = 255 };

inline constexpr std::uint32_t nvidia_vendor = 0x10de;

/// The parts of a MIG device. The engines are those of its GPU instance, which its compute instances share.
struct attributes {
    std::uint32_t multiprocessors;
    std::uint32_t copy_engines;
    std::uint32_t decoders;
    std::uint32_t encoders;
    std::uint32_t jpeg_decoders;
    std::uint32_t ofa_engines;
    std::uint32_t gpu_slices;
    std::uint32_t compute_slices;
    std::uint64_t memory_mib;
};
static_assert(sizeof(attributes) == 40 && offsetof(attributes, memory_mib) == 32);

/// What a vGPU's licence covers.
struct licensable_features {
    static constexpr std::uint32_t vgpu = 1;

    struct feature {
        std::uint32_t code;
        std::uint32_t licensed;
        char info[128];
        char product[128];
        std::uint32_t enabled;
        std::uint32_t expiry[4];
    };

    std::int32_t supported;
    std::uint32_t count;
    feature features[3];
};
static_assert(sizeof(licensable_features::feature) == 284 && sizeof(licensable_features) == 860);

/// Of a GPU in an NVLink fabric. `version` must be set before the call.
struct fabric_info {
    static constexpr std::uint32_t version_2 = 36 | 2U << 24;
    static constexpr std::uint8_t completed = 3;

    std::uint32_t version;
    std::uint8_t cluster_uuid[16];
    std::int32_t status;
    std::uint32_t clique_id;
    std::uint8_t state;
    std::uint32_t health;
};
static_assert(sizeof(fabric_info) == 36 && offsetof(fabric_info, clique_id) == 24);

}  // namespace gpu_labeler::nvml
