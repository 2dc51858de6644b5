// Keeps the status of tenants.
#pragma once

#include <kcontrol/manager/manager.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/scheduling/scheduler.hpp>

#include "cluster/board.hpp"

#include <memory>
#include <stop_token>
#include <string>

namespace gpu_scheduler {

/// Says that something may have changed.
struct status_news {
    kcontrol::async_event event;
    bool any = true;

    void tell() {
        any = true;
        event.notify_all();
    }
};

/// "6" or "250m": thousandths of GPUs as a quantity.
std::string gpu_quantity(std::int64_t milli);

/// The status that a tenant has as things are; conditions are those that it has, with Ready set.
tenant_status status_of(board& known, const tenant& of, kcontrol::wall_time now);

/// Writes the status of each tenant when it changes, at most once a second, until the stop token is triggered.
kcontrol::awaitable<kcontrol::result<void>> keep_tenant_status(kcontrol::manager& m, std::shared_ptr<board> known,
                                                               std::shared_ptr<kcontrol::scheduling::scheduler> by,
                                                               std::shared_ptr<status_news> news, std::stop_token stop);

}  // namespace gpu_scheduler
