// One decision in the making: what the files of decide/ share.
#pragma once

#include "decide/plan.hpp"
#include "gang/failure.hpp"

#include <algorithm>

namespace training_operator {

class decision {
public:
    decision(const training_job& job, const facts& seen, wall_time now)
        : job_(job), facts_(seen), ranks_(seen.ranks), now_(now) {
        out_.status = job.status;
    }
    plan make();
    plan fail(std::string reason, std::string message);

private:
    // One for each phase, and for what may come in each.
    plan leave();
    plan pending();
    plan restarting();
    plan suspended();
    plan after_the_end();
    // The data: data.cpp.
    plan data_check();
    void watch_data();
    bool resumable();
    // Queued, Starting and Running: working.cpp.
    plan working();
    plan queued();
    plan starting();
    plan missed();
    plan after(const failure& found);
    plan refused(const rank& by);

    // What it runs on: fallback.cpp.
    bool waits_too_long();
    void fall_back();
    void leave_fallback(std::string reason, std::string message);
    bool may_return();
    plan restart_on(std::string_view token);
    void keep_account(std::string_view next);

    // What follows the training: gates.cpp.
    plan trained();
    plan validating();
    bool write_card();
    plan passed(std::string why);
    plan end_gates();
    plan promoting();

    plan begin();
    plan restart();
    plan start(std::string reason, std::string message);
    void tell(std::string type, bool holds, std::string reason, std::string message, bool warning = false);
    plan turn(std::string_view phase, std::string reason, std::string message, bool warning = false);
    bool is_clear() const { return ranks_.empty() && !facts_.holds_ranks; }
    plan remove_all();
    void end_holder();
    // Those that are being deleted already are only deleted again where nobody will say that they are gone: on a node
    // that is lost, or in a queue.
    template <class Which>
    plan remove(Which which) {
        for (const rank& one : ranks_) {
            const bool lost = is_lost(one, now_);
            if (which(one) && (!one.leaving || lost || is_held(one, now_))) out_.remove.push_back(one);
            if (one.leaving && one.unready_since && !lost) look_again(*one.unready_since + node_grace);
        }
        return out_;
    }

    bool is_over_deadline();
    void look_again(wall_time when) { out_.again = out_.again ? std::min(*out_.again, when) : when; }
    const rank* find(std::int32_t number) const;
    std::vector<std::int32_t> missing() const;
    std::optional<failure> trouble() const;
    bool create_missing();
    std::int32_t count(pod_state state) const {
        return static_cast<std::int32_t>(std::ranges::count(ranks_, state, &rank::state));
    }

    const training_job& job_;
    const facts& facts_;
    const gang& ranks_;
    wall_time now_;
    plan out_;
};

/// A time as a status has it: in whole seconds.
inline timestamp whole_seconds(wall_time t) { return wall_time(std::chrono::floor<std::chrono::seconds>(t)); }

/// The time of a status, and so much after it.
inline wall_time later(const timestamp& since, std::int64_t by) { return since.value() + std::chrono::seconds(by); }

}  // namespace training_operator
