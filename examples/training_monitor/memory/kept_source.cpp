#include "memory/kept_source.hpp"

#include <kcontrol/auth/kubeconfig.hpp>

#include <utility>

namespace training_monitor {
namespace {

namespace auth = kcontrol::auth;
using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;

constexpr std::size_t largest_kubeconfig = std::size_t{1} << 20;

// Whoever writes to the state file and knows the key is the user of this program: their kubeconfig may name files.
result<auth::cluster_config> resolve(kcontrol::environment& env, const kept_cluster& cluster,
                                     const std::optional<result<crypto::seal_key>>& key) {
    kcontrol::secret_string text;
    if (cluster.sealed.empty()) {
        auto read = env.read_file(cluster.path, largest_kubeconfig);
        if (!read) return read.error();
        text = kcontrol::secret_string(std::move(*read));
    } else {
        if (!key) return error(errc::invalid_config, "its kubeconfig is sealed: give the key with --key-file FILE");
        if (!*key) return key->error();
        auto opened = (*key)->open(cluster.sealed, seal_binding(cluster));
        if (!opened) return opened.error();
        text = std::move(*opened);
    }
    const auto parsed = auth::kubeconfig::parse(text.reveal(), cluster.path, auth::trust::trusted);
    if (!parsed) return parsed.error();
    return parsed->resolve(env, cluster.context);
}

}  // namespace

std::string seal_binding(const kept_cluster& cluster) {
    return "training_monitor cluster" + ('\0' + cluster.name) + ('\0' + cluster.context) + ('\0' + cluster.path);
}

kcontrol::desired_cluster to_desired(kcontrol::environment& env, const kept_cluster& cluster,
                                     const std::optional<result<crypto::seal_key>>& key) {
    return kcontrol::desired_cluster(cluster.name, resolve(env, cluster, key));
}

kept_source::kept_source(kcontrol::environment& env, kcontrol::executor ex, memory& kept, std::string key_file,
                         kcontrol::logger log)
    : env_(env), kept_(kept), key_file_(std::move(key_file)), log_(log), tasks_(env, std::move(ex), std::move(log)) {}

kept_source::~kept_source() { stop(); }

result<void> kept_source::start(std::function<void(std::vector<kcontrol::desired_cluster>)> on_change) {
    on_change_ = std::move(on_change);
    kept_.watch_clusters([this](std::vector<kept_cluster> clusters) {
        if (clusters.empty() && !clusters_) {
            log_.info("the state file keeps no cluster yet: `training_monitor cluster add` puts one there");
        }
        clusters_ = std::move(clusters);
        publish();
    });
    tasks_.spawn(run(lifetime_.token()));
    return {};
}

void kept_source::stop() {
    if (!on_change_) return;
    kept_.watch_clusters(nullptr);
    on_change_ = nullptr;
    lifetime_.stop();
}

kcontrol::awaitable<void> kept_source::run(std::stop_token stop) {
    while (!stop.stop_requested()) {
        co_await kcontrol::sleep_for(env_, read_again, stop);
        if (!stop.stop_requested()) publish();
    }
}

void kept_source::publish() {
    if (!on_change_ || !clusters_) return;
    std::optional<result<crypto::seal_key>> key;
    if (!key_file_.empty()) key = crypto::seal_key::load(env_, key_file_);
    std::vector<kcontrol::desired_cluster> next;
    for (const auto& cluster : *clusters_) next.push_back(to_desired(env_, cluster, key));
    if (published_ && *published_ == next) return;
    published_ = next;
    on_change_(std::move(next));
}

}  // namespace training_monitor
