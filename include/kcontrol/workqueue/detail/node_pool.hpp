// Memory for the nodes of a work queue: many pieces at once, so that neighbours in time are neighbours in memory.
#pragma once

#include <kcontrol/workqueue/detail/queue_node.hpp>

#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// A node with its key.
template <class Key>
struct keyed_node : queue_node {
    std::optional<Key> key;
    void* slab = nullptr;
    keyed_node* next_free = nullptr;
};

/// Hands out nodes and takes them back. A node that comes back keeps its key and the memory of its causes for the next
/// one. A slab that is free as a whole is given back, but for some.
template <class Node>
class node_pool {
public:
    /// Nodes of free slabs that are kept.
    static constexpr std::size_t most_spare = 1024;
    static constexpr std::size_t first_slab = 4, largest_slab = 64;

    Node& take() {
        if (room_.empty()) add_slab();
        slab& from = *room_.front();
        if (from.live++ == 0) spare_ -= from.nodes.size();
        Node& n = *from.free;
        from.free = n.next_free;
        if (!from.free) {
            full_.splice(full_.begin(), room_, room_.begin());
        }
        return n;
    }

    void give_back(Node& n) noexcept {
        slab& to = *static_cast<slab*>(n.slab);
        if (!to.free) room_.splice(room_.begin(), full_, to.place);
        n.next_free = to.free;
        to.free = &n;
        if (--to.live > 0) return;
        if (spare_ + to.nodes.size() > most_spare) {
            room_.erase(to.place);
        } else {
            spare_ += to.nodes.size();
        }
    }

    void free_spare() noexcept {
        room_.remove_if([](const auto& s) { return s->live == 0; });
        spare_ = 0;
    }

private:
    struct slab {
        explicit slab(std::size_t size) : nodes(size) {}
        std::vector<Node> nodes;
        Node* free = nullptr;
        std::size_t live = 0;
        typename std::list<std::unique_ptr<slab>>::iterator place;
    };

    void add_slab() {
        auto made = std::make_unique<slab>(next_size_);
        for (Node& n : made->nodes) {
            n.slab = made.get();
            n.next_free = std::exchange(made->free, &n);
        }
        spare_ += next_size_;
        room_.push_front(std::move(made));
        room_.front()->place = room_.begin();
        if (next_size_ < largest_slab) next_size_ *= 2;
    }

    std::list<std::unique_ptr<slab>> room_, full_;  // slabs with a free node, and without
    std::size_t spare_ = 0;                         // nodes of slabs that are free as a whole
    std::size_t next_size_ = first_slab;
};

}  // namespace kcontrol::detail
