// Which pod shall carry the leader's label, decided from answers and times alone: no clock, no client, no task.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/time.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::service::detail {

/// A pod, as far as it matters here.
class labelled_pod {
public:
    labelled_pod(std::string n, std::string v, bool l) : name(std::move(n)), version(std::move(v)), labelled(l) {}

    std::string name, version;  ///< its resourceVersion
    bool labelled;              ///< it carries the label with the leader's value

    friend bool operator==(const labelled_pod&, const labelled_pod&) = default;
};

/// read: the own pod; list: all pods that carry the label; add: to the own pod; remove: from a pod.
enum class label_request { none, read, list, add, remove };

/// What to do now.
class label_step {
public:
    label_step() = default;
    label_step(label_request r, std::string p, std::string v) : request(r), pod(std::move(p)), version(std::move(v)) {}

    label_request request = label_request::none;
    std::string pod, version;         ///< of read, add and remove; a patch carries the version
    bool fenced = false;              ///< a write that only a leader may make
    std::optional<time_point> until;  ///< of none: nothing is to do before; nothing: until told

    friend bool operator==(const label_step&, const label_step&) = default;
};

/// no_pod: there is none of the own name; forbidden: a right is missing; failed and recovered: all else.
enum class label_event { no_pod, forbidden, failed, recovered };

class label_notice {
public:
    label_notice(label_event e, std::string t) : event(e), text(std::move(t)) {}
    label_event event;
    std::string text;  ///< the server's
    friend bool operator==(const label_notice&, const label_notice&) = default;
};

class label_settings {
public:
    std::string pod;                            // the own one's name
    duration lease = std::chrono::seconds(15);  // for so long at most two pods may carry the label
};

/// While it shall be on: it lists the pods that carry the label, takes it from all but the own one, then gives it to
/// the own one, and lists again every half `lease`, because a late write of a former leader may have arrived. While it
/// shall be off, which is so at first, it takes it from the own pod. Each patch carries the version that was read; one
/// that meets another version reads again and decides again.
///
/// Times are of environment::now(). Thread-safety: distinct objects safe; shared objects unsafe.
class label_machine {
public:
    explicit label_machine(label_settings settings) : set_(std::move(settings)) {}

    /// What to do at `now`. A request is followed by answered() before the next call.
    KCONTROL_DECL label_step next(time_point now);
    /// How the last request ended: the pods that it read or wrote.
    KCONTROL_DECL void answered(const result<std::vector<labelled_pod>>& answer, time_point now);

    /// Whether it shall be on; also between next() and answered(). It is done at once, whatever it waits for.
    KCONTROL_DECL void lead(bool on);
    /// The own pod is as it shall be, or there is none.
    bool settled() const noexcept { return pending_ == label_request::none && settled_; }

    std::vector<label_notice> take_notices() { return std::exchange(notices_, {}); }

private:
    KCONTROL_DECL label_step ask(label_request what, const labelled_pod* pod);
    KCONTROL_DECL label_step decide(time_point now);
    KCONTROL_DECL void take(const std::vector<labelled_pod>& pods, label_request what, time_point now);
    KCONTROL_DECL void refused(const error& why, label_request what, time_point now);
    KCONTROL_DECL void absent(label_request what, const error& why, time_point now);

    label_settings set_;
    bool on_ = false;
    bool settled_ = false;
    std::optional<labelled_pod> own_;   // as it was read or written last; nothing: not known
    bool own_absent_ = false;           // there was none
    std::vector<labelled_pod> others_;  // that carry the label
    std::optional<time_point> listed_;  // when they were; nothing: not in this term

    label_request pending_ = label_request::none;
    std::string pending_pod_;
    time_point next_try_{};
    unsigned conflicts_ = 0, failures_ = 0;  // since it was settled
    bool forbidden_[3] = {};                 // of each verb: it was told
    bool no_pod_told_ = false, failure_told_ = false;
    std::vector<label_notice> notices_;
};

}  // namespace kcontrol::service::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/service/impl/label_machine.ipp>
#endif
