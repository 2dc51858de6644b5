// The policies at work: answers of the webhook, metrics by rule, Events, and the audit of the pods that are there.
#pragma once

#include <kcontrol/cluster/merged_informer.hpp>
#include <kcontrol/manager/manager.hpp>
#include <kcontrol/webhook/admission_functions.hpp>

#include "policy/check.hpp"
#include "service/rules_file.hpp"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace policy_webhook {

inline constexpr std::string_view program_name = "policy-webhook";

/// GPUs of pods that were let in a moment ago and that the cache need not show yet.
class recent_pods {
public:
    static constexpr kcontrol::duration kept = std::chrono::seconds(2);

    void add(std::string ns, std::string name, std::int64_t gpus, kcontrol::time_point now);
    /// Of a namespace, but for those of which `is_cached(name)`.
    std::int64_t gpus_in(const std::string& ns, kcontrol::time_point now,
                         const std::function<bool(const std::string&)>& is_cached);
    std::size_t size() const noexcept { return all_.size(); }

private:
    void forget(kcontrol::time_point now);

    struct one {
        std::string ns, name;
        std::int64_t gpus;
        kcontrol::time_point until;
    };
    std::vector<one> all_;
};

/// Thread-safety: none; use it on the manager's executor. Object lifetime: outlives the manager's run.
class policy_service {
public:
    policy_service(kcontrol::manager& m, rules_file& rules, kcontrol::duration audit_period);

    /// Adds webhooks, runnables and metrics to the manager.
    kcontrol::result<void> set_up();

    kcontrol::admission_verdict judge(const kcontrol::admission_of<pod>& of, const kcontrol::admission_context& ctx);
    void default_pod(pod& edited, const kcontrol::admission_context& ctx) const;
    /// Looks at all pods that are there; each that is against the rules gets an Event once.
    void audit();
    /// Pods against each rule at the last audit.
    const std::map<std::string, std::size_t, std::less<>>& audited() const noexcept { return audited_; }

private:
    std::int64_t largest_node() const;
    cluster_facts facts_of(const std::string& ns, const std::string& name);
    void tell(const pod& about, const std::vector<finding>& refused);
    kcontrol::awaitable<kcontrol::result<void>> audit_now_and_then(std::stop_token stop);
    void write_metrics(kcontrol::metrics_writer& out) const;

    kcontrol::manager& manager_;
    rules_file& rules_;
    kcontrol::duration audit_period_;
    kcontrol::merged_informer<pod> pods_;
    kcontrol::merged_informer<node> nodes_;
    std::shared_ptr<kcontrol::event_recorder> events_;
    recent_pods recent_;
    kcontrol::async_event rules_changed_;
    std::map<std::string, std::uint64_t, std::less<>> refused_, warned_;  // by rule
    std::map<std::string, std::size_t, std::less<>> audited_;
    std::set<std::string> told_;  // uid and rules of pods that have their Event
};

}  // namespace policy_webhook
