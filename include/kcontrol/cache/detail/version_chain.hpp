// The versions of a store's content: one writer publishes them, any number of readers pin them, and a block is freed as
// soon as no version that is pinned shows it.
#pragma once

#include <kcontrol/cache/detail/block.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace kcontrol::inline v0_1::detail {

/// Pinning is one atomic addition, unpinning another: a reader waits for nobody, nor does the writer wait for readers.
///
/// Pins are counted in two places (split reference counts): in the word that says which version is the current one, so
/// that reading it and counting are one step, and in the version itself. The writer, when it takes a version out of the
/// word, adds the word's count to the version's.
///
/// Which blocks a version that goes takes with it is known without looking at any other: with each version go the
/// blocks that it shows and the next does not (`ended`). Of these the version before shows some too, those born by
/// then; they become its, and the others are freed. So what a snapshot holds is what it shows and nothing else, however
/// long it is held. (ZFS has the same, as dead lists of snapshots.)
///
/// Thread-safety: publish() is the writer's; pin(), repin() and unpin() may be called from any thread.
template <class Content>
class version_chain {
public:
    struct version {
        Content content;
        std::uint64_t number = 0;

        std::atomic<std::int64_t> pins{current};  // biased as long as it is the current one
        block* ended = nullptr;                   // see above
        version* older = nullptr;                 // the one before that has not gone; of who buries
        version* newer = nullptr;                 // written by the writer until it is replaced, then by who buries
        version* next_dead = nullptr;
    };

    version_chain() : tail_(new version) { current_.store(pack(tail_), std::memory_order_relaxed); }
    version_chain(const version_chain&) = delete;
    version_chain& operator=(const version_chain&) = delete;
    /// Nothing is pinned any more. The blocks of the current version are the owner's to free.
    ~version_chain() { delete tail_; }

    version* pin() noexcept {
        const std::uint64_t word = current_.fetch_add(1, std::memory_order_acquire);
        version* const pinned = unpack(word);
        if ((word & count_mask) >= relieve_at) relieve(*pinned);
        return pinned;
    }
    /// Of one that is pinned.
    void repin(version& pinned) noexcept { pinned.pins.fetch_add(1, std::memory_order_relaxed); }
    void unpin(version& pinned) noexcept {
        if (pinned.pins.fetch_sub(1, std::memory_order_acq_rel) == 1) died(pinned);
    }

    /// The current version, for the writer, which needs no pin.
    const version& last() const noexcept { return *tail_; }

    /// A place for the next version.
    version* prepare(const Content& content) const {
        auto* const next = new version{content, tail_->number + 1};
        if (reinterpret_cast<std::uintptr_t>(next) >> 48U != 0) {  // not on a system that we know
            delete next;
            throw std::bad_alloc();
        }
        return next;
    }

    /// `ended`: what the version before shows and `next` does not.
    void publish(version* next, block* ended) noexcept {
        version* const replaced = std::exchange(tail_, next);
        next->older = replaced;
        replaced->newer = next;
        replaced->ended = ended;
        const std::uint64_t word = current_.exchange(pack(next), std::memory_order_acq_rel);
        const std::int64_t rest = static_cast<std::int64_t>(word & count_mask) - current;
        if (replaced->pins.fetch_add(rest, std::memory_order_acq_rel) + rest == 0) died(*replaced);
    }

private:
    // The word: an address of 48 bits, of which malloc leaves the last four 0, and 20 bits to count.
    static constexpr unsigned count_bits = 20;
    static constexpr std::uint64_t count_mask = (std::uint64_t{1} << count_bits) - 1;
    static constexpr std::uint64_t relieve_at = std::uint64_t{1} << (count_bits - 2);
    static constexpr std::int64_t current = std::int64_t{1} << 40;
    static_assert(sizeof(void*) == 8 && alignof(std::max_align_t) >= 16);

    static std::uint64_t pack(const version* v) noexcept {
        return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(v)) >> 4U << count_bits;
    }
    static version* unpack(std::uint64_t word) noexcept {
        return reinterpret_cast<version*>(static_cast<std::uintptr_t>(word >> count_bits << 4U));
    }

    // Moves what the word has counted to the version's own count, before the word's is full. The caller has a pin, so
    // the version can't go meanwhile.
    void relieve(version& pinned) noexcept {
        std::uint64_t word = current_.load(std::memory_order_relaxed);
        while (unpack(word) == &pinned && (word & count_mask) >= relieve_at) {
            const auto counted = static_cast<std::int64_t>(word & count_mask);
            pinned.pins.fetch_add(counted, std::memory_order_relaxed);
            if (current_.compare_exchange_weak(word, word & ~count_mask, std::memory_order_relaxed)) return;
            pinned.pins.fetch_sub(counted, std::memory_order_relaxed);
        }
    }

    void died(version& gone) noexcept {
        gone.next_dead = dead_.load(std::memory_order_relaxed);
        while (!dead_.compare_exchange_weak(gone.next_dead, &gone)) {
        }
        // Who buries looks again after it has finished, so who finds it at work may leave.
        while (dead_.load() != nullptr && !burying_.exchange(true)) {
            block* garbage = nullptr;
            version* buried = nullptr;
            for (version* v = dead_.exchange(nullptr); v != nullptr;) {
                version* const next = v->next_dead;
                bury(*v, garbage);
                v->next_dead = std::exchange(buried, v);
                v = next;
            }
            burying_.store(false);
            // Objects end here, which may take any time.
            release_all(garbage);
            while (buried != nullptr) delete std::exchange(buried, buried->next_dead);
        }
    }

    static void bury(version& gone, block*& garbage) noexcept {
        for (block* b = gone.ended; b != nullptr;) {
            block* const next = b->next;
            block*& to = gone.older != nullptr && b->born <= gone.older->number ? gone.older->ended : garbage;
            b->next = std::exchange(to, b);
            b = next;
        }
        if (gone.older != nullptr) gone.older->newer = gone.newer;
        gone.newer->older = gone.older;
    }

    alignas(64) std::atomic<std::uint64_t> current_{0};
    alignas(64) std::atomic<version*> dead_{nullptr};
    std::atomic<bool> burying_{false};
    version* tail_;
};

}  // namespace kcontrol::detail
