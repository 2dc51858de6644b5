// The writer's side of an index: which postings each row is in, and what a write changes in them.
#pragma once

#include <kcontrol/cache/detail/id_set.hpp>
#include <kcontrol/cache/detail/store_state.hpp>
#include <kcontrol/cache/index.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// Keeps one index up to date. The keys of an object are asked for once, when it comes: which postings have a row is
/// remembered, so that a function that says something else the next time breaks nothing.
///
/// change() prepares and may throw; then nothing has changed. After the new version is published, commit().
class index_writer {
public:
    index_writer(std::uint64_t id, index_rule rule) : id_(id), rule_(std::move(rule)) {}

    std::uint64_t id() const noexcept { return id_; }

    /// Whether the rule gives the object that key.
    bool has(std::string_view key, const any_object& object) const {
        index_keys keys;
        rule_(object, keys);
        bool found = false;
        for (std::size_t i = 0; i < keys.size(); ++i) found = found || keys[i] == key;
        return found;
    }

    /// All of it from what `state` shows.
    index_part build(store_edit& edit, const store_state& state, index_name* name) {
        begin();
        std::unordered_map<std::string, std::uint32_t> numbers;
        std::vector<std::vector<std::uint32_t>> rows;
        std::vector<std::string_view> keys;
        built_.resize(state.rows.size());
        state.order.visit([&](std::uint32_t row) {
            ask(state.row(row).object);
            ids_.clear();
            for (const std::string_view key : asked_) {
                const auto [found, is_new] = numbers.try_emplace(std::string(key), rows.size());
                if (is_new) {
                    rows.emplace_back();
                    keys.push_back(found->first);
                }
                rows[found->second].push_back(row);
                ids_.push_back(found->second);
            }
            built_[row] = id_set(ids_);
        });
        index_part part;
        part.name = name;
        part.cells = make_cells(edit, rows.size());
        std::vector<block*> postings;
        postings.reserve(rows.size());
        counts_ = {};
        for (std::uint32_t number = 0; number < rows.size(); ++number) {
            postings.push_back(make_posting(edit, keys[number], sorted_rows::build(edit, rows[number])));
            counts_.put(*part.cells, hash_of(keys[number]), number);
        }
        part.postings = row_table::build(edit, std::move(postings));
        std::vector<std::uint32_t> order(rows.size());
        std::iota(order.begin(), order.end(), 0U);
        std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
        part.order = sorted_rows::build(edit, order);
        is_built_ = true;
        return part;
    }

    /// A row's object comes, or goes (null). `state` shows the row, with an object of the same key. True if `part`
    /// changed.
    bool change(store_edit& edit, const store_state& state, index_part& part, std::uint32_t row,
                const any_object* object) {
        begin();
        asked_.clear();
        if (object != nullptr) ask(*object);
        if (of_row_.size() <= row) of_row_.resize(std::size_t{row} + 1);
        const id_set& present = of_row_[row];
        ids_.clear();
        for (const std::string_view key : asked_) ids_.push_back(part.find(key));
        std::size_t kept = 0;
        for (const std::uint32_t id : ids_) kept += id != no_row && present.contains(id) ? 1 : 0;
        if (kept == ids_.size() && kept == present.size()) return false;
        const key_view key = state.key_of(row);
        for (std::size_t i = 0; i < present.size(); ++i) {
            if (std::find(ids_.begin(), ids_.end(), present[i]) == ids_.end())
                leave(edit, state, part, present[i], key);
        }
        for (std::size_t i = 0; i < ids_.size(); ++i) {
            if (!present.contains(ids_[i])) ids_[i] = enter(edit, state, part, ids_[i], asked_[i], row, key);
        }
        next_ = id_set(ids_);
        row_ = row;
        free_.reserve(free_.size() + takes_.size());
        return true;
    }

    void commit(const index_part& part) noexcept {
        if (is_built_) {
            of_row_.swap(built_);
            free_.clear();
        } else {
            for (const auto& [hash, number] : takes_) {
                counts_.take(*part.cells, hash, number);
                free_.push_back(number);
            }
            of_row_[row_] = std::move(next_);
        }
        counted_ = counts_;
        free_used_ = 0;
        clear();
    }
    /// After publish(), before commit(): so that readers of the new version find its keys this comes before it.
    void put_cells(const index_part& part) noexcept {
        for (const auto& [hash, number] : puts_) counts_.put(*part.cells, hash, number);
        free_.resize(free_.size() - free_used_);
    }

private:
    // What a write before left behind that came to nothing.
    void begin() noexcept {
        counts_ = counted_;
        free_used_ = 0;
        clear();
    }
    void clear() noexcept {
        is_built_ = false;
        built_.clear();
        puts_.clear();
        takes_.clear();
    }

    void ask(const any_object& object) {
        keys_.clear();
        asked_.clear();
        rule_(object, keys_);
        for (std::size_t i = 0; i < keys_.size(); ++i) asked_.push_back(keys_[i]);
        if (asked_.size() < 2) return;
        std::sort(asked_.begin(), asked_.end());
        asked_.erase(std::unique(asked_.begin(), asked_.end()), asked_.end());
    }

    void leave(store_edit& edit, const store_state& state, index_part& part, std::uint32_t number,
               const key_view& key) {
        auto* const present = static_cast<posting*>(part.postings.at(number));
        sorted_rows rows = present->rows;
        rows.erase(edit, state.place(rows, key));
        if (rows.size() == 0) {
            takes_.emplace_back(hash_of(present->key()), number);
            part.order.erase(edit, part.place(present->key()));
        }
        part.postings.set(edit, number, rows.size() == 0 ? nullptr : make_posting(edit, present->key(), rows));
        edit.end(present);
    }

    std::uint32_t enter(store_edit& edit, const store_state& state, index_part& part, std::uint32_t number,
                        std::string_view name, std::uint32_t row, const key_view& key) {
        if (number != no_row) {
            auto* const present = static_cast<posting*>(part.postings.at(number));
            sorted_rows rows = present->rows;
            rows.insert(edit, state.place(rows, key), row);
            part.postings.set(edit, number, make_posting(edit, name, rows));
            edit.end(present);
            return number;
        }
        number = free_used_ < free_.size() ? free_[free_.size() - ++free_used_] : part.postings.size();
        part.order.insert(edit, part.place(name), number);
        part.postings.set(edit, number, make_posting(edit, name, sorted_rows::build(edit, {&row, 1})));
        if (!counts_.has_room(part.cells, puts_.size() + 1)) {
            cell_table* const wider = make_room(edit, part.cells, counts_);
            edit.end(std::exchange(part.cells, wider));
        }
        puts_.emplace_back(hash_of(name), number);
        return number;
    }

    std::uint64_t id_;
    index_rule rule_;
    cell_counts counted_;
    std::vector<std::uint32_t> free_;  // numbers of postings that went
    std::vector<id_set> of_row_;

    // Of the write in the making.
    cell_counts counts_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> puts_, takes_;  // hash and number
    std::size_t free_used_ = 0;
    std::vector<id_set> built_;
    id_set next_;
    std::uint32_t row_ = 0;
    bool is_built_ = false;
    index_keys keys_;
    std::vector<std::string_view> asked_;
    std::vector<std::uint32_t> ids_;
};

}  // namespace kcontrol::detail
