// The blocks that the versions of a store consist of, and the making of the next version out of the one before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace kcontrol::inline v0_1::detail {

/// A piece of a version. Once that is published nothing in it changes; later versions share what they leave as it is.
struct block {
    std::uint64_t born = 0;  // the number of the first version that shows it
    block* next = nullptr;   // in whatever list it is of: those just made, or those that have ended
    void (*release)(block*) noexcept = nullptr;
};

inline void release_all(block* first) noexcept {
    while (first != nullptr) {
        block* const next = first->next;
        first->release(first);
        first = next;
    }
}

/// Where the items behind a block's fixed part begin.
template <class Item, class Block>
Item* items_of(Block* b) noexcept {
    static_assert(sizeof(Block) % alignof(Item) == 0);
    return reinterpret_cast<Item*>(b + 1);
}
template <class Item, class Block>
const Item* items_of(const Block* b) noexcept {
    static_assert(sizeof(Block) % alignof(Item) == 0);
    return reinterpret_cast<const Item*>(b + 1);
}

/// One write in the making: what it made, and what of the version before it leaves out. If it is not committed, all
/// that it made is freed, and the version before is as it was.
///
/// Thread-safety: the writer's.
class store_edit {
public:
    explicit store_edit(std::uint64_t number) noexcept : number_(number) {}
    store_edit(const store_edit&) = delete;
    store_edit& operator=(const store_edit&) = delete;
    ~store_edit() { release_all(made_); }

    /// The number of the version that it makes.
    std::uint64_t number() const noexcept { return number_; }

    /// A block with `extra` bytes behind its fixed part.
    template <class Block, class... Arguments>
    Block* make(std::size_t extra, Arguments&&... arguments) {
        void* const memory = ::operator new(sizeof(Block) + extra);
        auto* const made = ::new (memory) Block{{}, std::forward<Arguments>(arguments)...};
        made->born = number_;
        made->release = [](block* b) noexcept {
            static_cast<Block*>(b)->~Block();
            ::operator delete(b);
        };
        made->next = made_;
        made_ = made;
        return made;
    }

    /// Whether this write made it, so that it may still be changed.
    bool owns(const block& b) const noexcept { return b.born == number_; }

    /// The version in the making does not show it.
    void end(block* b) noexcept {
        if (b == nullptr) return;
        if (owns(*b)) {
            b->born = 0;
            has_waste_ = true;
            return;
        }
        b->next = ended_;
        ended_ = b;
    }

    /// What it made stays. Returns what ends with the version before.
    block* commit() noexcept {
        block* made = std::exchange(made_, nullptr);
        while (has_waste_ && made != nullptr) {
            block* const next = made->next;
            if (made->born == 0) made->release(made);
            made = next;
        }
        return std::exchange(ended_, nullptr);
    }

private:
    std::uint64_t number_;
    block* made_ = nullptr;
    block* ended_ = nullptr;
    bool has_waste_ = false;
};

}  // namespace kcontrol::detail
