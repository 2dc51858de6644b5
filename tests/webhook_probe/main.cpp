// What tests/e2e/test_webhooks.py lets a real API server ask: defaults, checks and two versions of a kind.
// usage: webhook_probe crd URL CA_FILE       prints the CustomResourceDefinition, converted at URL
//        webhook_probe [--kept CERTIFICATE_ONLY|WHOLE] [flags of run() and of webhooks]
// With --kept it makes its own certificates, which end after seconds, and registers itself at --webhook-url.
#include <kcontrol/manager/run.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/schema/crd.hpp>
#include <kcontrol/webhook/managed_webhooks.hpp>
#include <kcontrol/webhook/webhook_builder.hpp>
#include <kcontrol/webhook/webhook_flags.hpp>

#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>

using namespace kcontrol;

namespace {

struct tab_spec {
    std::string schedule;
    std::optional<std::int32_t> replicas;
    std::optional<std::int32_t> wait_ms;
    static constexpr auto kcontrol_fields() {
        return fields(field("schedule", &tab_spec::schedule), field("replicas", &tab_spec::replicas),
                      field("waitMs", &tab_spec::wait_ms));
    }
};
struct tab {
    static constexpr resource_name kcontrol_resource{"hooks.kcontrol.dev", "v1", "Tab", "tabs"};
    object_meta metadata;
    tab_spec spec;
    static constexpr auto kcontrol_fields() { return fields(field("spec", &tab::spec)); }
};
// Its schedule is called otherwise.
struct tab_spec_v1beta1 {
    std::string cron;
    std::optional<std::int32_t> replicas;
    static constexpr auto kcontrol_fields() {
        return fields(field("cron", &tab_spec_v1beta1::cron), field("replicas", &tab_spec_v1beta1::replicas));
    }
};
struct tab_v1beta1 {
    static constexpr resource_name kcontrol_resource{"hooks.kcontrol.dev", "v1beta1", "Tab", "tabs"};
    object_meta metadata;
    tab_spec_v1beta1 spec;
    static constexpr auto kcontrol_fields() { return fields(field("spec", &tab_v1beta1::spec)); }

    result<void> convert_to(tab& to) const {
        if (spec.cron == "never") return error(errc::invalid_argument, "spec.cron: never is no time");
        to.spec.schedule = spec.cron;
        to.spec.replicas = spec.replicas;
        return {};
    }
    void convert_from(const tab& from) {
        spec.cron = from.spec.schedule;
        spec.replicas = from.spec.replicas;
    }
};

int print_crd(const char* url, const char* ca_file) {
    std::ifstream file(ca_file);
    const std::string ca{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    auto crd = crd_of<tab, tab_v1beta1>();
    if (!crd) return std::cerr << crd.error().what() << "\n", 1;
    std::cout << crd->convert_by_url(url, ca).to_json() << "\n";
    return 0;
}

awaitable<admission_verdict> judge(environment& env, const admission_of<tab>& of, const admission_context& ctx) {
    admission_verdict verdict;
    if (of.is_delete()) co_return verdict;
    const tab& now = *of.object;
    if (now.spec.wait_ms) co_await sleep_for(env, std::chrono::milliseconds(*now.spec.wait_ms), ctx.stop());
    if (now.spec.schedule == "throw") throw std::runtime_error("out of order");
    if (now.spec.replicas.value_or(0) > 10) {
        verdict.refuse("spec.replicas", std::to_string(*now.spec.replicas), "must be at most 10");
    }
    if (of.is_update() && of.old_object->spec.schedule != now.spec.schedule) {
        verdict.forbid("spec.schedule", ctx.user().name + " may not change it");
    }
    if (now.spec.schedule == "@reboot") verdict.warn("@reboot is no schedule");
    co_return verdict;
}

// An authority signs from 3 to 12 s after it was made, and a certificate is shown for 4 s.
authority_policy short_lives() {
    using std::chrono::seconds;
    authority_policy out;
    out.authority_lifetime(seconds(40)).renew_before(seconds(31));
    return out.publish_ahead(seconds(3)).certificate_lifetime(seconds(6));
}

void serve_kept(manager& m, const webhook_flags& flags, bool whole) {
    managed_webhook_options kept("kept", *flags.address());
    kept.certificates().secret("default", "webhook-authorities").ip("127.0.0.1").policy(short_lives());
    kept.certificates().check_period(std::chrono::milliseconds(500));
    kept.bundles().whole(whole).field_manager("webhook-probe").check_period(std::chrono::seconds(1));
    get_managed_webhook_server(m, std::move(kept), flags.options());
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 4 && std::string_view(argv[1]) == "crd") return print_crd(argv[2], argv[3]);
    webhook_flags webhooks;
    run_options options;
    webhooks.add_to(options);
    std::string kept;
    options.flag("--kept", "WHAT", "certificates and registrations of its own",
                 [&kept](std::string_view text) { return kept = std::string(text), result<void>(); });
    const auto set_up = [&](manager& m) -> result<void> {
        if (kept.empty()) get_webhook_server(m, webhooks.options());
        if (!kept.empty()) serve_kept(m, webhooks, kept == "WHOLE");
        return webhook_builder(m)
            .for_<tab>()
            .defaulter([](tab& edited) {
                if (!edited.spec.replicas) edited.spec.replicas = 1;
            })
            .validator(
                [&m](const admission_of<tab>& of, const admission_context& ctx) { return judge(m.env(), of, ctx); })
            .converts<tab_v1beta1>()
            .complete();
    };
    return run(argc, argv, set_up, options);
}
