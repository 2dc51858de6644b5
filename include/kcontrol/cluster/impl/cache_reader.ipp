#pragma once

#include <kcontrol/cluster/detail/cache_reader.hpp>
#include <kcontrol/cluster/detail/followed_writes.hpp>
#include <kcontrol/cluster/informer_set.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace kcontrol::inline v0_1::detail {

// What is not there, as a server says it.
inline error not_in_cache(const resource_info& info, const namespaced_name& key) {
    const std::string resource = info.gvk.group.empty() ? info.plural : info.plural + "." + info.gvk.group;
    api_status status;
    status.code = 404;
    status.reason = "NotFound";
    status.message = resource + " \"" + key.name + "\" not found";
    return error(std::move(status));
}

inline error out_of_scope(const std::string& what, const read_plan& plan) {
    return error(errc::invalid_argument, what + ": the cache that this client reads holds only " + plan.refusal +
                                             "; live() is a client that asks the server");
}

inline std::string describe_wanted(const resource_info& info, const namespaced_name& key) {
    return info.gvk.kind + " " + kcontrol::to_string(key);
}

inline std::string describe_wanted(const resource_info& info, const list_options& options) {
    std::string out = "the list of " + info.gvk.kind;
    if (!options.in_namespace().empty()) out += " of the namespace " + options.in_namespace();
    if (!options.label_selector().empty()) out += " with the label selector \"" + options.label_selector() + "\"";
    if (!options.field_selector().empty()) out += " with the field selector \"" + options.field_selector() + "\"";
    return out;
}

// Why an object that is not in the store may exist all the same: it can't be read.
inline std::optional<error> unreadable(const any_informer& from, const namespaced_name& key) {
    if (from.objects().invalid_count() == 0) return std::nullopt;
    for (const auto& one : from.objects().invalid()) {
        if (one->key() == key) return one->why.with_context(from.info().gvk.kind + " " + kcontrol::to_string(key));
    }
    return std::nullopt;
}

// A term that the name and namespace of an object decide.
inline bool is_of_key(const field_requirement& term) {
    return term.field == "metadata.name" || term.field == "metadata.namespace";
}

inline bool selects_key(const field_selector& selector, const object_meta& meta) {
    return std::all_of(selector.requirements().begin(), selector.requirements().end(), [&](const auto& term) {
        if (!is_of_key(term)) return true;
        const std::string_view found = term.field == "metadata.name" ? meta.name.view() : meta.namespace_.view();
        return (found == term.value) == term.equals;
    });
}

// What a snapshot has of what is wanted; nothing if it takes an index that there is not. Of the fields those in `held`
// are no question: all that is there has them.
inline std::optional<std::vector<any_object>> select_cached(const store_snapshot& now, const cached_scope& wanted,
                                                            const field_selector& held) {
    std::vector<found_objects> by_index;
    for (const auto& term : wanted.fields.requirements()) {
        const auto& all = held.requirements();
        if (is_of_key(term) || std::find(all.begin(), all.end(), term) != all.end()) continue;
        if (!term.equals) return std::nullopt;
        auto found = now.by_index(term.field, term.value);
        if (!found) return std::nullopt;
        by_index.push_back(std::move(*found));
    }
    std::vector<any_object> out;
    if (by_index.empty()) {
        for (const any_object& one :
             now.select(cache_query().in_namespace(wanted.in_namespace).labels(wanted.labels))) {
            if (selects_key(wanted.fields, one.meta())) out.push_back(one);
        }
        return out;
    }
    std::map<const any_object*, std::size_t> in_others;  // how many of the other indexes have it, once each
    for (std::size_t i = 1; i < by_index.size(); ++i) {
        for (const any_object& one : by_index[i]) ++in_others[&one];
    }
    for (const any_object& one : by_index.front()) {
        const object_meta& meta = one.meta();
        if (by_index.size() > 1 && in_others[&one] + 1 != by_index.size()) continue;
        if (!wanted.in_namespace.empty() && meta.namespace_ != wanted.in_namespace) continue;
        if (wanted.labels.selects(meta) && selects_key(wanted.fields, meta)) out.push_back(one);
    }
    return out;
}

KCONTROL_DECL cache_reader::cache_reader(environment& env, const informer_set& set) : env_(&env), set_(&set) {}

