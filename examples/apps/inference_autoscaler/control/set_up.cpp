#include <kcontrol/controller/builder.hpp>

#include "api/validation.hpp"
#include "control/scaler_control.hpp"

namespace inference_autoscaler {
namespace {

// Its own writes of the status are no news; a new spec and a wake are.
bool is_news(const event<inference_scaler>& e) {
    if (!e.old_object || !e.new_object) return true;
    const auto wake = [](const inference_scaler& s) {
        const text* said = s.metadata.annotations.get(wake_annotation);
        return said == nullptr ? text() : *said;
    };
    return e.old_object->metadata.generation != e.new_object->metadata.generation ||
           wake(*e.old_object) != wake(*e.new_object);
}

}  // namespace

result<void> set_up(manager& m, look_function ask, look_observer told, places_function places) {
    const auto control = std::make_shared<scaler_control>(m, std::move(ask), std::move(told), std::move(places));
    (void)m.get_informer<target_pod>();  // lists are answered from there
    (void)m.get_informer<horizontal_autoscaler>();
    const auto reconcile = [control](reconcile_context ctx, std::shared_ptr<const inference_scaler> scaler) {
        return control->reconcile(std::move(ctx), *scaler);
    };
    const auto made =
        controller_builder(m, "inferencescaler")
            .for_<inference_scaler>(is_news)
            .with_options(controller_options().max_concurrent_reconciles(64).read_own_writes(std::chrono::seconds(5)))
            .complete(reconcile);
    if (!made) return made.error();
    // Not held there: the controller holds metrics.
    m.metrics().collect([weak = std::weak_ptr(control)](metrics_writer& out) {
        if (const auto known = weak.lock()) known->write_metrics(out);
    });
    return {};
}

}  // namespace inference_autoscaler
