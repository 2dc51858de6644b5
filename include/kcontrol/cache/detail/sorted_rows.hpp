// Row numbers in the order of the rows' keys, in chunks, of which a changed copy shares all but one.
#pragma once

#include <kcontrol/cache/detail/block.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

namespace kcontrol::inline v0_1::detail {

struct row_chunk : block {
    std::uint64_t count = 0;
    std::span<const std::uint32_t> rows() const noexcept { return {items_of<std::uint32_t>(this), count}; }
};
struct chunk_list : block {
    std::uint64_t count = 0;
    std::span<row_chunk* const> chunks() const noexcept { return {items_of<row_chunk*>(this), count}; }
};

/// Where a row is, or would be.
struct row_position {
    std::size_t chunk = 0;
    std::size_t index = 0;
};

/// The rows. One chunk stands alone, several hang from a list of them. A change copies a chunk (2 KiB at most), and the
/// list if there is one (7 KiB at 160,000 rows).
class sorted_rows {
public:
    std::size_t size() const noexcept { return size_; }
    std::span<row_chunk* const> chunks() const noexcept {
        if (list_ != nullptr) return list_->chunks();
        return {&alone_, alone_ != nullptr ? std::size_t{1} : std::size_t{0}};
    }

    /// The first row of which `before` is not true. `before` is true of the rows up to somewhere, and of no later one.
    template <class Before>
    row_position find(Before&& before) const {
        const auto all = chunks();
        const auto after = std::partition_point(all.begin(), all.end(),
                                                [&](const row_chunk* chunk) { return before(chunk->rows().front()); });
        if (after == all.begin()) return {};
        const auto chunk = static_cast<std::size_t>(after - all.begin()) - 1;
        const auto rows = all[chunk]->rows();
        const auto found = std::partition_point(rows.begin(), rows.end(), before);
        if (found == rows.end() && after != all.end()) return {chunk + 1, 0};
        return {chunk, static_cast<std::size_t>(found - rows.begin())};
    }

    /// The row there, if there is one.
    std::optional<std::uint32_t> at(row_position place) const noexcept {
        const auto all = chunks();
        if (place.chunk >= all.size() || place.index >= all[place.chunk]->count) return std::nullopt;
        return all[place.chunk]->rows()[place.index];
    }

    /// How many there are from one position to another.
    std::size_t count(row_position from, row_position to) const noexcept {
        if (from.chunk == to.chunk) return to.index - from.index;
        const auto all = chunks();
        std::size_t between = all[from.chunk]->count - from.index + to.index;
        for (std::size_t i = from.chunk + 1; i < to.chunk; ++i) between += all[i]->count;
        return between;
    }
    row_position begin() const noexcept { return {}; }
    row_position end() const noexcept {
        const auto all = chunks();
        if (all.empty()) return {};
        return {all.size() - 1, all.back()->count};
    }

    /// Calls f with each row from one position to another.
    template <class F>
    void visit(row_position from, row_position to, F&& f) const {
        const auto all = chunks();
        for (std::size_t i = from.chunk; i <= to.chunk && i < all.size(); ++i) {
            const auto rows = all[i]->rows();
            const std::size_t last = i == to.chunk ? to.index : rows.size();
            for (std::size_t k = i == from.chunk ? from.index : 0; k < last; ++k) f(rows[k]);
        }
    }
    template <class F>
    void visit(F&& f) const {
        visit(begin(), end(), f);
    }

