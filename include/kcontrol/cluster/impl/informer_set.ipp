#pragma once

#include <kcontrol/cluster/detail/cache_audit.hpp>
#include <kcontrol/cluster/detail/cache_reader.hpp>
#include <kcontrol/cluster/detail/crd_rule.hpp>
#include <kcontrol/cluster/informer_set.hpp>
#include <kcontrol/cluster/informer_source.hpp>
#include <kcontrol/runtime/make_ready.hpp>
#include <kcontrol/runtime/task_group.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

inline bool same_scope(const informer_options& a, const informer_options& b) {
    return a.in_namespace() == b.in_namespace() && a.label_selector() == b.label_selector() &&
           a.field_selector() == b.field_selector() && a.shard_selector() == b.shard_selector();
}

inline bool same_kind(const resource_info& a, const resource_info& b) {
    return a.gvk == b.gvk && a.plural == b.plural && a.scope == b.scope;
}

inline awaitable<void> stop_informer(std::shared_ptr<any_informer> one) { co_await one->stop(); }

inline awaitable<void> stop_definitions(std::shared_ptr<crd_watch> watch) { co_await watch->stop(); }

}  // namespace detail

KCONTROL_DECL informer_set::informer_set(environment& env, executor ex, client cl, scopes_function scopes, logger log)
    : env_(&env),
      ex_(std::move(ex)),
      client_(cl.reading_from(nullptr)),
      reader_(std::make_shared<detail::cache_reader>(env, *this, log)),
      reading_(client_.reading_from(reader_)),
      scopes_(std::move(scopes)),
      log_(std::move(log)) {}

KCONTROL_DECL informer_set::entry::entry(informer_options o, std::shared_ptr<any_informer> m)
    : options(std::move(o)), made(std::move(m)) {
    auto parsed = detail::parse_scope(options);
    if (parsed) scope = std::make_shared<const detail::cached_scope>(std::move(*parsed));
}

KCONTROL_DECL informer_set::~informer_set() {
    reader_->detach();
    if (audit_) audit_->detach();
    clear();
}

KCONTROL_DECL void informer_set::audit_every(duration period) {
    if (period > duration::zero()) audit_ = std::make_shared<detail::cache_audit>(*env_, ex_, log_, *this, period);
}

KCONTROL_DECL void informer_set::own_writes_deadline(duration d) { reader_->own_writes_deadline(d); }

KCONTROL_DECL audit_counts_by_kind informer_set::audits() const {
    return audit_ ? audit_->counts() : audit_counts_by_kind();
}

KCONTROL_DECL const read_counts_by_kind& informer_set::reads() const noexcept { return reader_->counts(); }

KCONTROL_DECL std::vector<std::shared_ptr<any_informer>> informer_set::of(const resource_info& kind) {
    std::vector<std::shared_ptr<any_informer>> out;
    for (const auto& wanted : scopes_(kind)) out.push_back(get(kind, wanted));
    return out;
}

KCONTROL_DECL std::shared_ptr<cached_source> informer_set::source_of(const resource_info& kind) {
    return keep_source(kind, of(kind));
}

KCONTROL_DECL result<std::shared_ptr<cached_source>> informer_set::source_with(const resource_info& kind,
                                                                               const kind_options& how) {
    auto wanted = how.of(kind);
    for (informer_options& one : wanted) {
        const bool late =
            one.transform() && std::any_of(entries_.begin(), entries_.end(), [&](const entry& e) {
                return e.shared && detail::same_kind(e.kind(), kind) && detail::same_scope(e.options, one);
            });
        if (late) {
            return error(errc::invalid_argument,
                         "the transform of " + kind.gvk.kind +
                             " comes too late: these objects are watched already, with the options of who asked for "
                             "them first; set it there, or in manager_options::cache()");
        }
        one.log(log_);
    }
    std::vector<std::shared_ptr<any_informer>> made;
    for (const informer_options& one : wanted) made.push_back(get(kind, one));
    return keep_source(kind, std::move(made));
}

KCONTROL_DECL std::shared_ptr<cached_source> informer_set::keep_source(
    const resource_info& kind, std::vector<std::shared_ptr<any_informer>> informers) {
    auto made = std::make_shared<informer_source>(std::move(informers));
    std::erase_if(sources_, [](const auto& one) { return one.second.expired(); });
    sources_.emplace_back(&kind, made);
    return made;
}

namespace detail {

inline awaitable<result<void>> end_removed(std::vector<std::shared_ptr<any_informer>> removed) {
    for (const auto& one : removed) co_await one->stop();
    co_return result<void>();
}

}  // namespace detail

KCONTROL_DECL awaitable<result<void>> informer_set::remove(const resource_info& kind) {
    const auto needs = std::count_if(sources_.begin(), sources_.end(), [&](const auto& one) {
        return !one.second.expired() && one.first->decodes_same_as(kind);
    });
    if (needs > 0) {
        return make_ready<result<void>>(
            error(errc::invalid_argument, "the informer of " + kind.gvk.kind + " (" + kind.gvk.api_version() +
                                              ") can't be removed: controllers watch it, through " +
                                              std::to_string(needs) + " sources; destroy these first"));
    }
    std::vector<entry> removed;
    for (auto one = entries_.begin(); one != entries_.end();) {
        const bool asked = one->shared && one->kind().decodes_same_as(kind);
        if (asked) removed.push_back(std::move(*one));
        one = asked ? entries_.erase(one) : one + 1;
    }
    std::vector<std::shared_ptr<any_informer>> ending;
    for (auto& one : removed) {
        one.made->retire();
        ending.push_back(one.made);
    }
    removed.clear();
    follow_missing();
    return detail::end_removed(std::move(ending));
}

