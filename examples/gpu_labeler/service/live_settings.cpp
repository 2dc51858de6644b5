#include "service/live_settings.hpp"

#include <utility>

namespace gpu_labeler {
namespace {

// Whether a flag's settings are the same; where `take` is set, they become the same.
struct setting {
    const char* flag;
    bool holds_at_once;
    bool (*same)(options& old, const options& fresh, bool take);
};

template <auto Member>
bool same(options& old, const options& fresh, bool take) {
    const bool equal = old.*Member == fresh.*Member;
    if (take) old.*Member = fresh.*Member;
    return equal;
}

bool same_address(options& old, const options& fresh, bool) { return old.listen.text() == fresh.listen.text(); }

constexpr setting settings[] = {
    {"--schedule", true, same<&options::schedule>},
    {"--sample-interval", true, same<&options::sample_interval>},
    {"--resync-interval", true, same<&options::resync_interval>},
    {"--keep-labels", true, same<&options::keep_labels>},
    {"--mig-strategy", true, same<&options::strategy>},
    {"sharing", true, same<&options::shared>},
    {"--no-timestamp", true, same<&options::no_timestamp>},
    {"--machine-type-file", true, same<&options::machine_type_file>},
    {"--hostname", true, same<&options::hostname>},
    {"--log-level", true, same<&options::log_level>},
    {"--start-jitter", false, same<&options::start_jitter>},
    {"--output", false, same<&options::output>},
    {"--features-file", false, same<&options::features_file>},
    {"--node-name", false, same<&options::node_name>},
    {"--namespace", false, same<&options::namespace_>},
    {"--kubeconfig", false, same<&options::kubeconfig>},
    {"--context", false, same<&options::context>},
    {"--listen", false, same_address},
    {"--log-format", false, same<&options::log_format>},
    {"--nvml", false, same<&options::nvml>},
    {"--nvml-timeout", false, same<&options::nvml_timeout>},
    {"--sysfs", false, same<&options::sysfs>},
    {"--pod-resources-socket", false, same<&options::pod_resources_socket>},
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

}  // namespace gpu_labeler
