// Which daemons of one object run: as a state machine, without coroutines, clock and randomness.
#pragma once

#include <kcontrol/config.hpp>
#include <kcontrol/runtime/backoff.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// ending: it was told to stop and has not returned.
enum class daemon_state { absent, running, waiting, finished, ending };

/// What comes of asking for a daemon.
enum class daemon_answer {
    run,     ///< it is to be run now
    known,   ///< nothing: there is one of that name, or it follows the one that is ending
    refused  ///< there are as many as there may be
};

/// What whoever ran a daemon does next.
class daemon_step {
public:
    enum class kind {
        leave,  ///< nothing; the daemon is no longer his
        wait,   ///< wait until `until`, then say due()
        run,    ///< run it (again); `newly`: with the function of the last ask()
    };
    explicit daemon_step(kind w) : what(w) {}

    kind what;
    time_point until{};
    bool newly = false;
};

/// The daemons of one object, by name. One of a name never runs twice at a time, whoever asks and whenever: who asks
/// while one is ending has it run again when that has returned. One that has returned without an error is finished, and
/// not run again until the object is another. Those that are finished count among the `most`, too: names that are never
/// the same would fill the memory.
///
/// Thread-safety: shared objects unsafe.
class daemon_set {
public:
    daemon_set(backoff_policy policy, std::size_t most) : policy_(policy), most_(most) {}

    /// Asks for a daemon. Without `room` no new one may run, though this object has not as many as it may.
    KCONTROL_DECL daemon_answer ask(const std::string& name, bool room = true);
    /// The daemon has returned. `unit`: a random number in [0, 1), for its backoff.
    KCONTROL_DECL daemon_step returned(const std::string& name, bool failed, time_point now, double unit);
    /// The wait after a failure is over.
    KCONTROL_DECL daemon_step due(const std::string& name);
    /// One that waited has been told to stop and has noticed.
    KCONTROL_DECL daemon_step woken(const std::string& name);
    /// True: it runs or waits, and is to be told to stop.
    KCONTROL_DECL bool stop(const std::string& name);
    /// The same of all, as when their object or their controller goes. Those that are to be told to stop.
    KCONTROL_DECL std::vector<std::string> stop_all();

    KCONTROL_DECL daemon_state state(const std::string& name) const;
    /// How many run, wait or are ending: have somebody who runs them.
    KCONTROL_DECL std::size_t alive() const;
    bool empty() const noexcept { return daemons_.empty(); }
    /// How often it failed and was run again.
    KCONTROL_DECL std::uint64_t failures(const std::string& name) const;

private:
    struct daemon {
        explicit daemon(backoff_policy policy) : again_after(policy) {}

        daemon_state state = daemon_state::running;
        bool asked_again = false;  // of one that is ending
        std::uint64_t failures = 0;
        backoff again_after;
    };
    backoff_policy policy_;
    std::size_t most_;
    std::map<std::string, daemon> daemons_;
};

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/controller/impl/daemon_set.ipp>
#endif
