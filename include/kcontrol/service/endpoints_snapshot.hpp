// The endpoints at one moment, and what changed from one such moment to the next.
#pragma once

#include <kcontrol/base/error.hpp>
#include <kcontrol/config.hpp>
#include <kcontrol/service/endpoint.hpp>
#include <kcontrol/service/freshness.hpp>

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::service {

/// Endpoints in order of address and port, no two with the same pair: a range of `const endpoint&`. They are held in
/// parts of some dozens. Lists share the parts that they have in common, so that what a new one costs depends on what
/// changed.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class endpoint_list {
public:
    using storage = std::vector<std::shared_ptr<const endpoint>>;
    using part = std::shared_ptr<const storage>;
    class iterator;
    using value_type = endpoint;              ///< as containers have it
    using const_iterator = iterator;          ///< as containers have it
    using size_type = std::size_t;            ///< as containers have it
    using const_reference = const endpoint&;  ///< as containers have it

    endpoint_list() = default;
    explicit endpoint_list(storage sorted) { append(std::move(sorted)); }  ///< none is null

    std::size_t size() const noexcept { return starts_.empty() ? 0 : starts_.back() + parts_.back()->size(); }
    bool empty() const noexcept { return parts_.empty(); }
    inline const endpoint& operator[](std::size_t i) const noexcept;  ///< `i` is below size(); O(log size)
    inline iterator begin() const noexcept;
    inline iterator end() const noexcept;

    const std::vector<part>& parts() const noexcept { return parts_; }  ///< as they are held: none is null, or empty
    /// Adds what is sorted, and behind all that there is. Complexity: of its own size.
    KCONTROL_DECL void append(storage sorted);
    void append(part shared) { add(std::move(shared)); }  ///< of another list

    /// Whether they have equal endpoints.
    friend KCONTROL_DECL bool operator==(const endpoint_list& a, const endpoint_list& b);

private:
    inline void add(part one);
    inline std::size_t part_of(std::size_t i) const noexcept;

    std::vector<part> parts_;
    std::vector<std::size_t> starts_;  // of each part, the index of its first
};

/// Goes through an endpoint_list; valid as long as that is.
class endpoint_list::iterator {
public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = endpoint;
    using difference_type = std::ptrdiff_t;
    using pointer = const endpoint*;
    using reference = const endpoint&;

    iterator() = default;

    reference operator*() const noexcept { return *(*list_->parts_[part_])[in_part_]; }
    pointer operator->() const noexcept { return &**this; }
    reference operator[](difference_type n) const noexcept { return *(*this + n); }
    iterator& operator++() {
        if (++in_part_ == list_->parts_[part_]->size()) ++part_, in_part_ = 0;
        return *this;
    }
    iterator operator++(int) {
        iterator before = *this;
        return ++*this, before;
    }
    iterator& operator--() {
        if (in_part_ == 0) in_part_ = list_->parts_[--part_]->size();
        return --in_part_, *this;
    }
    iterator operator--(int) {
        iterator before = *this;
        return --*this, before;
    }
    iterator& operator+=(difference_type n) { return *this = iterator(*list_, static_cast<std::size_t>(index() + n)); }
    iterator& operator-=(difference_type n) { return *this += -n; }
    friend iterator operator+(iterator i, difference_type n) { return n == 0 ? i : i += n; }
    friend iterator operator+(difference_type n, iterator i) { return i + n; }
    friend iterator operator-(iterator i, difference_type n) { return i + -n; }
    friend difference_type operator-(const iterator& a, const iterator& b) {
        return a.list_ == nullptr ? 0 : a.index() - b.index();
    }
    friend auto operator<=>(const iterator&, const iterator&) = default;

private:
    friend class endpoint_list;
    iterator(const endpoint_list& list, std::size_t i) : list_(&list), part_(list.part_of(i)) {
        if (part_ != list.parts_.size()) in_part_ = i - list.starts_[part_];
    }
    difference_type index() const {
        const bool behind = part_ == list_->parts_.size();
        return static_cast<difference_type>(behind ? list_->size() : list_->starts_[part_] + in_part_);
    }

    const endpoint_list* list_ = nullptr;
    std::size_t part_ = 0;
    std::size_t in_part_ = 0;
};

// The part that has it; behind the last one: their number.
inline std::size_t endpoint_list::part_of(std::size_t i) const noexcept {
    if (i >= size()) return parts_.size();
    const auto after = std::upper_bound(starts_.begin(), starts_.end(), i);
    return static_cast<std::size_t>(after - starts_.begin()) - 1;
}

inline void endpoint_list::add(part one) {
    starts_.push_back(size());
    parts_.push_back(std::move(one));
}

inline const endpoint& endpoint_list::operator[](std::size_t i) const noexcept { return *iterator(*this, i); }
inline endpoint_list::iterator endpoint_list::begin() const noexcept { return iterator(*this, 0); }
inline endpoint_list::iterator endpoint_list::end() const noexcept { return iterator(*this, size()); }

/// The endpoints of a target at one moment. It never changes.
///
/// Thread-safety: shared objects safe.
class endpoints_snapshot {
public:
    /// 0: nothing is known yet. It grows by one with each change of the value, and stays when only the state changes.
    std::uint64_t version = 0;
    endpoint_list endpoints;  ///< in order of address and port
};

/// What changed, for the callback: the value, the state, or what stands in the way.
class endpoints_change {
public:
    /// Endpoints that were not in the snapshot before exactly so, and those that are not in this one exactly so. One
    /// whose condition, zone, node or pod changed is in both, as it is and as it was. Both are sorted.
    std::vector<endpoint> added, removed;
    std::shared_ptr<const endpoints_snapshot> snapshot;  ///< never null; that of the change before if both are empty
    freshness state = freshness::stale;                  ///< at the time of the change
    std::optional<error> problem;                        ///< as endpoints::problem()
};

}  // namespace kcontrol::service

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/service/impl/endpoints_snapshot.ipp>
#endif
