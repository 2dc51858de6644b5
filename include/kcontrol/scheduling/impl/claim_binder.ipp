#pragma once

#include <kcontrol/base/in_quotes.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/scheduling/detail/claim_binder.hpp>
#include <kcontrol/scheduling/impl/claim_parts.hpp>
#include <kcontrol/scheduling/impl/write_answer.hpp>

#include <algorithm>
#include <chrono>

namespace kcontrol::inline v0_1::scheduling::detail {

inline constexpr duration claim_retry = std::chrono::milliseconds(500);

using claim_pointer = std::shared_ptr<const claim_catalog::claim>;
/// Makes of a version of the claim what it is to be. Errors: it can't be any more.
using claim_edit = std::function<result<void>(claim_catalog::claim& to)>;

// Whether its allocation was decided for this pod, or for another one of its gang.
inline bool is_decided(const dynamic_resources::state::use& of) { return !of.object->status.allocation; }

inline error claim_error(const claim_catalog::claim& of, const char* what) {
    return error(errc::unavailable, "ResourceClaim " + in_quotes(of.metadata.name) + " " + what);
}

// Writes what `edit` makes of the newest version, until the server has said that it is so, or that it never will be.
inline awaitable<result<void>> write_claim(std::shared_ptr<claim_access> with, claim_pointer last, claim_edit edit) {
    const auto key = key_of(last->metadata);
    const auto uid = last->metadata.uid;
    std::string in_doubt;  // the version for which a write may be on its way
    while (!with->stop.stop_requested()) {
        auto edited = *last;
        if (auto can_be = edit(edited); !can_be) co_return can_be.error();
        const bool is_first = edited.metadata.finalizers != last->metadata.finalizers;
        if (is_first) edited.status = last->status;
        auto how = write_options().stop(with->stop);
        if (!is_first) how.subresource("status");
        auto written = co_await with->writer.patch(*last, edited, how);
        if (written) {
            last = std::make_shared<const claim_catalog::claim>(std::move(*written));
            with->objects->set_answer(last);
            in_doubt.clear();
            if (is_first) continue;
            co_return result<void>();
        }
        const auto answer = answer_of(written.error());
        if (answer == binding_answer::stopped || answer == binding_answer::missing) co_return written.error();
        if (answer == binding_answer::failed && in_doubt.empty()) co_return written.error();
        if (answer == binding_answer::lost) in_doubt = last->metadata.resource_version.str();
        for (bool is_read = false; !is_read && !with->stop.stop_requested();) {
            if (answer != binding_answer::conflict) co_await sleep_for(with->env, claim_retry, with->stop);
            auto live = with->writer.live();
            auto read_how = get_options().stop(with->stop);
            const auto found = co_await live.get_shared<claim_catalog::claim>(key, read_how);
            is_read = found.has_value();
            if (!is_read && answer_of(found.error()) == binding_answer::missing) co_return found.error();
            if (!is_read && answer == binding_answer::conflict) {
                co_await sleep_for(with->env, claim_retry, with->stop);
            }
            if (is_read) last = *found;
        }
        if (last->metadata.uid != uid) co_return claim_error(*last, "was made anew");
        if (last->metadata.resource_version != in_doubt) in_doubt.clear();
        with->objects->set_answer(last);
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
        auto& finalizers = to.metadata.finalizers;
        if (std::ranges::count(finalizers, text(claim_finalizer)) == 0) finalizers.push_back(text(claim_finalizer));
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
        const auto written = co_await write_claim(with, from, edit);
        if (!written) break;
        if (auto now = with->objects->find_claim(from->metadata.namespace_, from->metadata.name)) from = std::move(now);
        if (from->metadata.uid != uid) break;
    }
    with->left.erase(uid);
    if (with->changed) with->changed();
}

KCONTROL_DECL status claim_binder::pre_filter(state& of_pod, const pod_info& pod, const snapshot& nodes) const {
    of_pod = {};
    if (pod.pod().spec.resource_claims.empty()) return status::skip();
    static const interned_name unknown("ResourceClaims, DeviceClasses and ResourceSlices are not read yet");
    static const interned_name left("a ResourceClaim is being taken back from a binding that failed");
    if (!with_->is_complete) return {status_code::pending, unknown};
    auto said = dynamic_resources::pre_filter(of_pod, pod, nodes);
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
    if (!of_pod.is_writing) return leave_all(of_pod, of.pod().uid());
    // No pod is placed with these claims until it is known what became of the writes.
    for (const auto& each : of_pod.uses) with_->left[each.object->metadata.uid.str()].uids.emplace(of.pod().uid());
}

KCONTROL_DECL void claim_binder::leave_all(state& of_pod, std::string_view uid) const {
    of_pod.assumed.clear();
    if (!std::exchange(of_pod.may_be_written, false)) return;
    for (const auto& each : of_pod.uses) leave(*each.object, uid, is_decided(each));
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
    const auto uses = of_pod.uses;
    const auto assumed = of_pod.assumed;
    status out;
    of_pod.is_writing = true;
    for (std::size_t i = 0; i < uses.size() && out.ok() && !of_pod.is_given_up; ++i) {
        const auto& meta = uses[i].object->metadata;
        const auto last = with->objects->find_claim(meta.namespace_, meta.name);
        if (last == nullptr || last->metadata.uid != meta.uid) {
            out = status::error(claim_error(*uses[i].object, "was deleted").message());
            break;
        }
        of_pod.may_be_written = true;
        const claim_edit edit = [&](claim_catalog::claim& to) {
            return reserve_claim(to, is_decided(uses[i]) ? assumed[i] : nullptr, pod->pod().metadata);
        };
        const auto written = co_await write_claim(with, last, edit);
        if (!written) out = status::error(written.error().message());
    }
    of_pod.is_writing = false;
    of_pod.assumed.clear();  // what is written counts by the claim
    if (of_pod.is_given_up) leave_all(of_pod, pod->uid());
    co_return out;
}

}  // namespace kcontrol::scheduling::detail
