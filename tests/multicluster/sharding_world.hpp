// Replicas of one program that share clusters, each a process of its own: with its clocks, its ways to the servers and
// its pauses. Every request that arrives is held against who has the cluster by then.
#pragma once

#include <kcontrol/http/url.hpp>
#include <kcontrol/metrics/metrics_registry.hpp>
#include <kcontrol/multicluster/detail/rendezvous.hpp>
#include <kcontrol/multicluster/detail/shard_lease.hpp>
#include <kcontrol/multicluster/directory_source.hpp>
#include <kcontrol/multicluster/divided_source.hpp>
#include <kcontrol/multicluster/multicluster_controller.hpp>
#include <kcontrol/multicluster/multicluster_manager.hpp>

#include "leader/stage.hpp"
#include "support/widget_world.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::test {

class sharding_world;

class replica_process {
public:
    replica_process(sharding_world& world, std::string name, std::uint32_t weight, const std::string& group,
                    metrics_registry* registry);

    void want(const std::set<std::string>& clusters);
    void link(const std::string& server, testing::link_state state);
    /// As SIGKILL: it never runs again, and its connections end.
    void kill();
    bool alive() const { return !killed; }
    std::string way(const std::string& server) const { return name + "-to-" + server; }

    std::string name;
    sharding_world& of;
    machine_environment env;
    std::shared_ptr<process_executor::gate> gate;
    executor ex;
    std::unique_ptr<multicluster_manager> m;
    std::string log;
    bool killed = false;
    bool deaf = false;  // the server refuses it lists and watches of the Leases

private:
    reconciliation reconcile(reconcile_context ctx, std::shared_ptr<const widget> w);
};

class sharding_world : public widget_world {
public:
    /// With `parts` there is one cluster, "big", divided into so many; each has objects.
    explicit sharding_world(int count, std::uint64_t seed = 1, std::size_t divided_into = 0)
        : widget_world(seed), leases(add("home").api), parts(divided_into) {
        if (parts > 0) divide();
        for (int i = 0; parts == 0 && i < count; ++i) {
            const std::string name = "c" + std::to_string(i);
            names.insert(name);
            add(name).create("w");
        }
    }
    ~sharding_world() {
        watching = false;
        for (auto& one : replicas) {
            one->gate->resume();
            for (const auto& server : servers()) one->link(server, testing::link_state::up);
        }
        for (auto& one : replicas) {
            if (one->killed) continue;
            world.ends_within(5min, one->m->stop());
        }
        for (auto& one : replicas) one->m.reset();
        world.run_for(2min);
    }

    replica_process& start(std::uint32_t weight = 1, const std::string& group = "fleet",
                           metrics_registry* registry = nullptr) {
        replicas.push_back(
            std::make_unique<replica_process>(*this, "r" + std::to_string(replicas.size()), weight, group, registry));
        replicas.back()->want(names);
        return *replicas.back();
    }
    std::set<std::string> servers() const {
        std::set<std::string> out;
        for (const auto& one : names) out.insert(server_of(one));
        out.insert("home");
        return out;
    }
    /// Of a part, the cluster that it is a part of.
    static std::string server_of(const std::string& cluster) { return cluster.substr(0, cluster.find('#')); }
    shard_selector part(std::size_t i) const {
        return shard_selector::part(shard_selector::by::namespace_, i, parts).value();
    }
    /// Whom the cluster's Lease names; empty: nobody.
    std::string holder(const std::string& cluster) const {
        const auto claim =
            leases.get({"coordination.k8s.io", "leases"}, {"default", detail::claim_name("fleet", cluster)});
        if (!claim) return {};
        return std::string(json::get_string(*claim, {"spec", "holderIdentity"}));
    }
    void arrived(const replica_process& from, const std::string& server, const http::server_request& r) {
        const std::string cluster = parts > 0 ? part_of(r) : server;
        if (cluster.empty()) return;  // about all of them: what the API has
        ++requests;
        if (r.method == "PATCH") written[cluster] = {from.name, world.context().now()};
        if (!watching || everywhere.count(cluster) != 0) return;
        const std::string now = holder(cluster);
        if (now != from.name)
            late.push_back(from.name + " asks " + cluster + ", which is \"" + now + "\"'s: " + r.method + " " +
                           r.target);
    }
    /// Each cluster is worked on by the one whose it is to be, since that moment.
    bool all_owned(time_point since) const {
        std::vector<detail::shard_peer> alive;
        for (const auto& one : replicas) {
            if (one->alive() && one->m) alive.emplace_back(one->name, weights.at(one->name));
        }
        for (const auto& name : names) {
            const auto found = written.find(name);
            if (found == written.end() || found->second.second < since) return false;
            if (found->second.first != detail::rendezvous(alive, name)->identity) return false;
        }
        return true;
    }
    bool until_owned(duration limit) {
        const time_point since = world.context().now();
        return world.run_until([&] { return all_owned(since); }, limit);
    }
    std::string logs() const {
        std::string out;
        for (const auto& one : replicas) out += "--- " + one->name + (one->killed ? ", dead\n" : "\n") + one->log;
        return out;
    }
    std::map<std::string, int> counts() const {
        std::map<std::string, int> out;
        for (const auto& name : names) ++out[holder(name)];
        return out;
    }

