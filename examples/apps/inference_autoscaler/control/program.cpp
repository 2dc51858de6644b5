#include "control/program.hpp"

#include "control/free_places.hpp"
#include "control/metric_looks.hpp"
#include "control/scaler_control.hpp"
#include "warm/warmer.hpp"

namespace inference_autoscaler {
namespace {

// Events and times of warm-ups.
class warm_up_news {
public:
    explicit warm_up_news(manager& m)
        : scalers_(m.get_informer<inference_scaler>()),
          events_(m.get_event_recorder("autoscaling.kcontrol.dev/inference-autoscaler")),
          seconds_(m.metrics().histogram("inference_autoscaler_warm_up_seconds", "From ready containers to a warm pod.",
                                         {1, 5, 10, 30, 60, 120, 300, 600})) {}

    void tell(const namespaced_name& key, const warm_outcome& what) {
        if (what.warm) seconds_.observe(std::chrono::duration<double>(what.took).count());
        const auto scaler = scalers_->get(key);
        if (!scaler) return;
        const std::string words = "pod " + what.pod.name + ": " + what.words;
        events_->record(reference_to(*scaler),
                        what.warm ? event_note::normal("WarmedUp", words) : event_note::warning("WarmUpFailed", words));
    }

private:
    std::shared_ptr<informer<inference_scaler>> scalers_;
    std::shared_ptr<event_recorder> events_;
    metric_histogram seconds_;
};

void observe(warmer& warms, const inference_scaler& scaler, const target_pods& pods) {
    const namespaced_name key = key_of(scaler.metadata);
    if (!scaler.spec.warm_up) return warms.forget(key);
    std::vector<warm_pod> gated;
    for (const auto& pod : pods) {
        if (has_gate(*pod)) gated.push_back(warm_pod_of(pod->metadata, pod->status));
    }
    warms.observe(key, *scaler.spec.warm_up, gated);
}

}  // namespace

result<void> set_up(manager& m, http::transport_factory connect, std::shared_ptr<board> shown) {
    const auto looks = std::make_shared<metric_looks>(m.env(), m.get_executor(), connect, m.get_client());
    const auto news = std::make_shared<warm_up_news>(m);
    const auto tell = [news](const namespaced_name& key, const warm_outcome& what) { news->tell(key, what); };
    const auto warms = std::make_shared<warmer>(m.env(), m.get_executor(), connect, m.get_client(), tell);
    const auto places = std::make_shared<free_places>(m.get_executor(), connect);
    const auto ask = [looks](inference_scaler scaler, std::vector<scaling_rule> rules, target_pods ready,
                             std::stop_token stop) {
        return looks->read(std::move(scaler), std::move(rules), std::move(ready), std::move(stop));
    };
    environment& env = m.env();
    const auto noticed = [looks, warms, shown, &env](const any_event& any) {
        const auto key = any.object().key();
        if (any.type != event_type::deleted) return shown->note(env.wall_now(), *any.new_object.as<inference_scaler>());
        looks->forget(key);
        warms->forget(key);
        shown->forget(key);
    };
    // As long as the controller is there.
    const auto kept = std::make_shared<subscription>(m.get_informer<inference_scaler>()->subscribe(noticed));
    const auto told = [warms, shown, kept, &env](const inference_scaler& scaler, const target_pods& pods) {
        observe(*warms, scaler, pods);
        shown->take(env.wall_now(), scaler);
    };
    const auto fits = [places](inference_scaler scaler, std::shared_ptr<const target_pod> like, std::int32_t pods,
                               std::stop_token stop) {
        return places->ask(scaler.spec.capacity->scheduler, std::move(like), pods, std::move(stop));
    };
    return set_up(m, ask, told, fits);
}

}  // namespace inference_autoscaler
