// What a user of the compiled library writes who has a kind of his own beside two built-in ones: Pod, Job and a CRD. It
// is to compile in 4 s at -O0 on an idle machine (see group_compile_time in scripts/test-groups.sh).
#include <kcontrol/api/batch/v1.hpp>
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/cache/informer.hpp>
#include <kcontrol/client/client.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace {

using kcontrol::api::batch::v1::job;
using kcontrol::api::core::v1::pod;

struct crontab_spec {
    kcontrol::text schedule;
    std::optional<std::int32_t> replicas;
    kcontrol::dict<kcontrol::text> labels;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("schedule", &crontab_spec::schedule),
                                kcontrol::field("replicas", &crontab_spec::replicas),
                                kcontrol::field("labels", &crontab_spec::labels));
    }
};

struct crontab {
    static constexpr kcontrol::resource_name kcontrol_resource{"stable.example.com", "v1", "CronTab", "crontabs"};
    kcontrol::object_meta metadata;
    crontab_spec spec;
    static constexpr auto kcontrol_fields() { return kcontrol::fields(kcontrol::field("spec", &crontab::spec)); }
};

}  // namespace

kcontrol::awaitable<kcontrol::result<void>> run_once(kcontrol::environment& env, kcontrol::client cl) {
    const auto ex = co_await boost::asio::this_coro::executor;
    const auto crontabs = std::make_shared<kcontrol::informer<crontab>>(env, ex, cl);
    const auto pods = std::make_shared<kcontrol::informer<pod>>(env, ex, cl);
    const kcontrol::namespaced_name key("default", "nightly");
    const auto wanted = crontabs->get(key);
    if (!wanted) co_return kcontrol::result<void>();
    job next;
    next.metadata.name = wanted->spec.schedule;
    next.metadata.namespace_ = "default";
    for (const auto& [name, value] : wanted->spec.labels) next.metadata.labels.insert_or_assign(name.view(), value);
    next.spec.parallelism = wanted->spec.replicas;
    for (const auto& one : pods->list("default")) {
        if (one->spec.node_name == "") next.spec.backoff_limit = 1;
    }
    const auto made = co_await cl.create(next);
    if (!made) co_return made.error();
    auto edited = *wanted;
    edited.spec.replicas = 0;
    const auto patched = co_await cl.patch(*wanted, edited);
    if (!patched) co_return patched.error();
    co_return kcontrol::result<void>();
}
