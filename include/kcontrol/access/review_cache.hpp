// What reviews have said, for as long as it may be believed: a table of bounded size.
#pragma once

#include <kcontrol/runtime/time.hpp>
#include <kcontrol/transport/keyed_digest.hpp>

#include <cstddef>
#include <cstring>
#include <list>
#include <unordered_map>
#include <utility>

namespace kcontrol::inline v0_1 {

/// Values by the digest of what they are about, each until a time. Where there is no room, the one that was asked for
/// the longest ago goes.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
template <class Value>
class review_cache {
public:
    using key = http::keyed_digest::value;  ///< an HMAC-SHA-256 of what a value is about

    /// At least one entry.
    explicit review_cache(std::size_t max_entries) : most_(max_entries == 0 ? 1 : max_entries) {}

    /// Null where there is none, or its time is over. Valid until the next put().
    const Value* find(const key& of, time_point now) {
        const auto found = by_key_.find(of);
        if (found == by_key_.end()) return nullptr;
        const auto at = found->second;
        if (at->until <= now) {
            by_key_.erase(found);
            by_use_.erase(at);
            return nullptr;
        }
        by_use_.splice(by_use_.begin(), by_use_, at);
        return &at->value;
    }

    /// Believed before `until`; replaces what is known of that key.
    void put(const key& of, Value value, time_point until) {
        if (const auto found = by_key_.find(of); found != by_key_.end()) {
            by_use_.erase(found->second);
            by_key_.erase(found);
        }
        if (by_use_.size() == most_) {
            by_key_.erase(by_use_.back().of);
            by_use_.pop_back();
        }
        by_use_.push_front({of, std::move(value), until});
        by_key_.emplace(of, by_use_.begin());
    }

    std::size_t size() const noexcept { return by_use_.size(); }

private:
    struct entry {
        key of;
        Value value;
        time_point until;
    };
    struct hash {
        // A digest is as good as random wherever it is cut.
        std::size_t operator()(const key& of) const noexcept {
            std::size_t out = 0;
            std::memcpy(&out, of.data(), sizeof out);
            return out;
        }
    };

    std::size_t most_;
    std::list<entry> by_use_;  // the newest first
    std::unordered_map<key, typename std::list<entry>::iterator, hash> by_key_;
};

}  // namespace kcontrol
