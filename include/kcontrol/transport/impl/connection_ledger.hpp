// Who is connected, who waits for whom and what each holds: a pure state machine that says who makes room for whom.
#pragma once

#include <kcontrol/runtime/time.hpp>
#include <kcontrol/transport/server_options.hpp>
#include <kcontrol/transport/server_stats.hpp>

#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace kcontrol::inline v0_1::http::detail {

/// The connections of one server. Each either waits for its peer or works: its handler is busy, or waits for something
/// to tell. Those that wait can be ended for others, the longest waiting first.
///
/// Thread-safety: shared objects unsafe.
class connection_ledger {
public:
    using id = std::uint64_t;  ///< never 0, never used twice

    explicit connection_ledger(const server_options& limits)
        : most_(limits.max_connections()),
          most_per_address_(limits.max_connections_per_address()),
          most_bytes_(limits.max_buffered_bytes()) {}

    /// What becomes of a connection that has come.
    class admission {
    public:
        id name = 0;                                 ///< 0: it is to be refused
        std::vector<id> made_room;                   ///< to be closed by whoever asked; they are gone from here
        shed_reason why = shed_reason::connections;  ///< of either
    };
    /// A connection has come; if it is let in, it waits for its peer.
    KCONTROL_DECL admission enter(std::string address, time_point now);

    /// It waits for its peer from now on: for a request, for the rest of one, or for the peer to take an answer.
    KCONTROL_DECL void waits(id one, time_point now);
    KCONTROL_DECL void works(id one);
    /// Its peer is no stranger any more; that counts from when it waits again.
    KCONTROL_DECL void admit(id one);
    /// How many bytes it asks to hold from now on. Those whose peers have done nothing for long make room. False: it is
    /// not enough; they are counted all the same, until it says another number.
    KCONTROL_DECL bool hold(id one, std::size_t bytes, time_point now, std::vector<id>& made_room);
    /// The same of what can't be refused any more, an answer: then the others make room that hold more than a little,
    /// however short they have waited.
    KCONTROL_DECL void must_hold(id one, std::size_t bytes, time_point now, std::vector<id>& made_room);
    /// The next to come costs one its place that has had little time yet.
    KCONTROL_DECL bool is_pressed(time_point now) const;
    /// The system has no descriptor left: who makes room for a new connection, if somebody has waited for a while.
    KCONTROL_DECL std::optional<id> give_up_one(time_point now);
    /// It has ended; one that made room has left already.
    KCONTROL_DECL void leave(id one);

    void was_refused(shed_reason why) noexcept { ++stats_.refused[static_cast<std::size_t>(why)]; }
    void was_late(timeout_cause what) noexcept { ++stats_.timed_out[static_cast<std::size_t>(what)]; }

    std::size_t size() const noexcept { return entries_.size(); }
    /// False: it has left, or made room.
    bool has(id one) const { return entries_.contains(one); }
    KCONTROL_DECL server_stats stats() const;

    /// What bytes are taken back for: a peer that does nothing for so long is not just slow.
    static constexpr duration stalled = std::chrono::seconds(1);
    /// A peer needs about so long to ask what it came for, while others come as fast as they can. To close it sooner
    /// for want of a descriptor gains nothing: then nobody would be answered.
    static constexpr duration fair_stay = std::chrono::milliseconds(200);
    /// A usual request and a short answer get their bytes however much others hold.
    static constexpr std::size_t always_granted = std::size_t{16} << 10;

private:
    enum class place { strangers, guests, working };
    struct entry {
        id name = 0;
        std::string address;
        place at = place::strangers;
        bool known = false;
        time_point since{};  // waits since then
        std::size_t bytes = 0;
    };
    using order = std::list<entry>;

    order& list_of(place at) noexcept;
    void move(order::iterator one, place to);
    order::iterator* find(id one);
    const entry* longest_waiting(time_point now) const;
    const entry* longest_waiting_of(const std::string& address) const;
    const entry* longest_waiting_holder(id but_not, std::size_t of_more_than, time_point latest) const;
    void make_room_for(id one, std::size_t of_more_than, time_point latest, std::vector<id>& made_room);
    id shed(const entry& one, shed_reason why);

    std::size_t most_, most_per_address_, most_bytes_;
    order strangers_, guests_, working_;  // the first two in the order in which they began to wait
    std::unordered_map<id, order::iterator> entries_;
    std::map<std::string, std::size_t> per_address_;  // without a limit: empty
    std::size_t bytes_ = 0, known_ = 0;
    id last_ = 0;
    server_stats stats_;
};

}  // namespace kcontrol::http::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/transport/impl/connection_ledger.ipp>
#endif
