#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/controllerutil/conditions.hpp>
#include <kcontrol/controllerutil/finalizers.hpp>
#include <kcontrol/controllerutil/owner.hpp>
#include <kcontrol/record/event_recorder.hpp>

#include "hello_world.hpp"

#include <chrono>

using kcontrol::api::core::v1::config_map;

namespace {

constexpr const char* finalizer = "group.example.com/cleanup";

// For what does not go with the object by itself, as the ConfigMap does: a DNS record, a bucket. If it fails it is
// called again, so it succeeds where all is clean already.
kcontrol::awaitable<kcontrol::result<void>> clean_up(const hello_world& leaving) {
    static_cast<void>(leaving.spec.message);
    co_return kcontrol::result<void>();
}

// Called for what is, not for what happened: it comes to the same end however often it is called.
kcontrol::reconciliation reconcile(kcontrol::reconcile_context ctx, std::shared_ptr<const hello_world> found,
                                   std::shared_ptr<kcontrol::event_recorder> events) {
    kcontrol::client c = ctx.get_client();
    if (kcontrol::is_being_deleted(found->metadata)) {
        const auto left = co_await kcontrol::finalize(c, *found, finalizer, clean_up, ctx.stop());
        if (!left) co_return left.error();
        co_return kcontrol::reconcile_result::done();
    }
    // Before anything is made that has to be cleaned up.
    const auto held = co_await kcontrol::ensure_finalizer(c, *found, finalizer, ctx.stop());
    if (!held) co_return held.error();

    config_map wanted;
    wanted.data["message"] = found->spec.message;
    const auto by = kcontrol::apply_options("hello-world").force().stop(ctx.stop());
    const auto there = co_await kcontrol::apply_owned(c, *found, wanted, by);
    if (!there) {
        events->warning(*found, "NotWritten", there.error().what());
        co_return there.error();  // tried again, later and later
    }

    const auto ready = kcontrol::condition_for(*found, "Ready", true, "Written", "The ConfigMap has the message.");
    const auto edit = [&](hello_world& now) {
        now.status.message = found->spec.message;
        kcontrol::set_condition(now.status.conditions, ready, ctx.env().wall_now());
    };
    const auto written = co_await kcontrol::write_status(c, *held, edit, ctx.stop());
    if (!written) co_return written.error();
    if (found->status.message != found->spec.message) {
        events->normal(*found, "Written", "The ConfigMap has the message.");  // kubectl describe shows it
        ctx.log().info("written");
    }
    co_return kcontrol::reconcile_result::done();
}

}  // namespace

kcontrol::result<std::shared_ptr<kcontrol::controller>> add_controllers(kcontrol::manager& m) {
    // The event of the ConfigMap comes before that of the status: the next call waits until it sees both.
    const auto options = kcontrol::controller_options().read_own_writes(std::chrono::seconds(5));
    const auto call = [events = m.get_event_recorder("group.example.com/hello-world")](
                          kcontrol::reconcile_context ctx, std::shared_ptr<const hello_world> found) {
        return reconcile(std::move(ctx), std::move(found), events);
    };
    return kcontrol::controller_builder(m, "hello-world")
        .for_<hello_world>()
        .owns<config_map>()
        .with_options(options)
        .complete(call);
}
