#pragma once

#include <kcontrol/controller/builder.hpp>

#include <utility>

namespace kcontrol::inline v0_1::detail {

KCONTROL_DECL std::shared_ptr<cached_source> builder_core::source_of(const resource_info& kind,
                                                                     const kind_options* how) {
    cluster& of = host_->get_cluster();
    if (how == nullptr) return of.source_of(kind);
    auto made = of.source_with(kind, *how);
    if (made) return *made;
    if (!refused_) refused_ = made.error().with_context("controller " + name_);
    return nullptr;
}

KCONTROL_DECL void builder_core::watch(std::shared_ptr<event_source> source, event_handler<request> handler,
                                       std::vector<predicate> predicates) {
    watched added;
    added.source = std::move(source);
    added.handler = std::move(handler);
    added.predicates = std::move(predicates);
    watched_.push_back(std::move(added));
}

KCONTROL_DECL result<std::shared_ptr<controller>> builder_core::complete(reconciler<request> reconcile) {
    if (refused_) return *refused_;
    cluster& of = host_->get_cluster();
    if (!options.log()) options.log(of.log());
    host_->adjust(options);
    auto made = std::make_shared<controller>(of.env(), of.get_executor(), name_, std::move(reconcile), options);
    made->work_on(of);
    if (!of.name().empty()) {
        made->complete_with([name = of.name()](request& req) {
            if (req.cluster.empty()) req.cluster = name;
        });
    }
    // The host's cluster outlives the run of the controller, and nobody else asks.
    if (options.hold_back()) made->watch_load([&of] { return of.get_client().load(); });
    if (options.read_own_writes()) made->watch_writes([&of] { return of.get_client().cache(); });
    bool primary = true;  // the first is what the controller is for
    for (watched& w : watched_) {
        std::vector<predicate> predicates = event_filter;
        for (predicate& p : w.predicates) predicates.push_back(std::move(p));
        if (std::exchange(primary, false)) {
            made->watch_primary(std::move(w.source), std::move(w.handler), std::move(predicates),
                                [](const any_object& object) { return request(object.key()); });
        } else {
            made->watch(std::move(w.source), std::move(w.handler), std::move(predicates));
        }
    }
    host_->prepare(*made);
    const result<void> taken = host_->add(made);
    if (!taken) return taken.error();
    return made;
}

}  // namespace kcontrol::detail