KCONTROL_DECL cache_reader::readable cache_reader::find(const resource_info& info) const {
    readable out;
    if (set_ == nullptr) return out;
    set_->for_each_shared(
        [&](const informer_options&, const std::shared_ptr<any_informer>& made, const cached_scope* scope) {
            if (scope == nullptr || !made->info().decodes_same_as(info)) return;
            out.informers.push_back(made);
            out.scopes.push_back(*scope);
        });
    return out;
}

KCONTROL_DECL awaitable<result<void>> cache_reader::ready(std::shared_ptr<any_informer> from, object_meta version,
                                                          std::stop_token stop, time_point deadline) {
    read_counts& count = counts_[from->info().gvk];
    if (!from->has_synced()) {
        ++count.sync_waits;
        const bool synced = co_await from->wait_synced(stop, deadline);
        if (!synced) {
            ++count.not_synced;
            const informer_status now = from->status();
            std::string why = "the cache of " + from->info().gvk.kind + " has not synced: its informer is " +
                              std::string(kcontrol::to_string(now.state));
            if (!now.reason.empty()) why += ", " + now.reason;
            co_return error(stop.stop_requested() ? errc::stopped : errc::not_synced, std::move(why));
        }
    }
    if (version.resource_version.empty() || version.resource_version == "0") co_return result<void>();
    ++count.version_waits;
    auto seen = co_await from->at_least(version, stop, deadline);
    if (!seen) ++count.too_old;
    co_return seen;
}

KCONTROL_DECL awaitable<std::optional<result<any_object>>> cache_reader::get(const resource_info& info,
                                                                             namespaced_name key, get_options options) {
    const auto self = shared_from_this();
    using answer = std::optional<result<any_object>>;
    const readable known = find(info);
    read_counts& count = counts_[info.gvk];
    if (known.informers.empty()) {
        ++count.not_watched;
        co_return answer();
    }
    const read_plan plan = plan_get(key, known.scopes);
    object_meta version;
    version.namespace_ = key.namespace_;
    version.name = key.name;
    version.resource_version = options.resource_version();
    const time_point deadline = env_->now() + options.deadline();
    any_object present;
    for (const std::size_t i : plan.from) {
        auto can_answer = co_await ready(known.informers[i], version, options.stop(), deadline);
        if (!can_answer) co_return answer(can_answer.error().with_context(describe_wanted(info, key)));
        present = known.informers[i]->objects().get(key);
        if (present) break;
    }
    const std::string_view has = present ? present.meta().resource_version.view() : std::string_view();
    if (!plan.from.empty() && marks_.asks(info.gvk, key, has, env_->now())) {
        ++count.after_conflict;
        co_return answer();
    }
    if (!present && !plan.whole) {
        ++count.out_of_scope;
        co_return answer(out_of_scope(describe_wanted(info, key), plan));
    }
    ++count.cached;
    if (present) co_return answer(std::move(present));
    if (auto why = unreadable(*known.informers[plan.from.front()], key)) co_return answer(std::move(*why));
    co_return answer(not_in_cache(info, key));
}

KCONTROL_DECL awaitable<std::optional<result<any_list>>> cache_reader::list(const resource_info& info,
                                                                            list_options options) {
    const auto self = shared_from_this();
    using answer = std::optional<result<any_list>>;
    const readable known = find(info);
    read_counts& count = counts_[info.gvk];
    if (known.informers.empty()) {
        ++count.not_watched;
        co_return answer();
    }
    const auto asked = parse_scope(options.in_namespace(), options.label_selector(), options.field_selector());
    if (options.limit() > 0 || !options.continue_token().empty() || !asked) {
        ++count.paged;
        co_return answer();
    }
    const cached_scope& wanted = *asked;
    const read_plan plan = plan_list(wanted, known.scopes);
    if (plan.from.empty()) {
        ++count.out_of_scope;
        co_return answer(out_of_scope(describe_wanted(info, options), plan));
    }
    const std::size_t chosen = plan.from.front();
    const std::shared_ptr<any_informer> from = known.informers[chosen];
    object_meta version;
    version.namespace_ = options.in_namespace();
    version.resource_version = options.resource_version();
    auto can_answer = co_await ready(from, version, options.stop(), env_->now() + options.deadline());
    if (!can_answer) co_return answer(can_answer.error().with_context(describe_wanted(info, options)));
    any_list out;
    out.resource_version = from->resource_version();
    auto found = select_cached(from->objects().snapshot(), wanted, known.scopes[chosen].fields);
    if (!found) {
        ++count.no_index;
        co_return answer();
    }
    out.items = std::move(*found);
    if (from->objects().invalid_count() > 0) {
        for (const auto& one : from->objects().invalid()) {
            const auto& meta = one->metadata;
            if (wanted.in_namespace.empty() || meta.namespace_ == wanted.in_namespace) out.invalid.push_back(*one);
        }
    }
    ++count.cached;
    co_return answer(std::move(out));
}

