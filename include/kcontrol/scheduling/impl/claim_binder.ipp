#pragma once

#include <kcontrol/base/fnv1a.hpp>
#include <kcontrol/base/in_quotes.hpp>
#include <kcontrol/controllerutil/finalizers.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/scheduling/detail/claim_binder.hpp>
#include <kcontrol/scheduling/impl/claim_parts.hpp>
#include <kcontrol/scheduling/impl/write_answer.hpp>

#include <algorithm>
#include <chrono>

namespace kcontrol::inline v0_1::scheduling::detail {

inline constexpr duration claim_retry = std::chrono::milliseconds(500);

using claim_pointer = std::shared_ptr<const claim_catalog::claim>;
using pod_pointer = std::shared_ptr<const api::core::v1::pod>;
/// Makes of a version of the object what it is to be. Errors: it can't be any more.
template <class T>
using object_edit = std::function<result<void>(T& to)>;
using claim_edit = object_edit<claim_catalog::claim>;

inline void take_answer(claim_access& to, const claim_pointer& now) { to.objects->set_answer(now); }
inline void take_answer(claim_access& to, const pod_pointer& now) {
    if (to.written) to.written(now->metadata);
}

// Whether its allocation was decided for this pod, or for another one of its gang.
inline bool is_decided(const dynamic_resources::state::use& of) { return !of.object->status.allocation; }

// Whether the use is that of extended resources.
inline bool is_extended(const dynamic_resources::state& of_pod, const dynamic_resources::state::use& use) {
    return of_pod.chosen != nullptr && &use == &of_pod.uses.back();
}

inline error claim_error(const claim_catalog::claim& of, const char* what) {
    return error(errc::unavailable, "ResourceClaim " + in_quotes(of.metadata.name) + " " + what);
}

// Reads the object until there is an answer.
template <class T>
awaitable<result<std::shared_ptr<const T>>> read_object(std::shared_ptr<claim_access> with, namespaced_name key) {
    while (true) {
        auto live = with->writer.live();
        auto how = get_options().stop(with->stop);
        auto found = co_await live.get_shared<T>(key, how);
        if (found || answer_of(found.error()) != binding_answer::lost) co_return found;
        co_await sleep_for(with->env, claim_retry, with->stop);
    }
}

// Writes what `edit` makes of the newest version, until the server has said that it is so, or that it never will be.
template <class T>
awaitable<result<void>> write_object(std::shared_ptr<claim_access> with, std::shared_ptr<const T> last,
                                     object_edit<T> edit) {
    const auto key = key_of(last->metadata);
    const auto uid = last->metadata.uid;
    std::string in_doubt;    // the version for which a write may be on its way
    bool is_newest = false;  // a watch may be behind: it does not say that there is nothing to write
    while (!with->stop.stop_requested()) {
        auto edited = *last;
        if (auto can_be = edit(edited); !can_be) co_return can_be.error();
        const bool is_same = edited == *last;
        if (is_same && is_newest) co_return result<void>();
        const bool is_first = edited.metadata.finalizers != last->metadata.finalizers;
        if (is_first) edited.status = last->status;
        auto how = write_options().stop(with->stop);
        if (!is_first) how.subresource("status");
        if (!is_same) {
            auto written = co_await with->writer.patch(*last, edited, how);
            if (written) {
                last = std::make_shared<const T>(std::move(*written));
                take_answer(*with, last);
                in_doubt.clear();
                is_newest = true;
                if (is_first) continue;
                co_return result<void>();
            }
            const auto answer = answer_of(written.error());
            if (answer == binding_answer::stopped || answer == binding_answer::missing) co_return written.error();
            if (answer == binding_answer::failed && in_doubt.empty()) co_return written.error();
            if (answer == binding_answer::lost) in_doubt = last->metadata.resource_version.str();
            if (answer != binding_answer::conflict) co_await sleep_for(with->env, claim_retry, with->stop);
        }
        const auto found = co_await read_object<T>(with, key);
        if (!found) co_return found.error();
        last = *found;
        is_newest = true;
        if (last->metadata.uid != uid) co_return error(errc::unavailable, in_quotes(key.name) + " was made anew");
        if (last->metadata.resource_version != in_doubt) in_doubt.clear();
        take_answer(*with, last);
    }
    co_return error(errc::stopped, "the scheduler stops");
}

// The claim with a reservation for the pod, and with that allocation if it has none.
inline result<void> reserve_claim(claim_catalog::claim& to, const claim_catalog::assumption& decided,
                                  const object_meta& pod) {
    if (to.metadata.deletion_timestamp) return claim_error(to, "is being deleted");
    if (to.status.allocation) {
        const bool is_other = decided != nullptr && to.status.allocation->devices != decided->devices;
        if (is_other) return claim_error(to, "was allocated by another scheduler meanwhile");
    } else if (decided == nullptr) {
        return claim_error(to, "lost its allocation meanwhile");
    } else {
        add_finalizer(to.metadata, claim_finalizer);
        to.status.allocation.edit() = *decided;
    }
    if (is_reserved_for(to, pod.uid)) return {};
    if (to.status.reserved_for.size() >= most_users_of_claim) return claim_error(to, "has no place for one more pod");
    auto& made = to.status.reserved_for.emplace_back();
    made.resource = "pods";
    made.name = pod.name;
    made.uid = pod.uid;
    return {};
}

// The claim without those pods, and without its allocation if it is to go and nobody else has a reservation.
inline void leave_claim(claim_catalog::claim& to, const claim_access::leaving_pods& pods) {
    list<api::resource::v1::resource_claim_consumer_reference> others;
    for (const auto& each : to.status.reserved_for) {
        if (!pods.uids.contains(each.uid.str())) others.push_back(each);
    }
    if (others.size() != to.status.reserved_for.size()) to.status.reserved_for = std::move(others);
    if (pods.frees && to.status.reserved_for.empty()) to.status.allocation.reset();
}

inline awaitable<void> leave_claim(std::shared_ptr<claim_access> with, claim_pointer from) {
    const auto uid = from->metadata.uid.str();
    auto& leaving = with->left.at(uid);
    std::size_t done = 0;
    const claim_edit edit = [&](claim_catalog::claim& to) -> result<void> {
        done = leaving.uids.size();
        leave_claim(to, leaving);
        return {};
    };
    while (done < leaving.uids.size()) {
        const auto written = co_await write_object(with, from, edit);
        if (!written) break;
        if (auto now = with->objects->find_claim(from->metadata.namespace_, from->metadata.name)) from = std::move(now);
        if (from->metadata.uid != uid) break;
    }
    with->left.erase(uid);
    if (with->changed) with->changed();
}

// The name of the claim that is made for the pod: as if the server had made it of its generateName. `other`: how many
// such names others have taken.
inline std::string extended_claim_name(const object_meta& pod, unsigned other) {
    constexpr std::string_view letters = "bcdfghjklmnpqrstvwxz2456789";
    constexpr std::size_t longest_base = 58;
    auto out = (pod.name.str() + "-extended-resources-").substr(0, longest_base);
    auto rest = fnv1a().add(pod.uid.view()).end().add(std::to_string(other)).value();
    for (int i = 0; i < 5; ++i, rest /= letters.size()) out += letters[rest % letters.size()];
    return out;
}

// Makes the claim of a draft, or finds the one that was made before.
inline awaitable<result<claim_pointer>> make_claim(std::shared_ptr<claim_access> with, claim_pointer draft,
                                                   std::shared_ptr<const pod_info> pod) {
    auto made = *draft;
    made.metadata.uid = {};
    made.metadata.finalizers = {text(claim_finalizer)};
    for (unsigned other = 0; !with->stop.stop_requested();) {
        made.metadata.name = extended_claim_name(pod->pod().metadata, other);
        auto how = write_options().stop(with->stop);
        const auto stored = co_await with->writer.create(made, how);
        if (stored) co_return std::make_shared<const claim_catalog::claim>(*stored);
        if (stored.error().code() == api_errc::already_exists) {
            const auto found = co_await read_object<claim_catalog::claim>(with, key_of(made.metadata));
            if (!found && answer_of(found.error()) == binding_answer::missing) continue;
            if (!found) co_return found.error();
            if (extended_claim::pod_of(**found) == pod->uid()) {
                if (!has_same_requests(**found, *draft)) co_return claim_error(**found, "was made for another node");
                co_return *found;
            }
            ++other;
            continue;
        }
        const auto answer = answer_of(stored.error());
        if (answer != binding_answer::lost) co_return stored.error();
        co_await sleep_for(with->env, claim_retry, with->stop);
    }
    co_return error(errc::stopped, "the scheduler stops");
}

inline awaitable<binding_answer> delete_claim(std::shared_ptr<claim_access> with, claim_pointer last) {
    auto edited = *last;
    if (remove_finalizer(edited.metadata, claim_finalizer)) {
        auto how = write_options().stop(with->stop);
        const auto freed = co_await with->writer.patch(*last, edited, how);
        if (!freed) co_return answer_of(freed.error());
    }
    auto how = delete_options().precondition_uid(last->metadata.uid.str()).ignore_not_found().stop(with->stop);
    const auto deleted = co_await with->writer.delete_<claim_catalog::claim>(key_of(last->metadata), how);
    if (!deleted) co_return answer_of(deleted.error());
    with->objects->remove(*last);
    co_return binding_answer::ok;
}

// Takes the claim out of the pod's status. Errors: the pod is bound. A binding that is still on its way is for an older
// version then.
inline awaitable<result<void>> forget_claim(std::shared_ptr<claim_access> with, namespaced_name key, text uid) {
    const object_edit<api::core::v1::pod> edit = [](api::core::v1::pod& to) -> result<void> {
        if (!to.spec.node_name.empty()) return error(errc::invalid_argument, "the pod is bound");
        to.status.extended_resource_claim_status.reset();
        return {};
    };
    const auto now = co_await read_object<api::core::v1::pod>(with, key);
    if (!now || (*now)->metadata.uid != uid) co_return result<void>();
    auto written = co_await write_object(with, *now, edit);
    if (!written && written.error().code() == errc::invalid_argument) co_return written;
    co_return result<void>();
}

// Deletes what was made for the pod, whatever became of the requests, unless the pod is bound.
inline awaitable<void> unmake_claim(std::shared_ptr<claim_access> with, std::shared_ptr<const pod_info> pod) {
    const auto& meta = pod->pod().metadata;
    const auto known = with->objects->find_extended_claim(pod->pod());
    const bool is_known = known != nullptr && !extended_claim::is_draft(*known);
    namespaced_name key =
        is_known ? key_of(known->metadata) : namespaced_name{meta.namespace_.str(), extended_claim_name(meta, 0)};
    const auto is_waiting = co_await forget_claim(with, key_of(meta), meta.uid);
    for (unsigned other = 0; is_waiting && !with->stop.stop_requested();) {
        const auto found = co_await read_object<claim_catalog::claim>(with, key);
        if (found && extended_claim::pod_of(**found) != pod->uid()) {
            if (is_known) break;
            key.name = extended_claim_name(meta, ++other);
            continue;
        }
        if (!found && is_known) with->objects->remove(*known);
        if (!found) break;
        const auto answer = co_await delete_claim(with, *found);
        if (answer != binding_answer::lost && answer != binding_answer::conflict) break;
        co_await sleep_for(with->env, claim_retry, with->stop);
    }
    with->unmaking.erase(meta.uid.str());
    if (with->changed) with->changed();
}

KCONTROL_DECL status claim_binder::pre_filter(state& of_pod, const pod_info& pod, const snapshot& nodes) const {
    of_pod = {};
    const bool names_claims =
        !pod.pod().spec.resource_claims.empty() || pod.pod().status.extended_resource_claim_status.present();
    static const interned_name unknown("ResourceClaims, DeviceClasses and ResourceSlices are not read yet");
    static const interned_name left("a ResourceClaim is being taken back from a binding that failed");
    if (with_->unmaking.contains(pod.uid())) return {status_code::pending, left};
    if (!with_->is_complete && names_claims) return {status_code::pending, unknown};
    auto said = dynamic_resources::pre_filter(of_pod, pod, nodes);
    if (said.is_skip()) return said;
    if (!with_->is_complete) return {status_code::pending, unknown};  // classes are known, and not yet the rest
    if (!said.ok()) return said;
    const bool is_left = std::ranges::any_of(
        of_pod.uses, [&](const auto& each) { return with_->left.contains(each.object->metadata.uid.view()); });
    return is_left ? status(status_code::pending, left) : said;
}

KCONTROL_DECL post_filter_result claim_binder::post_filter(const post_filter_request& request) const {
    post_filter_result out;
    out.answer = status::skip();
    if (!with_->is_complete) return out;
    const auto pods = request.gang.empty() ? std::span(&request.pod, 1) : request.gang;
    const auto is_ours = [&](const auto& user) {
        return std::ranges::any_of(pods, [&](const auto& pod) { return pod->uid() == user.uid.view(); });
    };
    for (const auto& pod : pods) {
        const auto made = with_->objects->find_extended_claim(pod->pod());
        if (made != nullptr && !extended_claim::is_draft(*made) && !with_->unmaking.contains(pod->uid())) {
            unmake(*pod);
            out.answer =
                status::unschedulable(interned_name("ResourceClaim " + in_quotes(made->metadata.name) + " is deleted"));
        }
        for (const auto& each : pod->pod().spec.resource_claims) {
            const auto named = claim_name(pod->pod(), each);
            if (!named || named->empty()) continue;
            const auto claim = with_->objects->find_claim(pod->namespace_(), *named);
            if (claim == nullptr || !claim->status.allocation) continue;
            if (!std::ranges::all_of(claim->status.reserved_for, is_ours)) continue;
            leave(*claim, pod->uid(), true);
            out.answer = status::unschedulable(interned_name("ResourceClaim " + in_quotes(*named) + " is freed"));
        }
    }
    return out;
}

KCONTROL_DECL void claim_binder::unreserve(state& of_pod, const placement& of) noexcept {
    of_pod.is_given_up = true;
    if (!of_pod.is_writing) return leave_all(of_pod, of.pod());
    // No pod is placed with these claims until it is known what became of the writes.
    const auto uid = std::string(of.pod().uid());
    for (const auto& each : of_pod.uses) {
        if (is_extended(of_pod, each)) {
            with_->unmaking.insert(uid);
        } else {
            with_->left[each.object->metadata.uid.str()].uids.insert(uid);
        }
    }
}

KCONTROL_DECL void claim_binder::leave_all(state& of_pod, const pod_info& pod) const {
    of_pod.assumed.clear();
    if (!std::exchange(of_pod.may_be_written, false)) return;
    for (const auto& each : of_pod.uses) {
        if (is_extended(of_pod, each)) {
            unmake(pod);
        } else {
            leave(*each.object, pod.uid(), is_decided(each));
        }
    }
}

KCONTROL_DECL void claim_binder::unmake(const pod_info& pod) const {
    with_->unmaking.emplace(pod.uid());
    const auto kept = std::make_shared<const pod_info>(pod.shared_pod());
    if (with_->spawn) return with_->spawn(unmake_claim(with_, kept));
    with_->unmaking.erase(std::string(pod.uid()));
}

KCONTROL_DECL void claim_binder::leave(const claim_catalog::claim& claim, std::string_view uid, bool frees) const {
    auto& to = with_->left[claim.metadata.uid.str()];
    to.uids.emplace(uid);
    to.frees |= frees;
    if (std::exchange(to.is_begun, true)) return;
    const auto now = with_->objects->find_claim(claim.metadata.namespace_, claim.metadata.name);
    const bool is_there = now != nullptr && now->metadata.uid == claim.metadata.uid;
    if (is_there && with_->spawn) return with_->spawn(leave_claim(with_, now));
    with_->left.erase(claim.metadata.uid.str());
}

KCONTROL_DECL awaitable<status> claim_binder::pre_bind(state& of_pod, placement& of) {
    const auto with = with_;
    const auto pod = of.shared_pod();
    status out;
    of_pod.is_writing = true;
    for (std::size_t i = 0; i < of_pod.uses.size() && out.ok() && !of_pod.is_given_up; ++i) {
        const auto object = of_pod.uses[i].object;
        const auto& meta = object->metadata;
        const bool is_draft = extended_claim::is_draft(*object);
        claim_pointer last;
        if (is_draft) {
            of_pod.may_be_written = true;
            const auto made = co_await make_claim(with, object, pod);
            if (!made) {
                out = status::error(made.error().message());
                break;
            }
            last = *made;
            with->objects->set(last);
            of_pod.uses[i].object = last;
            of_pod.assumed[i] = with->objects->assume(last, *of_pod.assumed[i]);
        } else {
            last = with->objects->find_claim(meta.namespace_, meta.name);
            if (last == nullptr || last->metadata.uid != meta.uid) {
                out = status::error(claim_error(*object, "was deleted").message());
                break;
            }
        }
        of_pod.may_be_written = true;
        const auto decided = is_draft || is_decided(of_pod.uses[i]) ? of_pod.assumed[i] : nullptr;
        const claim_edit edit = [&](claim_catalog::claim& to) {
            return reserve_claim(to, decided, pod->pod().metadata);
        };
        const auto written = co_await write_object(with, last, edit);
        if (!written) out = status::error(written.error().message());
    }
    if (of_pod.chosen != nullptr && out.ok() && !of_pod.is_given_up) {
        const auto claim = of_pod.uses.back().object->metadata.name;
        const object_edit<api::core::v1::pod> edit = [&](api::core::v1::pod& to) -> result<void> {
            if (!to.spec.node_name.empty()) return error(errc::unavailable, "the pod was bound meanwhile");
            auto& told = to.status.extended_resource_claim_status.edit();
            told.resource_claim_name = claim;
            told.request_mappings = of_pod.chosen->mappings;
            return {};
        };
        const auto written = co_await write_object(with, pod->shared_pod(), edit);
        if (!written) out = status::error(written.error().message());
    }
    of_pod.is_writing = false;
    of_pod.assumed.clear();  // what is written counts by the claim
    if (of_pod.is_given_up) leave_all(of_pod, *pod);
    co_return out;
}

}  // namespace kcontrol::scheduling::detail
