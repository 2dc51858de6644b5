#pragma once

#include <kcontrol/client/detail/hot_loops.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

namespace kcontrol::inline v0_1::detail {

KCONTROL_DECL std::uint64_t object_hash(std::string_view group, std::string_view kind, std::string_view namespace_,
                                        std::string_view name) noexcept {
    // FNV-1a, with a byte between the parts that none of them has.
    std::uint64_t out = 0xcbf29ce484222325U;
    for (const std::string_view part : {group, kind, namespace_, name}) {
        for (const char c : part) out = (out ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
        out = (out ^ 0xffU) * 0x100000001b3U;
    }
    return out;
}

KCONTROL_DECL std::optional<std::uint32_t> hot_loops::wrote(std::uint64_t object, time_point now) {
    if (limit_ == 0) return std::nullopt;
    entry* const one = find(object, now);
    if (one == nullptr) return std::nullopt;
    advance(*one, now);
    std::uint16_t& count = one->counts[one->at % steps];
    if (count != std::numeric_limits<std::uint16_t>::max()) ++count;
    one->last = now;
    const std::uint32_t times = sum(*one);
    if (times <= limit_) return std::nullopt;
    const bool known = is_hot(*one, now);
    one->hot = now;
    one->was_hot = true;
    return known ? std::nullopt : std::optional(times);
}

// The object's entry, or one that is free for it; null if there is none.
inline hot_loops::entry* hot_loops::find(std::uint64_t object, time_point now) {
    if (table_.empty()) table_.resize(sets * ways);
    entry* const first = table_.data() + (object % sets) * ways;
    entry* free = nullptr;
    for (entry* one = first; one != first + ways; ++one) {
        if (one->used && one->object == object) return one;
        if (one->used && !may_go(*one, now)) continue;
        // The one that was written longest ago.
        if (free == nullptr || (free->used && (!one->used || one->last < free->last))) free = one;
    }
    if (free == nullptr) return nullptr;
    *free = entry();
    free->object = object;
    free->since = free->last = now;
    free->used = true;
    return free;
}

// Each write keeps the place for as long as the next one takes at the pace of the limit.
inline bool hot_loops::may_go(const entry& one, time_point now) const {
    if (is_hot(one, now)) return false;
    if (now - one.last > window) return true;
    // In milliseconds, of which no product with a limit is too large.
    const auto whole = std::chrono::duration_cast<std::chrono::milliseconds>(window).count();
    const auto counted = std::chrono::duration_cast<std::chrono::milliseconds>(now - one.since).count();
    return std::min(counted, whole) * std::int64_t{limit_} > whole * std::int64_t{sum(one)};
}

// Whether it was reported, and has not been quiet since.
inline bool hot_loops::is_hot(const entry& one, time_point now) { return one.was_hot && now - one.hot < quiet; }

inline void hot_loops::advance(entry& one, time_point now) {
    const auto at = static_cast<std::uint32_t>(std::max<duration>(duration::zero(), now - one.since) / step);
    if (at <= one.at) return;
    const auto passed = std::min<std::uint32_t>(at - one.at, steps);
    for (std::uint32_t n = 1; n <= passed; ++n) one.counts[(one.at + n) % steps] = 0;
    one.at = at;
}

inline std::uint32_t hot_loops::sum(const entry& one) {
    return std::accumulate(one.counts.begin(), one.counts.end(), std::uint32_t{0});
}

}  // namespace kcontrol::detail
