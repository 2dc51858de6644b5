#include "recorded/commands.hpp"

#include <kcontrol/auth/find_config.hpp>
#include <kcontrol/base/flags.hpp>
#include <kcontrol/client/blocking_client.hpp>
#include <kcontrol/runtime/staged_file.hpp>
#include <kcontrol/transport/client.hpp>

#include "recorded/recorded_view.hpp"
#include "web/answers.hpp"

namespace gpu_scheduler {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 30U;  // of a recording

struct cluster_request {
    std::string kubeconfig, context, configuration_file, out, pod;
    bool is_anonymous = false;
    recorded_flags flags;
};

result<cluster_request> read_arguments(const std::vector<std::string_view>& arguments, bool is_snapshot) {
    std::vector<kcontrol::flag_shape> flags{{"--kubeconfig"}, {"--context"}, {"--scheduler-name"},
                                            {"--config"},     {"--tenants"}, {"--node-selector"}};
    if (is_snapshot) {
        flags.push_back({"--out"});
        flags.push_back({"--anonymize", kcontrol::flag_value::none});
    }
    const std::string command = is_snapshot ? "snapshot" : "explain";
    const auto said = kcontrol::split_arguments(arguments, flags, "gpu_scheduler " + command + " --help");
    if (!said) return said.error();
    cluster_request out;
    for (const auto& one : *said) {
        if (one.is_word()) {
            if (is_snapshot || !out.pod.empty()) return bad_value(in_quotes(one.text) + " belongs to no flag");
            out.pod = one.text;
            continue;
        }
        const auto flag = flags[one.flag].name;
        const std::string value(one.text);
        if (flag == "--kubeconfig") out.kubeconfig = value;
        if (flag == "--context") out.context = value;
        if (flag == "--scheduler-name") out.flags.scheduler_name = value;
        if (flag == "--config") out.configuration_file = value;
        if (flag == "--node-selector") out.flags.node_selector = value;
        if (flag == "--out") out.out = value;
        if (flag == "--anonymize") out.is_anonymous = true;
        if (flag == "--tenants") {
            if (value != "on" && value != "off") return bad_value("--tenants: one of on, off is expected");
            out.flags.has_tenants = value == "on";
        }
    }
    if (is_snapshot && out.out.empty()) return bad_value("--out FILE is missing");
    if (!is_snapshot && out.pod.empty()) return bad_value("NAMESPACE/NAME of a pod is missing");
    return out;
}

result<recording> record(cluster_request& asked, kcontrol::environment& env) {
    if (!asked.configuration_file.empty()) {
        auto text = env.read_regular_file(asked.configuration_file, std::size_t{1} << 20U);
        if (!text) return text.error();
        asked.flags.configuration = std::move(*text);
    }
    kcontrol::auth::config_search search;
    search.file(asked.kubeconfig).overrides(kcontrol::auth::kubeconfig_overrides().context(asked.context));
    const auto config = kcontrol::auth::find_config(env, search);
    if (!config) return config.error();
    const auto client = kcontrol::blocking_client::connect(env, *config, kcontrol::http::make_transport_factory(env));
    if (!client) return client.error();
    return record_cluster(*client, env.wall_now(), asked.flags);
}

std::string count_of(const std::vector<recorded_decision>& all) {
    return std::to_string(all.size()) + (all.size() == 1 ? " decision" : " decisions");
}

std::string said_of(const recorded_decision& of) {
    return of.node.empty() ? "no node: " + of.message : "node " + of.node + ", " + of.allocation;
}

}  // namespace

result<std::string> explain_command(const std::vector<std::string_view>& arguments, kcontrol::environment& env) {
    auto asked = read_arguments(arguments, false);
    if (!asked) return asked.error();
    const auto cluster = record(*asked, env);
    if (!cluster) return cluster.error();
    const auto view = recorded_view::make(*cluster);
    if (!view) return view.error();
    auto said = answers(*view, (*view)->known()).why(asked->pod);
    if (!said) return said.error();
    return *said + "\n";
}

