// dict: the map of the model, from text to T. Eight bytes; entries in one piece, in the order of their keys.
#pragma once

#include <kcontrol/values/list.hpp>
#include <kcontrol/values/text.hpp>

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace kcontrol::inline v0_1 {

/// One entry of a dict; named as std::map names it.
template <class T>
struct dict_entry {
    text first;  ///< the key. Not to be changed in place
    T second{};  ///< the value of that key

    bool operator==(const dict_entry&) const = default;
};

/// A map from text to T, sorted by key. It may be absent, as list may. Lookup is a binary search; a change in the
/// middle moves what comes after.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
template <class T>
class dict {
public:
    using key_type = text;  ///< the type of `first`, as std::map names it
    using mapped_type = T;  ///< the type of `second`, as std::map names it
    using value_type = dict_entry<T>;
    using iterator = value_type*;
    using const_iterator = const value_type*;

    dict() noexcept = default;
    /// Present, even without entries; of those with the same key the last one counts.
    dict(std::initializer_list<std::pair<std::string_view, T>> from) {
        entries_.clear();
        for (const auto& [key, value] : from) insert_or_assign(key, value);
    }
    // As in list: its own type is ruled out first.
    /// The same from a std::map, or another range of pairs.
    template <class Range>
    requires(!std::same_as<std::remove_cvref_t<Range>, dict> && std::ranges::input_range<Range> &&
             requires(std::ranges::range_reference_t<Range> entry) {
                 std::string_view(entry.first);
                 T(entry.second);
             }) dict(const Range& from) {  // NOLINT: meant to convert
        entries_.clear();
        for (const auto& [key, value] : from) insert_or_assign(key, value);
    }

    /// Whether there is a map, if only an empty one.
    bool present() const noexcept { return entries_.present(); }
    bool empty() const noexcept { return entries_.empty(); }
    std::size_t size() const noexcept { return entries_.size(); }
    iterator begin() noexcept { return entries_.begin(); }
    iterator end() noexcept { return entries_.end(); }
    const_iterator begin() const noexcept { return entries_.begin(); }
    const_iterator end() const noexcept { return entries_.end(); }

    /// The entry of that key, or end().
    iterator find(std::string_view key) noexcept {
        const auto at = lower_bound(key);
        return at != end() && at->first == key ? at : end();
    }
    /// The same in a map that is only read.
    const_iterator find(std::string_view key) const noexcept { return const_cast<dict*>(this)->find(key); }
    bool contains(std::string_view key) const noexcept { return find(key) != end(); }         ///< as costly as find()
    std::size_t count(std::string_view key) const noexcept { return contains(key) ? 1 : 0; }  ///< 0 or 1
    /// The value, or null.
    const T* get(std::string_view key) const noexcept {
        const auto found = find(key);
        return found == end() ? nullptr : &found->second;
    }
    /// Throws std::out_of_range if the key is not there.
    const T& at(std::string_view key) const {
        const auto* found = get(key);
        if (found == nullptr) throw std::out_of_range("kcontrol::dict::at: no key " + std::string(key));
        return *found;
    }

    /// The value of the key, made if it is not there.
    T& operator[](std::string_view key) {
        auto at = lower_bound(key);
        if (at == end() || at->first != key) at = entries_.insert(at, value_type{text(key), T{}});
        return at->second;
    }
    void insert_or_assign(std::string_view key, T value) { (*this)[key] = std::move(value); }  ///< the key may be new
    /// Adds the entry unless the key is there: where it is, and whether it is new.
    template <class Value>
    std::pair<iterator, bool> emplace(std::string_view key, Value&& value) {
        auto at = lower_bound(key);
        if (at != end() && at->first == key) return {at, false};
        return {entries_.insert(at, value_type{text(key), T(std::forward<Value>(value))}), true};
    }

    iterator erase(const_iterator at) { return entries_.erase(at); }  ///< gives the place of the next entry
    /// How many were erased: 0 or 1.
    std::size_t erase(std::string_view key) {
        const auto found = find(key);
        if (found == end()) return 0;
        entries_.erase(found);
        return 1;
    }

    /// Makes it empty, but present.
    void clear() noexcept { entries_.clear(); }
    /// Makes it absent.
    void reset() noexcept { entries_.reset(); }

    // Not defaulted: clang 14 would look into T at once, which may be incomplete.
    bool operator==(const dict& other) const { return entries_ == other.entries_; }

private:
    iterator lower_bound(std::string_view key) noexcept {
        iterator first = begin();
        for (std::size_t count = size(); count > 0;) {
            const std::size_t half = count / 2;
            if (first[half].first.view() < key) {
                first += half + 1;
                count -= half + 1;
            } else {
                count = half;
            }
        }
        return first;
    }

    list<value_type> entries_;
};

}  // namespace kcontrol
