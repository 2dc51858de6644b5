// The reflector as a pure state machine: when to list, when to watch, when to wait, and what a failure means.
#pragma once

#include <kcontrol/base/error.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/client/server_identity.hpp>
#include <kcontrol/runtime/backoff.hpp>
#include <kcontrol/runtime/burst_limit.hpp>
#include <kcontrol/runtime/time.hpp>
#include <kcontrol/watch/detail/failure_meaning.hpp>
#include <kcontrol/watch/detail/list_plan.hpp>
#include <kcontrol/watch/detail/stream_plan.hpp>
#include <kcontrol/watch/detail/watch_health.hpp>
#include <kcontrol/watch/options.hpp>
#include <kcontrol/watch/reflector_action.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1 {

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
/// list at the last version after 410 and at "" if even that is refused, back off between failures. What each answer
/// of a server leads to, detail::failure_table says. Besides:
///
/// - Nothing that fails, or brings no newer version, is repeated without a backoff, and nothing at all is opened more
///   than once a second after a burst of five. Three failures in a row that bring nothing are `failed`, however long
///   each of them took to fail.
/// - Before a list or watch that follows a start or a failure it asks which server answers. Another one (another uid of
///   the namespace kube-system) is listed anew, and its objects are compared by content.
/// - Versions that go back (etcd was restored) are proved by a consistent list only, and asked for at every sign: a
///   lower version in a list, an event or the answer above, or a watch, resumed after trouble, that stays silent. Until
///   then nothing older than what is known is taken: it may be a replica that lags.
/// - A list that may be any replica's is streamed, where that is wanted: at "" before anything is known, else at the
///   last version. Which failures end that, and for how long, detail::stream_plan says.
///
/// Each call takes what happened and returns the next step. `unit` is a random number in [0, 1). A call that does not
/// fit the step asked for last is a precondition violation, but for on_due() and on_probe() while a watch is read.
///
/// Source: client-go tools/cache/reflector.go; Kubernetes API concepts, "Efficient detection of changes"; KEP-5504.
/// Thread-safety: distinct objects safe; shared objects unsafe.
class reflector_fsm {
public:
    KCONTROL_DECL explicit reflector_fsm(reflector_policy policy = {});  ///< idle until start()

    /// Begins, or begins again after the shell was stopped at any point: resumes the watch if a list of this history
    /// was ever completed, else lists.
    KCONTROL_DECL reflector_action start(time_point now);

    /// Forgets the last resource version, as for another server: the next start() lists the newest state.
    KCONTROL_DECL void forget_version();

    /// The next start() lists, at least as new as what is known, instead of resuming: some reader of it has nothing
    /// yet.
    void list_at_start() { list_at_start_ = true; }

    /// Who answers. Where that can't be read, versions alone decide; a server that had the namespace and has none is
    /// just starting with an empty store, and is asked again for some seconds.
    KCONTROL_DECL reflector_action on_identity(const result<server_identity>& who, time_point now, double unit);

    /// A page came. `version` is the list's resource version, `token` empty on the last page.
    KCONTROL_DECL reflector_action on_page(std::string_view version, std::string_view token, time_point now);
    /// Whether equal versions mean equal objects: in a list of that version and in what is known.
    KCONTROL_DECL bool is_of_known_history(std::string_view version) const;
    /// A page, or a list that had come, failed: refused, too large, or no memory for it.
    KCONTROL_DECL reflector_action on_list_failed(const error& why, time_point now, double unit);
    KCONTROL_DECL reflector_action on_replaced(time_point now);  ///< the store has taken over the list
    /// The version of the list that is complete.
    const std::string& list_version() const noexcept { return list_.version(); }

    /// A streamed list is answered; what follows it goes on as a watch, which shall last `asked` from now on.
    KCONTROL_DECL reflector_action on_stream_open(time_point now, duration asked);
    /// The server refused it, at once or by an ERROR event.
    KCONTROL_DECL reflector_action on_stream_refused(const error& why, time_point now, double unit);
    /// It broke, ended, went beyond a bound or was late before all objects had come.
    KCONTROL_DECL reflector_action on_stream_broken(const error& why, time_point now, double unit);
    /// A bookmark came before the one that ends the initial objects: that will not come.
    KCONTROL_DECL reflector_action on_stream_unmarked(time_point now);
    /// The bookmark came that ends them.
    KCONTROL_DECL reflector_action on_streamed(std::string_view version, time_point now);
    /// By when that has to come.
    std::optional<time_point> stream_due() const noexcept { return streams_.due(); }
    /// Why lists are not streamed though they should be; empty if they are.
    const std::string& stream_refusal() const noexcept { return streams_.refusal(); }

