// When a registered object is applied and deleted, decided from answers, events and times alone.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/time.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::service::detail {

/// resolve: how the kind is called in URLs; find_pod: the owner; remove: the deletion at the end.
enum class registration_request { none, resolve, find_pod, apply, remove };

/// What to do now.
class registration_step {
public:
    registration_step() = default;
    explicit registration_step(registration_request r) : request(r) {}

    registration_request request = registration_request::none;
    std::optional<time_point> until;  ///< of none: nothing is to do before (nothing: until told); of remove: its end
    bool finished = false;            ///< after stop(): nothing is left to do

    friend bool operator==(const registration_step&, const registration_step&) = default;
};

/// What a request brought, as far as it matters here.
class registration_answer {
public:
    registration_answer() = default;
    registration_answer(std::string n, std::string u, std::string v)
        : name(std::move(n)), uid(std::move(u)), version(std::move(v)) {}

    std::string name, uid, version;  ///< of the pod, or of the object as it was applied; nothing of the others
};

/// undone: others change back what is applied; the rest is of the request of that name.
enum class registration_event { failed, recovered, forbidden, pod_forbidden, remove_forbidden, undone };

class registration_notice {
public:
    registration_notice(registration_event e, std::string t) : event(e), text(std::move(t)) {}
    registration_event event;
    std::string text;
    friend bool operator==(const registration_notice&, const registration_notice&) = default;
};

class registration_settings {
public:
    bool resolved = false;  // the kind is known
    bool owned = true;      // a pod is looked for
    bool remove = true;     // at the end
};

/// Applies at first, after each change that is not its own, and from time to time. Applying what is there already
/// writes nothing, so a change need not be understood.
///
/// Versions are compared as KEP-5504 says; events may come late, and between next() and answered(). Times are of
/// environment::now(). Thread-safety: distinct objects safe; shared objects unsafe.
class registration_machine {
public:
    explicit registration_machine(registration_settings settings) : set_(settings) {}

    /// What to do at `now`. A request is followed by answered() before the next call.
    KCONTROL_DECL registration_step next(time_point now);
    /// How the last request ended. `unit` in [0, 1) spreads retries.
    KCONTROL_DECL void answered(const result<registration_answer>& answer, time_point now, double unit);

    /// The watch shows the object in that version, or its deletion.
    KCONTROL_DECL void observed(const std::string& version, time_point now);
    /// Whether a watch tells changes; while none does, it applies every 30 s.
    KCONTROL_DECL void watching(bool yes, time_point now);
    /// It ends; the deletion is tried until `until`.
    KCONTROL_DECL void stop(time_point until);

    std::vector<registration_notice> take_notices() { return std::exchange(notices_, {}); }

    bool applied() const noexcept { return applied_; }
    /// Why the last request failed, if it did.
    const std::optional<error>& failure() const noexcept { return failure_; }
    /// Trying again does not mend that.
    bool is_final() const noexcept { return final_; }
    std::uint64_t applies() const noexcept { return applies_; }
    const std::string& uid() const noexcept { return uid_; }
    const std::string& version() const noexcept { return version_; }      ///< of the last apply
    std::uint64_t epoch() const noexcept { return epoch_; }               ///< grows when versions go back
    const registration_answer& owner() const noexcept { return owner_; }  ///< without a name: none

private:
    KCONTROL_DECL registration_step ask(registration_request what);
    KCONTROL_DECL registration_step end(time_point now);
    KCONTROL_DECL void took(const registration_answer& answer, time_point now);
    KCONTROL_DECL void refused(registration_request what, const error& why, time_point now, double unit);
    KCONTROL_DECL void not_removed(const error& why, time_point now);
    KCONTROL_DECL void schedule(time_point now);
    KCONTROL_DECL void report_failure(registration_request what, const error& why);

    registration_settings set_;
    bool owner_known_ = false;
    registration_answer owner_;
    bool dirty_ = true;     // it is to be applied
    bool applied_ = false;  // by the last answer
    bool doubt_ = false;    // it may have been applied, and nothing is known of that
    std::uint64_t applies_ = 0, epoch_ = 0;
    std::string uid_, version_;  // of the last apply
    std::string seen_;           // the newest version that a watch showed
    std::string known_;          // the newest one when the last apply began
    time_point applied_at_{};
    bool watching_ = false;

    registration_request pending_ = registration_request::none;
    time_point next_try_{};
    unsigned failures_ = 0;  // in a row
    unsigned undone_ = 0;    // how often in a row an apply had something to change
    std::optional<error> failure_;
    bool final_ = false, failure_told_ = false, forbidden_told_ = false;

    bool stopping_ = false, removed_ = false;
    time_point stop_until_{};
    std::vector<registration_notice> notices_;
};

}  // namespace kcontrol::service::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/service/impl/registration_machine.ipp>
#endif
