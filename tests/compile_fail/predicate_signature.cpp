// Functions that are no predicate where they stand.
// expect(OTHER_KIND): kcontrol: a predicate on a kind K is a const function of const K&, const kcontrol::event<K>& or
// expect(NO_BOOL): const kcontrol::any_event&, and returns bool
// expect(OWNED): kcontrol: a predicate on a kind K is a const function of const K&, const kcontrol::event<K>& or
// expect(FILTER): kcontrol: a predicate on the events of every kind takes const kcontrol::any_event& and returns bool;
// expect(BOTH): is made by kcontrol::predicate_on<K>(p)
// expect(NOT): kcontrol: a predicate on a kind K is a const function of const K&, const kcontrol::event<K>& or
#include <kcontrol/controller/builder.hpp>

#include "job.hpp"

struct widget : job {};

kcontrol::reconcile_result reconcile(kcontrol::reconcile_context, kcontrol::request) { return {}; }

auto build(kcontrol::controller_host& host) {
    kcontrol::controller_builder builder(host, "jobs");
#if defined(OTHER_KIND)
    return builder.for_<job>([](const widget&) { return true; }).complete(reconcile);
#elif defined(NO_BOOL)
    return builder.for_<job>([](const kcontrol::event<job>&) {}).complete(reconcile);
#elif defined(OWNED)
    return builder.for_<job>().owns<job>([](const widget&) { return true; }).complete(reconcile);
#elif defined(FILTER)
    return builder.for_<job>().with_event_filter([](const job&) { return true; }).complete(reconcile);
#elif defined(BOTH)
    return builder.for_<job>()
        .with_event_filter(kcontrol::and_(kcontrol::spec_changed, [](const job&) { return true; }))
        .complete(reconcile);
#elif defined(NOT)
    return builder.for_<job>(kcontrol::not_([](const widget&) { return true; })).complete(reconcile);
#else
    return builder
        .for_<job>(
            kcontrol::spec_changed, [](const job&) { return true; }, [](const kcontrol::event<job>&) { return true; },
            kcontrol::not_(kcontrol::generation_changed),
            kcontrol::and_(kcontrol::spec_changed, [](const job&) { return true; }))
        .with_event_filter(kcontrol::or_(kcontrol::label_changed, kcontrol::annotation_changed))
        .complete(reconcile);
#endif
}
