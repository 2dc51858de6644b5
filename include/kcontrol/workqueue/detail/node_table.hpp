// The nodes of a work queue by key: a hash table of pointers; the nodes stay where they are.
#pragma once

#include <kcontrol/workqueue/detail/node_pool.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// Open addressing, at most half full. The slots have the hashes, so that growing and most look-ups that find nothing
/// need not look at nodes.
template <class Key, class Hash>
class node_table {
public:
    using node = keyed_node<Key>;

    node_table() = default;
    node_table(const node_table&) = delete;
    node_table& operator=(const node_table&) = delete;

    std::size_t size() const noexcept { return size_; }

    node* find(const Key& key) const {
        if (slots_.empty()) return nullptr;
        return slots_[slot_of(key, Hash{}(key))].found;
    }

    node& find_or_make(const Key& key) {
        if (size_ * 2 >= slots_.size()) grow();
        const std::size_t hash = Hash{}(key);
        slot& at = slots_[slot_of(key, hash)];
        if (at.found) return *at.found;
        node& made = make(key);
        made.hash = hash;
        at.hash = hash;
        at.found = &made;
        ++size_;
        return made;
    }

    void erase(node& n) noexcept {
        std::size_t gap = home(n.hash);
        while (slots_[gap].found != &n) gap = next(gap);
        // What was pushed on by what is gone moves back, so that no look-up ends too early.
        for (std::size_t at = next(gap); slots_[at].found; at = next(at)) {
            const std::size_t wanted = home(slots_[at].hash);
            if (((at - wanted) & mask()) < ((at - gap) & mask())) continue;
            slots_[gap] = slots_[at];
            gap = at;
        }
        slots_[gap] = slot();
        --size_;
        n.causes.clear();
        pool_.give_back(n);
    }

    /// Calls f with each node, and erases those for which it says so.
    template <class F>
    void erase_if(const F& f) {
        std::vector<node*> gone;
        for (const slot& s : slots_) {
            if (s.found && f(*s.found)) gone.push_back(s.found);
        }
        for (node* const n : gone) erase(*n);
    }

    /// Frees the memory that is kept for keys to come.
    void free_spare() {
        pool_.free_spare();
        if (size_ == 0) slots_ = {};
    }

private:
    struct slot {
        std::size_t hash = 0;
        node* found = nullptr;
    };

    std::size_t mask() const noexcept { return slots_.size() - 1; }
    std::size_t next(std::size_t at) const noexcept { return (at + 1) & mask(); }
    // The multiplication spreads hashes that are as regular as the keys, such as std::hash<int>'s.
    std::size_t home(std::size_t hash) const noexcept {
        return static_cast<std::size_t>((static_cast<std::uint64_t>(hash) * 0x9e3779b97f4a7c15U) >> shift_);
    }

    // The slot of the key, or the free one where it belongs.
    std::size_t slot_of(const Key& key, std::size_t hash) const {
        std::size_t at = home(hash);
        while (slots_[at].found && !(slots_[at].hash == hash && *slots_[at].found->key == key)) at = next(at);
        return at;
    }

    void grow() {
        std::vector<slot> before(slots_.empty() ? 16 : slots_.size() * 2);
        before.swap(slots_);
        shift_ = 64 - std::countr_zero(slots_.size());
        for (const slot& s : before) {
            if (!s.found) continue;
            std::size_t at = home(s.hash);
            while (slots_[at].found) at = next(at);
            slots_[at] = s;
        }
    }

    node& make(const Key& key) {
        node& made = pool_.take();
        try {
            if constexpr (std::is_copy_assignable_v<Key>) {
                made.key = key;  // in the memory of the key before, if there was one
            } else {
                made.key.emplace(key);
            }
        } catch (...) {
            pool_.give_back(made);
            throw;
        }
        return made;
    }

    node_pool<node> pool_;
    std::vector<slot> slots_;  // as many as a power of two
    int shift_ = 0;
    std::size_t size_ = 0;
};

}  // namespace kcontrol::detail
