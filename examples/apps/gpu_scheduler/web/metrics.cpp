// The families gpu_scheduler_….
#include "web/answers.hpp"

namespace gpu_scheduler {

void answers::collect(kcontrol::metrics_writer& out) const {
    if (!refresh()) return;
    struct sums {
        std::int64_t capacity = 0, held = 0, free = 0, stranded = 0;
    };
    std::map<std::string, sums> by_product;
    double free = 0, fragmented = 0;
    for (const auto& on : board_->nodes()) {
        if (on == nullptr || on->ledger.devices().gpus.empty()) continue;
        auto& to = by_product[on->product()];
        to.capacity += on->capacity();
        for (const auto& each : on->holdings) to.held += each.amount;
        const auto left = room_of(on->ledger, 1'000'000'000);
        const auto lost = board_->unusable(*on);
        free += static_cast<double>(free_milli(left));
        fragmented += lost;
        out.gauge("gpu_scheduler_node_fragmentation_ratio", "Free GPUs of a node that the usual pods can't use",
                  {{"node", on->node->metadata.name.str()}},
                  free_milli(left) == 0 ? 0 : lost / static_cast<double>(free_milli(left)));
    }
    for (const auto& [product, of] : by_product) {
        out.gauge("gpu_scheduler_allocation_ratio", "GPUs that pods hold, of those that are healthy",
                  {{"product", product}},
                  of.capacity == 0 ? 0 : static_cast<double>(of.held) / static_cast<double>(of.capacity));
    }
    out.gauge("gpu_scheduler_fragmentation_ratio", "Free GPUs that the usual pods can't use", {},
              free == 0 ? 0 : fragmented / free);
    if (!board_->has_tenants()) return;
    for (const auto& product : board_->products()) {
        const std::string word = product.empty() ? "*" : product;
        for (const auto& each : board_->tenants()) {
            const auto* account = board_->book(product).find(each.metadata.name);
            if (account == nullptr) continue;
            const kcontrol::metric_labels labels{{"tenant", each.metadata.name.str()}, {"product", word}};
            const auto gpus = [](std::int64_t milli) { return static_cast<double>(milli) / milli_per_gpu; };
            out.gauge("gpu_scheduler_tenant_allocated_gpus", "GPUs that the pods of a tenant hold", labels,
                      gpus(account->allocated));
            out.gauge("gpu_scheduler_tenant_fair_share_gpus", "GPUs that are due to a tenant", labels,
                      gpus(account->fair_share));
            out.gauge("gpu_scheduler_tenant_quota_gpus", "GPUs that are guaranteed to a tenant", labels,
                      static_cast<double>(account->claim.quota));
        }
    }
}

}  // namespace gpu_scheduler
