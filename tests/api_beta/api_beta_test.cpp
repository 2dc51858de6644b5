// Kinds of beta and alpha groups: an object of each through the codec, and one through a client.
#include <kcontrol/api_beta/admissionregistration/v1alpha1.hpp>
#include <kcontrol/api_beta/admissionregistration/v1beta1.hpp>
#include <kcontrol/api_beta/apiserverinternal/v1alpha1.hpp>
#include <kcontrol/api_beta/certificates/v1beta1.hpp>
#include <kcontrol/api_beta/coordination/v1alpha2.hpp>
#include <kcontrol/api_beta/coordination/v1beta1.hpp>
#include <kcontrol/api_beta/lifecycle/v1alpha1.hpp>
#include <kcontrol/api_beta/resource/v1alpha3.hpp>
#include <kcontrol/api_beta/resource/v1beta1.hpp>
#include <kcontrol/api_beta/resource/v1beta2.hpp>
#include <kcontrol/api_beta/scheduling/v1alpha3.hpp>
#include <kcontrol/api_beta/scheduling/v1beta1.hpp>
#include <kcontrol/api_beta/storagemigration/v1beta1.hpp>
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/documents/patch.hpp>
#include <kcontrol/testing/sim_world.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace kcontrol;

namespace {

struct row {
    const resource_info& info;
    std::string rest;  ///< the object's members after metadata
};

/// The difference as a patch: "[]" where there is none.
std::string round_trip(const row& each) {
    const auto text = R"({"apiVersion":")" + each.info.gvk.api_version() + R"(","kind":")" + each.info.gvk.kind +
                      R"(","metadata":{"name":"a"},)" + each.rest + "}";
    json::document document;
    const auto object = each.info.decode(document.parse(text).value());
    if (!object) return object.error().what();
    const auto after = json::parse(each.info.encode(*object).value()).value();
    return json::serialize(json::diff(json::parse(text).value(), after));
}

}  // namespace

