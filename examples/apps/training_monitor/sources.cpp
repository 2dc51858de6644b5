#include "sources.hpp"

#include <kcontrol/auth/find_config.hpp>
#include <kcontrol/multicluster/directory_source.hpp>
#include <kcontrol/multicluster/record_source.hpp>
#include <kcontrol/multicluster/scan_directory.hpp>
#include <kcontrol/multicluster/secret_source.hpp>
#include <kcontrol/transport/client.hpp>

#include "memory/kept_records.hpp"

#include <algorithm>
#include <utility>

namespace training_monitor {
namespace {

using kcontrol::desired_cluster;
using kcontrol::result;
using source = std::unique_ptr<kcontrol::cluster_source>;

// A kubeconfig on the machine of whoever runs this program is theirs: it may name files and commands.
const auto& trust = kcontrol::auth::trust::trusted;

source fixed(std::vector<desired_cluster> clusters) {
    return std::make_unique<kcontrol::fixed_source>(std::move(clusters));
}

result<kcontrol::auth::cluster_config> load(kcontrol::environment& env, const std::string& path) {
    auto config = kcontrol::auth::kubeconfig::load(env, path, trust);
    if (!config) return config.error();
    return config->resolve(env);
}

kcontrol::error no_directory(const kcontrol::error& why) {
    return kcontrol::error(why.code(), "--clusters: " + why.message() +
                                           "; it must be a directory of kubeconfigs, one a file (for a single file: "
                                           "--kubeconfig FILE)");
}

result<source> directory_once(kcontrol::environment& env, const std::string& directory) {
    auto found = kcontrol::scan_directory(env, directory, trust);
    if (!found) return no_directory(found.error());
    std::vector<desired_cluster> out;
    for (auto& [name, config] : *found) out.emplace_back(std::move(name), std::move(config));
    return fixed(std::move(out));
}

// Those that are named, or the current one.
result<source> contexts_of(kcontrol::environment& env, const kcontrol::auth::kubeconfig& config, const options& o) {
    std::vector<std::string> names = o.contexts();
    if (names.empty()) names.push_back(config.current_context());
    std::vector<desired_cluster> out;
    for (const auto& name : names) {
        auto resolved = config.resolve(env, name);
        // One context that does not exist is a slip on the command line; better said at once.
        if (!resolved && out.empty() && names.size() == 1) return resolved.error();
        const bool taken = std::any_of(out.begin(), out.end(), [&](const auto& c) { return c.name == name; });
        if (!taken) out.emplace_back(name.empty() ? "default" : name, std::move(resolved));
    }
    return fixed(std::move(out));
}

result<source> contexts(kcontrol::environment& env, const options& o) {
    const auto config = kcontrol::auth::kubeconfig::load(env, o.kubeconfig(), trust);
    auto found = config ? contexts_of(env, *config, o) : result<source>(config.error());
    if (!found) return found.error().with_context("--kubeconfig");
    return found;
}

result<source> own_cluster(kcontrol::environment& env) {
    auto config = kcontrol::auth::in_cluster_config(env);
    if (!config) {
        return config.error().with_context(
            "no --clusters and no --kubeconfig given, no kubeconfig at $KUBECONFIG or ~/.kube/config, and this is not "
            "a "
            "pod of a cluster");
    }
    std::vector<desired_cluster> out;
    out.emplace_back("in-cluster", std::move(*config));
    return fixed(std::move(out));
}

bool in_pod(const kcontrol::environment& env) {
    const auto is_set = [&env](const char* name) { return !env.variable(name).value_or("").empty(); };
    return is_set("KUBERNETES_SERVICE_HOST") && is_set("KUBERNETES_SERVICE_PORT");
}

// Told nothing: $KUBECONFIG, the cluster whose pod this runs in, ~/.kube/config.
result<source> told_nothing(kcontrol::environment& env, const options& o) {
    const bool named = !env.variable("KUBECONFIG").value_or("").empty();
    if (in_pod(env) && !named && o.contexts().empty()) return own_cluster(env);
    const auto config = kcontrol::auth::default_kubeconfig(env);
    if (!config) return config.error();
    if (config->empty()) return own_cluster(env);
    return contexts_of(env, *config, o);
}

result<source> from_secrets(kcontrol::environment& env, kcontrol::executor ex, const options& o,
                            const kcontrol::logger& log) {
    auto home = home_cluster(env, o, "--clusters-from-secrets");
    if (!home) return home.error();
    auto settings = kcontrol::secret_source_options().in_namespace(o.secrets_namespace()).log(log.with("home", "true"));
    return source(std::make_unique<kcontrol::secret_source>(env, std::move(ex), std::move(*home),
                                                            kcontrol::http::make_transport_factory(env), settings));
}

result<source> from_state_file(kcontrol::environment& env, kcontrol::executor ex, const memory& kept, const options& o,
                               const kcontrol::logger& log) {
    auto records = std::make_shared<kept_records>(env, kept.file(), o.state().key_file(), log);
    auto how = kcontrol::record_source_options().trust(trust).worker(kept.worker()).log(log);
    return source(std::make_unique<kcontrol::record_source>(env, std::move(ex), std::move(records), std::move(how)));
}

}  // namespace

result<kcontrol::auth::cluster_config> home_cluster(kcontrol::environment& env, const options& o,
                                                    const std::string& needed_by) {
    const bool own = o.home_kubeconfig().empty();
    auto home = own ? kcontrol::auth::in_cluster_config(env) : load(env, o.home_kubeconfig());
    if (home) return home;
    return home.error().with_context(own ? needed_by + " without --home-kubeconfig FILE" : "--home-kubeconfig");
}

result<source> make_source(kcontrol::environment& env, kcontrol::executor ex, const options& o, memory* kept,
                           const kcontrol::logger& log) {
    if (!o.kubeconfig().empty()) return contexts(env, o);
    if (!o.secrets_namespace().empty()) return from_secrets(env, std::move(ex), o, log);
    if (o.clusters_directory().empty()) {
        if (!kept) return told_nothing(env, o);
        if (in_pod(env) && !kept->has_clusters()) return own_cluster(env);
        return from_state_file(env, std::move(ex), *kept, o, log);
    }
    if (o.once()) return directory_once(env, o.clusters_directory());
    if (const auto files = env.list_directory(o.clusters_directory()); !files) return no_directory(files.error());
    return source(std::make_unique<kcontrol::directory_source>(env, std::move(ex), o.clusters_directory(), trust, log));
}

}  // namespace training_monitor
