#include "service/live_settings.hpp"

#include <type_traits>
#include <utility>
#include <vector>

namespace gpu_labeler {
namespace {

// Whether a flag's settings are the same; where `take` is set, they become the same.
struct setting {
    const char* flag;
    bool holds_at_once;
    bool (*same)(options& old, const options& fresh, bool take);
};

// Getters give small things by value.
template <class T>
using given = std::conditional_t<std::is_trivially_copyable_v<T>, T, const T&>;

template <class T, given<T> (options::*Get)() const noexcept, options& (options::*Set)(T)>
bool same(options& old, const options& fresh, bool take) {
    const bool equal = (old.*Get)() == (fresh.*Get)();
    if (take) (old.*Set)((fresh.*Get)());
    return equal;
}

template <const kcontrol::http::listen_address& (options::*Get)() const noexcept>
bool same_address(options& old, const options& fresh, bool) {
    return (old.*Get)().enabled == (fresh.*Get)().enabled && (old.*Get)().text() == (fresh.*Get)().text();
}

using guarded_serving::access_options;

// They are about the server, which is made once; what stands in the files is read again without being asked.
template <const std::string& (access_options::*Get)() const noexcept>
bool same_access(options& old, const options& fresh, bool) {
    return (old.access().*Get)() == (fresh.access().*Get)();
}

// Its files are read again without being asked, too.
template <auto Get>
bool same_push(options& old, const options& fresh, bool) {
    return Get(old.push()) == Get(fresh.push());
}

bool same_trusted(options& old, const options& fresh, bool) {
    return old.access().trusted_origins() == fresh.access().trusted_origins();
}

constexpr setting settings[] = {
    {"--schedule", true, same<std::string, &options::schedule, &options::schedule>},
    {"--sample-interval", true, same<kcontrol::duration, &options::sample_interval, &options::sample_interval>},
    {"--resync-interval", true, same<kcontrol::duration, &options::resync_interval, &options::resync_interval>},
    {"--keep-labels", true, same<kcontrol::duration, &options::keep_labels, &options::keep_labels>},
    {"--mig-strategy", true, same<mig_strategy, &options::strategy, &options::strategy>},
    {"sharing", true, same<sharing, &options::shared, &options::shared>},
    {"--no-timestamp", true, same<bool, &options::no_timestamp, &options::no_timestamp>},
    {"--machine-type-file", true, same<std::string, &options::machine_type_file, &options::machine_type_file>},
    {"--hostname", true, same<std::string, &options::hostname, &options::hostname>},
    {"--log-level", true, same<kcontrol::log_level, &options::log_level, &options::log_level>},
    {"--start-jitter", false, same<kcontrol::duration, &options::start_jitter, &options::start_jitter>},
    {"--output", false, same<label_output, &options::output, &options::output>},
    {"--features-file", false, same<std::string, &options::features_file, &options::features_file>},
    {"--node-name", false, same<std::string, &options::node_name, &options::node_name>},
    {"--namespace", false, same<std::string, &options::in_namespace, &options::in_namespace>},
    {"--kubeconfig", false, same<std::string, &options::kubeconfig, &options::kubeconfig>},
    {"--context", false, same<std::string, &options::context, &options::context>},
    {"--listen", false, same_address<&options::listen>},
    {"--health-probe-bind-address", false, same_address<&options::health_probe_bind_address>},
    {"--max-connections", false, same<std::size_t, &options::max_connections, &options::max_connections>},
    {"--tls-cert-file", false, same_access<&access_options::tls_cert_file>},
    {"--tls-private-key-file", false, same_access<&access_options::tls_key_file>},
    {"--client-ca-file", false, same_access<&access_options::client_ca_file>},
    {"--token-file", false, same_access<&access_options::token_file>},
    {"--trusted-origin", false, same_trusted},
    {"--report-health", false, same<bool, &options::report_health, &options::report_health>},
    {"--health-unknown-after", true,
     same<kcontrol::duration, &options::health_unknown_after, &options::health_unknown_after>},
    {"--health-known-after", true,
     same<kcontrol::duration, &options::health_known_after, &options::health_known_after>},
    {"--health-well-after", true, same<kcontrol::duration, &options::health_well_after, &options::health_well_after>},
    {"--history-file", false, same<std::string, &options::history_file, &options::history_file>},
    {"--push-url", false, same_push<[](const push_options& p) { return p.target(); }>},
    {"--push-authorization-file", false, same_push<[](const push_options& p) { return p.authorization_file(); }>},
    {"--push-ca-file", false, same_push<[](const push_options& p) { return p.ca_file(); }>},
    {"--log-format", false, same<kcontrol::log_format, &options::log_format, &options::log_format>},
    {"--nvml", false, same<std::string, &options::nvml, &options::nvml>},
    {"--nvml-timeout", false, same<kcontrol::duration, &options::nvml_timeout, &options::nvml_timeout>},
    {"--sysfs", false, same<std::string, &options::sysfs, &options::sysfs>},
    {"--pod-resources-socket", false,
     same<std::string, &options::pod_resources_socket, &options::pod_resources_socket>},
};

}  // namespace

settings_change change_settings(const options& old, const options& fresh) {
    settings_change out;
    out.now = old;
    for (const auto& one : settings) {
        if (one.same(out.now, fresh, one.holds_at_once)) continue;
        auto& names = one.holds_at_once ? out.taken : out.left;
        names += (names.empty() ? "" : ", ") + std::string(one.flag);
    }
    return out;
}

kcontrol::awaitable<bool> reload_request::asked(kcontrol::environment& env, std::stop_token stop) {
    while (!asked_ && !stop.stop_requested()) co_await happened_.wait(env, stop);
    co_return std::exchange(asked_, false) && !stop.stop_requested();
}

kcontrol::awaitable<void> follow_settings(kcontrol::environment& env, reload_request& reloads, options& o,
                                          std::function<void()> take_over, kcontrol::logger log, std::stop_token stop) {
    for (;;) {
        const bool asked = co_await reloads.asked(env, stop);
        if (!asked) co_return;
        const auto fresh = reloads.read();
        if (!fresh) {
            log.error("the settings can't be read again; those before hold on", {{"error", fresh.error().message()}});
            continue;
        }
        auto change = change_settings(o, *fresh);
        o = std::move(change.now);
        take_over();
        std::vector<kcontrol::log_field> fields{{"changed", change.taken.empty() ? "nothing" : change.taken}};
        if (!change.left.empty()) fields.push_back({"after a restart", change.left});
        log.info("settings read again", std::move(fields));
    }
}

}  // namespace gpu_labeler
