// Reconciling every object once more: after a change of the configuration, or of something outside the cluster.
#pragma once

#include <kcontrol/cache/informer.hpp>
#include <kcontrol/controller/controller.hpp>

#include <cstddef>

namespace kcontrol::inline v0_1 {

/// Enqueues a request for each object that the informer has now, and returns how many those are. They have low_priority
/// unless `how` says otherwise, so that changes come first. Dropped while the controller does not run, as by enqueue().
///
/// Thread-safety: on the executor of the controller and the informer.
/// Source: kube-rs, Controller::reconcile_all_on.
template <class Request>
std::size_t enqueue_all(basic_controller<Request>& of, const any_informer& from,
                        const add_options& how = add_options().priority(low_priority)) {
    std::size_t count = 0;
    const auto now = from.objects().snapshot();
    now.for_each([&](const any_object& one) {
        of.enqueue(Request(one.key()), how);
        ++count;
    });
    return count;
}

}  // namespace kcontrol
