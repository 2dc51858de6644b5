#include "control/tenant_status.hpp"

#include <kcontrol/controllerutil/conditions.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace gpu_scheduler {

using kcontrol::awaitable;

std::string gpu_quantity(std::int64_t milli) {
    return milli % milli_per_gpu == 0 ? std::to_string(milli / milli_per_gpu) : std::to_string(milli) + "m";
}

tenant_status status_of(board& known, const tenant& of, kcontrol::wall_time now) {
    tenant_status out;
    const auto name = of.metadata.name.str();
    const auto add = [&](const text& product) {
        const std::string key = product == "*" ? "" : product.str();
        const auto* account = known.book(key).find(name);
        if (account == nullptr) return;
        auto& to = out.quotas.emplace_back();
        to.product = product;
        to.allocated = gpu_quantity(account->allocated);
        to.requested = gpu_quantity(known.requested(key, name));
        to.fair_share = gpu_quantity(account->fair_share);
        to.borrowed =
            gpu_quantity(std::max<std::int64_t>(0, account->allocated - account->claim.quota * milli_per_gpu));
    };
    for (const auto& each : of.spec.quotas) add(each.product);
    if (of.spec.quotas.empty()) add("*");
    out.pending = known.pending(name);
    out.conditions = of.status.conditions;
    const auto& problems = known.members()->problems();
    const auto found = problems.find(name);
    const bool is_ready = found == problems.end();
    const auto ready = is_ready
                           ? kcontrol::condition_for(of, "Ready", true, "Ready")
                           : kcontrol::condition_for(of, "Ready", false, found->second.reason, found->second.message);
    kcontrol::set_condition(out.conditions, ready, now);
    return out;
}

awaitable<result<void>> keep_tenant_status(kcontrol::manager& m, std::shared_ptr<board> known,
                                           std::shared_ptr<kcontrol::scheduling::scheduler> by,
                                           std::shared_ptr<status_news> news, std::stop_token stop) {
    while (!stop.stop_requested()) {
        news->any = false;
        const bool leads = by->look_at([&](const kcontrol::scheduling::snapshot& nodes) { known->refresh(nodes); });
        const auto all = leads ? known->tenants() : std::vector<tenant>();  // a copy: they may change meanwhile
        for (const auto& each : all) {
            auto wanted = status_of(*known, each, m.env().wall_now());
            if (wanted == each.status) continue;
            const auto edit = [wanted](tenant& to) { to.status = wanted; };
            const auto written = co_await kcontrol::write_status(m.get_client(), each, edit, stop);
            if (stop.stop_requested()) break;
            if (written || written.error() == kcontrol::api_errc::not_found) continue;
            news->any = true;
            m.log().warning("the status of a tenant was not written",
                            {{"tenant", each.metadata.name.str()}, {"error", written.error().what()}});
        }
        co_await kcontrol::sleep_for(m.env(), std::chrono::seconds(1), stop);
        if (news->any || !leads) continue;
        co_await news->event.wait(m.env(), stop, m.env().now() + std::chrono::minutes(5));
    }
    co_return result<void>();
}

}  // namespace gpu_scheduler
