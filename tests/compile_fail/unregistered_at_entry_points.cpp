// A struct that names no kind, wherever a user first says one.
// expect(GET): kcontrol: this type is not registered as a Kubernetes kind. Give the struct
// expect(LIST): kcontrol: this type is not registered as a Kubernetes kind. Give the struct
// expect(CREATE): kcontrol: this type is not registered as a Kubernetes kind. Give the struct
// expect(INFORMER): kcontrol: this type is not registered as a Kubernetes kind. Give the struct
// expect(GET_INFORMER): kcontrol: this type is not registered as a Kubernetes kind. Give the struct
// expect(FOR): kcontrol: this type is not registered as a Kubernetes kind. Give the struct
// expect(OWNS): kcontrol: this type is not registered as a Kubernetes kind. Give the struct
// expect(WATCHES): kcontrol: this type is not registered as a Kubernetes kind. Give the struct
#include <kcontrol/manager/manager.hpp>

#include "job.hpp"

struct widget {
#ifdef GOOD
    static constexpr kcontrol::resource_name kcontrol_resource{"example.com", "v1", "Widget", "widgets"};
#endif
    kcontrol::object_meta metadata;
    std::string spec;
    static constexpr auto kcontrol_fields() { return kcontrol::fields(kcontrol::field("spec", &widget::spec)); }
};

kcontrol::reconcile_result reconcile(kcontrol::reconcile_context, kcontrol::request) { return {}; }
kcontrol::request owner_of(const widget& w) { return kcontrol::request(kcontrol::key_of(w.metadata)); }

#if defined(GOOD) || defined(GET)
auto get(kcontrol::client& c) { return c.get<widget>({"default", "a"}); }
#endif
#if defined(GOOD) || defined(LIST)
auto list(kcontrol::client& c) { return c.list<widget>(); }
#endif
#if defined(GOOD) || defined(CREATE)
auto create(kcontrol::client& c, const widget& w) { return c.create(w); }
#endif
#if defined(GOOD) || defined(INFORMER)
void inform(kcontrol::client& c) { kcontrol::informer<widget> widgets(c.env(), c.get_executor(), c); }
#endif
#if defined(GOOD) || defined(GET_INFORMER)
auto get_informer(kcontrol::manager& m) { return m.get_informer<widget>(); }
#endif
#if defined(GOOD) || defined(FOR)
auto build_for(kcontrol::manager& m) {
    return kcontrol::controller_builder(m, "a").for_<widget>().owns<job>().complete(reconcile);
}
#endif
#if defined(GOOD) || defined(OWNS)
auto build_owns(kcontrol::manager& m) {
    return kcontrol::controller_builder(m, "b").for_<job>().owns<widget>().complete(reconcile);
}
#endif
#if defined(GOOD) || defined(WATCHES)
auto build_watches(kcontrol::manager& m) {
    return kcontrol::controller_builder(m, "c").for_<job>().watches<widget>(owner_of).complete(reconcile);
}
#endif
