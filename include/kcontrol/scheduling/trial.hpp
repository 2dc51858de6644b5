// trial: changes to a snapshot that are undone.
#pragma once

#include <kcontrol/scheduling/cache.hpp>
#include <kcontrol/scheduling/pod_info.hpp>

#include <memory>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

/// Places pods and takes pods away in a cache, to see what would be decided then. What it did is undone when it is
/// destroyed, or by roll_back(). Meanwhile nothing else changes the cache but cache::prepare(). Pointers and ranges of
/// the snapshot must be taken anew after each call. Trials of one cache end in the reverse order.
///
/// Thread-safety: as the cache.
/// Object lifetime: the cache outlives it.
class trial {
public:
    explicit trial(cache& cluster) : cluster_(&cluster) {}
    ~trial() { roll_back(); }
    trial(const trial&) = delete;
    trial& operator=(const trial&) = delete;

    /// The pod counts on that node. False: there is no such node, or the pod counts already.
    KCONTROL_DECL bool place(std::shared_ptr<const pod_info> pod, std::string_view node);
    /// The pod counts no longer. Returns the pod, or null: it does not count, or its node does not exist.
    KCONTROL_DECL std::shared_ptr<const pod_info> take_away(const pod_info& pod);

    /// How much was done, for roll_back().
    std::size_t steps() const noexcept { return done_.size(); }
    /// Undoes what was done after so many steps, the last first.
    KCONTROL_DECL void roll_back(std::size_t to = 0) noexcept;

private:
    struct step {
        std::shared_ptr<const pod_info> pod;   // that was placed
        std::unique_ptr<cache::record> taken;  // what the cache had of a pod that was taken away
    };
    cache* cluster_;
    std::vector<step> done_;
};

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/trial.ipp>
#endif
