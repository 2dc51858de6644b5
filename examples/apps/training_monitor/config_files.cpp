#include "config_files.hpp"

#include "jobs/kind_file.hpp"

#include <algorithm>

namespace training_monitor {
namespace {

using kcontrol::result;

result<std::unique_ptr<extra_kinds>> read_kinds(kcontrol::environment& env, const std::string& file) {
    const auto text = env.read_file(file, most_kind_file_bytes);
    if (!text) return text.error();
    auto read = extra_kinds::read(*text);
    if (!read) return read.error().with_context(file);
    return read;
}

bool needs_usage(const notices::notice_config& config) {
    return std::any_of(config.rules.begin(), config.rules.end(),
                       [](const notices::rule& r) { return r.is_about(notices::job_condition::gpus_idle); });
}

}  // namespace

result<std::unique_ptr<extra_kinds>> load_kinds(kcontrol::environment& env, options& o) {
    if (o.kind_rules().empty()) return std::unique_ptr<extra_kinds>();
    auto read = read_kinds(env, o.kind_rules());
    if (!read) return read.error().with_context("--kind-rules");
    auto kinds = o.kinds();
    kinds.insert(kinds.end(), (*read)->names().begin(), (*read)->names().end());
    o.kinds(std::move(kinds));
    return read;
}

result<std::optional<notices::notice_config>> load_notices(kcontrol::environment& env, const options& o) {
    std::optional<notices::notice_config> out;
    if (o.notify_config().empty()) return out;
    auto loaded = notices::load_config(env, o.notify_config(), !o.test_notify());
    if (!loaded) return loaded.error().with_context("--notify-config");
    out = std::move(*loaded);
    out->external_url = o.external_url();
    out->links = o.links();
    if (needs_usage(*out) && !o.usage().on() && !o.test_notify()) {
        return kcontrol::error(kcontrol::errc::invalid_config,
                               "--notify-config: " + o.notify_config() +
                                   ": a rule with gpusIdle needs --gpu-usage, by which that is known: leave out "
                                   "--no-gpu-usage and --once");
    }
    return out;
}

}  // namespace training_monitor
