// Requests for a controller in one cluster that come from the other clusters.
#pragma once

#include <kcontrol/cluster/source.hpp>
#include <kcontrol/controller/event_handler.hpp>
#include <kcontrol/controller/request.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace kcontrol::inline v0_1::detail {

/// Keeps requests until a controller of that cluster runs, and hands them over there. A request that waits already is
/// not kept twice: the more urgent of the two ways counts. What a controller was given its queue forgets when it stops,
/// and nobody sends it again: the next controller is given it once more, as it is given all objects once more.
///
/// Thread-safety: put(), attend() and waiting(): shared objects safe; all else on the executor of attend().
class cluster_mailbox final : public event_source, public std::enable_shared_from_this<cluster_mailbox> {
public:
    static constexpr std::size_t max_waiting = 10'000;

    /// False where as many wait as may; that one is not taken.
    KCONTROL_DECL bool put(const request& req, const add_options& how, const std::string& from);
    /// Where the next controller runs; the one before hears nothing more.
    KCONTROL_DECL void attend(executor ex);
    KCONTROL_DECL std::size_t waiting() const;

    /// The handler for a controller that watches it.
    KCONTROL_DECL event_handler<request> handler();

    [[nodiscard]] KCONTROL_DECL subscription subscribe(any_event_handler handler) override;
    KCONTROL_DECL awaitable<bool> wait_synced(std::stop_token stop, std::optional<time_point> deadline) override;
    KCONTROL_DECL std::string describe() const override;
    std::string kind() const override { return "Cluster"; }

private:
    struct letter {
        add_options how;
        std::string from;
    };
    using letters = std::map<request, letter>;

    KCONTROL_DECL void schedule();
    KCONTROL_DECL void drain(std::uint64_t of_epoch);

    mutable std::mutex mutex_;
    letters waiting_;
    std::optional<executor> ex_;
    std::weak_ptr<any_event_handler> handler_;
    std::uint64_t epoch_ = 0;  // counts attend()
    bool scheduled_ = false;
    letters given_;                   // to the controller that listens; at most max_waiting
    letters::node_type handed_over_;  // of the executor, during a call of the handler
};

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/multicluster/impl/cluster_mailbox.ipp>
#endif
