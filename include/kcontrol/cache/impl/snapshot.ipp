#pragma once

#include <kcontrol/cache/detail/store_state.hpp>
#include <kcontrol/cache/snapshot.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {
namespace detail {

inline store_versions::version& version_of(void* pinned) noexcept {
    return *static_cast<store_versions::version*>(pinned);
}
inline const store_state& state_of(const void* pinned) noexcept {
    return static_cast<const store_versions::version*>(pinned)->content;
}

// In a version that is not the current one, hashes find what is there still, and the order of keys the rest.
inline const any_object* find_in_version(const store_state& state, const key_view& key) {
    const store_row* row = nullptr;
    if (state.find(key, row) != no_row) return &row->object;
    const auto ordered = state.order.at(state.place(state.order, key));
    return ordered && state.key_of(*ordered) == key ? &state.row(*ordered).object : nullptr;
}

inline void append_posting(const store_state& state, const posting& from, std::vector<const any_object*>& to) {
    from.rows.visit([&](std::uint32_t row) { to.push_back(&state.row(row).object); });
}

// The postings of one term, if an index has its label.
inline std::optional<std::vector<const posting*>> postings_of(const store_state& state, const label_requirement& term) {
    if (term.op != label_operator::equals && term.op != label_operator::in) return std::nullopt;
    for (const auto& part : state.parts()) {
        if (part.name->label.empty() || part.name->label != term.key) continue;
        std::vector<const posting*> found;
        for (const auto& value : term.values) {
            if (const posting* const one = part.at(value)) found.push_back(one);
        }
        return found;
    }
    return std::nullopt;
}

inline std::size_t total(const std::vector<const posting*>& all) {
    std::size_t sum = 0;
    for (const posting* const one : all) sum += one->rows.size();
    return sum;
}

inline std::vector<const any_object*> select_in(const store_state& state, const cache_query& query) {
    const auto& selector = query.labels();
    const auto [first, last] = state.range(query.in_namespace());
    std::size_t least = state.order.count(first, last);
    std::optional<std::vector<const posting*>> best;
    for (const auto& term : selector.requirements()) {
        auto found = postings_of(state, term);
        if (!found || total(*found) >= least) continue;
        least = total(*found);
        best = std::move(found);
    }
    std::vector<const any_object*> out;
    if (selector.empty() || best) out.reserve(least);
    if (!best) {
        state.order.visit(first, last, [&](std::uint32_t row) {
            const any_object& object = state.row(row).object;
            if (selector.empty() || selector.selects(object.meta())) out.push_back(&object);
        });
        return out;
    }
    for (const posting* const one : *best) append_posting(state, *one, out);
    std::erase_if(out, [&](const any_object* object) {
        const bool inside = query.in_namespace().empty() || object->meta().namespace_ == query.in_namespace();
        return !inside || !selector.selects(object->meta());
    });
    if (best->size() > 1) {
        std::sort(out.begin(), out.end(), [](const any_object* a, const any_object* b) {
            return key_view_of(a->meta()) < key_view_of(b->meta());
        });
    }
    return out;
}

inline std::vector<const any_object*> find_by_index(const store_state& state, const index_part& part,
                                                    std::string_view key) {
    std::vector<const any_object*> out;
    if (const posting* const found = part.at(key)) {
        out.reserve(found->rows.size());
        append_posting(state, *found, out);
    }
    return out;
}

inline std::string names_of_indexes(const store_state& state) {
    std::string names;
    for (const auto& part : state.parts()) names += (names.empty() ? "" : ", ") + part.name->name;
    return names.empty() ? "there is none; add_index() makes one" : "there are: " + names;
}

}  // namespace detail

KCONTROL_DECL store_snapshot::store_snapshot(const store_snapshot& other) noexcept
    : core_(other.core_), version_(other.version_) {
    if (version_ != nullptr) core_->versions.repin(detail::version_of(version_));
}

KCONTROL_DECL void store_snapshot::release() noexcept { core_->versions.unpin(detail::version_of(version_)); }

KCONTROL_DECL const any_object* store_snapshot::find(std::string_view ns, std::string_view name) const {
    return version_ == nullptr ? nullptr : detail::find_in_version(detail::state_of(version_), {ns, name});
}

KCONTROL_DECL std::size_t store_snapshot::size() const noexcept {
    return version_ == nullptr ? 0 : detail::state_of(version_).size();
}

KCONTROL_DECL found_objects store_snapshot::select(const cache_query& query) const {
    if (version_ == nullptr) return {};
    return {*this, detail::select_in(detail::state_of(version_), query)};
}

KCONTROL_DECL result<found_objects> store_snapshot::by_index(std::string_view index, std::string_view key) const {
    if (version_ == nullptr) return error(errc::invalid_argument, "this snapshot is of no store, so it has no index");
    const auto& state = detail::state_of(version_);
    for (const auto& part : state.parts()) {
        if (part.name->name == index) return found_objects(*this, detail::find_by_index(state, part, key));
    }
    return error(errc::invalid_argument,
                 "no index is called \"" + std::string(index) + "\"; " + detail::names_of_indexes(state));
}

KCONTROL_DECL void store_snapshot::visit(std::string_view ns, void (*f)(void*, const any_object&), void* to) const {
    if (version_ == nullptr) return;
    const auto& state = detail::state_of(version_);
    const auto [first, last] = state.range(ns);
    state.order.visit(first, last, [&](std::uint32_t row) { f(to, state.row(row).object); });
}

}  // namespace kcontrol