    /// Which part a request is about: that of the namespace in its path, or of its selector.
    std::string part_of(const http::server_request& r) const {
        static constexpr std::string_view in = "/namespaces/";
        const auto from = r.target.find(in);
        std::string ns;
        if (from != std::string::npos) {
            ns = r.target.substr(from + in.size());
            ns.resize(ns.find('/'));
        }
        for (std::size_t i = 0; i < parts; ++i) {
            const auto asked = http::query_builder().append("shardSelector", part(i).to_string()).text();
            const bool of_it = ns.empty() ? r.target.find(asked) != std::string::npos : part(i).selects_value(ns);
            if (of_it) return "big#" + std::to_string(i);
        }
        return {};
    }

    testing::api_server& leases;
    std::size_t parts = 0;
    std::set<std::string> names;
    std::set<std::string> everywhere;  // set it before the first replica starts
    std::map<std::string, std::uint32_t> weights;
    std::vector<std::unique_ptr<replica_process>> replicas;
    std::map<std::string, std::pair<std::string, time_point>> written;  // by whom, when
    std::vector<std::string> late;
    std::size_t requests = 0;
    bool watching = true;

private:
    void divide() {
        widget_server& big = add("big");
        for (std::size_t i = 0; i < parts; ++i) names.insert("big#" + std::to_string(i));
        std::map<std::string, int> have;
        for (std::uint32_t i = 1; have.size() < parts; ++i) {
            const std::string ns = "n-" + std::to_string(i * 2654435761U);
            std::size_t of = 0;
            while (!part(of).selects_value(ns)) ++of;
            if (++have["big#" + std::to_string(of)] > 2) continue;
            (void)big.api.create({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", ns}}}}).value();
            big.create("w", 0, ns);
        }
    }
};

inline replica_process::replica_process(sharding_world& world, std::string n, std::uint32_t weight,
                                        const std::string& group, metrics_registry* registry)
    : name(std::move(n)),
      of(world),
      env(world.env),
      gate(std::make_shared<process_executor::gate>(world.context)),
      ex(process_executor(gate)) {
    world.weights[name] = weight;
    for (const auto& server : world.servers()) {
        auto& to = world.add(server).api;
        const auto inner = to.handler();
        world.network.listen(way(server), to.get_executor(),
                             [this, server, inner](http::server_request r, http::responder& out) {
                                 if (server != "home") of.arrived(*this, server, r);
                                 const bool all = r.target.find("/leases?") != std::string::npos;
                                 if (deaf && server == "home" && r.method == "GET" && all) r.target = "/refused";
                                 return inner(std::move(r), out);
                             });
    }
    auth::cluster_config home;
    home.server(http::endpoint("https", way("home"), 443));
    multicluster_options o;
    o.informers(informer_options().probe_period(5s)).transport(world.network.factory());
    o.sharding(sharding_options({"default", group}).identity(name).weight(weight).unsharded_clusters(world.everywhere),
               home);
    if (registry != nullptr) o.metrics(*registry);
    o.log(logger([this](const log_record& r) {
        log += std::string(r.message);
        for (const auto& f : r.fields) log += " " + std::string(f.name) + "=" + f.value;
        log += "\n";
    }));
    m = std::make_unique<multicluster_manager>(env, ex, std::move(o));
    const auto work = [this](reconcile_context ctx, std::shared_ptr<const widget> w) {
        return reconcile(std::move(ctx), std::move(w));
    };
    CHECK(multicluster_controller(*m, "work").for_<widget>().complete(work));
}

// Its own write brings about the next reconcile.
inline reconciliation replica_process::reconcile(reconcile_context ctx, std::shared_ptr<const widget> w) {
    co_await sleep_for(env, 400ms, ctx.stop());
    if (ctx.stop().stop_requested()) co_return error(errc::stopped, "stopped");  // its cluster may be gone
    const namespaced_name key = key_of(w->metadata);
    const std::string patch = R"({"spec":{"value":)" + std::to_string(w->spec.value + 1) + "}}";
    client c = ctx.get_cluster().get_client();
    const auto written = co_await c.patch(resource_of<widget>(), key, "application/merge-patch+json", patch,
                                          write_options().stop(ctx.stop()));
    if (!written) co_return written.error();
    co_return reconcile_result::done();
}

inline void replica_process::want(const std::set<std::string>& clusters) {
    asio::post(ex, [this, clusters] {
        std::map<std::string, desired_cluster> desired;
        for (const auto& one : clusters) {
            const std::string server = sharding_world::server_of(one);
            auth::cluster_config config;
            config.server(http::endpoint("https", way(server), 443));
            desired.try_emplace(server, server, config);
        }
        std::vector<desired_cluster> all;
        for (auto& [server, one] : desired) all.push_back(std::move(one));
        if (of.parts == 0) return m->set_desired(std::move(all));
        divided_source parts(std::make_shared<fixed_source>(std::move(all)),
                             divided_source_options().parts(of.parts).by(shard_selector::by::namespace_));
        CHECK(parts.start([this](std::vector<desired_cluster> each) { m->set_desired(std::move(each)); }).has_value());
    });
}

inline void replica_process::link(const std::string& server, testing::link_state state) {
    of.network.set_link(way(server), state);
    if (state != testing::link_state::up) of.network.freeze_connections(way(server));
}

inline void replica_process::kill() {
    killed = true;
    gate->stopped = true;
    for (const auto& server : of.servers()) {
        of.network.set_link(way(server), testing::link_state::refused);
        of.network.break_connections(way(server));
    }
}

}  // namespace kcontrol::test
