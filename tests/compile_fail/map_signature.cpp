// Maps that no requests come from.
// expect(OTHER_KIND): kcontrol: the map of watches<K>(map) is a const function that takes const K&
// expect(NO_REQUEST): kcontrol: the map of watches<K>(map) returns a kcontrol::request, or a range of requests or of
// expect(OTHER_EVENT): kcontrol: the map of watches<K>(map) is a const function that takes const K&; an event handler
// is expect(CHANGES_ITSELF): one that takes (const kcontrol::event<K>&, kcontrol::request_sink<kcontrol::request>&)
// expect(NOTHING): kcontrol: the map of watches<K>(map) returns a kcontrol::request, or a range of requests or of
#include <kcontrol/controller/builder.hpp>

#include "job.hpp"

struct widget : job {};

kcontrol::reconcile_result reconcile(kcontrol::reconcile_context, kcontrol::request) { return {}; }

#if defined(OTHER_KIND)
kcontrol::request map(const widget& w) { return kcontrol::request(kcontrol::key_of(w.metadata)); }
#elif defined(NO_REQUEST)
int map(const job&) { return 1; }
#elif defined(OTHER_EVENT)
void map(const kcontrol::event<widget>&, kcontrol::request_sink<kcontrol::request>&) {}
#elif defined(CHANGES_ITSELF)
struct counter {
    void operator()(const kcontrol::event<job>&, kcontrol::request_sink<kcontrol::request>&) { ++calls; }
    int calls = 0;
} map;
#elif defined(NOTHING)
void map(const job&) {}
#else
std::vector<kcontrol::namespaced_name> map(const job& j) { return {kcontrol::key_of(j.metadata)}; }
#endif

auto build(kcontrol::controller_host& host) {
    return kcontrol::controller_builder(host, "jobs").for_<job>().watches<job>(map).complete(reconcile);
}
