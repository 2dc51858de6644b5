// The ready nodes of a work queue: by priority, within one by fairness key and age.
#pragma once

#include <kcontrol/workqueue/admission.hpp>
#include <kcontrol/workqueue/counters.hpp>
#include <kcontrol/workqueue/detail/queue_node.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// Decides who is next: the highest priority first; within it each fairness key in turn, and first in, first out. A
/// node that has waited for the starvation limit is handed out although its priority is lower, or not admitted: at once
/// where nothing else is, otherwise as one of four.
class ready_levels {
public:
    /// Levels that are counted by themselves; those of further priorities are counted together.
    static constexpr std::size_t counted_levels = 25;
    static constexpr int starved_share = 4;

    /// Without a limit (zero) nothing is ever starved.
    KCONTROL_DECL explicit ready_levels(duration starvation_limit);
    KCONTROL_DECL ~ready_levels();
    ready_levels(const ready_levels&) = delete;
    ready_levels& operator=(const ready_levels&) = delete;

    /// `lane` is the fairness key; none without fairness.
    KCONTROL_DECL void push(queue_node& n, const std::string_view* lane);
    /// The node is in it. Its lane has had its turn, if `turn`.
    KCONTROL_DECL void erase(queue_node& n, bool turn);
    /// Whose turn it is; the caller takes it out. Null: nobody's.
    KCONTROL_DECL queue_node* choose(time_point now, admission let);
    /// When the first node that is not admitted will have waited for the limit.
    KCONTROL_DECL std::optional<time_point> next_starved(admission let) const;
    std::size_t size() const noexcept { return size_; }
    KCONTROL_DECL void clear();

    void count_add(int priority) { ++counters_of(priority).adds; }
    void count_retry(int priority) { ++counters_of(priority).retries; }
    /// Of each priority that there was, and of 0, the highest first; those counted together come last.
    KCONTROL_DECL std::vector<priority_counters> counters() const;

private:
    ready_level& level_of(int priority);
    priority_counters& counters_of(int priority);
    ready_level* find(int priority) noexcept;
    void drop_level(ready_level& l);

    // The highest first. What one is made of would make every user's file larger to compile.
    std::vector<std::unique_ptr<ready_level>> levels_;
    ready_level* last_used_ = nullptr;
    std::size_t size_ = 0;
    std::size_t counted_ = 0;      // levels that are counted by themselves
    priority_counters others_{0};  // of levels that are gone
    duration starvation_limit_;
    int passed_over_ = 0;  // hand-outs since a starved node was there
};

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/workqueue/impl/ready_levels.ipp>
#endif
