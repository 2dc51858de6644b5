// What an engaged cluster says of itself: its status, its metrics and its log.
#pragma once

#include <kcontrol/base/thrown.hpp>
#include <kcontrol/multicluster/impl/engaged_cluster_impl.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

inline void add_kinds(std::vector<kind_status>& to, const std::vector<informer_report>& others) {
    const std::size_t named = to.size();
    for (const auto& report : others) {
        if (to.size() > named && to.back().gvk == report.gvk) {  // they are sorted by kind
            merge(to.back().informer, report.status);
        } else {
            to.push_back({report.gvk, report.status});
        }
    }
}

// Signs of life are published now and then: a quiet cluster must not look like a dead one.
inline bool heard_since(const std::optional<wall_time>& then, const std::optional<wall_time>& now) {
    return now && (!then || *now - *then >= std::chrono::seconds(10));
}

}  // namespace detail

inline void engaged_cluster::impl::log_refusal(const error& why) {
    if (!life.used()) return;  // that the cluster has failed is logged with this reason
    const auto entry = refusals.failed(why.code(), env.now());
    if (!entry) return;
    log.warning("the cluster's new configuration can't be used; the one before stays in use",
                failure_fields("reason", why.what(), *entry));
}

inline std::pair<cluster_state, error_code> engaged_cluster::impl::cause_of(const cluster_status& now) const {
    if (now.state == cluster_state::unreachable) return {now.state, {}};
    if (!life.used() && life.failure()) return {now.state, life.failure()->code()};
    if (life.thrown()) return {now.state, errc::callback_failed};
    error_code code;
    for (const auto& kind : now.kinds) {
        const bool failed = kind.informer.state == informer_state::failed;
        if (failed || (kind.informer.state == informer_state::forbidden && !code)) code = kind.informer.failure;
        if (failed) break;
    }
    return {now.state, code};
}

inline void engaged_cluster::impl::log_state(const cluster_status& now) {
    if (now.state == cluster_state::connecting) return;
    const std::string message = "the cluster is " + std::string(to_string(now.state));
    if (now.state != cluster_state::live) {
        const auto entry = journal.failed(cause_of(now), env.now());
        if (entry) log.warning(message, failure_fields("reason", now.reason, *entry));
        return;
    }
    const auto entry = journal.recovered(env.now());
    if (!entry) return;
    std::vector<log_field> fields;
    append_recovery_field(fields, *entry);
    log.info(message, std::move(fields));
}

inline void engaged_cluster::impl::publish_counts() {
    if (!ticks) ticks = env.make_timer(strand);
    ticks->async_wait(env.now() + std::chrono::seconds(1), [weak = weak_from_this()](bool expired) {
        const auto self = weak.lock();
        if (!expired || !self || self->lifetime.stopped()) return;
        try {
            self->publish();
        } catch (...) {
            self->log.error("the status can't be published; it is tried again", {{"error", describe_thrown()}});
        }
        if (self->ticks) self->publish_counts();
    });
}

inline bool engaged_cluster::impl::in_slot(const any_informer& one) const {
    for (const auto& slot : slots) {
        for (const auto& version : slot->versions) {
            for (const auto& watched : version.informers) {
                if (watched.get() == &one || watched->shares_watch_with(one)) return true;
            }
        }
    }
    return false;
}

inline std::vector<informer_report> engaged_cluster::impl::reports(bool of_slots) const {
    if (!informers) return {};
    auto chosen = informers->all();
    std::erase_if(chosen, [&](const auto& one) { return in_slot(*one) != of_slots; });
    return reports_of(chosen);
}

inline std::vector<informer_report> engaged_cluster::impl::all_reports(std::vector<informer_report> others) const {
    auto all = reports(true);
    all.insert(all.end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
    return all;
}

inline cluster_status engaged_cluster::impl::current(const std::vector<informer_report>& others) const {
    cluster_status out;
    out.name = name;
    out.generation = life.generation();
    if (life.used()) out.server = life.used()->server_url();
    for (const auto& slot : slots) out.kinds.push_back(slot->status());
    detail::add_kinds(out.kinds, others);
    for (const auto& kind : out.kinds) {
        const auto& heard = kind.informer.last_event;
        if (heard && (!out.last_sync || *heard > *out.last_sync)) out.last_sync = heard;
    }
    std::tie(out.state, out.reason) = derive_cluster_state(out.kinds);
    const auto& failure = life.failure();
    if (failure && !life.used()) {
        out.state = cluster_state::failed;
        out.reason = failure->what();
    } else if (life.thrown()) {
        out.state = cluster_state::failed;
        out.reason = *life.thrown() + "; it is called again";
    } else if (out.reason.empty()) {
        out.reason = failure ? failure->what() : life.warning();
    }
    out.callback_exceptions = calls.thrown();
    out.last_callback_exception = calls.last_thrown();
    return out;
}

inline void engaged_cluster::impl::publish() {
    if (lifetime.stopped()) return;
    auto others = reports(false);
    auto now = current(others);
    log_state(now);
    if (!life.failure()) refusals.recovered(env.now());
    if (options->budget().bounds_caches() && life.running()) {
        auto why = options->budget().exceeded_by(all_reports(others));
        // A task of its own: what it ends may have called this.
        if (why && life.exceed()) asio::co_spawn(strand, end(shared_from_this(), std::move(why)), asio::detached);
    }
    if (board) {
        detail::cluster_board::entry shown;
        shown.state = now.state;
        shown.generation = now.generation;
        shown.informers = all_reports(std::move(others));
        if (informers) {
            shown.reads = informers->reads();
            shown.audits = informers->audits();
            shown.requests = informers->get_client().requests();
        }
        shown.breaker = {options->budget().max_consecutive_failures() != 0, budgeted->shut(), budgeted->trips,
                         budgeted->refused};
        if (options->budget().max_concurrent_requests() != 0) shown.requests_waiting = budgeted->waiting();
        for (const auto& one : groups.controllers()) shown.controllers.emplace(one->name(), one->stats());
        if (recorders) shown.recorders = recorders->reports();
        board->set(name, std::move(shown));
    }
    if (published && equal_ignoring_times(*published, now) && !detail::heard_since(published->last_sync, now.last_sync))
        return;
    published = now;
    if (!options->on_status()) return;
    const bool returned = calls.call("on_status()", [&] { options->on_status()(now); });
    if (!returned) published.reset();  // and so it is called again, within a second
}

}  // namespace kcontrol
