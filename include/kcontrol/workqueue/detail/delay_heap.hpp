// The delayed nodes of a work queue, the earliest first.
#pragma once

#include <kcontrol/workqueue/detail/queue_node.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// A heap with four children a node; each node knows where it is, so that any of them can be taken out. Of equal times
/// the one that was pushed first comes first.
class delay_heap {
public:
    KCONTROL_DECL bool empty() const noexcept;
    KCONTROL_DECL std::size_t size() const noexcept;
    KCONTROL_DECL time_point first_time() const noexcept;
    KCONTROL_DECL queue_node& first() const noexcept;
    KCONTROL_DECL time_point time_of(const queue_node& n) const noexcept;

    /// The node is not in it.
    KCONTROL_DECL void push(queue_node& n, time_point when);
    /// The node is in it.
    KCONTROL_DECL void erase(queue_node& n) noexcept;
    KCONTROL_DECL void clear() noexcept;

private:
    struct entry {
        bool before(const entry& other) const noexcept {
            return when != other.when ? when < other.when : number < other.number;
        }
        time_point when;
        std::uint64_t number = 0;
        queue_node* node = nullptr;
    };
    void place(std::size_t at, const entry& e) noexcept;
    void rise(std::size_t at, const entry& e) noexcept;
    void sink(std::size_t at, const entry& e) noexcept;

    std::vector<entry> entries_;
    std::uint64_t pushed_ = 0;
};

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/workqueue/impl/delay_heap.ipp>
#endif
