// The kind HelloWorld, and the controller that keeps a ConfigMap with the message of each.
#pragma once

#include <kcontrol/controller/builder.hpp>
#include <kcontrol/manager/manager.hpp>
#include <kcontrol/model/condition.hpp>
#include <kcontrol/schema/crd.hpp>

#include <memory>

struct hello_world {
    struct wanted {
        kcontrol::text message;
        static constexpr auto kcontrol_fields() {
            return kcontrol::fields(kcontrol::field("message", &wanted::message));
        }
    };
    struct seen {
        kcontrol::text message;                                 // the one that was written last
        kcontrol::list<kcontrol::status_condition> conditions;  // Ready: for people, and for kubectl wait
        static constexpr auto kcontrol_fields() {
            return kcontrol::fields(kcontrol::field("message", &seen::message),
                                    kcontrol::field("conditions", &seen::conditions));
        }
    };
    static constexpr kcontrol::resource_name kcontrol_resource{"group.example.com", "v1", "HelloWorld", "helloworlds"};
    static constexpr auto kcontrol_crd() { return kcontrol::crd().status(); }
    kcontrol::object_meta metadata;
    wanted spec;
    seen status;
    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("spec", &hello_world::spec),
                                kcontrol::field("status", &hello_world::status));
    }
};

/// What main() and the tests run.
kcontrol::result<std::shared_ptr<kcontrol::controller>> add_controllers(kcontrol::manager& m);
