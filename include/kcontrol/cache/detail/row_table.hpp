// A table from row numbers to blocks, of which a changed copy shares all but the way to the change.
#pragma once

#include <kcontrol/cache/detail/block.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// Up to 64 blocks, or nodes of the level below.
struct row_node : block {
    std::uint64_t count = 0;
};

/// The table: rows 0 to size - 1, of which some may be null. A change copies a node a level, that is three up to
/// 262,144 rows.
class row_table {
public:
    std::uint32_t size() const noexcept { return size_; }

    /// Null if there is none. Any number may be asked for.
    block* at(std::uint32_t row) const noexcept {
        if (row >= size_) return nullptr;
        const block* node = root_;
        for (unsigned shift = shift_; shift > 0; shift -= bits) node = children(node)[(row >> shift) & mask];
        return children(node)[row & mask];
    }

    void set(store_edit& edit, std::uint32_t row, block* to) {
        block* root = root_;
        unsigned shift = shift_;
        while (root != nullptr && (std::uint64_t{row} >> (shift + bits)) != 0) {
            auto* const above = make(edit, 1);
            children(above)[0] = root;
            root = above;
            shift += bits;
        }
        while (root == nullptr && (std::uint64_t{row} >> (shift + bits)) != 0) shift += bits;
        root_ = set_below(edit, root, shift, row, to);
        shift_ = shift;
        size_ = std::max(size_, row + 1);
    }

    /// A table of these. `of` is used up.
    static row_table build(store_edit& edit, std::vector<block*> of) {
        row_table table;
        table.size_ = static_cast<std::uint32_t>(of.size());
        if (of.empty()) return table;
        for (;; table.shift_ += bits) {
            std::size_t nodes = 0;
            for (std::size_t first = 0; first < of.size(); first += fanout, ++nodes) {
                const std::size_t count = std::min(fanout, of.size() - first);
                auto* const node = make(edit, count);
                std::memcpy(children(node), of.data() + first, count * sizeof(block*));
                of[nodes] = node;
            }
            of.resize(nodes);
            if (nodes == 1) break;
        }
        table.root_ = of.front();
        return table;
    }

    /// Calls f with each node, and g with each row that is not null.
    template <class F, class G>
    void visit(F&& f, G&& g) const {
        if (root_ != nullptr) visit_below(root_, shift_, f, g);
    }

private:
    static constexpr unsigned bits = 6;
    static constexpr std::size_t fanout = std::size_t{1} << bits;
    static constexpr std::uint32_t mask = fanout - 1;

    static block** children(block* node) noexcept { return items_of<block*>(static_cast<row_node*>(node)); }
    static block* const* children(const block* node) noexcept {
        return items_of<block*>(static_cast<const row_node*>(node));
    }

    static row_node* make(store_edit& edit, std::size_t count) {
        auto* const node = edit.make<row_node>(count * sizeof(block*), count);
        std::fill_n(children(node), count, nullptr);
        return node;
    }

    // The node itself if this write made it, else a copy, with room for `least` children.
    static row_node* owned(store_edit& edit, block* of, std::size_t least) {
        auto* const node = static_cast<row_node*>(of);
        const std::size_t present = node != nullptr ? node->count : 0;
        if (node != nullptr && present >= least && edit.owns(*node)) return node;
        auto* const copy = make(edit, std::max(present, (least + 7) / 8 * 8));
        if (node != nullptr) std::memcpy(children(copy), children(node), present * sizeof(block*));
        edit.end(node);
        return copy;
    }

    static block* set_below(store_edit& edit, block* of, unsigned shift, std::uint32_t row, block* to) {
        const std::size_t index = (row >> shift) & mask;
        auto* const node = owned(edit, of, index + 1);
        block*& child = children(node)[index];
        child = shift == 0 ? to : set_below(edit, child, shift - bits, row, to);
        return node;
    }

    template <class F, class G>
    static void visit_below(block* of, unsigned shift, F& f, G& g) {
        const auto count = static_cast<row_node*>(of)->count;
        for (std::size_t i = 0; i < count; ++i) {
            block* const child = children(of)[i];
            if (child == nullptr) continue;
            if (shift == 0) {
                g(child);
            } else {
                visit_below(child, shift - bits, f, g);
            }
        }
        f(of);
    }

    block* root_ = nullptr;
    std::uint32_t size_ = 0;
    unsigned shift_ = 0;
};

}  // namespace kcontrol::detail
