#include "health/derive_health.hpp"

#include <algorithm>
#include <array>

namespace gpu_labeler {
namespace {

struct known_xid {
    std::uint64_t number;
    xid_meaning meaning;
    std::string_view text;
};

constexpr std::array known_xids{
    known_xid{13, xid_meaning::application, "a program made the graphics engine fail"},
    known_xid{31, xid_meaning::application, "a program touched memory that is not its own"},
    known_xid{43, xid_meaning::application, "a program's channel stopped"},
    known_xid{45, xid_meaning::application, "a program was ended"},
    known_xid{48, xid_meaning::fatal, "memory error that ECC can't correct"},
    known_xid{63, xid_meaning::wants_attention, "a row of memory was marked to be remapped"},
    known_xid{64, xid_meaning::fatal, "a row of memory can't be remapped"},
    known_xid{68, xid_meaning::application, "a program made the video decoder fail"},
    known_xid{74, xid_meaning::fatal, "NVLink error"},
    known_xid{79, xid_meaning::fatal, "the GPU has fallen off the bus"},
    known_xid{92, xid_meaning::fatal, "many memory errors that ECC corrected"},
    known_xid{94, xid_meaning::fatal, "memory error, contained to one program"},
    known_xid{95, xid_meaning::fatal, "memory error that reached other programs"},
    known_xid{109, xid_meaning::application, "a program's context switch took too long"},
    known_xid{119, xid_meaning::fatal, "the GPU's system processor does not answer"},
    known_xid{120, xid_meaning::fatal, "error in the GPU's system processor"},
    known_xid{154, xid_meaning::application, "the recovery that the GPU needs has changed"},
};

const known_xid* find_xid(std::uint64_t number) noexcept {
    const auto* found = std::find_if(known_xids.begin(), known_xids.end(),
                                     [&](const known_xid& known) { return known.number == number; });
    return found == known_xids.end() ? nullptr : found;
}

health_verdict of_recovery_action(unsigned action) {
    switch (action) {
    case 0: return {};
    case 1: return {gpu_health::failed, "the driver asks for a reset of the GPU"};
    case 2: return {gpu_health::failed, "the driver asks for a reboot of the node"};
    case 3: return {gpu_health::degraded, "the driver asks to drain the programs that use peer-to-peer traffic"};
    case 4: return {gpu_health::degraded, "the driver asks to drain the GPU, and to reset it then"};
    case 5: return {gpu_health::degraded, "the driver asks to recover the IMEX domain"};
    default: return {gpu_health::degraded, "the driver asks for recovery action " + std::to_string(action)};
    }
}

health_verdict of_xid(std::uint64_t number) {
    const auto meaning = meaning_of_xid(number);
    if (meaning == xid_meaning::application) return {};
    auto reason = "XID " + std::to_string(number);
    if (const auto text = describe_xid(number); !text.empty()) reason += ": " + std::string(text);
    return {meaning == xid_meaning::fatal ? gpu_health::failed : gpu_health::degraded, std::move(reason)};
}

// A GPU that fell off the bus is out of order whatever the driver still says of it: it may not know, or be asked too
// late.
health_verdict of_lost_bus(const gpu_sample& gpu) {
    constexpr std::uint64_t off_the_bus = 79;
    return gpu.xid && gpu.xid->counts.contains(off_the_bus) ? of_xid(off_the_bus) : health_verdict();
}

}  // namespace

xid_meaning meaning_of_xid(std::uint64_t xid) noexcept {
    const auto* known = find_xid(xid);
    return known == nullptr ? xid_meaning::wants_attention : known->meaning;
}

std::string_view describe_xid(std::uint64_t xid) noexcept {
    const auto* known = find_xid(xid);
    return known == nullptr ? std::string_view() : known->text;
}

health_verdict derive_health(const gpu_sample& gpu) {
    if (gpu.health == gpu_health::failed) return {gpu.health, gpu.reason};
    health_verdict worst;
    const auto consider = [&worst](health_verdict verdict) {
        if (verdict.health > worst.health) worst = std::move(verdict);
    };
    if (gpu.recovery_action) {
        consider(of_recovery_action(*gpu.recovery_action));
        consider(of_lost_bus(gpu));
    } else if (gpu.xid) {
        for (const auto& [number, count] : gpu.xid->counts) consider(of_xid(number));
    }
    if (gpu.row_remap_failed.value_or(false)) {
        consider({gpu_health::failed, "rows of its memory can't be remapped any more; replace the GPU"});
    }
    if (gpu.row_remap_pending.value_or(false)) {
        consider({gpu_health::degraded, "rows of its memory wait to be remapped, which a reset of the GPU does"});
    }
    if (gpu.pages_pending.value_or(false)) {
        consider({gpu_health::degraded, "pages of its memory wait to be retired, which a reset of the GPU does"});
    }
    if (gpu.ecc_uncorrected_volatile.value_or(0) > 0) {
        consider({gpu_health::degraded, "its memory had errors that ECC can't correct since the driver was loaded"});
    }
    return worst;
}

}  // namespace gpu_labeler
