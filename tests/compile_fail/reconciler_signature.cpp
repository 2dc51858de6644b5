// Functions that complete() can't make a reconciler of.
// expect(ARGUMENTS): kcontrol: complete() needs a function that takes (kcontrol::reconcile_context, kcontrol::request),
// expect(CHANGEABLE): or (kcontrol::reconcile_context, std::shared_ptr<const T>) where the builder says for_<T>()
// expect(OTHER_KIND): or (kcontrol::reconcile_context, std::shared_ptr<const T>) where the builder says for_<T>()
// expect(NOTHING): kcontrol: complete() needs a function that returns kcontrol::reconciliation, or
// expect(OTHER_RESULT): kcontrol::awaitable<kcontrol::result<void>>, if it is a coroutine, and
// expect(OTHER_RESULT): kcontrol::reconcile_result or kcontrol::result<kcontrol::reconcile_result> if it is none
#include <kcontrol/controller/builder.hpp>

#include "job.hpp"

struct widget : job {};

using kcontrol::reconcile_context;
using kcontrol::reconcile_result;
using kcontrol::request;

#if defined(ARGUMENTS)
reconcile_result reconcile(request) { return {}; }
#elif defined(CHANGEABLE)
kcontrol::reconciliation reconcile(reconcile_context, std::shared_ptr<job>) { co_return reconcile_result::done(); }
#elif defined(OTHER_KIND)
reconcile_result reconcile(reconcile_context, std::shared_ptr<const widget>) { return {}; }
#elif defined(NOTHING)
void reconcile(reconcile_context, request) {}
#elif defined(OTHER_RESULT)
kcontrol::awaitable<void> reconcile(reconcile_context, request) { co_return; }
#else
kcontrol::reconciliation reconcile(reconcile_context, std::shared_ptr<const job>) {
    co_return reconcile_result::done();
}
#endif

auto build(kcontrol::controller_host& host) {
    return kcontrol::controller_builder(host, "jobs").for_<job>().complete(reconcile);
}
