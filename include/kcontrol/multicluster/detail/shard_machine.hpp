// Which clusters are this replica's, decided from Leases, answers and times alone: a state machine without a clock, a
// client or a task.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/multicluster/detail/rendezvous.hpp>
#include <kcontrol/multicluster/detail/shard_lease.hpp>
#include <kcontrol/multicluster/sharding_options.hpp>
#include <kcontrol/runtime/time.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::detail {

class shard_settings {
public:
    std::string identity, group, namespace_;
    std::uint32_t weight = 1;
    duration lease = std::chrono::seconds(15);
    duration retry = std::chrono::seconds(2);
    duration settle = std::chrono::seconds(1);
    std::size_t most_requests = 16;  ///< about claims, at once
};

enum class shard_verb {
    engage,     ///< the cluster is this replica's from now on
    disengage,  ///< it is not any more; followed by disengaged()
    take,       ///< create the object, or update it if it has a resource version; took()
    release,    ///< delete it if it has that uid and version; released()
    look,       ///< get it, as the server has it now; looked()
    expel,      ///< delete a replica's Lease if it has that uid and version; expelled()
    confirm,    ///< get it, as the server has it now; confirmed()
};

class shard_action {
public:
    shard_action(shard_verb v, std::string n, shard_lease o = {}) : verb(v), name(std::move(n)), object(std::move(o)) {}
    shard_verb verb;
    std::string name;    ///< the cluster's; of expel and confirm the Lease's
    shard_lease object;  ///< of look and confirm: its name and namespace
};

/// One of several replicas. Each holds a Lease of its own (its term: that Lease's elector leads), and each cluster
/// that is somebody's has a Lease that names him: a claim, which is not renewed. A claim counts as long as its holder's
/// own Lease is renewed, so a thousand clusters cost no more writes than one.
///
/// Why no two ever work on a cluster at once:
/// - A claim is created where there is none, or updated at the version that was looked at: of several one gets it.
/// - In each term, which begins when what was done in the one before has ended, a replica writes each claim anew before
///   it works there.
/// - Another's claim is taken only if its holder's Lease was found to be gone, at the server, by a request that was
///   sent after that version of the claim had been seen. The holder's term in which it wrote that version had a Lease,
///   so that term is over; and in a later one the version is another.
/// - A holder's Lease goes only when it was not renewed for its whole duration, as this one has seen it, and then at
///   the version that was seen: its fence has shut before. Or it was given up, which is done last.
///
/// What the watch tells is an acceleration: nothing waits for that alone. It may be behind, and an answer may tell of a
/// Lease that came and went between two looks of the watch, of which it then tells nothing.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class shard_machine {
public:
    explicit shard_machine(shard_settings settings) : set_(std::move(settings)) {}

    /// These are the clusters to share.
    KCONTROL_DECL void want(const std::set<std::string>& clusters);
    /// All Leases of the group have been told. Before that nothing is taken.
    void synced() noexcept { synced_ = true; }
    /// A Lease of the group is so, or is deleted. They may come late, and in any order.
    KCONTROL_DECL void observed(const shard_lease& seen, time_point now);
    KCONTROL_DECL void vanished(const shard_lease& last);

    /// This replica's own Lease is held, which all that it does depends on; it is not any more.
    KCONTROL_DECL void begin_term(time_point now);
    void end_term() noexcept { member_ = false; }
    /// It is to have no clusters; it may again.
    void drain(bool yes) noexcept { draining_ = yes; }

    /// What to do now; each but engage is followed by its answer.
    KCONTROL_DECL std::vector<shard_action> next(time_point now, wall_time wall);
    /// Nothing is to do before that, unless told.
    time_point until() const noexcept { return until_; }

    KCONTROL_DECL void disengaged(const std::string& cluster, time_point now);
    KCONTROL_DECL void took(const std::string& cluster, const result<shard_lease>& answer, time_point now, double unit);
    KCONTROL_DECL void looked(const std::string& cluster, const result<shard_lease>& answer, time_point now,
                              double unit);
    KCONTROL_DECL void released(const std::string& cluster, const result<void>& answer, time_point now, double unit);
    KCONTROL_DECL void expelled(const std::string& lease, const result<void>& answer, time_point now, double unit);
    KCONTROL_DECL void confirmed(const std::string& lease, const result<shard_lease>& answer, time_point now,
                                 double unit);

    /// Nothing is engaged, and no answer about a claim is due.
    KCONTROL_DECL bool idle() const;
    KCONTROL_DECL sharding_status status() const;
    /// Writes the first four numbers of `to`.
    KCONTROL_DECL void count(sharding_stats& to) const;

