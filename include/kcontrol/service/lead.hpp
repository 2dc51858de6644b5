// Leading: one of several programs holds a Lease, and its pod carries a label as long as it does.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/leader/leader_elector.hpp>
#include <kcontrol/model/object_key.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/executor.hpp>
#include <kcontrol/service/address_annotation.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1::service {

/// A label that the leader's pod carries, and no other pod of its namespace: for the selector of a Service.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class lead_label {
public:
    lead_label() = default;
    /// The key and value; default: role=leader.
    lead_label(std::string key, std::string value) : key_(std::move(key)), value_(std::move(value)) {}

    lead_label& key(std::string k) { return key_ = std::move(k), *this; }      ///< default "role"
    lead_label& value(std::string v) { return value_ = std::move(v), *this; }  ///< default "leader"
    /// The own pod's name. Default: the host's name, which in a pod is the pod's own unless its spec says otherwise
    /// (hostname, hostNetwork).
    lead_label& pod(std::string name) { return pod_ = std::move(name), *this; }
    /// The own pod's namespace. Default: the one of the service account in this pod, else the Lease's.
    lead_label& in_namespace(std::string ns) { return namespace_ = std::move(ns), *this; }

    const std::string& key() const noexcept { return key_; }
    const std::string& value() const noexcept { return value_; }
    const std::string& pod() const noexcept { return pod_; }
    const std::string& in_namespace() const noexcept { return namespace_; }

    /// Errors: invalid_argument for what is no key, value or name, in the API server's words.
    KCONTROL_DECL result<void> validate() const;

private:
    std::string key_ = "role", value_ = "leader", pod_, namespace_;
};

/// Which Lease, and how it is held.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class lead_options {
public:
    /// All who contend name the same Lease. Without a namespace it is the pod's own.
    explicit lead_options(namespaced_name lease) : lease_(std::move(lease)) {}

    /// Who this candidate is; no two have the same. Default: the host's name, '_', and a random UUID.
    lead_options& identity(std::string name) { return identity_ = std::move(name), *this; }
    /// Where the leader is reached, HOST:PORT for one: it stands in the Lease's annotation address_annotation while
    /// this candidate leads. Default: none; the annotation of a former leader is emptied then.
    lead_options& address(std::string where) { return address_ = std::move(where), *this; }
    /// How long others wait for a leader that gives no sign. Whole seconds; default 15.
    lead_options& lease_duration(duration d) { return lease_duration_ = d, *this; }
    /// How long a leader leads after its last renewal; default 10 s.
    lead_options& renew_deadline(duration d) { return renew_deadline_ = d, *this; }
    /// From one renewal to the next; default 2 s.
    lead_options& retry_period(duration d) { return retry_period_ = d, *this; }
    /// Leads also when the Lease's version went back, as after a restore of etcd. The token may be smaller then than
    /// one of before. Default false: it logs `token_went_back`, gives the Lease up and does not lead.
    lead_options& accept_token_reset(bool yes) { return accept_token_reset_ = yes, *this; }
    /// Default: no label.
    lead_options& label(lead_label l) { return label_ = std::move(l), *this; }

    const namespaced_name& lease() const noexcept { return lease_; }
    const std::string& identity() const noexcept { return identity_; }
    const std::string& address() const noexcept { return address_; }
    duration lease_duration() const noexcept { return lease_duration_; }
    duration renew_deadline() const noexcept { return renew_deadline_; }
    duration retry_period() const noexcept { return retry_period_; }
    bool accept_token_reset() const noexcept { return accept_token_reset_; }
    const std::optional<lead_label>& label() const noexcept { return label_; }

    /// Errors: invalid_argument for a Lease without a usable name, times that client-go refuses, too, a lease duration
    /// that is not of whole seconds, control characters in identity or address, and those of lead_label::validate().
    KCONTROL_DECL result<void> validate() const;

private:
    namespaced_name lease_;
    std::string identity_, address_;
    duration lease_duration_ = std::chrono::seconds(15);
    duration renew_deadline_ = std::chrono::seconds(10);
    duration retry_period_ = std::chrono::seconds(2);
    bool accept_token_reset_ = false;
    std::optional<lead_label> label_;
};

/// What is called on the executor. All are optional; what they throw is logged.
class lead_callbacks {
public:
    lead_callbacks() = default;

    /// It leads (true) with that token, or does not any more (false) with the token of the term that ended. The two
    /// alternate, and begin with true.
    using change_function = std::function<void(bool leading, std::uint64_t token)>;
    /// What a leader does: runs once per term, and ends when `stop` is triggered. Until it has returned this one does
    /// not lead again, and at a stop it keeps the Lease.
    using work_function = std::function<awaitable<void>(std::uint64_t token, std::stop_token stop)>;
    /// Another identity holds the Lease than before, maybe this one's; empty: nobody does.
    using leader_function = std::function<void(const std::string& identity)>;

