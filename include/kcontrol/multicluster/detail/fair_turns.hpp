// Whose turn is next where clusters share workers: a state machine without a clock.
#pragma once

#include <kcontrol/config.hpp>
#include <kcontrol/runtime/time.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// Turns are for members, which are clusters. Of those that wait, the one is next that has waited too long; else the
/// one that has fewest turns now for its weight; else the one that has had fewest so far for its weight.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class fair_turns {
public:
    using ticket = std::uint64_t;

    fair_turns(std::size_t total, duration aging) : total_(total), aging_(aging) {}

    /// Somebody of that cluster wants a turn.
    KCONTROL_DECL ticket ask(const std::string& cluster, std::uint32_t weight, time_point now);
    /// Those whose turn it is now, which they have from then on.
    KCONTROL_DECL std::vector<ticket> grant(time_point now);
    /// A turn ends, or is not wanted any more.
    KCONTROL_DECL void end(ticket which);

    std::size_t running() const noexcept { return running_; }
    KCONTROL_DECL std::size_t waiting() const;

    /// What a cluster has now.
    struct load {
        std::string cluster;
        std::size_t running = 0, waiting = 0;
    };
    /// Of the clusters that have or want turns, the first `most` by name.
    KCONTROL_DECL std::vector<load> loads(std::size_t most) const;

private:
    struct member {
        std::uint32_t weight = 1;
        std::uint64_t running = 0;
        double served = 0;                     // turns for its weight, not less than those who wait have had
        std::map<ticket, time_point> waiting;  // since when; tickets are in the order of asking
    };
    using members = std::map<std::string, member>;

    KCONTROL_DECL members::iterator next(time_point now);

    std::size_t total_, running_ = 0;
    duration aging_;
    ticket last_ = 0;
    double served_ = 0;  // of whoever had a turn last: who comes anew begins there
    members members_;
    std::map<ticket, std::string> tickets_;
};

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/multicluster/impl/fair_turns.ipp>
#endif
