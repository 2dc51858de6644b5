// PB-11: many clusters in one process, a kind each, against the peers' replay server, over TLS: the time until every
// object of every cluster is in a store, what a cluster takes in memory, how many threads and connections there are,
// how long it takes that one cluster leaves, and what that gives back.
//
// usage: clusters URL CA_FILE COUNT [KINDS [http2]]
// KINDS: 1 (which is pods), or 3, of which two are projections of pods that are watched apart.
// Prints "phase TAB value TAB unit" as the peers' programs do.
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/multicluster/multicluster_manager.hpp>
#include <kcontrol/runtime/wait.hpp>

#include "measure.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace kcontrol_bench;
using kcontrol::cluster_state;
using kcontrol::resource_of;

struct place {
    kcontrol::text node;
    static constexpr auto kcontrol_fields() { return kcontrol::fields(kcontrol::field("nodeName", &place::node)); }
};
// Two kinds of which the server knows nothing: it is asked for pods.
struct placed_pod {
    static constexpr kcontrol::resource_name kcontrol_resource{"", "v1", "PlacedPod", "pods"};
    kcontrol::object_meta metadata;
    place spec;
    static constexpr auto kcontrol_fields() { return kcontrol::fields(kcontrol::field("spec", &placed_pod::spec)); }
};
struct other_pod {
    static constexpr kcontrol::resource_name kcontrol_resource{"", "v1", "OtherPod", "pods"};
    kcontrol::object_meta metadata;
    place spec;
    static constexpr auto kcontrol_fields() { return kcontrol::fields(kcontrol::field("spec", &other_pod::spec)); }
};

std::vector<kcontrol::kind_choice> kinds(std::size_t count) {
    std::vector<kcontrol::kind_choice> out;
    out.emplace_back(resource_of<kcontrol::api::core::v1::pod>());
    if (count == 1) return out;
    out.emplace_back(resource_of<placed_pod>());
    out.emplace_back(resource_of<other_pod>());
    return out;
}

class session {
public:
    session(kcontrol::environment& env, boost::asio::io_context& context, kcontrol::auth::cluster_config server,
            std::size_t count, std::size_t kind_count, bool http2)
        : env_(env), server_(std::move(server)) {
        kcontrol::multicluster_options o;
        o.transport(kcontrol::http::make_transport_factory(env, kcontrol::http::transport_options().http2(http2)));
        o.kinds(kinds(kind_count));
        o.on_status([this](const kcontrol::cluster_status& now) {
            if (now.state == cluster_state::live) last_live_ = env_.now();
        });
        o.on_removed([this](const std::string&) { removed_at_ = env_.now(); });
        m_.emplace(env, context.get_executor(), std::move(o));
        for (std::size_t i = 0; i < count; ++i) names_.push_back("c" + std::to_string(i));
    }

    kcontrol::awaitable<void> run() {
        try {
            co_await sync();
            co_await disengage();
        } catch (const std::exception& failed) {
            failure = failed.what();
        }
        co_await m_->stop();
    }

    std::string failure;

private:
    std::vector<kcontrol::desired_cluster> desired() const {
        std::vector<kcontrol::desired_cluster> out;
        for (const auto& name : names_) out.emplace_back(name, server_);
        return out;
    }
    // The objects of clusters that are live; nothing if one is not.
    std::optional<double> objects() const {
        double out = 0;
        for (const auto& one : m_->statuses()) {
            if (one.state != cluster_state::live) return std::nullopt;
            out += static_cast<double>(one.kinds.at(0).informer.objects);
            for (const auto& kind : one.kinds) {
                if (!kind.informer.synced) return std::nullopt;
            }
        }
        return out;
    }

    kcontrol::awaitable<void> sync() {
        auto all = desired();
        const double cpu_before = cpu_us(), live_before = live(), anonymous_before = anonymous();
        const auto start = env_.now();
        m_->set_desired(std::move(all));
        // Looking costs time as well, so not often.
        while (!objects()) {
            if (env_.now() > start + std::chrono::minutes(5)) throw std::runtime_error("not synced after 5 min");
            co_await pause(std::chrono::milliseconds(50));
        }
        const double seconds = std::chrono::duration<double>(last_live_ - start).count();
        const auto count = static_cast<double>(names_.size());
        print("sync", seconds, "s to all synced");
        print("sync", (cpu_us() - cpu_before) / count, "us CPU/cluster");
        co_await pause(std::chrono::seconds(2));  // what the peers wait before they look
        const auto held = objects();
        if (!held) throw std::runtime_error("not all clusters are live");
        std::printf("check\t%.0f\tobjects\n", *held);
        print("rest", (anonymous() - anonymous_before) / 1024 / count, "KB RSS/cluster");
        print("rest", (live() - live_before) / 1024 / count, "KB live/cluster");
        print("rest", status_bytes("Threads:") / 1024, "threads");
        print("rest", static_cast<double>(sockets()) / count, "connections/cluster");
        // What malloc keeps of what was needed at the beginning, a program may have it give back.
        malloc_trim(0);
        print("trimmed", (anonymous() - anonymous_before) / 1024 / count, "KB RSS/cluster, trimmed");
    }

    // One after another leaves, while the others stay.
    kcontrol::awaitable<void> disengage() {
        std::vector<double> ms;
        double cpu = 0;
        const double live_before = live();
        for (int i = 0; i < 20 && names_.size() > 1; ++i) {
            names_.erase(names_.begin() + static_cast<std::ptrdiff_t>(names_.size() / 2));
            auto rest = desired();
            removed_at_.reset();
            const auto start = env_.now();
            const double cpu_before = cpu_us();
            m_->set_desired(std::move(rest));
            while (!removed_at_) co_await pause(std::chrono::milliseconds(1));
            cpu += cpu_us() - cpu_before;
            ms.push_back(std::chrono::duration<double, std::milli>(*removed_at_ - start).count());
        }
        if (ms.empty()) co_return;
        print("disengage", (live_before - live()) / 1024 / static_cast<double>(ms.size()), "KB given back by each");
        std::sort(ms.begin(), ms.end());
        print("disengage", cpu / 1000 / static_cast<double>(ms.size()), "ms CPU");
        print("disengage", ms[ms.size() / 2], "ms until one has left, median");
        print("disengage", ms.back(), "ms until one has left, longest of 20");
    }

    kcontrol::awaitable<void> pause(kcontrol::duration time) {
        const std::stop_token never;
        co_await kcontrol::sleep_for(env_, time, never);
    }

    kcontrol::environment& env_;
    kcontrol::auth::cluster_config server_;
    std::optional<kcontrol::multicluster_manager> m_;
    std::vector<std::string> names_;
    kcontrol::time_point last_live_{};
    std::optional<kcontrol::time_point> removed_at_;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4 || argc > 6) return std::fprintf(stderr, "usage: clusters URL CA_FILE COUNT [KINDS [http2]]\n"), 2;
    try {
        kcontrol::system_environment env;
        boost::asio::io_context context(1);
        session measured(env, context, cluster(argv[1], argv[2]), std::stoul(argv[3]),
                         argc > 4 ? std::stoul(argv[4]) : 1, argc > 5);
        boost::asio::co_spawn(context, measured.run(), boost::asio::detached);
        context.run();
        if (!measured.failure.empty()) throw std::runtime_error(measured.failure);
    } catch (const std::exception& failed) {
        return std::fprintf(stderr, "clusters: %s\n", failed.what()), 1;
    }
    return 0;
}
