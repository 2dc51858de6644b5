// A cluster-scoped object that shall belong to one in a namespace.
// expect: kcontrol: a cluster-scoped object can't belong to one in a namespace
#include <kcontrol/controllerutil/owner.hpp>

#include "job.hpp"

struct zone {
#ifdef GOOD
    static constexpr kcontrol::resource_name kcontrol_resource{"example.com", "v1", "Zone", "zones"};
#else
    static constexpr kcontrol::resource_name kcontrol_resource{"example.com", "v1", "Zone", "zones",
                                                               kcontrol::resource_scope::cluster};
#endif
    kcontrol::object_meta metadata;
    std::string spec;
    static constexpr auto kcontrol_fields() { return kcontrol::fields(kcontrol::field("spec", &zone::spec)); }
};

auto use(const job& owner, zone& dependent) { return kcontrol::set_controller_reference(owner, dependent); }
