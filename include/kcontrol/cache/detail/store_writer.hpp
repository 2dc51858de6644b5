// The writer of a store: makes the next version of its content out of the present one.
#pragma once

#include <kcontrol/cache/detail/index_writer.hpp>
#include <kcontrol/cache/detail/store_state.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// Thread-safety: one thread at a time; readers see what it published.
class store_writer {
public:
    using measure_function = std::function<std::size_t(const any_object&)>;

    explicit store_writer(std::shared_ptr<store_core> core, measure_function measure = nullptr)
        : core_(std::move(core)), measure_(std::move(measure)) {}

    /// Of rows and their objects. From any thread.
    std::uint64_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }

    const store_state& state() const noexcept { return core_->versions.last().content; }

    // Each of these throws where there is no memory, and has changed nothing then.

    void add(any_object object) {
        write w(*this);
        const key_view key = key_view_of(object.meta());
        const std::uint32_t hash = hash_of(key);
        const bool reuses = !free_.empty();
        const std::uint32_t row = reuses ? free_.back() : w.state().rows.size();
        auto* const made = make_row(w.edit, std::move(object));
        w.state().rows.set(w.edit, row, made);
        w.state().order.insert(w.edit, w.state().place(w.state().order, key), row);
        cell_counts counts = counts_;
        if (!counts.has_room(w.state().cells, 1)) {
            cell_table* const wider = make_room(w.edit, w.state().cells, counts);
            w.edit.end(std::exchange(w.state().cells, wider));
        }
        w.index(row, &made->object);
        // From here on nothing throws. A key is in the table before the version that has it is to be seen.
        counts.put(*w.state().cells, hash, row);
        counts_ = counts;
        if (reuses) free_.pop_back();
        grow(bytes_of(made));
        w.publish();
    }

    void update(std::uint32_t row, any_object object) {
        write w(*this);
        block* const before = w.state().rows.at(row);
        auto* const made = make_row(w.edit, std::move(object));
        w.index(row, &made->object);
        w.state().rows.set(w.edit, row, made);
        w.edit.end(before);
        grow(bytes_of(made) - bytes_of(before));
        w.publish();
    }

    void remove(std::uint32_t row) {
        write w(*this);
        block* const before = w.state().rows.at(row);
        const key_view key = w.state().key_of(row);
        const std::uint32_t hash = hash_of(key);
        free_.reserve(free_.size() + 1);
        w.index(row, nullptr);
        w.state().order.erase(w.edit, w.state().place(w.state().order, key));
        w.state().rows.set(w.edit, row, nullptr);
        w.edit.end(before);
        cell_table* const cells = w.state().cells;
        grow(0 - bytes_of(before));
        w.publish();
        counts_.take(*cells, hash, row);
        free_.push_back(row);
    }

    /// Other objects in place of all, in the order of their keys. Those of which `kept` has the row are what that row
    /// has.
    void replace(std::vector<any_object> all, const std::vector<std::uint32_t>& kept) {
        write w(*this);
        const store_state& before = state();
        std::uint64_t more = 0;  // wraps around where it is less
        std::vector<block*> rows;
        rows.reserve(all.size());
        std::vector<bool> stays(before.rows.size());
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (kept[i] == no_row) {
                rows.push_back(make_row(w.edit, std::move(all[i])));
                more += bytes_of(rows.back());
            } else {
                rows.push_back(before.rows.at(kept[i]));
                stays[kept[i]] = true;
            }
        }
        std::vector<std::uint32_t> numbers(rows.size());
        cell_counts counts;
        store_state& next = w.state();
        next.cells = make_cells(w.edit, rows.size());
        for (std::uint32_t number = 0; number < rows.size(); ++number) {
            numbers[number] = number;
            counts.put(*next.cells, hash_of(static_cast<store_row*>(rows[number])->key()), number);
        }
        next.order = sorted_rows::build(w.edit, numbers);
        next.rows = row_table::build(w.edit, std::move(rows));
        w.build_indexes();
        const auto end = [&](block* b) { w.edit.end(b); };
        before.order.visit([&](std::uint32_t row) {
            if (stays[row]) return;
            more -= bytes_of(before.rows.at(row));
            end(before.rows.at(row));
        });
        before.rows.visit(end, [](block*) {});
        before.order.visit_blocks(end);
        end(before.cells);
        counts_ = counts;
        free_.clear();
        grow(more);
        w.publish();
    }

    std::uint64_t add_index(std::string name, index_rule rule) {
        write w(*this);
        const std::uint64_t id = next_id_;
        auto* const called = w.edit.make<index_name>(0, id, std::move(name), rule.label());
        auto made = std::make_unique<index_writer>(id, std::move(rule));
        const index_part part = made->build(w.edit, w.state(), called);
        const auto present = w.state().parts();
        auto* const set = w.make_set(present.size() + 1);
        std::copy(present.begin(), present.end(), set->parts().begin());
        set->parts().back() = part;
        w.edit.end(std::exchange(w.state().indexes, set));
        indexes_.push_back(std::move(made));
        ++next_id_;
        indexes_.back()->commit(part);
        w.publish();
        return id;
    }

    /// The index of that name, or null.
    const index_writer* find_index(std::string_view name) const noexcept {
        const auto parts = state().parts();
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (parts[i].name->name == name) return indexes_[i].get();
        }
        return nullptr;
    }

    void remove_index(std::uint64_t id) {
        const auto found =
            std::find_if(indexes_.begin(), indexes_.end(), [&](const auto& one) { return one->id() == id; });
        if (found == indexes_.end()) return;
        write w(*this);
        const auto present = w.state().parts();
        const auto at = found - indexes_.begin();
        auto* const set = w.make_set(present.size() - 1);
        const auto to = std::copy_n(present.begin(), at, set->parts().begin());
        std::copy(present.begin() + at + 1, present.end(), to);
        const index_part gone = present[static_cast<std::size_t>(at)];
        w.edit.end(std::exchange(w.state().indexes, set));
        store_state::visit_part_blocks(gone, [&](block* b) { w.edit.end(b); });
        w.edit.end(gone.name);
        auto function = std::move(*found);  // of the program: it ends when all is done
        indexes_.erase(found);
        w.publish();
    }