    void insert(store_edit& edit, row_position at, std::uint32_t row) {
        const auto all = chunks();
        if (all.empty()) {
            alone_ = chunk_of(edit, {&row, 1});
        } else {
            row_chunk* const present = all[at.chunk];
            row_chunk* const wider = make_chunk(edit, present->count + 1);
            std::uint32_t* const rows = items_of<std::uint32_t>(wider);
            copy_rows(rows, present->rows().first(at.index));
            rows[at.index] = row;
            copy_rows(rows + at.index + 1, present->rows().subspan(at.index));
            if (wider->count <= most) {
                exchange(edit, at.chunk, {&wider, 1});
            } else {
                row_chunk* const halves[] = {chunk_of(edit, wider->rows().first(most / 2)),
                                             chunk_of(edit, wider->rows().subspan(most / 2))};
                edit.end(wider);
                exchange(edit, at.chunk, halves);
            }
            edit.end(present);
        }
        ++size_;
    }

    void erase(store_edit& edit, row_position at) {
        row_chunk* const present = chunks()[at.chunk];
        if (present->count == 1) {
            exchange(edit, at.chunk, {});
        } else {
            row_chunk* const narrower = make_chunk(edit, present->count - 1);
            std::uint32_t* const rows = items_of<std::uint32_t>(narrower);
            copy_rows(rows, present->rows().first(at.index));
            copy_rows(rows + at.index, present->rows().subspan(at.index + 1));
            exchange(edit, at.chunk, {&narrower, 1});
        }
        edit.end(present);
        --size_;
    }

    /// Rows that are in order already.
    static sorted_rows build(store_edit& edit, std::span<const std::uint32_t> rows) {
        sorted_rows out;
        out.size_ = rows.size();
        if (rows.size() <= most) {
            if (!rows.empty()) out.alone_ = chunk_of(edit, rows);
            return out;
        }
        const std::size_t chunks = (rows.size() + fill - 1) / fill;
        out.list_ = edit.make<chunk_list>(chunks * sizeof(row_chunk*), chunks);
        for (std::size_t i = 0; i < chunks; ++i) {
            const std::size_t first = i * fill;
            items_of<row_chunk*>(out.list_)[i] =
                chunk_of(edit, rows.subspan(first, std::min(fill, rows.size() - first)));
        }
        return out;
    }

    /// Calls f with each block that it consists of.
    template <class F>
    void visit_blocks(F&& f) const {
        for (row_chunk* chunk : chunks()) f(chunk);
        if (list_ != nullptr) f(list_);
    }

private:
    static constexpr std::size_t most = 512;  // rows of a chunk
    static constexpr std::size_t fill = 384;  // of a new one, so that not each insertion splits one

    static row_chunk* make_chunk(store_edit& edit, std::size_t count) {
        return edit.make<row_chunk>(count * sizeof(std::uint32_t), count);
    }
    static void copy_rows(std::uint32_t* to, std::span<const std::uint32_t> from) noexcept {
        if (!from.empty()) std::memcpy(to, from.data(), from.size_bytes());
    }
    static row_chunk* chunk_of(store_edit& edit, std::span<const std::uint32_t> rows) {
        auto* const chunk = make_chunk(edit, rows.size());
        copy_rows(items_of<std::uint32_t>(chunk), rows);
        return chunk;
    }

    // Others in place of one chunk: none, one or two.
    void exchange(store_edit& edit, std::size_t index, std::span<row_chunk* const> by) {
        const auto all = chunks();
        const std::size_t count = all.size() - 1 + by.size();
        chunk_list* const before = list_;
        if (count <= 1) {
            row_chunk* const other = count == 0 ? nullptr : !by.empty() ? by.front() : all[1 - index];
            list_ = nullptr;
            alone_ = other;
        } else {
            auto* const list = edit.make<chunk_list>(count * sizeof(row_chunk*), count);
            row_chunk** to = items_of<row_chunk*>(list);
            to = std::copy_n(all.begin(), index, to);
            to = std::copy(by.begin(), by.end(), to);
            std::copy(all.begin() + static_cast<std::ptrdiff_t>(index) + 1, all.end(), to);
            list_ = list;
            alone_ = nullptr;
        }
        edit.end(before);
    }

    chunk_list* list_ = nullptr;
    row_chunk* alone_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace kcontrol::detail
