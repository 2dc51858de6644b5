// What a client does beside sending requests, as its client_options say: warnings, pace, hooks, the detector of hot
// loops.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/client/client_options.hpp>
#include <kcontrol/client/detail/hot_loops.hpp>
#include <kcontrol/http/message.hpp>
#include <kcontrol/model/resource.hpp>
#include <kcontrol/runtime/burst_limit.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/guarded_calls.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// The texts of the headers Warning with code 299; what is not written as RFC 7234 §5.5 says is left out. Of one answer
/// at most 32.
KCONTROL_DECL std::vector<std::string> warnings_of(const http::fields& headers);

/// Texts that were met before. It holds so many, and forgets them all when there are more.
class known_texts {
public:
    bool meet(const std::string& text) {
        if (known_.contains(text)) return false;
        if (known_.size() == most) known_.clear();
        known_.insert(text);
        return true;
    }

private:
    static constexpr std::size_t most = 1000;
    std::set<std::string, std::less<>> known_;
};

/// Shared by the copies of a client that have the same options; touched on its executor only.
class client_manners {
public:
    KCONTROL_DECL client_manners(environment& env, logger log, const client_options& options);

    const std::string& user_agent() const noexcept { return user_agent_; }
    bool limits() const noexcept { return limit_.has_value(); }
    /// How long the next request has to wait, which counts it; nothing, and nothing is counted, if that is longer than
    /// `most`.
    KCONTROL_DECL std::optional<duration> take_turn(time_point now, duration most);

    /// Errors: the hook's, callback_failed.
    KCONTROL_DECL result<void> prepare(http::request& attempt);
    KCONTROL_DECL void hear(const http::request& req, const http::response_head& answer, duration took);
    KCONTROL_DECL void hear_failure(const http::request& req, const error& why, duration took);

    /// Whether writes of that kind are looked at for hot loops.
    KCONTROL_DECL bool counts_writes(const resource_info& info) const;
    /// The server took a write of an object. True if it became one too many now, which is logged.
    KCONTROL_DECL bool wrote(const resource_info& info, const namespaced_name& key);

private:
    KCONTROL_DECL void tell_warnings(const http::request& req, const http::fields& headers);
    KCONTROL_DECL void tell_outcome(const http::request& req, const request_outcome& outcome);

    environment* env_;
    logger log_;
    guarded_calls calls_;
    client_options options_;
    std::string user_agent_;
    std::optional<burst_limit> limit_;
    known_texts told_;
    burst_limit telling_;
    hot_loops loops_;
    burst_limit telling_loops_;
    std::uint64_t unlogged_loops_ = 0;
};

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/client/impl/manners.ipp>
#endif