TEST_CASE("api_beta: objects survive reading and writing") {
    using namespace kcontrol::api;
    const std::string gang = R"("schedulingPolicy":{"gang":{"minCount":4}})";
    const std::string claim =
        R"("spec":{"devices":{"requests":[{"exactly":{"deviceClassName":"gpu","count":2},"name":"r"}]}})";
    const std::string flat_claim =
        R"("spec":{"devices":{"requests":[{"deviceClassName":"gpu","count":2,"name":"r"}]}})";
    const std::string classes = R"("spec":{"selectors":[{"cel":{"expression":"true"}}]})";
    const std::string slice =
        R"("spec":{"driver":"d","nodeName":"n","pool":{"generation":1,"name":"p","resourceSliceCount":1}})";
    const std::string taints = R"("spec":{"deviceSelector":{"driver":"d"},"taint":{"effect":"NoSchedule","key":"k"}})";
    const std::string policy =
        R"("spec":{"failurePolicy":"Fail","mutations":[{"jsonPatch":{"expression":"[]"},"patchType":"JSONPatch"}]})";
    const std::string binding = R"("spec":{"policyName":"p"})";
    const std::string candidate =
        R"("spec":{"binaryVersion":"1.37.0","leaseName":"l","renewTime":"2026-01-02T03:04:05.000006Z","strategy":"OldestEmulationVersion"})";
    const row rows[] = {
        {resource_of<scheduling::v1beta1::pod_group>(), R"("spec":{)" + gang + "}"},
        {resource_of<scheduling::v1beta1::workload>(), R"("spec":{"podGroupTemplates":[{"name":"w",)" + gang + "}]}"},
        {resource_of<scheduling::v1alpha3::pod_group>(), R"("spec":{)" + gang + "}"},
        {resource_of<scheduling::v1alpha3::workload>(), R"("spec":{"podGroupTemplates":[{"name":"w",)" + gang + "}]}"},
        {resource_of<coordination::v1beta1::lease_candidate>(), candidate},
        {resource_of<coordination::v1alpha2::lease_candidate>(), candidate},
        {resource_of<resource::v1beta2::resource_claim>(), claim},
        {resource_of<resource::v1beta2::resource_claim_template>(), R"("spec":{)" + claim + "}"},
        {resource_of<resource::v1beta2::device_class>(), classes},
        {resource_of<resource::v1beta2::resource_slice>(), slice},
        {resource_of<resource::v1beta2::device_taint_rule>(), taints},
        {resource_of<resource::v1beta1::resource_claim>(), flat_claim},
        {resource_of<resource::v1beta1::resource_claim_template>(), R"("spec":{)" + flat_claim + "}"},
        {resource_of<resource::v1beta1::device_class>(), classes},
        {resource_of<resource::v1beta1::resource_slice>(), slice},
        {resource_of<resource::v1alpha3::device_taint_rule>(), taints},
        {resource_of<resource::v1alpha3::resource_pool_status_request>(), R"("spec":{"driver":"d","limit":3})"},
        {resource_of<scheduling::v1alpha3::composite_pod_group>(),
         R"("spec":{"schedulingPolicy":{"gang":{"minGroupCount":2}},"workloadRef":{"templateName":"t","workloadName":"w"}})"},
        {resource_of<admissionregistration::v1beta1::mutating_admission_policy>(), policy},
        {resource_of<admissionregistration::v1alpha1::mutating_admission_policy>(), policy},
        {resource_of<admissionregistration::v1beta1::mutating_admission_policy_binding>(), binding},
        {resource_of<admissionregistration::v1alpha1::mutating_admission_policy_binding>(), binding},
        {resource_of<certificates::v1beta1::cluster_trust_bundle>(), R"("spec":{"signerName":"s","trustBundle":"t"})"},
        {resource_of<certificates::v1beta1::pod_certificate_request>(),
         R"("spec":{"maxExpirationSeconds":3600,"nodeName":"n","nodeUID":"1","podName":"p","podUID":"2","serviceAccountName":"s","serviceAccountUID":"3","signerName":"g","stubPKCS10Request":"AQ=="})"},
        {resource_of<storagemigration::v1beta1::storage_version_migration>(),
         R"("spec":{"resource":{"group":"apps","resource":"deployments"}})"},
        {resource_of<lifecycle::v1alpha1::eviction>(), R"("spec":{"target":{"pod":{"name":"p","uid":"u"}}})"},
        {resource_of<lifecycle::v1alpha1::eviction_request>(),
         R"("spec":{"intent":"Eviction","requester":"r","target":{}})"},
        {resource_of<apiserverinternal::v1alpha1::storage_version>(),
         R"("status":{"commonEncodingVersion":"v1","storageVersions":[{"apiServerID":"a","decodableVersions":["v1"],"encodingVersion":"v1"}]})"},
    };
    for (const auto& each : rows) {
        CAPTURE(each.info.gvk.api_version() + " " + each.info.gvk.kind);
        CHECK(round_trip(each) == "[]");
    }
}

TEST_CASE("api_beta: members have types, and types of api/ are the same ones") {
    const auto group = from_json<api::scheduling::v1beta1::pod_group>(
        R"({"apiVersion":"scheduling.k8s.io/v1beta1","kind":"PodGroup","spec":{"schedulingPolicy":{"gang":{"minCount":4}}}})");
    REQUIRE(group.has_value());
    CHECK(group->spec.scheduling_policy.gang->min_count == 4);
    CHECK_FALSE(
        from_json<api::scheduling::v1beta1::pod_group>(R"({"spec":{"schedulingPolicy":{"gang":{"minCount":"four"}}}})")
            .has_value());
    api::resource::v1beta2::resource_slice slice;
    slice.spec.node_selector = api::core::v1::node_selector();
    CHECK(slice.spec.node_selector->node_selector_terms.empty());
}

TEST_CASE("api_beta: a client writes and reads a PodGroup") {
    using api::scheduling::v1beta1::pod_group;
    testing::sim_world world;
    auto& server = world.add_server("cluster");
    world.register_resource(testing::resource_type_of(resource_of<pod_group>()));
    auto c = world.connect(server);
    pod_group group;
    group.metadata.name = "gang";
    group.metadata.namespace_ = "default";
    api::scheduling::v1beta1::gang_scheduling_policy policy;
    policy.min_count = 3;
    group.spec.scheduling_policy.gang = policy;
    REQUIRE(world.run(c.create(group)).has_value());
    const auto read = world.run(c.get<pod_group>({"default", "gang"}));
    REQUIRE_MESSAGE(read.has_value(), read.error().what());
    CHECK(read->spec.scheduling_policy.gang->min_count == 3);
    CHECK(server.api().list({"scheduling.k8s.io", "podgroups"}).size() == 1);
}
