// From hashes to row numbers: the one part of a store that is changed in place while others read it.
#pragma once

#include <kcontrol/cache/detail/block.hpp>
#include <kcontrol/cache/detail/short_text.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>

namespace kcontrol::inline v0_1::detail {

/// Open addressing with linear probing. A cell is empty, void (its row went), or a hash and a row. A cell that was used
/// is never empty again, so who looks for a row that is there all the time finds it, whatever is written meanwhile.
///
/// A cell is a hint: who reads it looks into its own version whether that row has that key there. Where there are too
/// few empty cells the next version gets another table.
struct cell_table : block {
    std::uint32_t mask = 0;

    static constexpr std::uint64_t empty = 0, gone = 1;  // else the hash, and the row + 2
    std::atomic<std::uint64_t>* cells() noexcept { return items_of<std::atomic<std::uint64_t>>(this); }
    const std::atomic<std::uint64_t>* cells() const noexcept { return items_of<std::atomic<std::uint64_t>>(this); }
};

/// What the writer knows of a table.
class cell_counts {
public:
    /// Whether so many more may be put in; else make_room().
    bool has_room(const cell_table* table, std::size_t more) const noexcept {
        return table != nullptr && (used_ + more) * 4 <= (std::size_t{table->mask} + 1) * 3;
    }
    std::size_t live() const noexcept { return live_; }
    void put(cell_table& table, std::uint32_t hash, std::uint32_t row) noexcept {
        std::atomic<std::uint64_t>* const cells = table.cells();
        for (std::uint32_t i = hash & table.mask;; i = (i + 1) & table.mask) {
            const std::uint64_t cell = cells[i].load(std::memory_order_relaxed);
            if (cell > cell_table::gone) continue;
            if (cell == cell_table::empty) ++used_;
            ++live_;
            cells[i].store((std::uint64_t{hash} << 32U) | (row + 2U), std::memory_order_relaxed);
            return;
        }
    }
    void take(cell_table& table, std::uint32_t hash, std::uint32_t row) noexcept {
        std::atomic<std::uint64_t>* const cells = table.cells();
        const std::uint64_t wanted = (std::uint64_t{hash} << 32U) | (row + 2U);
        for (std::uint32_t i = hash & table.mask;; i = (i + 1) & table.mask) {
            const std::uint64_t cell = cells[i].load(std::memory_order_relaxed);
            if (cell == cell_table::empty) return;
            if (cell != wanted) continue;
            cells[i].store(cell_table::gone, std::memory_order_relaxed);
            --live_;
            return;
        }
    }

private:
    std::size_t used_ = 0;  // cells that are not empty
    std::size_t live_ = 0;
};

inline cell_table* make_cells(store_edit& edit, std::size_t rows) {
    const std::size_t count = std::max<std::size_t>(8, std::bit_ceil(rows * 3 / 2 + 1));
    auto* const table = edit.make<cell_table>(count * sizeof(std::uint64_t), static_cast<std::uint32_t>(count - 1));
    for (std::size_t i = 0; i < count; ++i) ::new (table->cells() + i) std::atomic<std::uint64_t>(cell_table::empty);
    return table;
}

/// A table with the same rows and room for more, and its counts.
inline cell_table* make_room(store_edit& edit, const cell_table* present, cell_counts& counts) {
    cell_table* const wider = make_cells(edit, counts.live() + counts.live() / 2 + 4);
    cell_counts fresh;
    for (std::uint32_t i = 0; present != nullptr && i <= present->mask; ++i) {
        const std::uint64_t cell = present->cells()[i].load(std::memory_order_relaxed);
        if (cell > cell_table::gone) {
            fresh.put(*wider, static_cast<std::uint32_t>(cell >> 32U), static_cast<std::uint32_t>(cell) - 2U);
        }
    }
    counts = fresh;
    return wider;
}

/// The row with that hash of which `is_it` is true, or `no_row`.
inline constexpr std::uint32_t no_row = 0xffffffffU;
template <class IsIt>
std::uint32_t find_row(const cell_table* table, std::uint32_t hash, IsIt&& is_it) {
    if (table == nullptr) return no_row;
    const std::atomic<std::uint64_t>* const cells = table->cells();
    for (std::uint32_t i = hash & table->mask;; i = (i + 1) & table->mask) {
        const std::uint64_t cell = cells[i].load(std::memory_order_relaxed);
        if (cell == cell_table::empty) return no_row;
        if (cell > cell_table::gone && cell >> 32U == hash) {
            const std::uint32_t row = static_cast<std::uint32_t>(cell) - 2U;
            if (is_it(row)) return row;
        }
    }
}

}  // namespace kcontrol::detail