KCONTROL_DECL void cache_reader::on_read(const resource_info& info, const namespaced_name& key,
                                         const result<any_object>& answer) {
    if (answer) {
        marks_.answered(info.gvk, key, answer->meta().resource_version);
        expect(info, *answer);
    }
    if (!answer && answer.error() == api_errc::not_found) marks_.answered(info.gvk, key, {});
}

KCONTROL_DECL void cache_reader::refused(const resource_info& info, const namespaced_name& key, const error& why) {
    const bool behind = why == condition::conflict || why == api_errc::already_exists || why == api_errc::not_found ||
                        why == errc::unknown_outcome;
    if (behind && !key.name.empty() && !find(info).informers.empty()) marks_.mark(info.gvk, key, env_->now());
}

template <class Note>
void cache_reader::note(const executor& by, const group_version_kind& kind, const namespaced_name& key, Note note) {
    if (set_ == nullptr) return;
    for (const auto& weak : followers_) {
        const auto one = weak.lock();
        if (!one || one->by() != by) continue;
        set_->for_each_shared(
            [&](const informer_options& options, const std::shared_ptr<any_informer>& made, const cached_scope* scope) {
                if (made->info().gvk != kind) return;
                const std::string& ns = options.in_namespace();
                if (ns.empty() || ns == key.namespace_) note(*one, made, scope);
            });
    }
}

// Whether an informer that selects so is sure to be told of the object. What other fields say is not known here.
inline bool surely_selects(const cached_scope& scope, const object_meta& meta) {
    const auto& fields = scope.fields.requirements();
    return std::all_of(fields.begin(), fields.end(), is_of_key) && selects_key(scope.fields, meta) &&
           scope.labels.selects(meta);
}

// The object as the informer has its objects; an empty one where that can't be made.
inline any_object read_as(const resource_info& view, const resource_info& info, const any_object& object) {
    if (view.decodes_same_as(info)) return object;
    const auto text = info.encode(object);
    if (!text) return {};
    auto read = view.decode_text(*text);
    return read ? std::move(*read) : any_object();
}

KCONTROL_DECL void cache_reader::expect(const resource_info& info, const any_object& stored) {
    const object_meta& meta = stored.meta();
    if (set_ == nullptr || meta.uid.empty() || meta.resource_version.empty()) return;
    set_->for_each_shared(
        [&](const informer_options& options, const std::shared_ptr<any_informer>& made, const cached_scope* scope) {
            if (made->info().gvk != info.gvk || scope == nullptr || !surely_selects(*scope, meta)) return;
            const std::string& ns = options.in_namespace();
            if (!ns.empty() && ns != meta.namespace_) return;
            if (made->objects().get(stored.key())) return;
            if (auto seen = read_as(made->info(), info, stored)) made->expect(std::move(seen));
        });
}

// An object that the informer neither selects nor has is no news to it.
KCONTROL_DECL void cache_reader::on_write(const executor& by, const resource_info& info, const any_object& object) {
    const object_meta& stored = object.meta();
    if (stored.resource_version.empty()) return;
    expect(info, object);
    const namespaced_name key = key_of(stored);
    note(by, info.gvk, key,
         [&](followed_writes& to, const std::shared_ptr<any_informer>& made, const cached_scope* scope) {
             const bool selected = scope == nullptr || scope->labels.selects(stored);
             if (selected || made->objects().get(key)) to.wrote(made, stored);
         });
}

KCONTROL_DECL void cache_reader::deleted(const executor& by, const resource_info& info, const namespaced_name& key) {
    note(by, info.gvk, key, [&](followed_writes& to, const std::shared_ptr<any_informer>& made, const cached_scope*) {
        const any_object present = made->objects().get(key);
        if (present) to.deleted(made, present.meta());
    });
}

KCONTROL_DECL std::shared_ptr<own_writes> cache_reader::follow(const executor& by) {
    std::erase_if(followers_, [](const auto& one) { return one.expired(); });
    auto made = std::make_shared<followed_writes>(by);
    followers_.push_back(made);
    return made;
}

}  // namespace kcontrol::detail