private:
    enum class phase { free, held, leaving, resting };
    struct entry {
        bool wanted = false;
        bool mine = false;  // by the hashing among the peers of `shared`
        std::uint64_t shared = 0;
        phase at = phase::free;
        bool told = false;    // held: engage was said
        bool lost = false;    // held or leaving: the claim is somebody else's
        bool doubt = false;   // what is known of the claim may be old
        bool asking = false;  // an answer about it is due
        std::uint64_t asked_in = 0;
        std::optional<shard_lease> claim;
        std::uint64_t seen = 0;  // when that version was told first, by the count of inquiries
        time_point wait_until{};
        std::optional<time_point> look_at;  // free: when to ask whether its holder has it still
    };
    struct peer {
        shard_lease lease;
        time_point observed_at{};
        time_point wait_until{};
        bool asking = false;
        bool doubt = false;  // what is known of it is old
        std::uint64_t inquiry = 0;
    };
    struct inquiry {
        bool asking = false;
        std::uint64_t number = 0;
        time_point wait_until{};
    };

    KCONTROL_DECL time_point expiry(const peer& one) const;
    KCONTROL_DECL void share(time_point now);
    KCONTROL_DECL void expel_silent(time_point now, std::vector<shard_action>& out);
    KCONTROL_DECL void step(const std::string& cluster, entry& e, time_point now, wall_time wall,
                            std::vector<shard_action>& out);
    KCONTROL_DECL void step_free(const std::string& cluster, entry& e, time_point now, wall_time wall,
                                 std::vector<shard_action>& out);
    KCONTROL_DECL void ask(shard_verb verb, const std::string& cluster, entry& e, shard_lease object,
                           std::vector<shard_action>& out);
    KCONTROL_DECL void inquire(const std::string& holder, time_point now, std::vector<shard_action>& out);
    KCONTROL_DECL shard_lease named(const std::string& cluster) const;
    KCONTROL_DECL shard_lease wanted(const std::string& cluster, const entry& e, wall_time wall) const;
    KCONTROL_DECL entry* answered(const std::string& cluster);
    KCONTROL_DECL void know(entry& e, std::optional<shard_lease> claim);
    KCONTROL_DECL void forget_gone();
    KCONTROL_DECL duration pause(double unit) const;
    bool is_mine(const entry& e) const { return e.claim && e.claim->spec.holder_identity == set_.identity; }
    void wake(time_point at) noexcept {
        if (at < until_) until_ = at;
    }

    shard_settings set_;
    bool synced_ = false, member_ = false, draining_ = false;
    std::uint64_t term_ = 0;
    time_point begin_{};  // nothing is taken before
    time_point until_{};
    std::map<std::string, entry> clusters_;
    std::map<std::string, peer> peers_;          // by the Lease's name, without this one
    std::map<std::string, inquiry> inquiries_;   // likewise
    std::map<std::string, std::uint64_t> gone_;  // likewise: by which inquiry it was found to be gone
    std::uint64_t count_ = 0;                    // of inquiries
    std::vector<shard_peer> alive_;              // sorted
    std::uint64_t shared_ = 1;                   // counts changes of alive_
    std::size_t asking_ = 0;
};

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/multicluster/impl/shard_machine.ipp>
#endif
