// PodGroups of the three kinds there are: which one a server has, and groups that come and go with their owner's turns.
#include <kcontrol/controllerutil/pod_groups.hpp>

#include "fixture.hpp"

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

class group_world : public world_fixture {
public:
    void serve(const std::string& group, const std::string& version) {
        world.register_resource({group, version, "PodGroup", "podgroups"});
    }
    const pod_group_kind* kind_for(const std::string& scheduler = "") {
        return world.run(groups.served(c, scheduler, stop)).value();
    }
    result<void> make(const site& owner, const std::string& name, std::int32_t members) {
        object_meta group;
        group.name = name;
        group.labels["of"] = owner.metadata.name;
        list_options earlier;
        earlier.label_selector("of=" + owner.metadata.name.str());
        return world.run(create_pod_group(c, *kind_for(), owner, group, members, earlier, write_options()));
    }
    std::string there(const std::string& group = "scheduling.x-k8s.io") {
        std::string out;
        for (const auto& each : server.api().list({group, "podgroups"})) {
            out += std::string(json::get_string(each, {"metadata", "name"})) + json::serialize(each.at("spec")) + " ";
        }
        return out;
    }

    pod_groups groups;
};

}  // namespace

TEST_CASE_FIXTURE(group_world,
                  "PodGroup: the server's own comes before the plugin's, and Volcano's is for its own pods") {
    SUBCASE("none") {
        CHECK(kind_for() == nullptr);
        CHECK(kind_for("volcano") == nullptr);
    }
    SUBCASE("the plugin's, and Volcano's") {
        serve("scheduling.x-k8s.io", "v1alpha1");
        serve("scheduling.volcano.sh", "v1beta1");
        REQUIRE(kind_for() != nullptr);
        CHECK(kind_for()->info->gvk.group == "scheduling.x-k8s.io");
        CHECK(kind_for("mine")->info->gvk.group == "scheduling.x-k8s.io");
        CHECK(kind_for("volcano")->info->gvk.group == "scheduling.volcano.sh");
    }
    SUBCASE("all but Volcano's") {
        serve("scheduling.x-k8s.io", "v1alpha1");
        serve("scheduling.k8s.io", "v1alpha2");
        REQUIRE(kind_for() != nullptr);
        CHECK(kind_for()->info->gvk.group == "scheduling.k8s.io");
        CHECK(kind_for("volcano") == nullptr);
    }
    SUBCASE("Kubernetes' own, in the version that the server has") {
        const char* version = "";
        SUBCASE("of 1.36") { version = "v1alpha2"; }
        SUBCASE("of 1.37") { version = "v1beta1"; }
        serve("scheduling.k8s.io", version);
        REQUIRE(kind_for() != nullptr);
        CHECK(kind_for()->info->gvk.version == version);
        REQUIRE(make(create_site("web"), "web-1", 2));
        CHECK(there("scheduling.k8s.io") == R"(web-1{"schedulingPolicy":{"gang":{"minCount":2}}} )");
    }
    SUBCASE("in a version that is not known here") {
        serve("scheduling.x-k8s.io", "v9");
        CHECK(kind_for() == nullptr);
    }
}

TEST_CASE_FIXTURE(group_world, "PodGroup: how pods name it") {
    const std::pair<const char*, const char*> all[]{
        {"scheduling.x-k8s.io", "v1alpha1"}, {"scheduling.volcano.sh", "v1beta1"}, {"scheduling.k8s.io", "v1alpha2"}};
    for (const auto& [group, version] : all) serve(group, version);
    api::core::v1::pod pod;
    kind_for("volcano")->join("gang", pod);
    CHECK(pod.metadata.annotations.at("scheduling.k8s.io/group-name") == "gang");
    kind_for()->join("gang", pod);
    CHECK(pod.spec.scheduling_group->pod_group_name == "gang");
    CHECK(pod.metadata.labels.empty());
}

TEST_CASE_FIXTURE(group_world, "PodGroup: one for each turn of its owner; the earlier ones go, and no one else's") {
    serve("scheduling.x-k8s.io", "v1alpha1");
    const site web = create_site("web"), db = create_site("db");
    REQUIRE(make(web, "web-1", 2));
    REQUIRE(make(db, "db-1", 4));
    CHECK(there() == R"(db-1{"minMember":4} web-1{"minMember":2} )");
    REQUIRE(make(web, "web-1", 9));  // it is there, and stays as it is
    CHECK(there() == R"(db-1{"minMember":4} web-1{"minMember":2} )");
    REQUIRE(make(web, "web-2", 3));
    CHECK(there() == R"(db-1{"minMember":4} web-2{"minMember":3} )");
    const auto group = server.api().list({"scheduling.x-k8s.io", "podgroups"})[1];
    CHECK(json::get_string(group.at("metadata").at("ownerReferences").at(0), {"name"}) == "web");
}

TEST_CASE_FIXTURE(group_world, "PodGroup: an error names it") {
    serve("scheduling.x-k8s.io", "v1alpha1");
    const auto refused = make(create_site(), "Not A Name", 1);
    REQUIRE_FALSE(refused);
    CHECK(std::string(refused.error().what()).find("PodGroup Not A Name") != std::string::npos);
}
