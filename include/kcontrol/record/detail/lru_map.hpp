// A map that forgets what was not used for longest.
#pragma once

#include <algorithm>
#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace kcontrol::inline v0_1::detail {

/// Thread-safety: distinct objects safe; shared objects unsafe.
template <class Value>
class lru_map {
public:
    /// `capacity` is at least 1: what was asked for last is always there.
    explicit lru_map(std::size_t capacity) : capacity_(std::max<std::size_t>(capacity, 1)) {}

    /// The value of that key, made if there is none, and the most recently used one now. The reference is good until
    /// the next call.
    Value& operator[](const std::string& key) {
        const auto found = index_.find(key);
        if (found != index_.end()) {
            entries_.splice(entries_.begin(), entries_, found->second);
            return found->second->second;
        }
        entries_.emplace_front(key, Value());
        index_.emplace(entries_.front().first, entries_.begin());
        if (entries_.size() > capacity_) {
            index_.erase(entries_.back().first);
            entries_.pop_back();
        }
        return entries_.front().second;
    }

    std::size_t size() const noexcept { return entries_.size(); }

private:
    using list = std::list<std::pair<const std::string, Value>>;

    std::size_t capacity_;
    list entries_;
    std::unordered_map<std::string_view, typename list::iterator> index_;  // views of the entries' keys
};

}  // namespace kcontrol::detail
