// Changes that nothing beside them has.
// expect(OTHER_SPEC): kcontrol: changed(&S::member) beside a kind K needs S to be K, or the type of either the spec,
// expect(TWO_PLACES): the status or the metadata of K; otherwise spell the way: changed(&K::spec, &S::member)
// expect(NO_WAY): kcontrol: changed(&A::b, &B::c) needs each member to be one of the type of the member before
// expect(THROUGH_A_LIST): it; a path can't lead through a list or a map, whose changes are
// expect(NOT_LISTED): kcontrol::path: this member is not in the field list of its struct
// expect(NO_STATUS): kcontrol: status_changed beside a kind K needs K to have a member `status`;
// expect(FILTER): kcontrol: a predicate on the events of every kind takes const kcontrol::any_event& and returns bool;
// expect(RUN_TIME): is made by kcontrol::predicate_on<K>(p)
#include <kcontrol/controller/builder.hpp>
#include <kcontrol/controller/changed.hpp>

struct part {
    std::string name;
    static constexpr auto kcontrol_fields() { return kcontrol::fields(kcontrol::field("name", &part::name)); }
};
struct job_spec {
    std::optional<part> first;
    std::vector<part> parts;
    std::string secret;
    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("first", &job_spec::first), kcontrol::field("parts", &job_spec::parts));
    }
};
struct job {
    static constexpr kcontrol::resource_name kcontrol_resource{"example.com", "v1", "Job", "jobs"};
    kcontrol::object_meta metadata;
    job_spec spec;
    part status;
    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("spec", &job::spec), kcontrol::field("status", &job::status));
    }
};
struct twin {
    static constexpr kcontrol::resource_name kcontrol_resource{"example.com", "v1", "Twin", "twins"};
    kcontrol::object_meta metadata;
    part spec, status;
    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("spec", &twin::spec), kcontrol::field("status", &twin::status));
    }
};
struct bare {
    static constexpr kcontrol::resource_name kcontrol_resource{"example.com", "v1", "Bare", "bares"};
    kcontrol::object_meta metadata;
    static constexpr auto kcontrol_fields() { return kcontrol::fields(); }
};

kcontrol::reconcile_result reconcile(kcontrol::reconcile_context, kcontrol::request) { return {}; }

auto build(kcontrol::controller_host& host, const kcontrol::resource_info& info) {
    using kcontrol::changed;
    kcontrol::controller_builder builder(host, "jobs");
    static_cast<void>(info);
#if defined(OTHER_SPEC)
    return builder.for_<bare>(changed(&job_spec::first)).complete(reconcile);
#elif defined(TWO_PLACES)
    return builder.for_<twin>(changed(&part::name)).complete(reconcile);
#elif defined(NO_WAY)
    return builder.for_<job>(changed(&job::spec, &part::name)).complete(reconcile);
#elif defined(THROUGH_A_LIST)
    return builder.for_<job>(changed(&job_spec::parts, &part::name)).complete(reconcile);
#elif defined(NOT_LISTED)
    return builder.for_<job>(changed(&job_spec::secret)).complete(reconcile);
#elif defined(NO_STATUS)
    return builder.for_<bare>(kcontrol::status_changed).complete(reconcile);
#elif defined(FILTER)
    return builder.for_<job>().with_event_filter(changed(&job_spec::parts)).complete(reconcile);
#elif defined(RUN_TIME)
    return builder.for_(info, changed(&job_spec::parts)).complete(reconcile);
#else
    return builder
        .for_<job>(changed(&job_spec::first, &part::name), kcontrol::status_changed,
                   kcontrol::or_(changed(&job::spec, &job_spec::parts), changed(&part::name)))
        .owns<twin>(changed(&twin::spec, &part::name), kcontrol::not_(changed(&kcontrol::object_meta::labels)))
        .complete(reconcile);
#endif
}
