#include "control/job_control.hpp"

#include <kcontrol/api/discovery/v1.hpp>
#include <kcontrol/controllerutil/finalizers.hpp>
#include <kcontrol/controllerutil/owner.hpp>
#include <kcontrol/http/fetch.hpp>

#include "card/model_card.hpp"
#include "dataset/version.hpp"
#include "fits/free_nodes.hpp"
#include "job/names.hpp"
#include "job/phases.hpp"
#include "promote/route.hpp"

namespace training_operator {
namespace {

awaitable<result<std::string>> read_text(http::document_reader from, result<std::string> (*read)(const http::response&),
                                         std::stop_token stop) {
    const auto answer = co_await from.read(std::move(stop));
    if (!answer) co_return answer.error();
    co_return read(*answer);
}

awaitable<result<bool>> ask_scheduler(http::document_reader from, std::stop_token stop) {
    const auto answer = co_await from.read(std::move(stop));
    if (!answer) co_return answer.error();
    co_return read_fits(answer->status, answer->body);
}

// What asks a checkpoint store together with others: its scheme and host.
std::string store_of(const training_job& job) {
    const checkpoint* from = resume_from(job);
    if (from == nullptr) return {};
    const std::string_view uri = from->uri;
    const auto host = uri.find("://");
    return std::string(host == uri.npos ? uri : uri.substr(0, uri.find('/', host + 3)));
}

double seconds_between(wall_time from, wall_time to) {
    return std::max(0.0, std::chrono::duration<double>(to - from).count());
}

}  // namespace

job_control::job_control(manager& m, observation observed, http::transport_factory connect, restart_settings settings,
                         http::transport_factory to_scheduler)
    : observed_(std::move(observed)),
      connect_(std::move(connect)),
      settings_(std::move(settings)),
      to_scheduler_(std::move(to_scheduler)),
      pressure_(settings_.wait_target),
      events_(m.get_event_recorder("ai.kcontrol.dev/training-operator")),
      transitions_(m.metrics(), "TrainingJob", phases),
      attempts_(m.metrics().counter("training_job_attempts_total", "Attempts of training jobs that began.")),
      lost_seconds_(m.metrics().counter("training_job_lost_seconds_total",
                                        "From the loss of a rank until all run again, summed over all restarts.")),
      lost_steps_(m.metrics().counter("training_job_lost_steps_total",
                                      "Steps that ranks had reported and that restarts repeat.")),
      restart_seconds_(m.metrics().histogram("training_job_restart_seconds",
                                             "From the loss of a rank to the start of the next attempt.",
                                             {1, 2, 5, 10, 30, 60, 90, 120, 300, 900})) {
    restart_limits limits;
    limits.at_once = settings_.at_once;
    turns_ = restart_turns(limits);
    for (const std::string_view part : recovery_parts) {
        recovery_seconds_.push_back(m.metrics().histogram(
            "training_job_recovery_seconds", "The parts of the way from the loss of a rank to the first new step.",
            {0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 900}, {{"part", std::string(part)}}));
    }
    for (const executor_entry& each : executor_table) {
        executors_.emplace(each.name, each.make());
    }
}

job_executor* job_control::executor_of(const training_job& job) const {
    const auto found = executors_.find(job.spec.executor.view());
    return found == executors_.end() ? nullptr : found->second.get();
}

reconciliation job_control::reconcile(reconcile_context ctx, training_job job) {
    auto what = co_await plan_for(ctx, job);
    if (!what && what.error() == api_errc::not_found) co_return reconcile_result::done();
    if (!what) co_return what.error();
    const auto again = what->again;
    const auto done = co_await carry_out(ctx, job, std::move(*what));
    // Somebody wrote in between: there is something newer to decide on.
    if (!done && done.error() == condition::conflict) co_return reconcile_result::requeue();
    if (!done) co_return done.error();
    if (!again) co_return reconcile_result::done();
    const duration pause = *again - ctx.env().wall_now();
    co_return reconcile_result::requeue_after(std::max<duration>(pause, std::chrono::milliseconds(1)));
}

void job_control::ask_servers(const reconcile_context& ctx, const training_job& job, const facts& seen) {
    const auto* phase = phases.find(job.status.phase);
    const bool rests = phase == nullptr || phase->is_terminal() || phase->name() == "Suspended";
    const bool ends = rests || is_being_deleted(job.metadata);
    const bool restarts = job.status.phase == "Restarting" && seen.ranks.empty() && !seen.held;
    const bool begins = job.status.phase == "Pending" || job.status.phase == "DataCheck" || restarts;
    ask(versions_, ctx, job, job.spec.dataset && !ends ? job.spec.dataset->version_url.str() : "", version_of);
    ask(hashes_, ctx, job, begins && !ends ? hash_url(job) : "", hash_of);
    ask_queue(ctx, job);
    ask_room(ctx, job);
}

// While it runs on CPUs: whether it could go back.
void job_control::ask_room(const reconcile_context& ctx, const training_job& job) {
    const bool active = job.status.phase == "Queued" || job.status.phase == "Starting" || job.status.phase == "Running";
    if (!job.status.on_fallback || !active) return room_.end(ctx, job.metadata.uid);
    const auto pods = std::to_string(job.spec.workers);
    if (settings_.scheduler_url.empty()) {
        room_.poll(ctx, job.metadata.uid, pods,
                   [c = ctx.get_client().traced({}), observed = &observed_, job](std::stop_token stop) {
                       return observed->fits(c, job, std::move(stop));
                   });
        return;
    }
    http::exchange_options bounds;
    bounds.deadline(std::chrono::seconds(10)).max_body(std::size_t{64} << 10);
    const auto gpus = std::to_string(job.spec.accelerator ? std::max(1, job.spec.accelerator->per_worker) : 1);
    const http::document_reader from(to_scheduler_, ctx.get_executor(),
                                     settings_.scheduler_url + "/api/v1/fits?pods=" + pods + "&gpus=" + gpus, bounds);
    room_.poll(ctx, job.metadata.uid, pods,
               [from](std::stop_token stop) { return ask_scheduler(from, std::move(stop)); });
}

// Of a gang that is to start again, and has no pods any more.
std::optional<held_restart> job_control::turn_of(const reconcile_context& ctx, const training_job& job,
                                                 const facts& seen) {
    const auto& phase = job.status.phase;
    if (phase != "Restarting") {
        if (phase != "Starting") turns_.done(job.metadata.uid);
        return std::nullopt;
    }
    if (!seen.ranks.empty() || seen.holds_ranks) return std::nullopt;
    const auto how = urgency_of(observed_.priority_of(job));
    if (turns_.ask(job.metadata.uid, how, store_of(job), pressure(ctx), ctx.env().now())) return std::nullopt;
    held_restart out;
    out.until = ctx.env().wall_now() + turns_.limits().ask_again;
    return out;
}

double job_control::pressure(const reconcile_context& ctx) {
    const auto now = ctx.env().now();
    if (now - pressure_read_ < std::chrono::seconds(1)) return pressure_.value();
    pressure_read_ = now;
    std::uint64_t throttled = 0, writes = 0;
    double seconds = 0;
    const auto& counts = ctx.get_client().requests();
    for (const auto& [of, count] : counts.requests) {
        if (of.second == "429") throttled += count;
    }
    for (const auto& [method, took] : counts.durations) {
        if (method == "GET") continue;
        writes += took.count();
        seconds += took.sum();
    }
    pressure_.requests(throttled, writes, seconds, now);
    pressure_.waiting(observed_.average_wait(ctx.env().wall_now()));
    return pressure_.value();
}

void job_control::follow_recovery(const reconcile_context& ctx, const training_job& job, const facts& seen) {
    const auto found = recoveries_.find(job.metadata.uid.view());
    if (found == recoveries_.end()) return;
    const auto* phase = phases.find(job.status.phase);
    const auto now = ctx.env().wall_now();
    auto& is = found->second;
    const auto part = recovery_part_of(job, seen);
    if (part != is.part) {
        recovery_seconds_[static_cast<std::size_t>(is.part)].observe(seconds_between(is.since, now));
        is = {part, now};
    }
    if (part == recovery_part::none || phase == nullptr || phase->is_terminal() || is_being_deleted(job.metadata))
        recoveries_.erase(found);
}

void job_control::ask_queue(const reconcile_context& ctx, const training_job& job) {
    job_executor* runs = executor_of(job);
    if (job.status.phase != "Queued" || runs == nullptr) return queues_.end(ctx, job.metadata.uid);
    queues_.poll(ctx, job.metadata.uid, start_name(job),
                 [c = ctx.get_client().traced({}), runs, job](std::stop_token stop) {
                     return runs->pending_reason(c, job, std::move(stop));
                 });
}

void job_control::ask(poll& of, const reconcile_context& ctx, const training_job& job, const std::string& url,
                      result<std::string> (*read)(const http::response&)) {
    if (url.empty()) return of.end(ctx, job.metadata.uid);
    http::exchange_options bounds;
    bounds.deadline(std::chrono::seconds(10)).max_body(std::size_t{64} << 10);
    const http::document_reader from(connect_, ctx.get_executor(), url, bounds);
    of.poll(ctx, job.metadata.uid, url, [=](std::stop_token stop) { return read_text(from, read, std::move(stop)); });
}

facts job_control::with_answers(const reconcile_context& ctx, const training_job& job, facts seen) {
    seen.held = turn_of(ctx, job, seen);
    ask_servers(ctx, job, seen);
    const text& uid = job.metadata.uid;
    const auto version = job.spec.dataset ? versions_.last(uid, job.spec.dataset->version_url.view()) : nullptr;
    if (version) seen.dataset = *version;
    if (const auto hash = hashes_.last(uid, hash_url(job))) seen.checkpoint_hash = *hash;
    if (const auto words = queues_.last(uid, start_name(job))) seen.queue = *words;
    if (const auto fits = room_.last(uid, std::to_string(job.spec.workers))) seen.gang_fits = *fits && **fits;
    return seen;
}

// Caches say whether there is something to do; what is to be done is decided on what the server has. What holds ranks
// is in no cache.
awaitable<result<plan>> job_control::plan_for(const reconcile_context& ctx, training_job& job) {
    job_executor* runs = executor_of(job);
    const auto known = with_answers(ctx, job, observed_.cached(job));
    follow_recovery(ctx, job, known);
    plan guess = decide(job, known, ctx.env().wall_now());
    if (!guess.is_grave(job) && (runs == nullptr || !runs->holds_ranks())) co_return guess;
    get_options how;
    how.stop(ctx.stop());
    client c = ctx.get_client();
    auto now = co_await c.live().get<training_job>(key_of(job.metadata), how);
    if (!now) co_return now.error();
    job = std::move(*now);
    // Before the pods: what is gone makes no more of them.
    std::optional<holder> holds_ranks;
    if (runs != nullptr) {
        auto found = co_await runs->find_holder(c, job, ctx.stop());
        if (!found) co_return found.error();
        holds_ranks = std::move(*found);
    }
    auto seen = co_await observed_.asked(c, job, ctx.stop());
    if (!seen) co_return seen.error();
    seen->holds_ranks = std::move(holds_ranks);
    co_return decide(job, with_answers(ctx, job, std::move(*seen)), ctx.env().wall_now());
}

awaitable<result<void>> job_control::carry_out(const reconcile_context& ctx, const training_job& job, plan what) {
    client c = ctx.get_client();
    if (what.release) {
        const auto nothing = [](const training_job&) -> awaitable<result<void>> { co_return result<void>(); };
        const auto gone = co_await finalize(c, job, finalizer, nothing, ctx.stop());
        co_return gone;
    }
    if (what.remove_job) {
        delete_options how;
        how.stop(ctx.stop());
        const auto gone = co_await delete_by_uid<training_job>(c, key_of(job.metadata), job.metadata.uid, how);
        co_return gone;
    }
    auto done = co_await run_ranks(ctx, job, what);
    if (done) done = co_await run_gates(ctx, job, what);
    // Not found: there is no such kind to hold the ranks.
    const bool is_final = !done && (done.error() == api_errc::invalid || done.error() == api_errc::not_found);
    if (is_final) what = refuse(job, done.error().message(), ctx.env().wall_now());
    if (!done && !is_final) co_return done;
    const bool finishes = what.write_card || what.read_route || what.route;
    if (finishes) done = co_await finish(ctx, job, what);
    if (finishes && !done) co_return done;
    if (!what.moves(job)) done = co_await stay(ctx, job, what);
    if (what.moves(job)) done = co_await move(ctx, job, what);
    co_return done;
}

awaitable<result<void>> job_control::run_ranks(const reconcile_context& ctx, const training_job& job,
                                               const plan& what) {
    job_executor* runs = executor_of(job);
    client c = ctx.get_client();
    result<void> done;
    if (runs == nullptr) co_return done;
    if (!what.end_holder.empty()) done = co_await runs->end_holder(c, job, what.end_holder, ctx.stop());
    if (done && !what.remove.empty())
        done = co_await runs->remove(c, job, what.remove, ctx.env().wall_now(), ctx.stop());
    if (done && !what.create.empty()) done = co_await runs->create(c, job, what.create, ctx.stop());
    co_return done;
}

awaitable<result<void>> job_control::run_gates(const reconcile_context& ctx, const training_job& job,
                                               const plan& what) {
    client c = ctx.get_client();
    for (const gate_run& each : what.end_gates) {
        delete_options how;
        how.propagation_policy(propagation::background).stop(ctx.stop());
        const namespaced_name key(job.metadata.namespace_, each.job);
        const auto gone = co_await delete_by_uid<gate_job>(c, key, each.uid, how);
        if (!gone) co_return gone;
    }
    const auto gate = std::ranges::find(job.spec.gates, text(what.start_gate), &gate_spec::name);
    if (gate == job.spec.gates.end()) co_return result<void>();
    write_options how;
    how.field_manager(operator_name).stop(ctx.stop());
    auto wanted = make_gate_job(job, *gate);
    const auto made = co_await create_owned(c, job, std::move(wanted), how);
    if (!made) co_return made.error().with_context("gate " + what.start_gate);
    co_return result<void>();
}

// A card that is refused, such as one that is immutable already, keeps no job from going on, and a route that is not
// there, or lacks the backends, no job from giving it up.
awaitable<result<void>> job_control::finish(const reconcile_context& ctx, const training_job& job, plan& what) {
    result<void> done;
    const bool is_route = what.read_route || what.route;
    if (is_route) done = co_await set_weights(ctx, job, what);
    if (what.write_card) {
        apply_options by(operator_name);
        by.force().stop(ctx.stop());
        const auto card = make_card(job);
        const auto applied = co_await apply_owned(ctx.get_client(), job, card, by);
        if (!applied) done = applied.error();
    }
    if (done) co_return done;
    const bool is_final = done.error() == api_errc::invalid || done.error() == condition::not_found ||
                          done.error() == errc::invalid_argument;
    if (!is_final) co_return done;
    what.told = is_route ? remark{"Promoted", false, "RouteUnusable", done.error().what(), true}
                         : remark{"ModelCardWritten", false, "Refused", done.error().what(), true};
    const bool gives_up = what.status.promotion && what.status.promotion->rolled_back;
    if (is_route && !gives_up) what.status = job.status;
    co_return result<void>();
}

// Of a Service.
awaitable<result<std::size_t>> job_control::ready_endpoints(const reconcile_context& ctx, namespaced_name service) {
    using api::discovery::v1::endpoint_slice;
    client c = ctx.get_client().live();
    list_options which;
    which.in_namespace(service.namespace_)
        .label_selector("kubernetes.io/service-name=" + service.name)
        .stop(ctx.stop());
    const auto slices = co_await c.list<endpoint_slice>(which);
    if (!slices) co_return slices.error();
    std::set<text> ready;  // an endpoint may be in two slices while it moves
    for (const auto& slice : *slices) {
        for (const auto& each : slice->endpoints) {
            if (each.conditions.ready.value_or(true) && !each.addresses.empty()) ready.insert(each.addresses[0]);
        }
    }
    co_return ready.size();
}

// A plan that reads has the weights in its status then.
awaitable<result<void>> job_control::set_weights(const reconcile_context& ctx, const training_job& job, plan& what) {
    client c = ctx.get_client().live();
    const promote_spec& to = *job.spec.promote;
    const namespaced_name key(job.metadata.namespace_, route_name(to));
    get_options reading;
    reading.stop(ctx.stop());
    const auto found = co_await c.get(route_kind(to), key, reading);
    if (!found) co_return found.error();
    const auto route = found->as<dynamic_object>();
    const auto now = weights_of(to, *route);
    if (!now) co_return now.error();
    if (what.read_route) {
        auto& seen = what.status.promotion.emplace();
        seen.stable_before = now->stable;
        seen.canary_before = now->canary;
        seen.weight = now->canary.value_or(0);
    }
    if (what.read_route || *now == *what.route) co_return result<void>();
    if (to.http_route && to.min_warm > 0 && !what.status.promotion->rolled_back) {
        const namespaced_name canary(job.metadata.namespace_, to.http_route->canary);
        const auto warm = co_await ready_endpoints(ctx, canary);
        if (!warm) co_return warm.error();
        if (*warm < static_cast<std::size_t>(to.min_warm)) {
            what.status = job.status;  // the step waits
            what.told = remark{"Promoted", false, "WaitingForWarm",
                               std::to_string(*warm) + " of " + std::to_string(to.min_warm) + " endpoints of " +
                                   to.http_route->canary + " are ready"};
            co_return result<void>();
        }
    }
    write_options writing;
    writing.field_manager(operator_name).stop(ctx.stop());
    auto text = weights_patch(to, *route, *what.route);
    const auto written = co_await c.patch(route_kind(to), key, patch_type(to), text, writing);
    if (!written) co_return written.error();
    co_return result<void>();
}

void job_control::record(const training_job& job, bool warning, const std::string& reason, const std::string& message) {
    events_->record(reference_to(job),
                    warning ? event_note::warning(reason, message) : event_note::normal(reason, message));
}

namespace {

// The status of the plan, with the conditions that are there, and what it tells.
void put_status(const plan& what, training_job& into, wall_time now) {
    auto conditions = std::move(into.status.conditions);
    into.status = what.status;
    into.status.conditions = std::move(conditions);
    if (!what.told) return;
    const auto& [type, holds, reason, message, warning] = *what.told;
    set_condition(into.status.conditions, condition_for(into, type, holds, reason, message), now);
}

}  // namespace

awaitable<result<void>> job_control::stay(const reconcile_context& ctx, const training_job& job, const plan& what) {
    training_job edited = job;
    put_status(what, edited, ctx.env().wall_now());
    write_options how;
    how.subresource("status").stop(ctx.stop());
    const auto written = co_await ctx.get_client().patch(job, edited, how);
    if (!written) co_return written.error();
    if (what.told && !says(job, *what.told))
        record(*written, what.told->warning, what.told->reason, what.told->message);
    co_return result<void>();
}

awaitable<result<void>> job_control::move(const reconcile_context& ctx, const training_job& job, const plan& what) {
    client c = ctx.get_client();
    const auto next = phase_of<phases>::find(what.status.phase);
    if (!next) co_return next.error();
    const auto held = co_await ensure_finalizer(c, job, finalizer, ctx.stop());
    if (!held) co_return held.error();
    if (held->status != job.status) co_return error(api_errc::conflict, "the job has changed meanwhile");
    const auto edit = [&](training_job& edited) { put_status(what, edited, ctx.env().wall_now()); };
    advance_options how;
    how.reason(what.reason).message(what.message).counter(transitions_).entered(job.status.phase_time).stop(ctx.stop());
    const auto moved = co_await advance<phases>(c, *held, *next, edit, how);
    if (!moved) co_return moved.error();
    count(job, what, ctx.env().wall_now());
    ctx.log().info("the job moves",
                   {{"phase", what.status.phase.str()}, {"reason", what.reason}, {"message", what.message}});
    if (what.told) record(*moved, what.told->warning, what.told->reason, what.told->message);
    record(*moved, what.warning, what.reason, what.message);
    co_await observed_.seen(moved->metadata, ctx.stop());
    co_return result<void>();
}

void job_control::count(const training_job& job, const plan& what, wall_time now) {
    const auto& before = job.status;
    lost_steps_.increment(static_cast<double>(what.lost_steps));
    if (what.status.phase == "Restarting" && what.status.lost_time.present()) {
        const auto detected = seconds_between(what.status.lost_time.value(), what.status.phase_time.value());
        const bool is_new = recoveries_.insert_or_assign(job.metadata.uid, recovery{recovery_part::drain, now}).second;
        if (is_new) recovery_seconds_.front().observe(detected);
    }
    const duration lost =
        before.lost_time.present() ? what.status.phase_time.value() - before.lost_time.value() : duration();
    if (what.status.attempt > before.attempt) attempts_.increment();
    const bool begins = what.status.phase == "Starting" || what.status.phase == "Queued";
    if (begins && before.phase == "Restarting" && before.lost_time.present()) {
        restart_seconds_.observe(std::chrono::duration<double>(lost).count());
    }
    if (what.status.phase == "Running") lost_seconds_.increment(std::chrono::duration<double>(lost).count());
}

}  // namespace training_operator