private:
    std::uint64_t bytes_of(const block* row) const {
        if (!measure_) return 0;
        const auto& one = *static_cast<const store_row*>(row);
        return measure_(one.object) + sizeof one + one.ns_length + one.name_length;
    }
    void grow(std::uint64_t by) noexcept {
        bytes_.store(bytes_.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
    }

    // One write: the next version, until it is published.
    struct write {
        explicit write(store_writer& s) : self(s), next(s.core_->versions.prepare(s.state())), edit(next->number) {}
        write(const write&) = delete;
        write& operator=(const write&) = delete;
        ~write() { delete next; }

        store_state& state() noexcept { return next->content; }

        index_set* make_set(std::size_t count) {
            auto* const set = edit.make<index_set>(count * sizeof(index_part), count);
            for (auto& part : set->parts()) ::new (&part) index_part;
            return set;
        }
        // A row's object comes, or goes.
        void index(std::uint32_t row, const any_object* object) {
            for (std::size_t i = 0; i < self.indexes_.size(); ++i) {
                index_part part = state().parts()[i];
                if (!self.indexes_[i]->change(edit, state(), part, row, object)) continue;
                if (changed.empty()) own_set();
                state().indexes->parts()[i] = part;
                changed.push_back(i);
            }
        }
        void build_indexes() {
            if (self.indexes_.empty()) return;
            const index_set* const before = state().indexes;
            own_set();
            for (std::size_t i = 0; i < self.indexes_.size(); ++i) {
                const index_part& present = before->parts()[i];
                changed.push_back(i);
                state().indexes->parts()[i] = self.indexes_[i]->build(edit, state(), present.name);
                store_state::visit_part_blocks(present, [&](block* b) { edit.end(b); });
            }
        }
        void own_set() {
            changed.reserve(self.indexes_.size());
            const auto present = state().parts();
            auto* const set = make_set(present.size());
            std::copy(present.begin(), present.end(), set->parts().begin());
            edit.end(std::exchange(state().indexes, set));
        }
        void publish() noexcept {
            for (const std::size_t i : changed) self.indexes_[i]->put_cells(state().parts()[i]);
            const index_set* const set = state().indexes;
            self.core_->versions.publish(std::exchange(next, nullptr), edit.commit());
            for (const std::size_t i : changed) self.indexes_[i]->commit(set->parts()[i]);
        }

        store_writer& self;
        store_versions::version* next;
        store_edit edit;
        std::vector<std::size_t> changed;  // indexes
    };

    std::shared_ptr<store_core> core_;
    measure_function measure_;  // null: nobody counts
    std::atomic<std::uint64_t> bytes_{0};
    cell_counts counts_;
    std::vector<std::uint32_t> free_;                     // numbers of rows that went
    std::vector<std::unique_ptr<index_writer>> indexes_;  // in the order of the versions' parts
    std::uint64_t next_id_ = 1;
};

}  // namespace kcontrol::detail
