// From a Lease as it is seen to who leads, and where that one is reached.
#pragma once

#include <kcontrol/base/error.hpp>
#include <kcontrol/runtime/time.hpp>
#include <kcontrol/service/detail/followed_kinds.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::service::detail {

/// Whether a text is HOST:PORT: a name or an IPv4 address, or an IPv6 address in brackets, and a number from 1 to
/// 65535.
KCONTROL_DECL bool is_host_and_port(std::string_view text);

/// A holder's time is up when its Lease has been seen unchanged for as long as the Lease says. Candidates count in the
/// same way (leader/detail/lease_machine.hpp): the wall clocks of other machines do not matter.
///
/// Times are of a clock that counts suspension. Thread-safety: distinct objects safe; shared objects unsafe.
class leader_machine {
public:
    explicit leader_machine(std::string lease) : lease_(std::move(lease)) {}

    /// A file says that this one led, and for how long that counts.
    KCONTROL_DECL void loaded(std::string holder, std::string address, duration lasts, time_point now);
    /// The Lease is so.
    KCONTROL_DECL void observed(const followed_lease& seen, time_point now);
    /// There is no such Lease.
    KCONTROL_DECL void vanished();

    /// Who leads at `now`; empty: there is no leader.
    KCONTROL_DECL std::string_view holder(time_point now) const;
    KCONTROL_DECL std::string_view address(time_point now) const;
    /// When the holder's time is up, unless it renews the Lease; nothing: it has no holder, or its time is up at `now`.
    KCONTROL_DECL std::optional<time_point> due(time_point now) const;
    /// For how long a Lease counts after a renewal.
    duration lasts() const noexcept { return lasts_; }
    KCONTROL_DECL std::optional<error> problem(time_point now) const;

private:
    KCONTROL_DECL void read_address(const followed_lease& seen);

    std::string lease_;
    std::optional<followed_lease_spec> spec_;  // as it was seen last; none: no such Lease, or nothing was seen
    bool known_ = false;                       // whether there is one
    std::string holder_, address_;
    std::string odd_;  // what is wrong with its address
    duration lasts_{};
    time_point seen_at_{};  // when its spec was first seen so
};

}  // namespace kcontrol::service::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/service/impl/leader_machine.ipp>
#endif
