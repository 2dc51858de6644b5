#pragma once

#include <kcontrol/cluster/detail/cache_reader.hpp>
#include <kcontrol/cluster/detail/followed_writes.hpp>
#include <kcontrol/cluster/informer_set.hpp>
#include <kcontrol/runtime/time_after.hpp>

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
    if (!options.shard_selector().empty()) out += " with the shard selector \"" + options.shard_selector() + "\"";
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

// Terms that only an index can decide. Those in `held` are no question: all that is there has them.
inline std::vector<field_requirement> terms_of_indexes(const field_selector& wanted, const field_selector& held) {
    std::vector<field_requirement> out;
    const auto& all = held.requirements();
    for (const auto& term : wanted.requirements()) {
        if (!is_of_key(term) && std::find(all.begin(), all.end(), term) == all.end()) out.push_back(term);
    }
    return out;
}

// What a snapshot has of what is wanted; nothing if it takes an index that there is not.
inline std::optional<std::vector<any_object>> select_cached(const store_snapshot& now, const cached_scope& wanted,
                                                            const field_selector& held) {
    std::vector<found_objects> by_index;
    for (const auto& term : terms_of_indexes(wanted.fields, held)) {
        if (!term.equals) return std::nullopt;
        auto found = now.by_index(term.field, term.value);
        if (!found) return std::nullopt;
        by_index.push_back(std::move(*found));
    }
    std::vector<any_object> out;
    if (by_index.empty()) {
        for (const any_object& one :
             now.select(cache_query().in_namespace(wanted.in_namespace).labels(wanted.labels))) {
            if (selects_key(wanted.fields, one.meta()) && wanted.part.selects(one.meta())) out.push_back(one);
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
        if (!wanted.part.selects(meta)) continue;
        if (wanted.labels.selects(meta) && selects_key(wanted.fields, meta)) out.push_back(one);
    }
    return out;
}

inline bool keeps_metadata_only(const std::vector<std::shared_ptr<any_informer>>& all) {
    return std::any_of(all.begin(), all.end(),
                       [](const auto& one) { return one->metadata_only() && !one->info().metadata_only; });
}

inline cache_view view_of(const any_informer& from) {
    return {from.resource_version(), [&from](const namespaced_name& key) { return from.objects().get(key); }};
}

// A list of the server's that others may want, too.
struct cache_reader::flight {
    const any_informer* behind = nullptr;  // not to be used: compared
    list_options options;
    bool over = false;
    std::optional<any_list> answer;  // nothing: it has failed, or its caller has gone
    async_event landed;

    bool serves(const any_informer& made, const list_options& wanted) const {
        return behind == &made && options.in_namespace() == wanted.in_namespace() &&
               options.label_selector() == wanted.label_selector() &&
               options.field_selector() == wanted.field_selector() &&
               options.shard_selector() == wanted.shard_selector() && options.max_items() == wanted.max_items() &&
               options.max_body() == wanted.max_body();
    }
};

// However a flight ends, nobody goes on waiting for it.
class cache_reader::landing {
public:
    landing(std::vector<std::shared_ptr<flight>>& in, std::shared_ptr<flight> one) : in_(in), one_(std::move(one)) {}
    ~landing() {
        std::erase(in_, one_);
        one_->over = true;
        one_->landed.notify_all();
    }
    landing(const landing&) = delete;
    landing& operator=(const landing&) = delete;

private:
    std::vector<std::shared_ptr<flight>>& in_;
    std::shared_ptr<flight> one_;
};

KCONTROL_DECL std::shared_ptr<cache_reader::flight> cache_reader::find_flight(const any_informer& behind,
                                                                              const list_options& wanted) const {
    const auto found =
        std::find_if(flights_.begin(), flights_.end(), [&](const auto& one) { return one->serves(behind, wanted); });
    return found == flights_.end() ? nullptr : *found;
}

inline std::string_view version_of(const any_object& present) {
    return present ? present.meta().resource_version.view() : std::string_view();
}

KCONTROL_DECL cache_reader::cache_reader(environment& env, informer_set& set, logger log)
    : env_(&env), set_(&set), log_(std::move(log)) {}

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

KCONTROL_DECL own_writes_plan cache_reader::plan_own_writes(const any_informer& made, const namespaced_name& wanted) {
    pending_writes* const mine = pending_of(made);
    if (mine == nullptr) return {};
    own_writes_plan plan = mine->plan(wanted, view_of(made), env_->now());
    if (mine->empty()) pending_.erase(&made);
    return plan;
}

KCONTROL_DECL awaitable<result<bool>> cache_reader::show_own_writes(std::shared_ptr<any_informer> from,
                                                                    own_writes_plan plan, std::stop_token stop,
                                                                    time_point deadline) {
    std::string why = "it has been behind for longer";
    if (plan.next == own_writes_plan::step::wait) {
        ++counts_[from->info().gvk].own_write_waits;
        bool all_seen = true;
        for (const own_write& one : plan.awaited) {
            const auto seen = co_await see_write(from, one, stop, std::min(time_after(one.since, patience_), deadline));
            if (!seen && seen.error() == errc::stopped) co_return seen.error();
            if (!seen) {
                why = seen.error().what();
                all_seen = false;
                break;
            }
            if (pending_writes* const mine = pending_of(*from)) mine->shown(one);
        }
        if (all_seen) co_return true;
    }
    if (const auto times = behind_told_.count(env_->now())) {
        log_.warning("the cache does not show in time what this program wrote; the server is asked instead",
                     {{"kind", from->info().gvk.kind}, {"error", why}, {"times", std::to_string(*times)}});
    }
    co_return false;
}

KCONTROL_DECL awaitable<result<any_object>> cache_reader::get_live(const client& from,
                                                                   std::shared_ptr<any_informer> behind,
                                                                   const resource_info& info, namespaced_name key,
                                                                   get_options options) {
    const auto self = shared_from_this();
    client server = from.live();
    const time_point began = env_->now();
    auto answer = co_await server.get(info, key, std::move(options));
    on_read(info, key, answer);
    const bool absent = !answer && answer.error() == api_errc::not_found;
    pending_writes* const mine = pending_of(*behind);
    if (mine != nullptr && (answer || absent)) mine->answered(key, absent ? nullptr : &answer->meta(), began);
    co_return answer;
}

KCONTROL_DECL awaitable<result<any_list>> cache_reader::list_shared(const client& from,
                                                                    std::shared_ptr<any_informer> behind,
                                                                    const resource_info& info, list_options options,
                                                                    std::vector<field_requirement> terms,
                                                                    time_point deadline) {
    const auto self = shared_from_this();
    for (auto shared = find_flight(*behind, options); shared; shared = find_flight(*behind, options)) {
        while (!shared->over) {
            const wake reason = co_await shared->landed.wait(*env_, options.stop(), deadline);
            if (reason == wake::stopped) co_return error(errc::stopped);
            if (reason == wake::timeout) co_return error(errc::timeout, "a list of the server's has not come in time");
        }
        if (shared->answer) co_return *shared->answer;
    }
    const auto mine = std::make_shared<flight>();
    mine->behind = behind.get();
    mine->options = options;
    flights_.push_back(mine);
    const landing end(flights_, mine);
    const time_point began = env_->now();
    auto answer = co_await list_live(from, behind, info, std::move(options), std::move(terms), deadline);
    if (!answer) co_return answer;
    mine->answer = *answer;
    if (pending_writes* const written = pending_of(*behind)) written->listed(answer->resource_version, began);
    co_return answer;
}

KCONTROL_DECL awaitable<result<any_list>> cache_reader::list_live(const client& from,
                                                                  std::shared_ptr<any_informer> behind,
                                                                  const resource_info& info, list_options options,
                                                                  std::vector<field_requirement> terms,
                                                                  time_point deadline) {
    client server = from.live();
    auto selected = co_await server.list_page(info, options.deadline(deadline - env_->now()));
    if (selected || terms.empty() || selected.error() != api_errc::bad_request) co_return selected;
    // A field that only the cache's index knows: the server lists the others, too.
    auto known = field_selector::parse(options.field_selector()).value().requirements();
    std::erase_if(known, [&](const auto& one) { return std::find(terms.begin(), terms.end(), one) != terms.end(); });
    options.field_selector(field_selector(std::move(known)).to_string());
    auto all = co_await server.list_page(info, options.deadline(deadline - env_->now()));
    if (!all) co_return all;
    std::erase_if(all->items, [&](const any_object& object) {
        return !std::all_of(terms.begin(), terms.end(), [&](const field_requirement& term) {
            return behind->objects().has_key(term.field, term.value, object);
        });
    });
    co_return all;
}

KCONTROL_DECL awaitable<std::optional<result<any_object>>> cache_reader::get(const client& from,
                                                                             const resource_info& info,
                                                                             namespaced_name key,
                                                                             get_options& options) {
    const auto self = shared_from_this();
    using answer = std::optional<result<any_object>>;
    const readable known = find(info);
    read_counts& count = counts_[info.gvk];
    if (known.informers.empty()) {
        ++count.not_watched;
        co_return answer();
    }
    if (keeps_metadata_only(known.informers)) {
        ++count.metadata_only;
        co_return answer();
    }
    const read_plan plan = plan_get(key, known.scopes);
    object_meta version;
    version.namespace_ = key.namespace_;
    version.name = key.name;
    version.resource_version = options.resource_version();
    const time_point deadline = time_after(env_->now(), options.deadline());
    const bool newest = options.resource_version().empty();
    any_object present;
    for (const std::size_t i : plan.from) {
        const std::shared_ptr<any_informer>& made = known.informers[i];
        auto can_answer = co_await ready(made, version, options.stop(), deadline);
        if (!can_answer) co_return answer(can_answer.error().with_context(describe_wanted(info, key)));
        present = made->objects().get(key);
        if (newest && pending_of(*made) != nullptr && !marks_.marks(info.gvk, key, version_of(present), env_->now())) {
            own_writes_plan own = plan_own_writes(*made, key);
            bool shows_own = own.next == own_writes_plan::step::answer;
            if (!shows_own) {
                const auto shown = co_await show_own_writes(made, std::move(own), options.stop(), deadline);
                if (!shown) co_return answer(shown.error().with_context(describe_wanted(info, key)));
                shows_own = *shown;
            }
            if (!shows_own) {
                ++count.after_own_write;
                options.deadline(deadline - env_->now());
                auto live = co_await get_live(from, made, info, key, options);
                co_return answer(std::move(live));
            }
            present = made->objects().get(key);
        }
        if (present) break;
    }
    const bool minds = !marks_.empty() && options.resource_version() != "0" && !plan.from.empty();
    if (minds && marks_.asks(info.gvk, key, version_of(present), env_->now())) {
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

KCONTROL_DECL awaitable<std::optional<result<any_list>>> cache_reader::list(const client& from,
                                                                            const resource_info& info,
                                                                            list_options& options) {
    const auto self = shared_from_this();
    using answer = std::optional<result<any_list>>;
    const readable known = find(info);
    read_counts& count = counts_[info.gvk];
    if (known.informers.empty()) {
        ++count.not_watched;
        co_return answer();
    }
    if (keeps_metadata_only(known.informers)) {
        ++count.metadata_only;
        co_return answer();
    }
    const auto asked = parse_scope(std::as_const(options));
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
    const std::shared_ptr<any_informer> made = known.informers[chosen];
    object_meta version;
    version.namespace_ = options.in_namespace();
    version.resource_version = options.resource_version();
    const time_point deadline = time_after(env_->now(), options.deadline());
    auto can_answer = co_await ready(made, version, options.stop(), deadline);
    if (!can_answer) co_return answer(can_answer.error().with_context(describe_wanted(info, options)));
    bool shows_own = true;
    if (options.resource_version().empty() && pending_of(*made) != nullptr) {
        namespaced_name all_of(wanted.in_namespace, std::string());
        own_writes_plan own = plan_own_writes(*made, all_of);
        if (own.next != own_writes_plan::step::answer) {
            const auto shown = co_await show_own_writes(made, std::move(own), options.stop(), deadline);
            if (!shown) co_return answer(shown.error().with_context(describe_wanted(info, options)));
            shows_own = *shown;
        }
    }
    any_list out;
    out.resource_version = made->resource_version();
    auto found = select_cached(made->objects().snapshot(), wanted, known.scopes[chosen].fields);
    if (!found) {
        ++count.no_index;
        co_return answer();
    }
    if (!shows_own) {
        ++count.after_own_write;
        auto terms = terms_of_indexes(wanted.fields, known.scopes[chosen].fields);
        auto listed = co_await list_shared(from, made, info, options, std::move(terms), deadline);
        co_return answer(std::move(listed));
    }
    out.items = std::move(*found);
    if (made->objects().invalid_count() > 0) {
        for (const auto& one : made->objects().invalid()) {
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

// A deletion of many may have been done in part, unless it was refused as a whole.
KCONTROL_DECL void cache_reader::refused(const resource_info& info, const namespaced_name& key, const error& why) {
    if (key.name.empty()) {
        const bool as_a_whole = why == errc::invalid_argument || why == api_errc::bad_request ||
                                why == api_errc::unauthorized || why == api_errc::forbidden ||
                                why == api_errc::not_found || why == api_errc::method_not_allowed;
        if (as_a_whole) return;
        for_each_watching(info.gvk, key.namespace_,
                          [&](const std::shared_ptr<any_informer>& made, const cached_scope*) {
                              note_pending(made, [&](pending_writes& of, const cache_view&) { of.lost(env_->now()); });
                          });
        return;
    }
    const bool behind = why == condition::conflict || why == api_errc::already_exists || why == api_errc::not_found ||
                        why == errc::unknown_outcome;
    if (behind && !find(info).informers.empty()) marks_.mark(info.gvk, key, env_->now());
}

template <class Note>
void cache_reader::for_each_watching(const group_version_kind& kind, std::string_view ns, Note note) const {
    if (set_ == nullptr) return;
    set_->for_each_shared(
        [&](const informer_options& options, const std::shared_ptr<any_informer>& made, const cached_scope* scope) {
            const std::string& watched = options.in_namespace();
            if (made->info().gvk == kind && (watched.empty() || watched == ns)) note(made, scope);
        });
}

template <class Note>
void cache_reader::for_each_follower(const executor& by, Note note) const {
    for (const auto& weak : followers_) {
        const auto one = weak.lock();
        if (one && one->by() == by) note(*one);
    }
}

// Whether an informer that selects so is told of the object. What other fields say is not known here.
inline selection selects(const cached_scope* scope, const object_meta& meta) {
    if (scope == nullptr) return selection::perhaps;
    if (!selects_key(scope->fields, meta) || !scope->labels.selects(meta)) return selection::no;
    if (!scope->part.selects(meta)) return selection::no;
    const auto& fields = scope->fields.requirements();
    return std::all_of(fields.begin(), fields.end(), is_of_key) ? selection::yes : selection::perhaps;
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
    if (meta.uid.empty() || meta.resource_version.empty()) return;
    for_each_watching(info.gvk, meta.namespace_,
                      [&](const std::shared_ptr<any_informer>& made, const cached_scope* scope) {
                          if (selects(scope, meta) != selection::yes) return;
                          if (made->objects().get(stored.key())) return;
                          if (auto seen = read_as(made->info(), info, stored)) made->expect(std::move(seen));
                      });
}

template <class Note>
void cache_reader::note_pending(const std::shared_ptr<any_informer>& made, Note note) {
    std::erase_if(pending_, [](const auto& one) { return one.second.of.expired(); });
    std::erase_if(flights_, [&](const auto& one) { return one->behind == made.get(); });
    const auto mine = pending_.try_emplace(made.get(), pending_entry{made, pending_writes(patience_)}).first;
    note(mine->second.writes, view_of(*made));
    if (mine->second.writes.empty()) pending_.erase(mine);
}

// An object that the informer neither selects nor has is no news to it.
KCONTROL_DECL void cache_reader::on_write(const executor& by, const resource_info& info, const any_object& object) {
    const object_meta& stored = object.meta();
    if (stored.resource_version.empty()) return;
    expect(info, object);
    for_each_watching(
        info.gvk, stored.namespace_, [&](const std::shared_ptr<any_informer>& made, const cached_scope* scope) {
            const selection selected = selects(scope, stored);
            note_pending(made, [&](pending_writes& of, const cache_view& cache) {
                of.wrote(stored, selected, cache, env_->now());
                const own_write* const last = of.find(key_of(stored));
                if (last == nullptr && selected == selection::no) return;
                const own_write what = last != nullptr ? *last : own_write(stored, own_change::stored, env_->now());
                for_each_follower(by, [&](followed_writes& task) { task.add(made, what); });
            });
        });
}

KCONTROL_DECL void cache_reader::deleted(const executor& by, const resource_info& info, const object_meta& what) {
    for_each_watching(info.gvk, what.namespace_, [&](const std::shared_ptr<any_informer>& made, const cached_scope*) {
        note_pending(made, [&](pending_writes& of, const cache_view& cache) {
            of.deleted(what, cache, env_->now());
            const own_write* const last = of.find(key_of(what));
            if (last == nullptr) return;
            for_each_follower(by, [&](followed_writes& task) { task.add(made, *last); });
        });
    });
}

KCONTROL_DECL std::shared_ptr<own_writes> cache_reader::follow(const executor& by) {
    std::erase_if(followers_, [](const auto& one) { return one.expired(); });
    auto made = std::make_shared<followed_writes>(by);
    followers_.push_back(made);
    return made;
}

}  // namespace kcontrol::detail
