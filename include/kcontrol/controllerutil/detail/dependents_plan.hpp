// In which order dependents are applied and removed: the decision, without a client.
#pragma once

#include <kcontrol/controllerutil/dependents.hpp>

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::detail {

enum class dependent_step { wait, apply, remove, blocked, removing };

/// Steps of a graph whose parts come after parts with lower numbers. A part is applied once all that it comes after is
/// ready. One that is not wanted is removed once all that comes after it, which nobody wants then either, is gone.
class dependents_plan {
public:
    /// `after`: numbers lower than the part's own.
    void add(std::vector<std::size_t> after, bool is_wanted) {
        parts_.push_back({std::move(after), is_wanted, std::nullopt});
    }
    std::size_t size() const noexcept { return parts_.size(); }

    /// What is to be done with a part now: nothing yet (wait), an action, or nothing at all (blocked, removing), which
    /// is its end in this round, as told() has to hear.
    KCONTROL_DECL dependent_step next(std::size_t part) const;
    /// The end of a part. A wanted one that ends as absent can't be there, and nobody wants what comes after it.
    void told(std::size_t part, dependent_state end) { parts_[part].end = end; }

    /// Whether it is wanted, and so is all that it comes after.
    KCONTROL_DECL bool is_wanted(std::size_t part) const;
    bool has_ended(std::size_t part) const noexcept { return parts_[part].end.has_value(); }

private:
    struct entry {
        std::vector<std::size_t> after;
        bool is_wanted = true;
        std::optional<dependent_state> end;
    };
    std::vector<entry> parts_;
};

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/controllerutil/impl/dependents_plan.ipp>
#endif
