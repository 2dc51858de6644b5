// The sharding of a multicluster_manager: it engages those clusters that are this replica's.
#pragma once

#include <kcontrol/multicluster/impl/multicluster_manager_impl.hpp>

#include <utility>

namespace kcontrol::inline v0_1 {

// Where nothing can be shared no cluster is engaged: that another replica has it can't be excluded.
inline void multicluster_manager::impl::prepare_to_share() {
    const auto refuse = [this](const error& why) {
        options->log().error("no cluster is engaged, for they can't be shared", {{"error", why.what()}});
        lead_error = why;
    };
    if (options->leader_election()) {
        return refuse(error(errc::invalid_argument,
                            "multicluster_options has both leader_election() and sharding(): where replicas share the "
                            "clusters none of them leads; leave one of the two"));
    }
    const result<void> usable = options->sharding()->validate();
    if (!usable) return refuse(usable.error());
    auto cl = client::connect(env, home, *options->home(), options->transport(), options->log());
    if (!cl) return refuse(cl.error().with_context("the cluster of the Leases"));
    sharding =
        std::make_shared<detail::cluster_sharding>(env, home, std::move(*cl), *options->sharding(), options->log());
    const auto take = [this](const std::string& name) {
        const auto found = offered.find(name);
        if (found != offered.end()) return engage(found->second);
        sharding->disengaged(name);
    };
    const auto leave = [this](const std::string& name) {
        if (members.count(name) == 0) return sharding->disengaged(name);
        disengage(name, offered.count(name) == 0 ? farewell::left : farewell::given_away, {});
    };
    const auto publish = [this](const sharding_stats& now) {
        book->member(now.member);
        if (board) board->set_sharding(to_string(sharding->options().group()), now);
    };
    sharding->notify(take, leave, publish);
}

inline void multicluster_manager::impl::share(std::vector<desired_cluster> desired) {
    if (!sharding) return;
    const result<void> begun = sharding->start();
    if (!begun) {
        options->log().error("no cluster is engaged, for they can't be shared", {{"error", begun.error().what()}});
        lead_error = begun.error();
        return;
    }
    const auto& unsharded = options->sharding()->unsharded_clusters();
    std::set<std::string> names;
    offered.clear();
    for (const auto& one : desired) {
        if (unsharded.count(one.name) != 0) continue;
        names.insert(one.name);
        offered.insert_or_assign(one.name, one);
    }
    disengage_others(desired, farewell::left, {});
    for (auto& one : desired) {
        if (unsharded.count(one.name) != 0 || sharding->holds(one.name)) engage(std::move(one));
    }
    sharding->want(names);
}

// Requests to a cluster that is shared are sent only while this replica has it.
inline std::shared_ptr<const multicluster_options> multicluster_manager::impl::options_for(
    const std::string& name) const {
    if (!sharding || options->sharding()->unsharded_clusters().count(name) != 0) return options;
    auto own = std::make_shared<multicluster_options>(*options);
    own->transport(detail::held_transports(options->transport(), sharding->gate(name)));
    return own;
}

}  // namespace kcontrol
