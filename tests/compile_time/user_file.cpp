// What a user of the compiled library writes: Pod, an informer and a controller. It is to compile in 3 s at -O0 on an
// idle machine (see group_compile_time in scripts/test-groups.sh); it is compiled there, not linked.
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/cluster/informer_source.hpp>
#include <kcontrol/controller/controller.hpp>
#include <kcontrol/controller/event_handler.hpp>
#include <kcontrol/controller/reconciler.hpp>

#include <memory>

namespace {

using kcontrol::api::core::v1::pod;

kcontrol::reconciliation reconcile(kcontrol::client cl, std::shared_ptr<kcontrol::informer<pod>> pods,
                                   kcontrol::reconcile_context ctx, kcontrol::request req) {
    const auto cached = pods->get(req);
    if (!cached || cached->spec.node_name == "") co_return kcontrol::reconcile_result::done();
    for (const auto& c : cached->spec.containers) ctx.log().info(c.name);
    kcontrol::get_options options;
    options.stop(ctx.stop());
    const auto fresh = co_await cl.get<pod>(req, options);
    if (!fresh) co_return fresh.error();
    co_return kcontrol::reconcile_result::requeue_after(std::chrono::minutes(1));
}

}  // namespace

kcontrol::awaitable<void> run(kcontrol::environment& env, kcontrol::client cl, std::stop_token stop) {
    const auto ex = co_await boost::asio::this_coro::executor;
    auto pods = std::make_shared<kcontrol::informer<pod>>(env, ex, cl);
    auto call = [cl, pods](kcontrol::reconcile_context ctx, kcontrol::request req) {
        return reconcile(cl, pods, std::move(ctx), std::move(req));
    };
    auto reconciler = kcontrol::make_reconciler<kcontrol::request>(call);
    kcontrol::controller pod_controller(env, ex, "pods", reconciler);
    pod_controller.watch(std::make_shared<kcontrol::informer_source>(pods), kcontrol::enqueue_for_object);
    pods->start(stop);
    const auto outcome = co_await pod_controller.run(stop);
    static_cast<void>(outcome);
}