result<std::string> snapshot_command(const std::vector<std::string_view>& arguments, kcontrol::environment& env) {
    auto asked = read_arguments(arguments, true);
    if (!asked) return asked.error();
    auto cluster = record(*asked, env);
    if (cluster && asked->is_anonymous) cluster = anonymize(*cluster);
    if (!cluster) return cluster.error();
    const auto view = recorded_view::make(*cluster);
    if (!view) return view.error();
    cluster->decisions = (*view)->decide();
    if (auto done = kcontrol::replace_file(asked->out, write_recording(*cluster)); !done) return done.error();
    return asked->out + ": " + count_of(cluster->decisions) + "\n";
}

result<std::string> replay_command(const std::vector<std::string_view>& arguments, kcontrol::environment& env) {
    const auto said = kcontrol::split_arguments(arguments, {}, "gpu_scheduler replay --help");
    if (!said) return said.error();
    if (said->size() != 1) return bad_value("one FILE of gpu_scheduler snapshot is expected");
    const std::string file((*said)[0].text);
    const auto text = env.read_regular_file(file, most_bytes);
    if (!text) return text.error();
    const auto before = read_recording(file, *text);
    if (!before) return before.error();
    const auto view = recorded_view::make(*before);
    if (!view) return view.error();
    const auto now = (*view)->decide();
    for (std::size_t i = 0; i < std::max(now.size(), before->decisions.size()); ++i) {
        const auto old = i < before->decisions.size() ? before->decisions[i] : recorded_decision();
        const auto fresh = i < now.size() ? now[i] : recorded_decision();
        if (old == fresh) continue;
        return kcontrol::error(kcontrol::api_errc::conflict,
                               file + ": decision " + std::to_string(i + 1) + " differs: it was pod " + old.pod + ", " +
                                   said_of(old) + "; now it is pod " + fresh.pod + ", " + said_of(fresh));
    }
    return file + ": " + count_of(now) + ", all the same\n";
}

#define GPU_SCHEDULER_CLUSTER_FLAGS                                                    \
    "  --kubeconfig FILE      the cluster; else $KUBECONFIG, ~/.kube/config, or the\n" \
    "                         account of the pod that this runs in\n"                  \
    "  --context NAME         of the kubeconfig\n"                                     \
    "  --scheduler-name NAME, --config FILE, --node-selector SELECTOR,\n"              \
    "  --tenants on|off       as the scheduler has them\n"

std::string_view explain_help() noexcept {
    return "Says why a pod waits, as /api/v1/why does. It reads the cluster, and changes nothing.\n\n"
           "usage: gpu_scheduler explain NAMESPACE/NAME [flags]\n\n" GPU_SCHEDULER_CLUSTER_FLAGS
           "\nExit codes: 0 ok, 1 the cluster can't be read or has no such pod, 2 a flag that is wrong.\n";
}

std::string_view snapshot_help() noexcept {
    return "Writes what the scheduler decides on into a file, with its decisions for the pods that\n"
           "wait. Environments of containers are left out.\n\n"
           "usage: gpu_scheduler snapshot --out FILE [flags]\n\n"
           "  --out FILE             where to\n"
           "  --anonymize            with other names for all names; keys of labels stay\n" GPU_SCHEDULER_CLUSTER_FLAGS
           "\nExit codes: 0 ok, 1 the cluster can't be read or the file written, 2 a flag that is wrong.\n";
}

std::string_view replay_help() noexcept {
    return "Decides again for a file of gpu_scheduler snapshot, and compares.\n\n"
           "usage: gpu_scheduler replay FILE\n\n"
           "Exit codes: 0 all decisions are the same, 1 one differs or the file can't be read, 2 a flag\n"
           "or a file that is wrong.\n";
}

}  // namespace gpu_scheduler
