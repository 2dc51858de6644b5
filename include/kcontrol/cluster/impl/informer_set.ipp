#pragma once

#include <kcontrol/cluster/informer_set.hpp>
#include <kcontrol/cluster/informer_source.hpp>
#include <kcontrol/runtime/task_group.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

namespace kcontrol {
namespace detail {

inline bool same_scope(const informer_options& a, const informer_options& b) {
    return a.in_namespace() == b.in_namespace() && a.label_selector() == b.label_selector() &&
           a.field_selector() == b.field_selector();
}

inline awaitable<void> stop_informer(std::shared_ptr<any_informer> one) { co_await one->stop(); }

}  // namespace detail

KCONTROL_DECL informer_set::informer_set(environment& env, executor ex, client cl, scopes_function scopes, logger log)
    : env_(&env), ex_(std::move(ex)), client_(std::move(cl)), scopes_(std::move(scopes)), log_(std::move(log)) {}

KCONTROL_DECL informer_set::~informer_set() = default;

KCONTROL_DECL std::vector<std::shared_ptr<any_informer>> informer_set::of(const informer_kind& kind) {
    std::vector<std::shared_ptr<any_informer>> out;
    for (const auto& wanted : scopes_(*kind.info)) out.push_back(get(kind, wanted, of_type::same));
    return out;
}

KCONTROL_DECL std::shared_ptr<cached_source> informer_set::source_of(const informer_kind& kind) {
    std::vector<std::shared_ptr<any_informer>> informers;
    for (const auto& wanted : scopes_(*kind.info)) informers.push_back(get(kind, wanted, of_type::any));
    return std::make_shared<informer_source>(std::move(informers));
}

KCONTROL_DECL std::vector<std::shared_ptr<any_informer>> informer_set::make_unshared(const informer_kind& kind) {
    std::vector<std::shared_ptr<any_informer>> out;
    for (auto& wanted : scopes_(*kind.info)) {
        entry added(kind, std::move(wanted));
        added.shared = false;
        out.push_back(add(std::move(added)));
    }
    return out;
}

KCONTROL_DECL std::shared_ptr<any_informer> informer_set::get(const informer_kind& kind, const informer_options& wanted,
                                                              of_type type) {
    // Who asks for no type is content with every one.
    const bool any = type == of_type::any || kind.make == informer_kind(*kind.info).make;
    for (const auto& e : entries_) {
        if (!e.shared || e.kind.info != kind.info || !detail::same_scope(e.options, wanted)) continue;
        if (any || e.kind.make == kind.make) return e.made;
    }
    auto made = add(entry(kind, wanted));
    if (running()) made->start(term_->token());
    return made;
}

KCONTROL_DECL std::shared_ptr<any_informer> informer_set::add(entry added) {
    const auto before = [](const entry& a, const entry& b) {
        return std::tie(a.kind.info->gvk, a.options.in_namespace()) <
               std::tie(b.kind.info->gvk, b.options.in_namespace());
    };
    added.made = added.kind.make(*env_, ex_, client_, *added.kind.info, added.options);
    auto made = added.made;
    const auto place = std::upper_bound(entries_.begin(), entries_.end(), added, before);
    entries_.insert(place, std::move(added));
    return made;
}

KCONTROL_DECL void informer_set::start(std::stop_token parent) {
    if (running()) return;
    term_ = std::make_unique<scope>(std::move(parent));
    for (const auto& e : entries_) {
        if (e.shared) e.made->start(term_->token());
    }
}

KCONTROL_DECL awaitable<bool> informer_set::stop(std::optional<time_point> deadline) {
    if (term_) term_->stop();
    task_group stopping(*env_, ex_, log_);
    for (const auto& e : entries_) stopping.spawn(detail::stop_informer(e.made));
    const bool all = co_await stopping.join(deadline);
    co_return all;
}

KCONTROL_DECL void informer_set::rebuild(client next, resume_mode mode) {
    client_ = std::move(next);
    for (const auto& e : entries_) e.made->rebuild(client_, mode);
}

KCONTROL_DECL void informer_set::clear() {
    if (term_) term_->stop();
    entries_.clear();
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