    /// `asked` is how long the watch shall last.
    KCONTROL_DECL reflector_action on_watch_open(time_point now, duration asked);
    /// The watch was not opened.
    KCONTROL_DECL reflector_action on_watch_refused(const error& why, time_point now, double unit);
    /// Whether an event of that version may be taken over: it is not older than what is known.
    KCONTROL_DECL bool is_news(std::string_view version) const;
    /// An added, modified or deleted object was taken over or refused as old, or a bookmark came.
    KCONTROL_DECL reflector_action on_event(std::string_view version, time_point now);
    /// Some object was deleted, and which one can't be read: a list shows.
    KCONTROL_DECL reflector_action on_unknown_deletion(const error& why, std::string_view version, time_point now,
                                                       double unit);
    /// The server sent an ERROR event.
    KCONTROL_DECL reflector_action on_error_event(const error& why, time_point now, double unit);
    /// The server ended the watch properly.
    KCONTROL_DECL reflector_action on_watch_end(time_point now, double unit);
    /// The connection broke, fell silent or carried garbage. Also where there was no memory for a step that is none of
    /// a list: `identify` and `sleep` too, and then a list that was due still comes.
    KCONTROL_DECL reflector_action on_watch_broken(const error& why, time_point now, double unit);

    /// When a watch that is read needs a look, if ever.
    std::optional<time_point> due() const noexcept { return watches_.due(); }
    /// It is due: read on, or probe.
    KCONTROL_DECL reflector_action on_due(time_point now);
    /// The version of a consistent list. The watch is read on, or a list begins.
    KCONTROL_DECL reflector_action on_probe(const result<std::string>& version, time_point now);

    KCONTROL_DECL reflector_action on_timer(time_point now);  ///< the time of `sleep` has passed
    KCONTROL_DECL reflector_action on_cleared();              ///< the store is empty, as `clear` asked

    reflector_state state() const noexcept { return state_; }  ///< where it stands; reason() says why
    /// Why it is not live, or what is odd about it; empty when all is well.
    const std::string& reason() const noexcept { return reason_; }
    /// The failure behind reason(), to distinguish "unreachable" from "refused".
    const error_code& failure() const noexcept { return failure_; }
    /// A list was completed, so the store has content to show; false again once the kind is gone.
    bool synced() const noexcept { return synced_; }
    /// The version up to which the store is known to be; empty before the first list.
    const std::string& resource_version() const noexcept { return version_; }
    /// A watch is open: neither its end nor its failure was reported.
    bool is_watching() const noexcept { return watches_.is_open(); }
    std::uint64_t server_changes() const noexcept { return server_changes_; }  ///< times another server answered
    std::uint64_t rollbacks() const noexcept { return rollbacks_; }            ///< times versions went back

private:
    enum class next_step { list, watch, probe };

    // Ways on, through the limit on openings and the question who answers.
    KCONTROL_DECL reflector_action open(next_step what, time_point now);
    KCONTROL_DECL reflector_action go_on(time_point now);
    KCONTROL_DECL reflector_action wait(duration d, next_step then);
    KCONTROL_DECL reflector_action back_off(const error& why, time_point now, double unit, next_step then);

    KCONTROL_DECL reflector_action list_again(time_point now);
    KCONTROL_DECL reflector_action list_instead(time_point now);
    KCONTROL_DECL reflector_action after_list(const error& why, time_point now, double unit);
    KCONTROL_DECL reflector_action list_other_history(time_point now);
    KCONTROL_DECL reflector_action on_missing(const error& why);
    KCONTROL_DECL reflector_action on_expired(const error& why, time_point now, double unit);

    KCONTROL_DECL next_step resume();
    KCONTROL_DECL reflector_action after_refusal(detail::remedy what, const error& why, time_point now, double unit);
    KCONTROL_DECL reflector_action after_watch(const error* why, time_point now, double unit);
    KCONTROL_DECL void forget_trouble();
    KCONTROL_DECL bool went_back(std::string_view version) const;
    KCONTROL_DECL void note_rollback(std::string_view version);
    KCONTROL_DECL void become(reflector_state state, const error* why);

    reflector_policy policy_;
    backoff backoff_;
    burst_limit limit_;
    reflector_state state_ = reflector_state::idle;
    std::string reason_;
    error_code failure_;
    bool synced_ = false;
    std::string version_;  // of the store

    next_step then_ = next_step::list;  // after identify and sleep
    bool allowed_ = false;              // the limit has let `then_` pass
    std::uint32_t free_ = 2;            // the first list and the first watch are not counted
    bool verify_ = true;                // ask who answers before the next list or watch
    std::string identity_;              // uid of kube-system, as far as known
    std::uint32_t nameless_ = 0;        // answers in a row without a kube-system, where there was one
    std::uint64_t refused_ = 0;         // answers that forbid to ask, where one told, since one told

    detail::list_plan list_;
    detail::stream_plan streams_;
    detail::watch_health watches_;
    std::string odd_;                          // what to say of a watch that is live
    bool by_content_ = false;                  // the next list is of another history
    bool list_at_start_ = false;               // even if the watch could be resumed; until a list is taken over
    bool missing_once_ = false;                // one 404 of a kind that was served before: to be confirmed
    std::optional<time_point> refused_since_;  // the server refuses the watch, for a reason that a list may end

    std::uint64_t server_changes_ = 0;
    std::uint64_t rollbacks_ = 0;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/watch/impl/reflector_fsm.ipp>
#include <kcontrol/watch/impl/reflector_fsm_streams.ipp>
#include <kcontrol/watch/impl/reflector_fsm_watches.ipp>
#endif
