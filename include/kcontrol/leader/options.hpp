// How a leader is elected, and what is called when one is.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/model/object_key.hpp>
#include <kcontrol/runtime/executor.hpp>
#include <kcontrol/runtime/time.hpp>

#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1 {

/// Which Lease, and how long everything takes. The defaults are client-go's: 15, 10 and 2 seconds.
class leader_options {
public:
    /// All who contend name the same Lease. Without a namespace it is the pod's own.
    explicit leader_options(namespaced_name lease) : lease_(std::move(lease)) {}

    /// In place of the one it was made with.
    leader_options& lease(namespaced_name name) { return lease_ = std::move(name), *this; }
    /// Who this candidate is; no two have the same. Default: the host's name, '_', and a random UUID. Others learn it,
    /// so it may be an address at which the leader is reached.
    leader_options& identity(std::string name) { return identity_ = std::move(name), *this; }
    /// How long others wait for a leader that gives no sign. Whole seconds.
    leader_options& lease_duration(duration d) { return lease_duration_ = d, *this; }
    /// How long a leader leads after its last renewal. What it has sent by then has the rest of the lease duration to
    /// arrive before another one leads.
    leader_options& renew_deadline(duration d) { return renew_deadline_ = d, *this; }
    /// From one renewal, or one look where the Lease can't be watched, to the next.
    leader_options& retry_period(duration d) { return retry_period_ = d, *this; }
    /// A stop gives the Lease up, so that another one leads at once; it does not if the leader's work has not returned.
    /// Default true (client-go: false).
    leader_options& release_on_stop(bool yes) { return release_on_stop_ = yes, *this; }
    /// A write of this candidate that gives the Lease a smaller version than it has seen says that the server's store
    /// was restored to an older state, so that leader_fence::token() would not grow. Then this candidate logs
    /// `token_went_back`, gives the Lease up, and takes it again only when another one's version is larger than all
    /// that it has seen. One that starts later can't know. Default false: it leads all the same.
    leader_options& refuse_token_reset(bool yes) { return refuse_token_reset_ = yes, *this; }
    /// What the Lease is marked with when this candidate takes or renews it; it stays when the Lease is given up.
    /// Default: nothing; what is there stays.
    leader_options& labels(std::map<std::string, std::string> l) { return labels_ = std::move(l), *this; }
    /// The same with annotations.
    leader_options& annotations(std::map<std::string, std::string> a) { return annotations_ = std::move(a), *this; }

    const namespaced_name& lease() const noexcept { return lease_; }
    const std::string& identity() const noexcept { return identity_; }
    duration lease_duration() const noexcept { return lease_duration_; }
    duration renew_deadline() const noexcept { return renew_deadline_; }
    duration retry_period() const noexcept { return retry_period_; }
    bool release_on_stop() const noexcept { return release_on_stop_; }
    bool refuse_token_reset() const noexcept { return refuse_token_reset_; }
    const std::map<std::string, std::string>& labels() const noexcept { return labels_; }
    const std::map<std::string, std::string>& annotations() const noexcept { return annotations_; }

    /// Errors: invalid_argument where client-go refuses, too: lease_duration is longer than renew_deadline, and that
    /// longer than 1.2 times retry_period.
    KCONTROL_DECL result<void> validate() const;

private:
    namespaced_name lease_;
    std::string identity_;
    duration lease_duration_ = std::chrono::seconds(15);
    duration renew_deadline_ = std::chrono::seconds(10);
    duration retry_period_ = std::chrono::seconds(2);
    bool release_on_stop_ = true;
    bool refuse_token_reset_ = false;
    std::map<std::string, std::string> labels_, annotations_;
};

/// What is called on the elector's executor. All are optional; what they throw is logged and counted.
class leader_callbacks {
public:
    /// What a leader does, as long as its token is not triggered.
    using work = std::function<awaitable<void>(std::stop_token)>;

    /// This one leads. The coroutine may run as long as it does, and ends when its token is triggered: leadership is
    /// lost or given up. Until it has returned this one does not lead again, and at a stop the Lease is kept.
    leader_callbacks& on_started_leading(work f) { return started_ = std::move(f), *this; }
    /// It does not lead any more. At a loss this is called at once, while the work may still run.
    leader_callbacks& on_stopped_leading(std::function<void()> f) { return stopped_ = std::move(f), *this; }
    /// Another identity holds the Lease than before, maybe this one's; empty: nobody does.
    leader_callbacks& on_new_leader(std::function<void(const std::string&)> f) {
        return new_leader_ = std::move(f), *this;
    }

    const work& on_started_leading() const noexcept { return started_; }
    const std::function<void()>& on_stopped_leading() const noexcept { return stopped_; }  ///< empty: none
    /// Empty: none.
    const std::function<void(const std::string&)>& on_new_leader() const noexcept { return new_leader_; }

private:
    work started_;
    std::function<void()> stopped_;
    std::function<void(const std::string&)> new_leader_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/leader/impl/options.ipp>
#endif
