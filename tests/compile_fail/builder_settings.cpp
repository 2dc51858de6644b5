// What stands beside a kind and is no predicate: once, and where it means something.
// expect(TWICE): kcontrol::controller_builder: one setting of a type stands beside a kind (kind_options, owner_match,
// expect(IN_FOR): kcontrol::controller_builder: owner_match stands in owns(), for_() has no owner
// expect(IN_WATCHES): kcontrol::controller_builder: owner_match stands in owns(); watches() has a map
// expect(RUN_TIME): kcontrol::controller_builder: beside a kind known at run time there is no metadata_only; give
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/controller/builder.hpp>

#include "job.hpp"

void f(kcontrol::controller_host& host, const kcontrol::resource_info& info) {
    using kcontrol::metadata_only;
    using kcontrol::owner_match;
    const auto map = [](const kcontrol::metadata_object&) { return kcontrol::request("default", "a"); };
#ifdef GOOD
    kcontrol::controller_builder(host, "a")
        .for_<job>(metadata_only, kcontrol::kind_options())
        .owns<job>(kcontrol::kind_options(), owner_match::any, metadata_only)
        .owns(info, owner_match::any)
        .watches<job>(metadata_only, map)
        .watches<job>(map, metadata_only);
#elif defined TWICE
    kcontrol::controller_builder(host, "a").for_<job>().owns<job>(owner_match::any, owner_match::controller);
#elif defined IN_FOR
    kcontrol::controller_builder(host, "a").for_<job>(owner_match::any);
#elif defined IN_WATCHES
    kcontrol::controller_builder(host, "a").for_<job>().watches<job>(metadata_only, map, owner_match::any);
#elif defined RUN_TIME
    kcontrol::controller_builder(host, "a").for_<job>().owns(info, metadata_only);
#endif
}
