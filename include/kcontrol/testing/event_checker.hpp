// Checks the events that an informer's handler gets against the promises: in order, nothing twice, nothing after the
// end.
#pragma once

#include <kcontrol/cache/event.hpp>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::testing {

/// Takes the events of one informer's handler, one after another, and collects every breach of what an informer
/// promises: an object is added once, first; an update continues from the state seen last; versions grow; a deletion
/// is the end. The versions must be numbers, as those of the in-process server and of etcd are.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class event_checker {
public:
    /// `name` begins each violation's text.
    explicit event_checker(std::string name) : name_(std::move(name)) {}

    void take(const any_event& event);  ///< the handler's next event; resyncs are passed over

    /// The informer was dropped with its cache: what was known is no longer expected to be ended.
    void forget_live() { live_.clear(); }

    /// The server's versions went back, or another server answers: what comes next may be older than what was seen, and
    /// what was deleted may be there again.
    void expect_other_history();

    /// Every breach so far, a line each; empty: there is none.
    const std::vector<std::string>& violations() const noexcept { return violations_; }

    /// What is added and not deleted: uid → version seen last.
    const std::map<std::string, std::string>& live() const noexcept { return live_; }

    /// Every event of an object, as versions in order; a deletion as "-version", with "?" if its state is
    /// inferred.
    const std::map<std::string, std::vector<std::string>>& history() const noexcept { return history_; }

    std::uint64_t events() const noexcept { return events_; }  ///< those taken so far, without resyncs

private:
    void blame(const any_event& event, const std::string& what);

    std::string name_;
    std::map<std::string, std::string> live_;
    std::set<std::string> dead_;
    std::set<std::string> unordered_;  // uids whose next version may be lower
    std::map<std::string, std::vector<std::string>> history_;
    std::vector<std::string> violations_;
    std::uint64_t events_ = 0;
};

}  // namespace kcontrol::testing
