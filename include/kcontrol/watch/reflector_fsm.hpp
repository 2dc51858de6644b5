// The reflector as a pure state machine: when to list, when to watch, when to wait, and what a failure means.
#pragma once

#include <kcontrol/base/error.hpp>
#include <kcontrol/runtime/backoff.hpp>
#include <kcontrol/runtime/time.hpp>
#include <kcontrol/watch/options.hpp>

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

namespace kcontrol {

/// What the shell has to do next.
enum class reflector_step {
    list,   ///< request a page
    watch,  ///< open a watch
    read,   ///< read the next event of the open watch
    sleep,  ///< wait, then call on_timer()
    clear,  ///< the kind is gone: empty the store, then call on_cleared()
};

/// One step with its parameters.
class reflector_action {
public:
    static reflector_action list(std::string version, std::string token, std::int64_t limit) {
        reflector_action a(reflector_step::list);
        a.resource_version = std::move(version);
        a.continue_token = std::move(token);
        a.limit = limit;
        return a;
    }
    static reflector_action watch(std::string version) {
        reflector_action a(reflector_step::watch);
        a.resource_version = std::move(version);
        return a;
    }
    static reflector_action read() { return reflector_action(reflector_step::read); }
    static reflector_action sleep(duration d) {
        reflector_action a(reflector_step::sleep);
        a.delay = d;
        return a;
    }
    static reflector_action clear() { return reflector_action(reflector_step::clear); }

    reflector_step step;
    std::string resource_version;  ///< of list and watch
    std::string continue_token;    ///< of list: not empty on later pages
    std::int64_t limit = 0;        ///< of list: objects a page, 0 for all
    duration delay{};              ///< of sleep

    friend bool operator==(const reflector_action&, const reflector_action&) = default;

private:
    explicit reflector_action(reflector_step s) : step(s) {}
};

KCONTROL_DECL std::ostream& operator<<(std::ostream& out, const reflector_action& a);

/// The state of the reflector, for logs and readiness.
enum class reflector_state {
    idle,           ///< never started
    listing,        ///< the first list, or a list that a watch could not avoid
    live,           ///< the watch is open, or is being resumed after a proper end
    not_installed,  ///< the server does not know the kind; tried again every probe period
    forbidden,      ///< the server refuses access; tried again every probe period
    failed,         ///< anything else; tried again with backoff
};

/// Decides what a reflector does, with client-go's rules: list at "0", watch from there, resume a watch that ended,
/// list at the last version after 410 and at "" if even that is refused, back off between failures.
///
/// Each call takes what happened and returns the next step. `unit` is a random number in [0, 1). A call that does not
/// fit the step asked for last is a precondition violation.
///
/// Source: client-go tools/cache/reflector.go; Kubernetes API concepts, "Efficient detection of changes".
/// Thread-safety: distinct objects safe; shared objects unsafe.
class reflector_fsm {
public:
    KCONTROL_DECL explicit reflector_fsm(reflector_policy policy = {});

    /// Begins, or begins again after the shell was stopped at any point: resumes the watch if a list was ever
    /// completed, else lists.
    KCONTROL_DECL reflector_action start();

    /// Forgets the last resource version, as for another server: the next start() lists the newest state.
    KCONTROL_DECL void forget_version();

    /// A page came. `version` is the list's resource version, `token` empty on the last page.
    KCONTROL_DECL reflector_action on_page(std::string_view version, std::string_view token);
    KCONTROL_DECL reflector_action on_list_failed(const error& why, time_point now, double unit);

    KCONTROL_DECL reflector_action on_watch_open(time_point now);
    KCONTROL_DECL reflector_action on_watch_refused(const error& why, time_point now, double unit);
    /// An added, modified or deleted object was taken over, or a bookmark came.
    KCONTROL_DECL reflector_action on_event(std::string_view version);
    /// The server sent an ERROR event.
    KCONTROL_DECL reflector_action on_error_event(const error& why, time_point now, double unit);
    /// The server ended the watch properly.
    KCONTROL_DECL reflector_action on_watch_end(time_point now, double unit);
    /// The connection broke, fell silent or carried garbage.
    KCONTROL_DECL reflector_action on_watch_broken(const error& why, time_point now, double unit);

    KCONTROL_DECL reflector_action on_timer();
    KCONTROL_DECL reflector_action on_cleared();

    reflector_state state() const noexcept { return state_; }
    /// Why it is not live; empty when it is.
    const std::string& reason() const noexcept { return reason_; }
    /// The failure behind reason(), to distinguish "unreachable" from "refused".
    const error_code& failure() const noexcept { return failure_; }
    /// A list was completed, so the store has content to show; false again once the kind is gone.
    bool synced() const noexcept { return synced_; }
    /// The version up to which the store is known to be; empty before the first list.
    const std::string& resource_version() const noexcept { return version_; }

private:
    enum class after_sleep { list, watch };

    reflector_action list_again();
    reflector_action list_newest_unpaged();
    reflector_action wait(duration d, after_sleep then);
    reflector_action back_off(const error* why, time_point now, double unit, after_sleep then);
    void become(reflector_state state, const error* why);
    bool short_and_empty(time_point now) const;

    reflector_policy policy_;
    backoff backoff_;
    reflector_state state_ = reflector_state::idle;
    std::string reason_;
    error_code failure_;
    bool synced_ = false;
    std::string version_;  // of the store
    after_sleep after_sleep_ = after_sleep::list;
    bool paging_ = false;        // the list in progress is past its first page
    bool use_newest_ = false;    // lists ask for "", since "at least N" was refused or makes no sense
    bool missing_once_ = false;  // one 404 of a kind that was served before: to be confirmed
    time_point opened_{};
    std::uint64_t events_ = 0;  // of the present watch
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/watch/impl/reflector_fsm.ipp>
#endif
