// The checks of an AI platform on pods, as admission webhooks. docs/policy_webhook.md says what they are.
// usage: policy_webhook --rules FILE [flags]
#include <kcontrol/manager/run.hpp>
#include <kcontrol/runtime/core_dumps.hpp>
#include <kcontrol/values/api_duration.hpp>
#include <kcontrol/webhook/webhook_builder.hpp>
#include <kcontrol/webhook/webhook_flags.hpp>

#include "service/policy_service.hpp"

#include <memory>

using namespace kcontrol;

int main(int argc, char** argv) {
    forbid_core_dumps();
    std::string rules_path = "/etc/policy-webhook/rules.yaml";
    duration audit_period = std::chrono::minutes(5);
    webhook_flags webhooks;
    run_options options;
    options
        .flag("--rules", "FILE", "the rules, in YAML; default /etc/policy-webhook/rules.yaml",
              [&rules_path](std::string_view text) { return rules_path = std::string(text), result<void>(); })
        .flag("--audit-period", "TIME", "how often the pods that are there are looked at; default 5m",
              [&audit_period](std::string_view text) -> result<void> {
                  const auto parsed = parse_duration(text);
                  if (!parsed) return parsed.error();
                  if (*parsed < std::chrono::seconds(1)) return error(errc::invalid_argument, "at least 1s");
                  audit_period = *parsed;
                  return {};
              })
        .leader_election(leader_options(namespaced_name("", std::string(policy_webhook::program_name))))
        .log_as(log_format::json);
    const std::string name(policy_webhook::program_name);
    webhooks.registered_as(name, webhook_address::service(name, name)).add_to(options);

    std::unique_ptr<policy_webhook::rules_file> rules;
    std::unique_ptr<policy_webhook::policy_service> service;
    const auto set_up = [&](manager& m) -> result<void> {
        rules = std::make_unique<policy_webhook::rules_file>(m.env(), rules_path, m.log());
        if (auto read = rules->load(); !read && !webhooks.is_printing()) return read;
        get_webhook_server(m, webhooks.options().ready_when(m.informers_synced().check));
        service = std::make_unique<policy_webhook::policy_service>(m, *rules, audit_period);
        return service->set_up();
    };
    return run(argc, argv, set_up, options);
}
