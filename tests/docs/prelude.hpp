// What the parts of programs in docs/ stand in: the kinds that they name, and the variables that a program has by then.
// Nothing here is linked; a page that needs more declares it in a prelude of its own (pages.py). It is precompiled, so
// it has no `#pragma once`, which g++ warns of there.

#include <kcontrol/api/apps/v1.hpp>
#include <kcontrol/api/autoscaling/v1.hpp>
#include <kcontrol/api/batch/v1.hpp>
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/api/policy/v1.hpp>
#include <kcontrol/kcontrol.hpp>
#include <kcontrol/testing/fake_cluster.hpp>
#include <kcontrol/testing/idempotence.hpp>
#include <kcontrol/testing/server_under_test.hpp>
#include <kcontrol/testing/sim_world.hpp>
#include <kcontrol/testing/simulation.hpp>

#include <iostream>

namespace page {

using namespace kcontrol;  // pages write with and without the prefix

using api::apps::v1::deployment;
using api::batch::v1::job;
using api::core::v1::config_map;
using api::core::v1::node;
using api::core::v1::pod;
using api::core::v1::pod_spec;
using api::core::v1::secret;
using api::core::v1::service;

struct website_spec {
    text image, host;
    std::int32_t replicas = 1;
    static constexpr auto kcontrol_fields() {
        return fields(field("image", &website_spec::image), field("host", &website_spec::host),
                      field("replicas", &website_spec::replicas));
    }
};

struct website_status {
    text phase;
    std::int32_t ready_replicas = 0;
    list<status_condition> conditions;
    static constexpr auto kcontrol_fields() {
        return fields(field("phase", &website_status::phase), field("readyReplicas", &website_status::ready_replicas),
                      field("conditions", &website_status::conditions));
    }
};

struct website {
    static constexpr resource_name kcontrol_resource{"example.com", "v1", "Website", "websites"};
    object_meta metadata;
    website_spec spec;
    website_status status;
    static constexpr auto kcontrol_fields() {
        return fields(field("spec", &website::spec), field("status", &website::status));
    }
    static constexpr auto kcontrol_crd() { return crd().status(); }
};

// The program's.
extern system_environment env;
extern executor ex;
extern client c;
extern manager m;
extern logger log;
extern std::stop_token stop;

// A reconcile's.
extern reconcile_context ctx;
extern const website site;
extern const namespaced_name key;
reconcile_result reconcile(reconcile_context, request);

}  // namespace page
