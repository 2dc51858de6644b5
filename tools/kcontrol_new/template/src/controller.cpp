#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/controllerutil/owner.hpp>

#include "hello_world.hpp"

#include <chrono>

using kcontrol::api::core::v1::config_map;

namespace {

// Called for what is, not for what happened: it comes to the same end however often it is called.
kcontrol::reconciliation reconcile(kcontrol::reconcile_context ctx, std::shared_ptr<const hello_world> found) {
    kcontrol::client c = ctx.get_client();
    config_map wanted;
    wanted.data["message"] = found->spec.message;
    const auto by = kcontrol::apply_options("hello-world").force();
    const auto there = co_await kcontrol::apply_owned(c, *found, wanted, by);
    if (!there) co_return there.error();  // tried again, later and later

    hello_world written = *found;
    written.status.message = found->spec.message;
    if (written.status.message == found->status.message) co_return kcontrol::reconcile_result::done();
    const auto options = kcontrol::write_options().subresource("status");
    const auto told = co_await c.patch(*found, written, options);
    if (!told) co_return told.error();
    ctx.log().info("written");
    co_return kcontrol::reconcile_result::done();
}

}  // namespace

kcontrol::result<std::shared_ptr<kcontrol::controller>> add_controllers(kcontrol::manager& m) {
    // The event of the ConfigMap comes before that of the status: the next call waits until it sees both.
    const auto options = kcontrol::controller_options().read_own_writes(std::chrono::seconds(5));
    return kcontrol::controller_builder(m, "hello-world")
        .for_<hello_world>()
        .owns<config_map>()
        .with_options(options)
        .complete(reconcile);
}
