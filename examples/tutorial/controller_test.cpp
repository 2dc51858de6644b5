// A test of a controller, in milliseconds: a simulated cluster, virtual time, no framework.
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/controller/builder.hpp>
#include <kcontrol/manager/manager.hpp>
#include <kcontrol/testing/sim_world.hpp>

using kcontrol::api::core::v1::pod;

int main() {
    kcontrol::testing::sim_world world;
    auto& cluster = world.add_server("cluster");
    kcontrol::manager m(world.env(), world.get_executor(), world.connect(cluster));
    std::string seen;
    const auto reconcile = [&seen](kcontrol::reconcile_context, std::shared_ptr<const pod> p) {
        seen = p->status.phase;
        return kcontrol::reconcile_result::done();
    };
    if (!kcontrol::controller_builder(m, "phases").for_<pod>().complete(reconcile)) return 1;
    m.start();
    cluster.api().create({{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", {{"name", "web"}}}}).value();
    const bool reconciled = world.run_until([&seen] { return seen == "Pending"; });
    world.run(m.stop());
    return reconciled ? 0 : 1;
}
