// The endpoints at one moment, and what changed from one such moment to the next.
#pragma once

#include <kcontrol/base/error.hpp>
#include <kcontrol/service/endpoint.hpp>
#include <kcontrol/service/freshness.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::service {

/// Endpoints in order of address and port, no two with the same pair: a range of `const endpoint&`. Lists share the
/// endpoints that they have in common, so that a new one costs a pointer for each.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class endpoint_list {
public:
    using storage = std::vector<std::shared_ptr<const endpoint>>;
    class iterator;
    using value_type = endpoint;              ///< as containers have it
    using const_iterator = iterator;          ///< as containers have it
    using size_type = std::size_t;            ///< as containers have it
    using const_reference = const endpoint&;  ///< as containers have it

    endpoint_list() = default;
    explicit endpoint_list(storage sorted) : entries_(std::move(sorted)) {}  ///< none is null

    std::size_t size() const noexcept { return entries_.size(); }
    bool empty() const noexcept { return entries_.empty(); }
    const endpoint& operator[](std::size_t i) const noexcept { return *entries_[i]; }  ///< `i` is below size()
    inline iterator begin() const noexcept;
    inline iterator end() const noexcept;
    const storage& shared() const noexcept { return entries_; }  ///< the endpoints as they are held

    /// Whether they have equal endpoints.
    friend bool operator==(const endpoint_list& a, const endpoint_list& b) {
        if (a.size() != b.size()) return false;
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (a.entries_[i] != b.entries_[i] && a[i] != b[i]) return false;
        }
        return true;
    }

private:
    storage entries_;
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
    explicit iterator(storage::const_iterator at) : at_(at) {}

    reference operator*() const noexcept { return **at_; }
    pointer operator->() const noexcept { return at_->get(); }
    reference operator[](difference_type n) const noexcept { return *at_[n]; }
    iterator& operator++() { return ++at_, *this; }
    iterator operator++(int) { return iterator(at_++); }
    iterator& operator--() { return --at_, *this; }
    iterator operator--(int) { return iterator(at_--); }
    iterator& operator+=(difference_type n) { return at_ += n, *this; }
    iterator& operator-=(difference_type n) { return at_ -= n, *this; }
    friend iterator operator+(iterator i, difference_type n) { return i += n; }
    friend iterator operator+(difference_type n, iterator i) { return i += n; }
    friend iterator operator-(iterator i, difference_type n) { return i -= n; }
    friend difference_type operator-(const iterator& a, const iterator& b) { return a.at_ - b.at_; }
    friend auto operator<=>(const iterator&, const iterator&) = default;

private:
    storage::const_iterator at_;
};

inline endpoint_list::iterator endpoint_list::begin() const noexcept { return iterator(entries_.begin()); }
inline endpoint_list::iterator endpoint_list::end() const noexcept { return iterator(entries_.end()); }

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
