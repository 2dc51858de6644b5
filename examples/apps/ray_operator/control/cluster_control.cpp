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
// What is never changed once it is there. That there is one of that name is a success.
template <resource T>
awaitable<result<void>> ensure(client c, std::shared_ptr<const ray_cluster> owner, T (*make)(const ray_cluster&),
                               write_options how) {
    auto part = make(*owner);
    const auto made = co_await create_owned(c, *owner, std::move(part), how);
    if (!made) co_return made.error();
    co_return result<void>();
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
    if (is_being_deleted(c.metadata) || (!manager.empty() && manager != "ray.io/kuberay-operator"))
        co_return reconcile_result::done();
    const auto bad = check(c);
    if (bad) {
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
    if (what.touches_pods()) {
        get_options how;
        how.stop(ctx.stop());
        client live = ctx.get_client().live();
        auto now = co_await live.get<ray_cluster>(key_of(c.metadata), how);
        if (!now && now.error() == api_errc::not_found) co_return reconcile_result::done();
        if (!now) co_return now.error();
        const bool same = now->metadata.uid == c.metadata.uid && now->metadata.generation == c.metadata.generation;
        if (!same || is_being_deleted(now->metadata)) co_return reconcile_result::requeue();
        c = std::move(*now);
        auto asked = co_await observed_.asked(live, c, ctx.stop());
        if (!asked) co_return asked.error();
        seen = std::move(*asked);
        what = decide(c, seen, ctx.env().wall_now());
    }
    auto failed = co_await carry_out(ctx, c, seen, what);
    if (!failed) co_return failed.error();
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
    const auto services = co_await make_services(ctx, c, seen, what);
    if (!services) co_return services.error();
    for (const pod_deletion& each : what.remove) {
        const auto done = co_await remove(ctx, c, each);
        if (done) continue;
        if (ctx.stop().stop_requested()) co_return done.error();
        note_failure(each.head, "Delete", done.error());
        co_return failed;
    }
    for (const pod_creation& each : what.create) {
        const auto done = co_await create(ctx, c, each);
        if (done) continue;
        if (ctx.stop().stop_requested()) co_return done.error();
        note_failure(each.head, "Create", done.error());
        co_return failed;
    }
    co_return failed;
}

awaitable<result<void>> cluster_control::make_services(const reconcile_context& ctx, const ray_cluster& c,
                                                       const cluster_facts& seen, const cluster_plan& what) {
    const auto owner = std::make_shared<const ray_cluster>(c);
    const client k = ctx.get_client();
    const write_options how = writing(ctx);
    result<void> done;
    if (!seen.head_service) {
        auto service = make_head_service(c);
        const std::string name = c.metadata.namespace_.str() + "/" + service.metadata.name.str();
        const auto made = co_await create_owned(k, c, std::move(service), how);
        if (!made) record(c, {true, "FailedToCreateService", made.error().what()});
        if (!made) co_return made.error();
        if (*made) record(c, {false, "CreatedService", "Created service " + name});
        if (serves(c)) done = co_await ensure(k, owner, make_serve_service, how);
    }
    if (what.create.empty()) co_return done;
    if (done && has_several_hosts(c)) done = co_await ensure(k, owner, make_headless_service, how);
    const bool autoscales = what.create.front().head && is_autoscaling(c.spec);
    // An account that the template names is its user's.
    if (done && autoscales && c.spec.head_group_spec.template_.spec.service_account_name.empty())
        done = co_await ensure(k, owner, make_autoscaler_account, how);
    if (done && autoscales) done = co_await ensure(k, owner, make_autoscaler_role, how);
    if (done && autoscales) done = co_await ensure(k, owner, make_autoscaler_binding, how);
    co_return done;
}

awaitable<result<void>> cluster_control::remove(const reconcile_context& ctx, const ray_cluster& c,
                                                const pod_deletion& what) {
    delete_options how;
    how.stop(ctx.stop());
    if (what.grace) how.grace_period(*what.grace);
    const namespaced_name key(c.metadata.namespace_, what.name);
    const auto gone = co_await delete_by_uid<ray_pod>(ctx.get_client(), key, what.uid, how);
    if (!gone) co_return gone;
    record(c, {false, what.head ? "DeletedHeadPod" : "DeletedWorkerPod",
               "Deleted pod " + to_string(key) + ": " + what.why});
    co_return gone;
}

awaitable<result<void>> cluster_control::create(const reconcile_context& ctx, const ray_cluster& c,
                                                const pod_creation& what) {
    const namespaced_name key(c.metadata.namespace_, what.name);
    auto pod = what.head ? make_head_pod(c, what.name)
                         : make_worker_pod(c, c.spec.worker_group_specs[what.group], what.name, what.place);
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
