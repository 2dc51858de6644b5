// Which watches of a kind a change may concern: found by what they select, so that a write asks nobody else. Pure.
#pragma once

#include "testserver/object_filter.hpp"
#include "testserver/resource_table.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::testing {

/// The watches of one kind, by their numbers: each stands under its namespace, and there under the name or the values
/// of a label that it asks for, if any.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class watch_index {
public:
    void add(std::uint64_t watch, const object_filter& filter);  ///< `watch`: a number of the caller's
    /// `filter`: that of add().
    void remove(std::uint64_t watch, const object_filter& filter);
    bool empty() const noexcept { return scopes_.empty(); }

    /// All that would see the change, and perhaps some that would not, in the order of their numbers. What the object
    /// was before counts, too: who selected it then hears that it is gone.
    std::vector<std::uint64_t> concerned_by(const store_event& change) const;

private:
    using numbers = std::set<std::uint64_t>;
    using by_text = std::map<std::string, numbers>;
    /// The watches of one namespace, or of all.
    class scope {
    public:
        bool empty() const noexcept { return others.empty() && names.empty() && labels.empty(); }
        void collect(const store_event& change, std::vector<std::uint64_t>& into) const;

        by_text names;
        std::map<std::string, by_text> labels;  // key → value
        numbers others;
    };

    std::map<std::string, scope> scopes_;
};

}  // namespace kcontrol::testing
