#pragma once

#include <kcontrol/client/list_meter.hpp>
#include <kcontrol/cluster/detail/cache_audit.hpp>
#include <kcontrol/cluster/informer_set.hpp>
#include <kcontrol/codec/metadata_object.hpp>
#include <kcontrol/model/resource_version.hpp>

#include <algorithm>
#include <utility>

namespace kcontrol::inline v0_1::detail {

// A cache says how far it is with a bookmark a minute, so it is late after two.
inline constexpr duration audit_patience = std::chrono::minutes(2);
// What is looked at again in one audit of a kind; the rest of so many differences is left to the next one.
inline constexpr std::size_t most_confirmed = 100;
inline constexpr std::int64_t audit_page = 500;

inline versions_by_key versions_in(const any_informer& from) {
    versions_by_key out;
    const store_snapshot now = from.objects().snapshot();
    now.for_each([&](const any_object& one) { out.emplace(one.key(), one.meta().resource_version.str()); });
    return out;
}

inline std::string version_in(const any_informer& from, const namespaced_name& key) {
    const any_object present = from.objects().get(key);
    return present ? present.meta().resource_version.str() : std::string();
}

KCONTROL_DECL cache_audit::cache_audit(environment& env, executor ex, logger log, informer_set& set, duration period)
    : env_(&env), log_(std::move(log)), set_(&set), period_(period), tasks_(env, std::move(ex), log_) {}

KCONTROL_DECL void cache_audit::start(std::stop_token stop) { tasks_.spawn(run(shared_from_this(), std::move(stop))); }

KCONTROL_DECL awaitable<void> cache_audit::join() {
    const auto self = shared_from_this();
    co_await tasks_.join();
}

KCONTROL_DECL std::vector<cache_audit::subject> cache_audit::subjects() const {
    std::vector<subject> out;
    set_->for_each_shared([&](const informer_options& options, const std::shared_ptr<any_informer>& made, const auto*) {
        const bool another_view = std::any_of(
            out.begin(), out.end(), [&](const subject& one) { return one.watched->shares_watch_with(*made); });
        if (!another_view) out.push_back({made, options});
    });
    return out;
}

KCONTROL_DECL const resource_info& cache_audit::metadata_of(const resource_info& info) {
    auto& made = metadata_[info.gvk];
    if (!made) made = std::make_unique<resource_info>(metadata_resource(info.gvk, info.plural, info.scope));
    return *made;
}

inline awaitable<void> cache_audit::run(std::shared_ptr<cache_audit> self, std::stop_token stop) {
    while (!stop.stop_requested()) {
        const duration pause =
            std::chrono::duration_cast<duration>(self->period_ * (0.9 + 0.2 * random_unit(*self->env_)));
        co_await sleep_for(*self->env_, pause, stop);
        if (stop.stop_requested() || self->set_ == nullptr) co_return;
        const auto all = self->subjects();
        for (const subject& one : all) {
            if (stop.stop_requested() || self->set_ == nullptr) co_return;
            if (one.watched->status().state == informer_state::live) co_await self->audit(one, stop);
        }
    }
}

KCONTROL_DECL awaitable<std::optional<versions_by_key>> cache_audit::list(const subject& what, std::string& as_of,
                                                                          std::stop_token stop) {
    versions_by_key out;
    client asks = set_->get_client();
    list_options options;
    options.in_namespace(what.options.in_namespace())
        .label_selector(what.options.label_selector())
        .field_selector(what.options.field_selector())
        .shard_selector(what.options.shard_selector())
        .limit(audit_page)
        .stop(stop);
    list_meter meter(what.options.list_limits(), env_->now());
    for (bool first = true;; first = false) {
        const auto page = co_await asks.list_page(metadata_of(what.watched->info()), options);
        if (!page || meter.add(*page, env_->now())) co_return std::nullopt;
        if (first) as_of = page->resource_version;
        for (const any_object& one : page->items) out.emplace(one.key(), one.meta().resource_version.str());
        if (page->continue_token.empty()) break;
        options.continue_token(page->continue_token);
    }
    co_return std::optional<versions_by_key>(std::move(out));
}

KCONTROL_DECL awaitable<std::optional<std::string>> cache_audit::ask(const resource_info& info, namespaced_name key,
                                                                     std::stop_token stop) {
    using answer = std::optional<std::string>;
    client asks = set_->get_client();
    get_options options;
    options.stop(stop);
    const auto found = co_await asks.get(metadata_of(info), key, options);
    if (found) co_return answer(found->meta().resource_version.str());
    if (found.error() == api_errc::not_found) co_return answer(std::string());
    co_return answer();
}

// A difference is one if the cache has had the time to see what the server has, and the server has had it all along.
KCONTROL_DECL awaitable<cache_audit::verdict> cache_audit::confirm(const subject& what, audit_finding& found,
                                                                   std::stop_token stop) {
    const resource_info& info = what.watched->info();
    const auto before = co_await ask(info, found.key, stop);
    if (!before || stop.stop_requested() || set_ == nullptr) co_return verdict::unknown;
    if (*before != found.served) co_return verdict::well;  // it has changed since: the next audit sees to it
    if (compare_resource_version(found.cached.empty() ? found.served : found.cached, "1")) {
        object_meta wanted;
        wanted.namespace_ = found.key.namespace_;
        wanted.name = found.key.name;
        wanted.resource_version = *before;
        const auto seen = co_await what.watched->at_least(wanted, stop, env_->now() + audit_patience);
        if (!seen) co_return verdict::unknown;
    } else {
        co_await sleep_for(*env_, audit_patience, stop);  // without an order nobody can say how far it is
    }
    if (stop.stop_requested() || set_ == nullptr) co_return verdict::unknown;
    found.cached = version_in(*what.watched, found.key);
    if (found.cached == *before) co_return verdict::well;
    const auto after = co_await ask(info, found.key, stop);
    if (!after) co_return verdict::unknown;
    const bool same = *after == *before && version_in(*what.watched, found.key) == found.cached;
    co_return same ? verdict::differs : verdict::well;
}

KCONTROL_DECL awaitable<void> cache_audit::audit(const subject& what, std::stop_token stop) {
    const auto self = shared_from_this();
    audit_counts& count = counts_[what.watched->info().gvk];
    std::string as_of;
    const auto served = co_await list(what, as_of, stop);
    if (stop.stop_requested() || set_ == nullptr) co_return;
    bool known = served.has_value();
    if (known && compare_resource_version(as_of, "1")) {
        object_meta all;
        all.resource_version = as_of;
        const auto seen = co_await what.watched->at_least(all, stop, env_->now() + audit_patience);
        known = seen.has_value();
    }
    std::vector<audit_finding> found;
    if (known) {
        auto doubted = compare_with_list(versions_in(*what.watched), *served, as_of);
        for (const auto& unreadable : what.watched->objects().invalid()) {  // told elsewhere
            std::erase_if(doubted, [&](const audit_finding& one) { return one.key == unreadable->key(); });
        }
        if (doubted.size() > most_confirmed) doubted.resize(most_confirmed);
        for (audit_finding& one : doubted) {
            const verdict is = co_await confirm(what, one, stop);
            if (stop.stop_requested() || set_ == nullptr) co_return;
            if (is == verdict::differs) found.push_back(one);
            known = known && is != verdict::unknown;
        }
    }
    if (stop.stop_requested()) co_return;
    if (!found.empty() || known) conclude(what, found);
    ++(!found.empty() ? count.different : (known ? count.clean : count.inconclusive));
}

KCONTROL_DECL void cache_audit::conclude(const subject& what, const std::vector<audit_finding>& found) {
    const resource_info& info = what.watched->info();
    const std::string scope = what.options.in_namespace() + " " + what.options.label_selector() + " " +
                              what.options.field_selector() + " " + what.options.shard_selector();
    audit_journal& journal = told_[{info.gvk, scope}];
    const auto named = [](const std::string& version) { return version.empty() ? std::string("none") : version; };
    for (const audit_finding& one : journal.found(found)) {
        log_.error("the cache differs from the server", {{"kind", info.gvk.kind},
                                                         {"object", kcontrol::to_string(one.key)},
                                                         {"cached_version", named(one.cached)},
                                                         {"server_version", named(one.served)}});
    }
    std::size_t all = 0;
    for (const auto& [of, one] : told_) all += of.first == info.gvk ? one.size() : 0;
    counts_[info.gvk].differences = all;
}

}  // namespace kcontrol::detail
