// A heap of pointers, each of which may be taken out of the middle. An order that contradicts itself does it no harm.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::scheduling::detail {

/// `T` has a member `heap_place`, which belongs to the heap that it is in; `Less` says whether one is before another.
template <class T, class Less>
class indexed_heap {
public:
    explicit indexed_heap(Less less) : less_(std::move(less)) {}

    bool empty() const noexcept { return all_.empty(); }
    std::size_t size() const noexcept { return all_.size(); }
    T& front() const { return *all_.front(); }
    auto begin() const noexcept { return all_.begin(); }
    auto end() const noexcept { return all_.end(); }

    void insert(T& one) {
        all_.push_back(&one);
        one.heap_place = all_.size() - 1;
        rise(one.heap_place);
    }
    void erase(T& one) {
        const std::size_t at = one.heap_place;
        T* const last = all_.back();
        all_.pop_back();
        if (last == &one) return;
        put(at, last);
        rise(at);
        sink(last->heap_place);
    }
    /// All are sorted anew.
    void rebuild() {
        for (std::size_t at = all_.size() / 2; at-- > 0;) sink(at);
    }

private:
    void put(std::size_t at, T* one) {
        all_[at] = one;
        one->heap_place = at;
    }
    void exchange(std::size_t a, std::size_t b) {
        T* const first = all_[a];
        put(a, all_[b]);
        put(b, first);
    }
    void rise(std::size_t at) {
        for (; at > 0 && less_(*all_[at], *all_[(at - 1) / 2]); at = (at - 1) / 2) exchange(at, (at - 1) / 2);
    }
    void sink(std::size_t at) {
        for (std::size_t child = 2 * at + 1; child < all_.size(); child = 2 * at + 1) {
            if (child + 1 < all_.size() && less_(*all_[child + 1], *all_[child])) ++child;
            if (!less_(*all_[child], *all_[at])) return;
            exchange(at, child);
            at = child;
        }
    }

    Less less_;
    std::vector<T*> all_;
};

}  // namespace kcontrol::scheduling::detail
