// What the containers of pods have said, as far as somebody told the server, and what a request for it asks. Pure.
#pragma once

#include <kcontrol/documents/value.hpp>
#include <kcontrol/model/object_key.hpp>
#include <kcontrol/runtime/time.hpp>
#include <kcontrol/testing/request_info.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::testing {

/// A line, and when it was said.
class log_line {
public:
    log_line(wall_time t, std::string s) : at(t), text(std::move(s)) {}  ///< `t`: when, `s`: what, without a newline

    wall_time at;      ///< when it was written, by the server's clock
    std::string text;  ///< without its newline
};

/// The lines of all containers: of their present run and of the one before.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class pod_logs {
public:
    using lines = std::vector<log_line>;  ///< of one run, oldest first

    /// A container starts anew: what it has said so far is the log of the run before.
    void begin(const namespaced_name& pod, const std::string& container) {
        auto& runs = runs_[{pod, container}];
        if (!runs.empty()) runs.erase(runs.begin(), runs.end() - 1);
        runs.emplace_back();
    }
    /// Adds lines; a run begins where there is none.
    void write(const namespaced_name& pod, const std::string& container, wall_time now, std::string_view text);
    /// The pod is no more.
    void forget(const namespaced_name& pod);
    /// The lines of a run, or null.
    const lines* find(const namespaced_name& pod, const std::string& container, bool previous) const;

private:
    std::map<std::pair<namespaced_name, std::string>, std::vector<lines>> runs_;  // at most two
};

/// The query of a request for a log, checked as Kubernetes does it.
class log_query {
public:
    std::string container;             ///< the one asked for, else the pod's only one
    bool follow = false;               ///< the answer goes on while the container may say more
    bool previous = false;             ///< of the run before the present one
    bool timestamps = false;           ///< each line begins with its time in nanoseconds, RFC 3339
    std::optional<std::int64_t> tail,  ///< tailLines: the last so many lines; nothing: all
        limit,                         ///< limitBytes of the whole answer; nothing: no limit
        since_seconds;                 ///< only lines of the last so many seconds
    std::optional<wall_time> since;    ///< sinceTime: only lines from then on; there is at most one of the two

    /// Fails with Invalid or BadRequest; `pod` is the object.
    static outcome<log_query> of_request(const request_info& request, const json::value& pod);

    /// What is shown of the lines from number `from` on. `first`: the beginning of the answer, to which tail and since
    /// apply.
    std::string text(const pod_logs::lines& all, std::size_t from, bool first, wall_time now) const;
};

namespace detail {

/// The container that is asked for, or the only one, beside which init containers do not count.
outcome<std::string> container_of_log(const json::value& pod, std::string wanted);

}  // namespace detail

}  // namespace kcontrol::testing
