// A complete controller: logs the phase of each pod, now and whenever it changes.
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/manager/run.hpp>

using kcontrol::api::core::v1::pod;

int main(int argc, char** argv) {
    return kcontrol::run(argc, argv, [](kcontrol::manager& m) {
        return kcontrol::controller_builder(m, "hello")
            .for_<pod>()
            .complete([](kcontrol::reconcile_context ctx, std::shared_ptr<const pod> p) -> kcontrol::reconciliation {
                ctx.log().info("hello", {{"phase", p->status.phase}});
                co_return kcontrol::reconcile_result::done();
            });
    });
}