KCONTROL_DECL std::vector<std::shared_ptr<any_informer>> informer_set::make_unshared(const resource_info& kind) {
    std::vector<std::shared_ptr<any_informer>> out;
    for (auto& wanted : scopes_(kind)) {
        out.push_back(std::make_shared<any_informer>(*env_, ex_, client_, kind, wanted));
        entry added(std::move(wanted), out.back());
        added.shared = false;
        add(std::move(added));
    }
    return out;
}

KCONTROL_DECL std::shared_ptr<any_informer> informer_set::get(const resource_info& kind,
                                                              const informer_options& wanted) {
    std::shared_ptr<any_informer> beside;
    for (const auto& e : entries_) {
        if (!e.shared || !detail::same_kind(e.kind(), kind) || !detail::same_scope(e.options, wanted)) continue;
        if (e.kind().decodes_same_as(kind)) return e.made;
        beside = e.made;
    }
    auto made = beside ? std::make_shared<any_informer>(*beside, kind)
                       : std::make_shared<any_informer>(*env_, ex_, client_, kind, wanted);
    add(entry(wanted, made));
    if (running()) made->start(term_->token());
    return made;
}

KCONTROL_DECL void informer_set::add(entry added) {
    const auto before = [](const entry& a, const entry& b) {
        return std::tie(a.kind().gvk, a.options.in_namespace()) < std::tie(b.kind().gvk, b.options.in_namespace());
    };
    if (added.shared) {
        added.observed = added.made->on_status_change([this](const informer_status&) { follow_missing(); });
    }
    const auto place = std::upper_bound(entries_.begin(), entries_.end(), added, before);
    entries_.insert(place, std::move(added));
}

// Unshared informers come and go with those who made them, who ask for a kind in their own time.
KCONTROL_DECL void informer_set::follow_missing() {
    std::set<std::string> missing;
    for (const auto& e : entries_) {
        if (!e.shared || e.made->status().state != informer_state::not_installed) continue;
        if (auto name = detail::crd_name_of(e.kind())) missing.insert(std::move(*name));
    }
    if (running()) {
        for (const auto* kind : sought_) {
            if (auto name = detail::crd_name_of(*kind)) missing.insert(std::move(*name));
        }
    }
    if (!definitions_) {
        if (missing.empty()) return;
        definitions_ = std::make_shared<crd_watch>(
            *env_, ex_, client_, [this](const std::string& crd) { probe(crd); }, log_);
    }
    definitions_->set_missing(missing);
}

KCONTROL_DECL void informer_set::probe(const std::string& crd) {
    for (const auto& e : entries_) {
        if (e.shared && detail::crd_name_of(e.kind()) == crd) e.made->probe_now();
    }
    const auto sought = sought_;  // it may call probe_kinds()
    const auto ask = probe_sought_;
    if (!ask) return;
    for (const auto* kind : sought) {
        if (detail::crd_name_of(*kind) == crd) ask(*kind);
    }
}

KCONTROL_DECL void informer_set::probe_kinds(std::vector<const resource_info*> kinds, probe_function probe) {
    sought_ = std::move(kinds);
    probe_sought_ = std::move(probe);
    follow_missing();
}

KCONTROL_DECL void informer_set::start(std::stop_token parent) {
    if (running()) return;
    term_ = std::make_unique<scope>(std::move(parent));
    for (const auto& e : entries_) {
        if (e.shared) e.made->start(term_->token());
    }
    if (audit_) audit_->start(term_->token());
    follow_missing();
}

KCONTROL_DECL awaitable<bool> informer_set::stop(std::optional<time_point> deadline) {
    if (term_) term_->stop();
    follow_missing();
    task_group stopping(*env_, ex_, log_);
    for (const auto& e : entries_) stopping.spawn(detail::stop_informer(e.made));
    if (definitions_) stopping.spawn(detail::stop_definitions(definitions_));
    if (audit_) stopping.spawn(audit_->join());
    const bool all = co_await stopping.join(deadline);
    co_return all;
}

KCONTROL_DECL void informer_set::rebuild(client next, resume_mode mode) {
    if (mode == resume_mode::relist) reader_->forget_writes();
    client_ = next.reading_from(nullptr);
    reading_ = client_.reading_from(reader_);
    if (definitions_) definitions_->rebuild(client_, mode);
    std::vector<std::shared_ptr<any_informer>> done;
    for (const auto& e : entries_) {
        const bool went_along =
            std::any_of(done.begin(), done.end(), [&](const auto& other) { return other->shares_watch_with(*e.made); });
        if (went_along) continue;
        e.made->rebuild(client_, mode);
        done.push_back(e.made);
    }
}

KCONTROL_DECL void informer_set::clear() {
    if (term_) term_->stop();
    sought_.clear();
    definitions_.reset();
    const auto gone = std::exchange(entries_, {});  // nobody sees half of them
}

KCONTROL_DECL std::vector<std::shared_ptr<any_informer>> informer_set::all() const {
    std::vector<std::shared_ptr<any_informer>> out;
    for (const auto& e : entries_) out.push_back(e.made);
    return out;
}

KCONTROL_DECL bool informer_set::has_synced() const {
    return std::all_of(entries_.begin(), entries_.end(), [](const entry& e) { return e.made->has_synced(); });
}

}  // namespace kcontrol
