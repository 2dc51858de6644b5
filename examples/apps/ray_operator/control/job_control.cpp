#include "control/job_control.hpp"

#include <kcontrol/controllerutil/finalizers.hpp>
#include <kcontrol/controllerutil/owner.hpp>
#include <kcontrol/documents/value.hpp>

#include "api/names.hpp"
#include "pods/services.hpp"
#include "pods/submitter.hpp"

namespace ray_operator {
namespace {

write_options writing(const reconcile_context& ctx) {
    write_options out;
    out.field_manager(operator_name).stop(ctx.stop());
    return out;
}
std::string question_of(const ray_job& job) { return job.status.dashboard_url + ("/" + job.status.job_id.str()); }

new_ray_cluster make_cluster(const ray_job& job) {
    new_ray_cluster out;
    out.metadata.name = job.status.ray_cluster_name;
    out.metadata.labels = job.metadata.labels;
    out.metadata.labels[origin_name_label] = job.metadata.name;
    out.metadata.labels[origin_kind_label] = "RayJob";
    out.metadata.annotations = job.metadata.annotations;
    out.spec = job.spec.ray_cluster_spec;
    return out;
}

head_service make_service(const ray_job& job, const ray_cluster& cluster) {
    head_service out = make_head_service(cluster);
    out.metadata.name = job.metadata.name + "-head-svc";
    out.metadata.labels = {{origin_name_label, job.metadata.name},
                           {origin_kind_label, "RayJob"},
                           {node_type_label, "head"},
                           {identifier_label, short_label(job.metadata.name + "-head")}};
    return out;
}

}  // namespace

dashboard_factory direct_dashboards(http::transport_factory connect) {
    return [connect = std::move(connect)](const reconcile_context& ctx, const ray_job& job) {
        return direct_exchange(connect, ctx.get_executor(), job.status.dashboard_url);
    };
}
dashboard_factory proxied_dashboards() {
    return [](const reconcile_context& ctx, const ray_job& job) {
        const std::string host = job.status.dashboard_url;
        return proxied_exchange(ctx.get_client().traced({}), job.metadata.namespace_, host.substr(0, host.find('.')));
    };
}

job_control::job_control(manager& m, observation observed, dashboard_factory dashboards)
    : observed_(std::move(observed)),
      dashboards_(std::move(dashboards)),
      events_(m.get_event_recorder("ray.io/ray-operator")) {}

void job_control::record(const ray_job& about, const note& what) {
    events_->record(reference_to(about), what.warning ? event_note::warning(what.reason, what.message)
                                                      : event_note::normal(what.reason, what.message));
}

void job_control::poll(const reconcile_context& ctx, const ray_job& job) {
    polls_.poll(ctx, job.metadata.uid, question_of(job),
                [to = dashboards_(ctx, job), id = job.status.job_id.str()](std::stop_token stop) {
                    return get_job(to, id, std::move(stop));
                });
}

reconciliation job_control::reconcile(reconcile_context ctx, ray_job job) {
    const text& manager = job.spec.managed_by;
    if (!manager.empty() && manager != "ray.io/kuberay-operator") co_return reconcile_result::done();
    const auto spec = from_json<ray_cluster_spec>(job.spec.ray_cluster_spec.text());
    const ray_cluster_spec* const cluster = spec && !job.spec.ray_cluster_spec.empty() ? &*spec : nullptr;
    job_facts seen = observed_.cached(job);
    const auto answer = polls_.last(job.metadata.uid, question_of(job));
    if (answer && *answer) seen.answer = **answer;
    const job_plan what = decide(job, cluster, seen, ctx.env().wall_now());
    if (what.poll) poll(ctx, job);
    if (!what.poll) polls_.end(ctx, job.metadata.uid);
    const auto done = co_await carry_out(ctx, job, what, cluster, seen);
    // Somebody wrote in between: there is something newer to decide on.
    if (!done && done.error() == condition::conflict) co_return reconcile_result::requeue();
    if (!done) co_return done.error();
    // What was deleted is looked at again: a conflict counts as a deletion.
    const bool deletes = what.delete_cluster || what.delete_submitter || what.delete_job;
    if (deletes) co_return reconcile_result::requeue_after(std::chrono::seconds(5));
    if (!what.again) co_return reconcile_result::done();
    const duration pause = *what.again - ctx.env().wall_now();
    co_return reconcile_result::requeue_after(std::max<duration>(pause, std::chrono::milliseconds(1)));
}

// What the status says is written before anything that the next one needs is made, and after what it tells of.
awaitable<result<void>> job_control::carry_out(const reconcile_context& ctx, const ray_job& job, const job_plan& what,
                                               const ray_cluster_spec* spec, const job_facts& seen) {
    if (what.release) co_return co_await leave(ctx, job, what.stop_job);
    ray_job before = job;
    if (what.hold) {
        auto held = co_await ensure_finalizer(ctx.get_client(), job, job_finalizer, ctx.stop());
        if (!held) co_return held.error();
        if (differ(held->status, job.status)) co_return error(api_errc::conflict, "the job has changed meanwhile");
        before = std::move(*held);
    }
    auto done = co_await remove(ctx, job, what, seen);
    if (done) done = co_await create(ctx, job, what, spec, seen);
    if (!done) co_return done;
    for (const note& each : what.notes) record(job, each);
    if (!differ(what.status, before.status)) co_return done;
    ray_job edited = before;
    edited.status = what.status;
    if (seen.cluster && !what.status.ray_cluster_name.empty()) {
        edited.status.ray_cluster_status = seen.cluster->status;
        edited.status.ray_cluster_status.edit().phase.reset();
    }
    write_options how;
    how.subresource("status").stop(ctx.stop());
    const auto written = co_await ctx.get_client().patch(before, edited, how);
    if (!written && written.error() != api_errc::not_found) co_return written.error();
    co_return done;
}

awaitable<result<void>> job_control::leave(const reconcile_context& ctx, const ray_job& job, bool stops) {
    if (stops) {
        const auto asked = co_await stop_job(dashboards_(ctx, job), job.status.job_id, ctx.stop());
        if (!asked) ctx.log().warning("the Ray job was not stopped", {{"reason", asked.error().what()}});
    }
    const auto nothing = [](const ray_job&) -> awaitable<result<void>> { co_return result<void>(); };
    const auto gone = co_await finalize(ctx.get_client(), job, job_finalizer, nothing, ctx.stop());
    co_return gone;
}

awaitable<result<void>> job_control::create(const reconcile_context& ctx, const ray_job& job, const job_plan& what,
                                            const ray_cluster_spec* spec, const job_facts& seen) {
    const std::string ns = job.metadata.namespace_.str() + "/";
    result<void> done;
    if (what.create_cluster) {
        auto cluster = make_cluster(job);
        const auto made = co_await create_owned(ctx.get_client(), job, std::move(cluster), writing(ctx));
        const std::string name = ns + job.status.ray_cluster_name.str();
        if (!made) record(job, {true, "FailedToCreateRayCluster", made.error().what()});
        if (!made) co_return made.error();
        if (*made) record(job, {false, "CreatedRayCluster", "Created RayCluster " + name});
    }
    if (what.create_submitter) {
        ray_job submits = job;
        submits.status = what.status;
        const auto read = json::parse(job.spec.ray_cluster_spec.text());
        const std::string version(read ? json::get_string(*read, {"rayVersion"}) : std::string_view());
        auto submitter = make_submitter(submits, spec != nullptr ? *spec : seen.cluster->spec, version);
        const auto made = co_await create_owned(ctx.get_client(), job, std::move(submitter), writing(ctx));
        if (!made) record(job, {true, "FailedToCreateRayJobSubmitter", made.error().what()});
        if (!made) co_return made.error();
        if (*made)
            record(job, {false, "CreatedRayJobSubmitter", "Created Kubernetes Job " + ns + job.metadata.name.str()});
    }
    if (what.create_service) done = co_await show_service(ctx, job, *seen.cluster);
    if (done && what.submit) done = co_await submit(ctx, job);
    co_return done;
}

// The service of the job's head stays, whichever cluster the job has.
awaitable<result<void>> job_control::show_service(const reconcile_context& ctx, const ray_job& job,
                                                  const ray_cluster& cluster) {
    head_service wanted = make_service(job, cluster);
    const auto found = observed_.service_of(job);
    if (!found) {
        const std::string name = job.metadata.namespace_.str() + "/" + wanted.metadata.name.str();
        const auto made = co_await create_owned(ctx.get_client(), job, std::move(wanted), writing(ctx));
        if (!made) co_return made.error();
        if (*made) record(job, {false, "CreatedService", "Created the service " + name});
        co_return result<void>();
    }
    if (found->spec.selector == wanted.spec.selector) co_return result<void>();
    head_service edited = *found;
    edited.spec.selector = wanted.spec.selector;
    const auto written = co_await ctx.get_client().patch(*found, edited, writing(ctx));
    if (!written) co_return written.error();
    record(job, {false, "UpdatedService", "Updated the service " + to_string(key_of(found->metadata))});
    co_return result<void>();
}

// Once for each id: a status that is older than this one may have the answer of another submission.
awaitable<result<void>> job_control::submit(const reconcile_context& ctx, const ray_job& job) {
    get_options how;
    how.stop(ctx.stop());
    client live = ctx.get_client().live();
    const auto now = co_await live.get<ray_job>(key_of(job.metadata), how);
    if (!now) co_return now.error();
    if (now->status.job_id != job.status.job_id || now->status.job_deployment_status != "Running")
        co_return error(api_errc::conflict, "the job has changed meanwhile");
    const auto sent = co_await submit_job(dashboards_(ctx, job), submit_request(job), ctx.stop());
    if (!sent) co_return sent.error().with_context("the Ray job was not submitted");
    polls_.end(ctx, job.metadata.uid);  // what it said was before
    poll(ctx, job);
    co_return result<void>();
}

awaitable<result<void>> job_control::remove(const reconcile_context& ctx, const ray_job& job, const job_plan& what,
                                            const job_facts& seen) {
    client c = ctx.get_client();
    delete_options how;
    how.propagation_policy(propagation::background).stop(ctx.stop());
    const std::string ns = job.metadata.namespace_.str() + "/";
    result<void> done;
    if (what.delete_cluster) {
        const object_meta& cluster = seen.cluster->metadata;
        done = co_await delete_by_uid<ray_cluster>(c, key_of(cluster), cluster.uid, how);
        if (!done) co_return done;
        record(job, {false, "DeletedRayCluster", "Deleted cluster " + ns + cluster.name.str()});
    }
    if (what.delete_submitter) {
        how.ignore_not_found();
        done = co_await c.delete_<batch_job>(key_of(job.metadata), how);
        if (!done) co_return done;
        record(job, {false, "DeletedRayJobSubmitter", "Deleted submitter K8s Job " + ns + job.metadata.name.str()});
    }
    if (what.suspend_workers) {
        json::array steps;
        for (std::size_t i = 0; i < seen.cluster->spec.worker_group_specs.size(); ++i) {
            const std::string path = "/spec/workerGroupSpecs/" + std::to_string(i) + "/suspend";
            steps.push_back(json::object{{"op", "add"}, {"path", path}, {"value", true}});
        }
        const namespaced_name key = key_of(seen.cluster->metadata);
        const auto changed =
            co_await c.patch(resource_of<ray_cluster>(), key, json_patch_type, json::serialize(steps), writing(ctx));
        if (!changed) co_return changed.error();
        record(job, {false, "UpdatedRayCluster",
                     "Set the `suspend` field to true for all worker groups in cluster " + to_string(key)});
    }
    if (what.delete_job) done = co_await delete_by_uid<ray_job>(c, key_of(job.metadata), job.metadata.uid, how);
    co_return done;
}

}  // namespace ray_operator