    lead_callbacks& on_change(change_function f) { return change_ = std::move(f), *this; }  ///< see change_function
    lead_callbacks& work(work_function f) { return work_ = std::move(f), *this; }           ///< see work_function
    lead_callbacks& on_leader(leader_function f) { return leader_ = std::move(f), *this; }  ///< see leader_function

    const change_function& on_change() const noexcept { return change_; }
    const work_function& work() const noexcept { return work_; }
    const leader_function& on_leader() const noexcept { return leader_; }

private:
    change_function change_;
    work_function work_;
    leader_function leader_;
};

/// Whether it leads, how long still, and with which token, at one moment.
class lead_state {
public:
    duration left{};          ///< zero: not leading
    std::uint64_t token = 0;  ///< of the present term, else of the last one; 0 before the first

    bool leading() const noexcept { return left > duration::zero(); }
};

/// A candidate for a Lease that has a token, a label and an address: leader_elector (leader/leader_elector.hpp) for
/// services. docs/leadership.md has the guarantees, docs/service.md what is added here.
///
/// The token is the version of the write that acquired the Lease; see leader_fence::token(). A store that refuses a
/// smaller token than it has seen is safe from writes of a former leader.
///
/// The label: a new leader first removes it from all other pods of the namespace, then sets it on its own. It is
/// removed when the Lease is lost or given up, and at start(). Each patch carries the pod's resourceVersion. While it
/// leads, pods are listed again every half lease duration, so that two pods have the label for at most the Lease's
/// time. What the server refuses is logged once with the rule that a Role lacks, and asked again every minute; leading
/// goes on meanwhile.
///
/// Needed rights: on `leases` get, create, update and watch; with a label on `pods` get, list and patch.
///
/// Thread-safety: now(), left(), token(), leading() and fence() may be used from any thread; the rest belongs to the
/// executor, a strand or a single-threaded context.
/// Cancellation: stop() and the token given to start(). Object lifetime: destruction shuts the fence and stops it, and
/// nothing is called then; the environment outlives that.
class lead {
public:
    /// Asks nothing before start().
    KCONTROL_DECL lead(environment& env, executor ex, client cl, lead_options options, lead_callbacks callbacks = {},
                       logger log = {});
    KCONTROL_DECL ~lead();
    lead(const lead&) = delete;
    lead& operator=(const lead&) = delete;

    /// Begins to contend. Does nothing while it does; during a stop that has yet to end, it begins after that. When
    /// `parent` is triggered it ends as after stop(). Errors: those of lead_options::validate(); invalid_argument where
    /// the Lease has no namespace and this is no pod.
    KCONTROL_DECL result<void> start(std::stop_token parent = {});

    /// Ends it: the work's token is triggered and the label removed; once both are done, or after `drain`, the Lease is
    /// given up, unless the work still runs. True if the work has returned. Idempotent.
    KCONTROL_DECL awaitable<bool> stop(duration drain = std::chrono::seconds(30));

    /// How it stands at this moment: the token is of the same term as the time that is left.
    KCONTROL_DECL lead_state now() const noexcept;
    KCONTROL_DECL duration left() const noexcept;        ///< for how long it leads at least; zero: it does not
    KCONTROL_DECL std::uint64_t token() const noexcept;  ///< see lead_state::token
    bool leading() const noexcept { return left() > duration::zero(); }
    /// For client::guarded(), and for other threads that write. A copy may outlive this, and is shut then.
    KCONTROL_DECL const leader_fence& fence() const noexcept;

    /// Waits until it leads, and gives the token. Errors: stopped, by `stop` or after stop() and destruction.
    KCONTROL_DECL awaitable<result<std::uint64_t>> wait_leading(std::stop_token stop = {});
    /// Waits until the term of that token has ended; at once if it has. Errors: as wait_leading().
    KCONTROL_DECL awaitable<result<void>> wait_lost(std::uint64_t token, std::stop_token stop = {});

    KCONTROL_DECL std::string leader() const;                     ///< who holds the Lease; empty: nobody, or not known
    KCONTROL_DECL const std::string& identity() const noexcept;   ///< its own, as it stands in the Lease
    KCONTROL_DECL const namespaced_name& lease() const noexcept;  ///< with the namespace that it found
    KCONTROL_DECL leader_stats stats() const;                     ///< as they are now

private:
    struct impl;
    std::shared_ptr<impl> impl_;
};

}  // namespace kcontrol::service

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/service/impl/lead.ipp>
#endif
