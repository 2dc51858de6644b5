#include "service/policy_service.hpp"

#include <kcontrol/record/event_recorder.hpp>
#include <kcontrol/values/quantity.hpp>
#include <kcontrol/webhook/webhook_builder.hpp>

#include <algorithm>

using namespace kcontrol;

namespace policy_webhook {

void recent_pods::add(std::string ns, std::string name, std::int64_t gpus, time_point now) {
    forget(now);
    if (gpus > 0) all_.push_back({std::move(ns), std::move(name), gpus, now + kept});
}

void recent_pods::forget(time_point now) {
    std::erase_if(all_, [now](const one& each) { return each.until <= now; });
}

std::int64_t recent_pods::gpus_in(const std::string& ns, time_point now,
                                  const std::function<bool(const std::string&)>& is_cached) {
    forget(now);
    std::int64_t sum = 0;
    for (const one& each : all_) {
        const bool seen = !each.name.empty() && is_cached(each.name);
        if (each.ns == ns && !seen) sum = sum_of_gpus(sum, each.gpus);
    }
    return sum;
}

namespace {

// A pod that nobody could look at is not let in; namespaces with the label are not looked at.
void register_webhook(webhook_registration& of) {
    const bool mutating = of.what() == webhook_registration::kind::mutating;
    webhook_rule rule;
    rule.operation("CREATE").api_group("").api_version("v1").resource("pods").scope("Namespaced");
    if (!mutating) rule.operation("UPDATE").resource("pods/ephemeralcontainers");
    of.name(mutating ? "defaults.policy-webhook.kcontrol.dev" : "rules.policy-webhook.kcontrol.dev");
    of.only_rule(std::move(rule)).timeout(std::chrono::seconds(5));
    of.side_effects(mutating ? "None" : "NoneOnDryRun").reinvoke_if_needed(mutating);
    json::object exempt{{"key", "policy-webhook.kcontrol.dev/exempt"}, {"operator", "DoesNotExist"}};
    of.namespace_selector(json::object{{"matchExpressions", json::array{std::move(exempt)}}});
}

}  // namespace

policy_service::policy_service(manager& m, rules_file& rules, duration audit_period)
    : manager_(m),
      rules_(rules),
      audit_period_(audit_period),
      pods_(m.get_informers<pod>()),
      nodes_(m.get_informers<node>()),
      events_(m.get_event_recorder(std::string(program_name))) {}

result<void> policy_service::set_up() {
    manager_.metrics().collect([this](metrics_writer& out) { write_metrics(out); });
    auto follow = [this](std::stop_token stop) {
        return rules_.follow(std::move(stop), [this] { rules_changed_.notify_all(); });
    };
    if (auto added = manager_.add(runnable("rules", follow, run_group::always)); !added) return added;
    auto look = [this](std::stop_token stop) { return audit_now_and_then(std::move(stop)); };
    if (auto added = manager_.add(runnable("audit", look)); !added) return added;
    return webhook_builder(manager_)
        .for_<pod>()
        .defaulter([this](pod& edited, const admission_context& ctx) { default_pod(edited, ctx); })
        .validator([this](const admission_of<pod>& of, const admission_context& ctx) { return judge(of, ctx); })
        .registration(register_webhook)
        .complete();
}

void policy_service::default_pod(pod& edited, const admission_context& ctx) const {
    const bool created = ctx.operation() == admission_operation::create && ctx.request().subresource.empty();
    if (created && !rules_.current().exempts(ctx.request().namespace_)) add_defaults(edited, rules_.current());
}

std::int64_t policy_service::largest_node() const {
    const std::string& resource = rules_.current().gpus.resource;
    std::int64_t largest = 0;
    for (const auto& each : nodes_.list()) {
        const auto found = each->status.allocatable.find(resource);
        if (found == each->status.allocatable.end()) continue;
        const auto has = quantity::parse(found->second.text());
        if (has) largest = std::max(largest, has->value());
    }
    return largest;
}

cluster_facts policy_service::facts_of(const std::string& ns, const std::string& name) {
    const std::string& resource = rules_.current().gpus.resource;
    cluster_facts out;
    out.largest_node = largest_node();
    if (!rules_.current().quota_of(ns)) return out;
    for (const auto& each : pods_.list(ns)) {
        if (each->ended() || each->metadata.name == name) continue;
        out.used_in_namespace = sum_of_gpus(out.used_in_namespace, gpus_of(*each, resource));
    }
    const auto is_cached = [&](const std::string& other) {
        return other == name || pods_.get(namespaced_name(ns, other)) != nullptr;
    };
    const std::int64_t recent = recent_.gpus_in(ns, manager_.env().now(), is_cached);
    out.used_in_namespace = sum_of_gpus(out.used_in_namespace, recent);
    return out;
}

admission_verdict policy_service::judge(const admission_of<pod>& of, const admission_context& ctx) {
    admission_verdict verdict;
    if (of.is_delete()) return verdict;
    const rules& by = rules_.current();
    const std::string& ns = ctx.request().namespace_;
    const std::string name(of.object->metadata.name);
    const cluster_facts facts = facts_of(ns, name);
    auto found = check(*of.object, ns, by, facts);
    if (of.is_update()) found = new_findings(std::move(found), check(*of.old_object, ns, by, facts));
    std::vector<finding> refused;
    for (finding& one : found) {
        const std::string rule(one.rule);
        if (by.mode_of(one.rule) == rule_mode::enforce) {
            ++refused_[rule];
            verdict.refuse(one.why);
            refused.push_back(std::move(one));
        } else {
            ++warned_[rule];
            verdict.warn(rule + ": " + one.why.str());
        }
    }
    if (!refused.empty() && !ctx.dry_run()) tell(*of.object, refused);
    if (refused.empty() && of.is_create() && !ctx.dry_run()) {
        recent_.add(ns, name, gpus_of(*of.object, by.gpus.resource), manager_.env().now());
    }
    return verdict;
}

// A pod that is refused is never there: who made it hears of it.
void policy_service::tell(const pod& about, const std::vector<finding>& refused) {
    std::string text =
        "pod " + std::string(about.metadata.name.empty() ? "of generated name" : about.metadata.name) + " refused: ";
    for (std::size_t i = 0; i < refused.size(); ++i) text += (i == 0 ? "" : ", ") + refused[i].why.str();
    for (const owner_reference& one : about.metadata.owner_references) {
        if (!one.controller.value_or(false)) continue;
        const std::string api_version(one.api_version);
        const auto slash = api_version.find('/');
        const bool core = slash == std::string::npos;
        object_reference owner(
            group_version_kind(core ? "" : api_version.substr(0, slash),
                               core ? api_version : api_version.substr(slash + 1), std::string(one.kind)),
            namespaced_name(std::string(about.metadata.namespace_), std::string(one.name)), std::string(one.uid));
        events_->record(std::move(owner), event_note::warning("PolicyRefused", text));
    }
}

void policy_service::audit() {
    const rules& by = rules_.current();
    std::map<std::string, std::size_t, std::less<>> counted;
    std::set<std::string> known;
    cluster_facts facts;
    facts.largest_node = largest_node();
    for (const auto& each : pods_.list()) {
        if (each->ended()) continue;
        const std::string ns(each->metadata.namespace_);
        auto found = check(*each, ns, by, facts);
        // What is there already is no question of room: the quota is for what comes.
        std::erase_if(found, [](const finding& one) { return one.rule == "gpu-quota"; });
        if (found.empty()) continue;
        std::string text, mark(each->metadata.uid);
        std::set<std::string_view> rules_against;
        for (const finding& one : found) {
            text += (text.empty() ? "" : ", ") + one.why.str();
            if (rules_against.insert(one.rule).second)
                ++counted[std::string(one.rule)], mark += " " + std::string(one.rule);
        }
        if (!told_.contains(mark)) events_->warning(*each, "PolicyViolation", text);
        known.insert(std::move(mark));
    }
    audited_ = std::move(counted);
    told_ = std::move(known);
}

awaitable<result<void>> policy_service::audit_now_and_then(std::stop_token stop) {
    const bool pods_there = co_await pods_.wait_synced(stop);
    const bool nodes_there = co_await nodes_.wait_synced(stop);
    while (pods_there && nodes_there && !stop.stop_requested()) {
        audit();
        co_await rules_changed_.wait(manager_.env(), stop, manager_.env().now() + audit_period_);
    }
    co_return result<void>();
}

void policy_service::write_metrics(metrics_writer& out) const {
    const auto count = [&out](const auto& of, const char* name, const char* help) {
        for (const std::string_view rule : rule_names) {
            const auto found = of.find(rule);
            out.counter(name, help, {{"rule", std::string(rule)}},
                        found == of.end() ? 0.0 : static_cast<double>(found->second));
        }
    };
    count(refused_, "policy_webhook_refused_total", "Findings for which pods were refused.");
    count(warned_, "policy_webhook_warned_total", "Findings for which only a warning was given.");
    for (const std::string_view rule : rule_names) {
        const auto found = audited_.find(rule);
        out.gauge("policy_webhook_audited_pods", "Pods against each rule at the last audit.",
                  {{"rule", std::string(rule)}}, found == audited_.end() ? 0.0 : static_cast<double>(found->second));
    }
    out.counter("policy_webhook_rules_reloads_total", "How often the rules have changed.", {},
                static_cast<double>(rules_.reloads()));
    out.counter("policy_webhook_rules_errors_total", "How often the rules could not be read.", {},
                static_cast<double>(rules_.errors()));
}

}  // namespace policy_webhook
