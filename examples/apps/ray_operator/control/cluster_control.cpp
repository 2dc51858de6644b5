#include "control/cluster_control.hpp"

#include <kcontrol/controllerutil/finalizers.hpp>
#include <kcontrol/controllerutil/owner.hpp>

#include "api/names.hpp"
#include "api/validation.hpp"
#include "pods/services.hpp"

namespace ray_operator {
namespace {

write_options writing(const reconcile_context& ctx) {
    write_options out;
    out.field_manager(operator_name).stop(ctx.stop());
    return out;
}
// By group; of a group of Kueue, or of a pod that waits by itself.
awaitable<result<std::map<std::string, std::string>>> read_words(
    std::shared_ptr<kueue::workloads> queues, client from, std::string ns,
    std::map<std::string, std::pair<std::string, std::string>> asked, std::stop_token stop) {
    std::map<std::string, std::string> out;
    for (const auto& [group, whose] : asked) {
        const namespaced_name key(ns, whose.first);
        result<std::string> said = std::string();
        if (whose.first.empty()) said = co_await queues->pending_reason(from, ns, whose.second, stop);
        if (!whose.first.empty()) said = co_await queues->pending_reason(from, key, stop);
        if (!said) co_return said.error();
        out[group] = *said;
    }
    co_return out;
}

}  // namespace

cluster_control::cluster_control(manager& m, observation observed)
    : observed_(std::move(observed)), events_(m.get_event_recorder("ray.io/ray-operator")) {}

void cluster_control::record(const ray_cluster& about, const note& what) {
    events_->record(reference_to(about), what.warning ? event_note::warning(what.reason, what.message)
                                                      : event_note::normal(what.reason, what.message));
}

reconciliation cluster_control::reconcile(reconcile_context ctx, ray_cluster c) {
    const text& manager = c.spec.managed_by;
    const bool leaves = is_being_deleted(c.metadata);
    const bool ours = manager.empty() || manager == "ray.io/kuberay-operator";
    const bool held = has_finalizer(c.metadata, redis_finalizer) || has_finalizer(c.metadata, queue_finalizer);
    if (!ours || (leaves && !held)) co_return reconcile_result::done();
    const auto bad = check(c);
    if (bad && !leaves) {
        const auto refused = refused_status(c, bad->text(), ctx.env().wall_now());
        const bool news = !(refused == c.status);
        const auto written = co_await write(ctx, c, refused);
        if (!written) co_return written.error();
        const bool named = bad->field == "metadata.name";
        if (news) record(c, {true, named ? "InvalidRayClusterMetadata" : "InvalidRayClusterSpec", bad->text()});
        co_return reconcile_result::done();
    }
    cluster_facts seen = observed_.cached(c);
    cluster_plan what = decide(c, seen, ctx.env().wall_now());
    if (!what.hold.empty()) {
        auto kept = co_await ensure_finalizer(ctx.get_client(), c, what.hold, ctx.stop());
        if (!kept) co_return kept.error();
        co_return reconcile_result::requeue();
    }
    if (what.touches_pods()) {
        get_options how;
        how.stop(ctx.stop());
        client live = ctx.get_client().live();
        auto now = co_await live.get<ray_cluster>(key_of(c.metadata), how);
        if (!now && now.error() == api_errc::not_found) co_return reconcile_result::done();
        if (!now) co_return now.error();
        const bool same = now->metadata.uid == c.metadata.uid && now->metadata.generation == c.metadata.generation;
        if (!same || is_being_deleted(now->metadata) != leaves) co_return reconcile_result::requeue();
        c = std::move(*now);
        auto asked = co_await observed_.asked(live, c, ctx.stop());
        if (!asked) co_return asked.error();
        seen = std::move(*asked);
        what = decide(c, seen, ctx.env().wall_now());
    }
    auto failed = co_await carry_out(ctx, c, seen, what);
    if (!failed) co_return failed.error();
    if (leaves) {
        if (*failed) co_return error(errc::unavailable, (*failed)->reason + ": " + (*failed)->message);
        const auto left = co_await let_go(ctx, c, what);
        if (!left) co_return left.error();
        if (!what.again && what.remove.empty()) co_return reconcile_result::done();
        co_return reconcile_result::requeue_after(std::chrono::seconds(5));
    }
    ask_queue(ctx, c, seen);
    const auto status = next_status(c, seen, *failed, ctx.env().wall_now());
    const auto written = co_await write(ctx, c, status);
    if (!written && written.error() == condition::conflict) co_return reconcile_result::requeue();
    if (!written) co_return written.error();
    for (const note& each : what.notes) record(c, each);
    if (*failed) co_return error(errc::unavailable, (*failed)->reason + ": " + (*failed)->message);
    if (what.more) co_return reconcile_result::requeue_after(std::chrono::milliseconds(1));
    // What was deleted is looked at again: a conflict counts as a deletion.
    const wall_time look = ctx.env().wall_now() + std::chrono::seconds(5);
    if (!what.remove.empty() && (!what.again || look < *what.again)) what.again = look;
    if (!what.again) co_return reconcile_result::done();
    const duration pause = *what.again - ctx.env().wall_now();
    co_return reconcile_result::requeue_after(std::max<duration>(pause, std::chrono::milliseconds(1)));
}

// The first write that fails ends it; what it was about is the condition ReplicaFailure.
cluster_control::outcome cluster_control::carry_out(const reconcile_context& ctx, const ray_cluster& c,
                                                    const cluster_facts& seen, const cluster_plan& what) {
    std::optional<replica_failure> failed;
    const auto note_failure = [&](bool head, const char* verb, const error& why) {
        const std::string part = head ? "HeadPod" : "WorkerPod";
        failed = replica_failure{std::string("Failed") + verb + part, why.what()};
        record(c, {true, std::string("FailedTo") + verb + part, why.what()});
    };
    for (const std::string& group : what.end_groups) {
        const namespaced_name key(c.metadata.namespace_, group);
        const auto ended = co_await queues_->end_group(ctx.get_client(), key, ctx.stop());
        if (!ended) co_return ended.error();
    }
    if (!is_being_deleted(c.metadata)) {
        const auto services = co_await make_services(ctx, c, seen, what);
        if (!services) co_return services.error();
    }
    for (const pod_deletion& each : what.remove) {
        const auto done = co_await remove(ctx, c, each);
        if (done) continue;
        if (ctx.stop().stop_requested()) co_return done.error();
        note_failure(each.head, "Delete", done.error());
        co_return failed;
    }
    result<const pod_group_kind*> gang = nullptr;
    if (!what.create.empty() && is_gang(c)) gang = co_await make_gang(ctx, c);
    if (!gang) co_return gang.error();
    for (const pod_creation& each : what.create) {
        const auto done = co_await create(ctx, c, each, *gang);
        if (done) continue;
        if (ctx.stop().stop_requested()) co_return done.error();
        note_failure(each.head, "Create", done.error());
        co_return failed;
    }
    co_return failed;
}

// What is never changed once it is there. That there is one of that name is a success.
template <resource T>
awaitable<result<void>> cluster_control::ensure(const reconcile_context& ctx, const ray_cluster& c,
                                                T (*make)(const ray_cluster&), const char* what) {
    T part = make(c);
    const std::string name = std::string(what) + " " + to_string(key_of(part.metadata));
    const auto made = co_await create_owned(ctx.get_client(), c, std::move(part), writing(ctx));
    if (!made) record(c, {true, std::string("FailedToCreate") + what, name + ": " + made.error().what()});
    if (!made) co_return made.error();
    if (*made) record(c, {false, std::string("Created") + what, "Created " + name});
    co_return result<void>();
}

awaitable<result<void>> cluster_control::make_services(const reconcile_context& ctx, const ray_cluster& c,
                                                       const cluster_facts& seen, const cluster_plan& what) {
    result<void> done;
    if (!seen.head_service) {
        done = co_await ensure(ctx, c, make_head_service, "Service");
        if (done && serves(c)) done = co_await ensure(ctx, c, make_serve_service, "Service");
    }
    if (what.create.empty()) co_return done;
    if (done && has_several_hosts(c)) done = co_await ensure(ctx, c, make_headless_service, "Service");
    const bool autoscales = what.create.front().head && is_autoscaling(c.spec);
    // An account that the template names is its user's.
    if (done && autoscales && c.spec.head_group_spec.template_.spec.service_account_name.empty())
        done = co_await ensure(ctx, c, make_autoscaler_account, "ServiceAccount");
    if (done && autoscales) done = co_await ensure(ctx, c, make_autoscaler_role, "Role");
    if (done && autoscales) done = co_await ensure(ctx, c, make_autoscaler_binding, "RoleBinding");
    co_return done;
}

awaitable<result<void>> cluster_control::let_go(const reconcile_context& ctx, const ray_cluster& c,
                                                const cluster_plan& what) {
    result<void> done;
    if (what.clean_redis) done = co_await ensure(ctx, c, make_redis_cleanup, "RedisCleanupJob");
    const auto nothing = [](const ray_cluster&) -> awaitable<result<void>> { co_return result<void>(); };
    for (const char* name : {queue_finalizer, redis_finalizer}) {
        if (done && what.release) done = co_await finalize(ctx.get_client(), c, name, nothing, ctx.stop());
    }
    co_return done;
}

// Null: the server has no such kind.
awaitable<result<const pod_group_kind*>> cluster_control::make_gang(const reconcile_context& ctx,
                                                                    const ray_cluster& c) {
    const std::string scheduler = c.spec.head_group_spec.template_.spec.scheduler_name;
    const auto kind = co_await groups_.served(ctx.get_client(), scheduler, ctx.stop());
    if (!kind || *kind == nullptr) co_return kind;
    object_meta group;
    group.name = gang_name(c);
    group.labels[cluster_label] = c.metadata.name;
    list_options earlier;
    earlier.label_selector(cluster_label + ("=" + c.metadata.name.str())).stop(ctx.stop());
    const auto made = co_await create_pod_group(ctx.get_client(), **kind, c, std::move(group), gang_size(c.spec),
                                                earlier, writing(ctx));
    if (!made) co_return made.error();
    co_return kind;
}

// Of each group whose pods a queue has held back for long what it says, in place of what the API server says.
void cluster_control::ask_queue(const reconcile_context& ctx, const ray_cluster& c, cluster_facts& seen) {
    std::map<std::string, const pod_fact*> waiting;
    std::string question;
    for (const pod_fact& p : seen.pods) {
        const bool told = p.queued && p.waits_since && *p.waits_since + hold_grace <= ctx.env().wall_now();
        if (told && waiting.emplace(p.group, &p).second) question += p.uid + "/";
    }
    if (waiting.empty()) return words_.end(ctx, c.metadata.uid);
    std::map<std::string, std::pair<std::string, std::string>> asked;
    for (const auto& [group, p] : waiting) asked[group] = {p->queue_group, p->uid};
    const auto ask = [queues = queues_, from = ctx.get_client(), ns = c.metadata.namespace_.str(),
                      asked](std::stop_token stop) { return read_words(queues, from, ns, asked, std::move(stop)); };
    words_.poll(ctx, c.metadata.uid, question, ask);
    const auto last = words_.last(c.metadata.uid, question);
    if (!last || !*last) return;
    for (pod_fact& p : seen.pods) {
        const auto said = (*last)->find(p.group);
        if (p.queued && said != (*last)->end() && !said->second.empty()) p.waits = said->second;
    }
}

awaitable<result<void>> cluster_control::remove(const reconcile_context& ctx, const ray_cluster& c,
                                                const pod_deletion& what) {
    delete_options how;
    how.stop(ctx.stop());
    if (what.at_once) how.grace_period(std::chrono::seconds(0));
    const namespaced_name key(c.metadata.namespace_, what.name);
    const auto gone = co_await delete_by_uid<ray_pod>(ctx.get_client(), key, what.uid, how);
    if (!gone) co_return gone;
    const char* const part = what.head ? "DeletedHeadPod" : "DeletedWorkerPod";
    record(c, {false, what.whole ? "DeletedPod" : part, "Deleted pod " + to_string(key) + ": " + what.why});
    co_return gone;
}

awaitable<result<void>> cluster_control::create(const reconcile_context& ctx, const ray_cluster& c,
                                                const pod_creation& what, const pod_group_kind* gang) {
    const namespaced_name key(c.metadata.namespace_, what.name);
    auto pod = what.head ? make_head_pod(c, what.name)
                         : make_worker_pod(c, c.spec.worker_group_specs[what.group], what.name, what.place);
    if (gang != nullptr) gang->join(gang_name(c), pod);
    const write_options how = writing(ctx);
    const auto made = co_await create_owned(ctx.get_client(), c, std::move(pod), how);
    if (!made) co_return made.error();
    if (*made) record(c, {false, what.head ? "CreatedHeadPod" : "CreatedWorkerPod", "Created pod " + to_string(key)});
    co_return result<void>();
}

awaitable<result<void>> cluster_control::write(const reconcile_context& ctx, const ray_cluster& c,
                                               const ray_cluster_status& status) {
    if (status == c.status) co_return result<void>();
    ray_cluster edited = c;
    edited.status = status;
    write_options how;
    how.subresource("status").stop(ctx.stop());
    const auto written = co_await ctx.get_client().patch(c, edited, how);
    if (!written && written.error() != api_errc::not_found) co_return written.error();
    co_return result<void>();
}

}  // namespace ray_operator
