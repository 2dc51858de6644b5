#include "control/job_control.hpp"

#include <kcontrol/controllerutil/finalizers.hpp>

#include "job/names.hpp"
#include "job/phases.hpp"

namespace training_operator {

job_control::job_control(manager& m, observation observed)
    : manager_(&m),
      observed_(std::move(observed)),
      events_(m.get_event_recorder("ai.kcontrol.dev/training-operator")),
      transitions_(m.metrics(), "TrainingJob", phases) {
    for (const executor_entry& each : executor_table) {
        executors_.emplace(each.name, each.make(m.get_client()));
    }
}

reconciliation job_control::reconcile(reconcile_context ctx, training_job job) {
    const auto what = co_await plan_for(ctx, job);
    if (!what && what.error() == api_errc::not_found) co_return reconcile_result::done();
    if (!what) co_return what.error();
    const auto done = co_await carry_out(ctx, job, *what);
    // Somebody wrote in between: there is something newer to decide on.
    if (!done && done.error() == condition::conflict) co_return reconcile_result::requeue();
    if (!done) co_return done.error();
    if (!what->again) co_return reconcile_result::done();
    const duration pause = *what->again - ctx.env().wall_now();
    co_return reconcile_result::requeue_after(std::max<duration>(pause, std::chrono::milliseconds(1)));
}

// Caches say whether there is something to do; what is to be done is decided on what the server has.
awaitable<result<plan>> job_control::plan_for(const reconcile_context& ctx, training_job& job) {
    const plan guess = decide(job, observed_.cached(job), ctx.env().wall_now());
    if (!guess.is_grave(job)) co_return guess;
    get_options how;
    how.stop(ctx.stop());
    auto now = co_await manager_->get_client().live().get<training_job>(key_of(job.metadata), how);
    if (!now) co_return now.error();
    job = std::move(*now);
    const auto ranks = co_await observed_.asked(job, ctx.stop());
    if (!ranks) co_return ranks.error();
    co_return decide(job, *ranks, ctx.env().wall_now());
}

awaitable<result<void>> job_control::carry_out(const reconcile_context& ctx, const training_job& job,
                                               const plan& what) {
    client c = manager_->get_client();
    if (what.release) {
        const auto nothing = [](const training_job&) -> awaitable<result<void>> { co_return result<void>(); };
        const auto gone = co_await finalize(c, job, finalizer, nothing, ctx.stop());
        co_return gone;
    }
    if (what.remove_job) {
        delete_options how;
        how.precondition_uid(job.metadata.uid).ignore_not_found().stop(ctx.stop());
        const auto gone = co_await c.delete_<training_job>(key_of(job.metadata), how);
        co_return gone;
    }
    const auto runs = executors_.find(job.spec.executor.view());
    if (runs != executors_.end() && !what.remove.empty()) {
        const auto removed = co_await runs->second->remove(job, what.remove, ctx.env().wall_now(), ctx.stop());
        if (!removed) co_return removed;
    }
    if (runs != executors_.end() && !what.create.empty()) {
        const auto made = co_await runs->second->create(job, what.create, ctx.stop());
        if (!made && made.error() == api_errc::invalid) {
            const plan refused = refuse(job, made.error().message(), ctx.env().wall_now());
            const auto told = co_await move(ctx, job, refused);
            co_return told;
        }
        if (!made) co_return made;
    }
    const auto moved = co_await move(ctx, job, what);
    co_return moved;
}

awaitable<result<void>> job_control::move(const reconcile_context& ctx, const training_job& job, const plan& what) {
    client c = manager_->get_client();
    const auto edit = [&what](training_job& edited) {
        auto conditions = edited.status.conditions;
        edited.status = what.status;
        edited.status.conditions = std::move(conditions);
    };
    if (!what.moves(job)) {
        training_job edited = job;
        edit(edited);
        write_options how;
        how.subresource("status").stop(ctx.stop());
        const auto written = co_await c.patch(job, edited, how);
        if (!written) co_return written.error();
        co_return result<void>();
    }
    const auto next = phase_of<phases>::find(what.status.phase);
    if (!next) co_return next.error();
    const auto held = co_await ensure_finalizer(c, job, finalizer, ctx.stop());
    if (!held) co_return held.error();
    if (held->status != job.status) co_return error(api_errc::conflict, "the job has changed meanwhile");
    advance_options how;
    how.reason(what.reason).message(what.message).counter(transitions_).stop(ctx.stop());
    const auto moved = co_await advance<phases>(c, *held, *next, edit, how);
    if (!moved) co_return moved.error();
    ctx.log().info("the job moves",
                   {{"phase", what.status.phase.str()}, {"reason", what.reason}, {"message", what.message}});
    const auto note =
        what.warning ? event_note::warning(what.reason, what.message) : event_note::normal(what.reason, what.message);
    events_->record(reference_to(*moved), note);
    co_await observed_.seen(moved->metadata, ctx.stop());
    co_return result<void>();
}

}  // namespace training_operator
