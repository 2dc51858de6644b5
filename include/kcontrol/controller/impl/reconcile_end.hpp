// What is known of the end of a reconcile.
#pragma once

#include <kcontrol/controller/reconciler.hpp>

namespace kcontrol::inline v0_1::detail {

// How a reconcile ended. Shared: the executor of the reconciler may outlive the coroutine that waits for it.
struct reconcile_end {
    result<reconcile_result> outcome = reconcile_result::done();
    bool threw = false;
};

}  // namespace kcontrol::detail
