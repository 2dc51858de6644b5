// The content of a store as one version of it has it: rows by number, their order, their hashes, the indexes.
#pragma once

#include <kcontrol/cache/detail/block.hpp>
#include <kcontrol/cache/detail/cell_table.hpp>
#include <kcontrol/cache/detail/row_table.hpp>
#include <kcontrol/cache/detail/sorted_rows.hpp>
#include <kcontrol/cache/detail/version_chain.hpp>
#include <kcontrol/model/any_object.hpp>

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

namespace kcontrol::inline v0_1::detail {

struct key_view {
    std::string_view ns, name;
    friend bool operator==(const key_view&, const key_view&) = default;
    friend auto operator<=>(const key_view& a, const key_view& b) noexcept {
        const auto by_namespace = a.ns <=> b.ns;
        return by_namespace != 0 ? by_namespace : a.name <=> b.name;
    }
};
inline key_view key_view_of(const object_meta& meta) noexcept { return {meta.namespace_.view(), meta.name.view()}; }
inline bool same_key(const key_view& a, const key_view& b) noexcept {
    return same_text(a.name, b.name) && same_text(a.ns, b.ns);
}
inline std::uint32_t hash_of(const key_view& key) noexcept { return hash_of(key.ns, key.name); }

/// An object, and behind it a copy of its key, so that who looks for a key touches no object but the one it finds. It
/// keeps the number of its row as long as there is one of its key, so an update changes the table of rows and nothing
/// else.
struct store_row : block {
    any_object object;
    std::uint32_t ns_length = 0;
    std::uint32_t name_length = 0;
    key_view key() const noexcept {
        const char* const text = items_of<char>(this);
        return {{text, ns_length}, {text + ns_length, name_length}};
    }
};

inline store_row* make_row(store_edit& edit, any_object object) {
    const key_view key = key_view_of(object.meta());
    auto* const row =
        edit.make<store_row>(key.ns.size() + key.name.size(), std::move(object),
                             static_cast<std::uint32_t>(key.ns.size()), static_cast<std::uint32_t>(key.name.size()));
    char* const text = items_of<char>(row);
    key.ns.copy(text, key.ns.size());
    key.name.copy(text + key.ns.size(), key.name.size());
    return row;
}

/// The rows that have one key in an index; the key stands behind it.
struct posting : block {
    std::uint64_t length = 0;
    sorted_rows rows;
    std::string_view key() const noexcept { return {items_of<char>(this), length}; }
};

inline posting* make_posting(store_edit& edit, std::string_view key, const sorted_rows& rows) {
    auto* const made = edit.make<posting>(key.size(), key.size(), rows);
    if (!key.empty()) std::memcpy(items_of<char>(made), key.data(), key.size());
    return made;
}

/// What an index is called, and of which label it is.
struct index_name : block {
    std::uint64_t id = 0;
    std::string name, label;
};

/// An index: from hashes of keys to postings. Postings have numbers as objects have, and an order, that of their keys,
/// in which a version that is not the current one finds what the hashes do not have any more.
struct index_part {
    index_name* name = nullptr;
    cell_table* cells = nullptr;
    row_table postings;
    sorted_rows order;

    std::uint32_t find(std::string_view key) const {
        return find_row(cells, hash_of(key), [&](std::uint32_t number) {
            const block* const found = postings.at(number);
            return found != nullptr && static_cast<const posting*>(found)->key() == key;
        });
    }
    const posting& of(std::uint32_t number) const noexcept { return *static_cast<const posting*>(postings.at(number)); }
    row_position place(std::string_view key) const {
        return order.find([&](std::uint32_t number) { return of(number).key() < key; });
    }
    const posting* at(std::string_view key) const {
        const std::uint32_t number = find(key);
        if (number != no_row) return &of(number);
        const auto ordered = order.at(place(key));
        return ordered && of(*ordered).key() == key ? &of(*ordered) : nullptr;
    }
};
struct index_set : block {
    std::uint64_t count = 0;
    std::span<index_part> parts() noexcept { return {items_of<index_part>(this), count}; }
    std::span<const index_part> parts() const noexcept { return {items_of<index_part>(this), count}; }
};

struct store_state {
    row_table rows;
    sorted_rows order;
    cell_table* cells = nullptr;
    index_set* indexes = nullptr;

    std::size_t size() const noexcept { return order.size(); }
    const store_row& row(std::uint32_t number) const noexcept {
        return *static_cast<const store_row*>(rows.at(number));
    }
    key_view key_of(std::uint32_t number) const noexcept { return row(number).key(); }

    /// By hash. In a version that is not the current one, a row that went since may not be found.
    std::uint32_t find(const key_view& key) const {
        const store_row* row = nullptr;
        return find(key, row);
    }
    /// The same, and the row, unless `no_row` is returned.
    std::uint32_t find(const key_view& key, const store_row*& row) const {
        return find_row(cells, hash_of(key), [&](std::uint32_t number) {
            row = static_cast<const store_row*>(rows.at(number));
            return row != nullptr && same_key(row->key(), key);
        });
    }
    /// Where a key is in an order of rows, or would be.
    row_position place(const sorted_rows& in, const key_view& key) const {
        return in.find([&](std::uint32_t number) { return key_of(number) < key; });
    }
    std::pair<row_position, row_position> range(std::string_view ns) const {
        if (ns.empty()) return {order.begin(), order.end()};
        return {order.find([&](std::uint32_t number) { return key_of(number).ns < ns; }),
                order.find([&](std::uint32_t number) { return key_of(number).ns <= ns; })};
    }
    std::span<const index_part> parts() const noexcept {
        return indexes != nullptr ? static_cast<const index_set*>(indexes)->parts() : std::span<const index_part>();
    }

    /// Calls f with each block of its indexes, or with all of its blocks.
    template <class F>
    void visit_index_blocks(F&& f) const {
        for (const auto& part : parts()) {
            f(part.name);
            visit_part_blocks(part, f);
        }
        if (indexes != nullptr) f(indexes);
    }
    /// But its name.
    template <class F>
    static void visit_part_blocks(const index_part& part, F&& f) {
        if (part.cells != nullptr) f(part.cells);
        part.order.visit_blocks(f);
        part.postings.visit(f, [&](block* b) {
            static_cast<posting*>(b)->rows.visit_blocks(f);
            f(b);
        });
    }
    template <class F>
    void visit_blocks(F&& f) const {
        visit_index_blocks(f);
        if (cells != nullptr) f(cells);
        order.visit_blocks(f);
        rows.visit(f, f);
    }
};

using store_versions = version_chain<store_state>;

/// What a store and the snapshots of it share.
struct store_core {
    store_core() = default;
    store_core(const store_core&) = delete;
    store_core& operator=(const store_core&) = delete;
    ~store_core() {
        block* all = nullptr;
        versions.last().content.visit_blocks([&](block* b) { b->next = std::exchange(all, b); });
        release_all(all);
    }

    store_versions versions;
};

}  // namespace kcontrol::detail
