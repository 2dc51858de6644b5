// VolumeBinding, and the catalog that it decides on.
#include <kcontrol/scheduling/volume_binding.hpp>

#include "scheduling/plugin_world.hpp"

#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;
using scheduling::volume_binding;
using scheduling::volume_catalog;

namespace {

namespace storage = api::storage::v1;

std::string using_claim(const std::string& name) {
    return R"({"containers":[],"volumes":[{"name":"data","persistentVolumeClaim":{"claimName":")" + name + R"("}}]})";
}

const std::string using_two =
    R"({"containers":[],"volumes":[{"name":"a","persistentVolumeClaim":{"claimName":"small"}},
        {"name":"b","persistentVolumeClaim":{"claimName":"big"}}]})";

class catalog_maker {
public:
    /// A claim of 1Gi for the class; `meta` and `spec` are further members.
    catalog_maker& claim(const std::string& name, const std::string& of_class, const std::string& meta = {},
                         const std::string& spec = {}, const std::string& size = "1Gi") {
        catalog.set(object_of<core::persistent_volume_claim>(
            R"({"metadata":{"namespace":"default","name":")" + name + R"(","uid":"uid-)" + name + '"' + meta +
            R"(},"spec":{"storageClassName":")" + of_class +
            R"(","accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":")" + size + R"("}})" + spec +
            "}}"));
        return *this;
    }
    catalog_maker& bound(const std::string& name, const std::string& volume) {
        return claim(name, "wait", R"(,"annotations":{"pv.kubernetes.io/bind-completed":"yes"})",
                     R"(,"volumeName":")" + volume + '"');
    }
    /// A volume of 2Gi in a zone.
    catalog_maker& volume(const std::string& name, const std::string& of_class, const std::string& zone,
                          const std::string& more = {}, const std::string& size = "2Gi") {
        const std::string nodes = zone.empty()
                                      ? ""
                                      : R"(,"nodeAffinity":{"required":{"nodeSelectorTerms":[{"matchExpressions":[
                            {"key":"zone","operator":"In","values":[")" +
                                            zone + R"("]}]}]}})";
        catalog.set(object_of<core::persistent_volume>(
            R"({"metadata":{"name":")" + name + R"("},"spec":{"storageClassName":")" + of_class +
            R"(","accessModes":["ReadWriteOnce"],"capacity":{"storage":")" + size + R"("})" + nodes + more +
            R"(},"status":{"phase":"Available"}})"));
        return *this;
    }
    catalog_maker& storage_class(const std::string& name, const std::string& mode, const std::string& provisioner,
                                 const std::string& more = {}) {
        catalog.set(object_of<storage::storage_class>(R"({"metadata":{"name":")" + name + R"("},"provisioner":")" +
                                                      provisioner + R"(","volumeBindingMode":")" + mode + '"' + more +
                                                      "}"));
        return *this;
    }
    /// What the driver "disks" has left in a zone for the class "wait".
    catalog_maker& left(const std::string& zone, const std::string& amount) {
        catalog.set(object_of<storage::csi_driver>(R"({"metadata":{"name":"disks"},"spec":{"storageCapacity":true}})"));
        catalog.set(object_of<storage::csi_storage_capacity>(
            R"({"metadata":{"namespace":"kube-system","name":"in-)" + zone +
            R"("},"storageClassName":"wait","nodeTopology":{"matchLabels":{"zone":")" + zone + R"("}},)" + amount +
            "}"));
        return *this;
    }

    volume_catalog catalog;
};

// Classes that provide when a pod is placed, at once, and not at all.
catalog_maker& classes(catalog_maker& made) {
    return made.storage_class("wait", "WaitForFirstConsumer", "disks")
        .storage_class("now", "Immediate", "disks")
        .storage_class("local", "WaitForFirstConsumer", "kubernetes.io/no-provisioner");
}

plugin_world& zones(plugin_world& world) { return world.node("a", R"("zone":"a")").node("b", R"("zone":"b")"); }

std::string filtered_by(const catalog_maker& made, const std::string& spec) {
    plugin_world world;
    return filtered(volume_binding(made.catalog), zones(world), pod_of("p", spec));
}

std::string scored_by(const catalog_maker& made, const std::string& spec) {
    plugin_world world;
    return scored(volume_binding(made.catalog), zones(world), pod_of("p", spec));
}

const std::string no_volume = " !node(s) didn't find available persistent volumes to bind";
const std::string no_space = " !node(s) did not have enough free storage";

// "small=v1 big=v2 +new": what is bound and what is provided if the pod goes to the node.
std::string decided(const catalog_maker& made, const std::string& spec, const std::string& node) {
    plugin_world world;
    const volume_binding plugin(made.catalog);
    plugin_round<volume_binding> round(plugin, zones(world), pod_of("p", spec));
    const auto decision = plugin.decide(round.state, round.node(node));
    std::string out;
    for (const auto& one : decision.bindings) {
        out += one.claim->metadata.name.str() + "=" + one.volume->metadata.name.str() + " ";
    }
    for (const auto& one : decision.provisions) out += "+" + one->metadata.name.str() + " ";
    return out;
}

}  // namespace

TEST_CASE("VolumeBinding: claims that no node can help") {
    catalog_maker made;
    classes(made)
        .claim("now", "now")
        .claim("classless", "gone")
        .claim("promised", "wait", {}, R"(,"volumeName":"v")")
        .claim("leaving", "wait", R"(,"deletionTimestamp":"2026-01-02T03:04:05Z")")
        .claim("p-scratch", "wait");
    made.catalog.set(object_of<core::persistent_volume_claim>(
        R"({"metadata":{"namespace":"default","name":"lost"},"spec":{"volumeName":"v"},"status":{"phase":"Lost"}})"));
    const auto ephemeral = [](const std::string& name) {
        return R"({"containers":[],"volumes":[{"name":")" + name +
               R"(","ephemeral":{"volumeClaimTemplate":{"spec":{}}}}]})";
    };
    const std::string immediate = "all !pod has unbound immediate PersistentVolumeClaims";
    const std::vector<std::pair<std::string, std::string>> rows = {
        {R"({"containers":[]})", "all skip"},
        {R"({"containers":[],"volumes":[{"name":"x","emptyDir":{}}]})", "all skip"},
        {using_claim("none"), R"(all !persistentvolumeclaim "none" not found)"},
        {using_claim("lost"), R"(all !persistentvolumeclaim "lost" bound to non-existent persistentvolume "v")"},
        {using_claim("leaving"), R"(all !persistentvolumeclaim "leaving" is being deleted)"},
        {using_claim("now"), immediate},
        {using_claim("classless"), immediate},
        {using_claim("promised"), immediate},
        {ephemeral("cache"),
         R"(all !waiting for ephemeral volume controller to create the persistentvolumeclaim "p-cache")"},
        {ephemeral("scratch"), "all !PVC default/p-scratch was not created for pod default/p (pod is not owner)"},
    };
    for (const auto& each : rows) {
        const auto& spec = each.first;
        const auto& expected = each.second;
        CAPTURE(spec);
        CHECK(filtered_by(made, spec) == expected);
    }
    made.claim("p-scratch", "wait",
               R"(,"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"uid-p","controller":true}])");
    CHECK(filtered_by(made, ephemeral("scratch")) == "a ok, b ok");
}

TEST_CASE("VolumeBinding: bound claims go where their volumes are") {
    catalog_maker made;
    classes(made)
        .bound("in-a", "va")
        .bound("anywhere", "vx")
        .bound("nowhere", "gone")
        .volume("va", "wait", "a")
        .volume("vx", "wait", "");
    CHECK(filtered_by(made, using_claim("in-a")) == "a ok, b !node(s) didn't match PersistentVolume's node affinity");
    CHECK(filtered_by(made, using_claim("anywhere")) == "a ok, b ok");
    const std::string gone = " !node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
    CHECK(filtered_by(made, using_claim("nowhere")) == "a" + gone + ", b" + gone);
}

TEST_CASE("VolumeBinding: claims that wait get a volume that is there") {
    struct row {
        std::string what, volume, expected;  // further members of the spec of a volume in zone a
    };
    const std::string only_a = "a ok, b" + no_volume, nowhere = "a" + no_volume + ", b" + no_volume;
    const std::vector<row> rows = {
        {"as it is", "", only_a},
        {"another mode", R"(,"volumeMode":"Block")", nowhere},
        {"the same mode", R"(,"volumeMode":"Filesystem")", only_a},
        {"of another claim", R"(,"claimRef":{"namespace":"default","name":"other"})", nowhere},
        {"of a claim of another namespace", R"(,"claimRef":{"namespace":"other","name":"data"})", nowhere},
        {"of this claim", R"(,"claimRef":{"namespace":"default","name":"data"})", only_a},
        {"of this claim", R"(,"claimRef":{"namespace":"default","name":"data","uid":"uid-data"})", only_a},
        {"of an older claim", R"(,"claimRef":{"namespace":"default","name":"data","uid":"older"})", nowhere},
        {"of attributes", R"(,"volumeAttributesClassName":"fast")", nowhere},
    };
    for (const auto& each : rows) {
        const auto& what = each.what;
        const auto& volume = each.volume;
        const auto& expected = each.expected;
        CAPTURE(what);
        catalog_maker made;
        classes(made).claim("data", "local").volume("v", "local", "a", volume);
        CHECK(filtered_by(made, using_claim("data")) == expected);
    }
    catalog_maker promised;
    classes(promised)
        .claim("data", "local")
        .volume("v", "local", "a", R"(,"claimRef":{"namespace":"default","name":"data"})")
        .volume("free", "local", "b");
    CHECK(filtered_by(promised, using_claim("data")) == only_a);
    catalog_maker made;
    classes(made).volume("v", "local", "a").volume("other-class", "wait", "b");
    const std::vector<std::pair<std::string, std::string>> claims = {
        {R"(,"accessModes":["ReadWriteMany"])", nowhere},
        {R"(,"selector":{"matchLabels":{"kind":"fast"}})", nowhere},
        {R"(,"selector":{"matchExpressions":[{"key":"kind","operator":"DoesNotExist"}]})", only_a},
    };
    for (const auto& each : claims) {
        const auto& spec = each.first;
        const auto& expected = each.second;
        CAPTURE(spec);
        made.claim("data", "local", {}, spec);
        CHECK(filtered_by(made, using_claim("data")) == expected);
    }
    made.claim("data", "local", {}, {}, "3Gi");
    CHECK(filtered_by(made, using_claim("data")) == nowhere);
}

TEST_CASE("VolumeBinding: claims that wait get a volume that is made") {
    catalog_maker made;
    classes(made)
        .storage_class("zone-b", "WaitForFirstConsumer", "disks",
                       R"(,"allowedTopologies":[{"matchLabelExpressions":[{"key":"zone","values":["b","c"]}]}])")
        .claim("data", "wait")
        .claim("in-b", "zone-b")
        .claim("chosen", "wait", R"(,"annotations":{"volume.kubernetes.io/selected-node":"b"})");
    CHECK(filtered_by(made, using_claim("data")) == "a ok, b ok");
    CHECK(filtered_by(made, using_claim("in-b")) == "a" + no_volume + ", b ok");
    CHECK(filtered_by(made, using_claim("chosen")) == "a" + no_volume + ", b ok");
    made.left("a", R"("capacity":"512Mi")").left("b", R"("capacity":"5Gi")");
    CHECK(filtered_by(made, using_claim("data")) == "a" + no_space + ", b ok");
    made.left("b", R"("capacity":"5Gi","maximumVolumeSize":"512Mi")");
    CHECK(filtered_by(made, using_claim("data")) == "a" + no_space + ", b" + no_space);
    made.left("a", R"("capacity":"1Gi")");
    CHECK(filtered_by(made, using_claim("data")) == "a ok, b" + no_space);
}

TEST_CASE("VolumeBinding: decides which volumes the claims get") {
    catalog_maker made;
    classes(made)
        .claim("small", "local", {}, {}, "1Gi")
        .claim("big", "local", {}, {}, "2Gi")
        .claim("new", "wait")
        .volume("v3", "local", "a", {}, "3Gi")
        .volume("v2", "local", "a", {}, "2Gi")
        .volume("in-b", "local", "b", {}, "2Gi");
    CHECK(decided(made, using_claim("small"), "a") == "small=v2 ");
    // The small one is served first, with the smallest.
    CHECK(decided(made, using_two, "a") == "small=v2 big=v3 ");
    CHECK(filtered_by(made, using_two) == "a ok, b" + no_volume);
    CHECK(decided(made, using_claim("new"), "a") == "+new ");
    made.bound("done", "v9").volume("v9", "wait", "a");
    CHECK(decided(made, using_claim("done"), "a").empty());
}

TEST_CASE("VolumeBinding: nodes are better where a claim takes less of what is there") {
    catalog_maker made;
    classes(made)
        .claim("small", "local", {}, {}, "1Gi")
        .claim("big", "local", {}, {}, "2Gi")
        .claim("new", "wait")
        .claim("newer", "wait", {}, {}, "2Gi")
        .bound("done", "vx")
        .volume("vx", "kept", "")
        .volume("a2", "local", "a", {}, "2Gi")
        .volume("a4", "local", "a", {}, "4Gi")
        .volume("b3", "local", "b", {}, "3Gi")
        .volume("b8", "local", "b", {}, "8Gi");
    CHECK(scored_by(made, R"({"containers":[]})") == "skip");
    CHECK(scored_by(made, using_claim("done")) == "skip");
    CHECK(scored_by(made, using_claim("small")) == "a 50, b 67");
    CHECK(scored_by(made, using_two) == "a 50, b 73");         // 3 of 6 GiB, 3 of 11 GiB
    CHECK(scored_by(made, using_claim("new")) == "a 0, b 0");  // nobody says what is left
    made.left("a", R"("capacity":"2Gi")").left("b", R"("capacity":"8Gi")");
    CHECK(scored_by(made, using_claim("new")) == "a 50, b 88");
    const std::string both = R"({"containers":[],"volumes":[{"name":"a","persistentVolumeClaim":{"claimName":"new"}},
        {"name":"b","persistentVolumeClaim":{"claimName":"newer"}}]})";
    CHECK(scored_by(made, both) == "a 0, b 63");  // 3 of 2 GiB, 3 of 8 GiB
    const std::string found_and_new =
        R"({"containers":[],"volumes":[{"name":"a","persistentVolumeClaim":{"claimName":"small"}},
        {"name":"b","persistentVolumeClaim":{"claimName":"newer"}}]})";
    CHECK(scored_by(made, found_and_new) == "a 50, b 67");  // what is made does not count then
    made.left("b", R"("maximumVolumeSize":"8Gi")");
    CHECK(scored_by(made, using_claim("new")) == "a 50, b 0");  // how much is left is not known
}

TEST_CASE("volume_catalog: a decision counts until it is shown or forgotten") {
    catalog_maker made;
    classes(made).claim("one", "local").claim("two", "local").claim("new", "wait").volume("v", "local", "a");
    const auto decide = [&](const std::string& claim) {
        plugin_world world;
        const volume_binding plugin(made.catalog);
        plugin_round<volume_binding> round(plugin, zones(world), pod_of("p", using_claim(claim)));
        return plugin.decide(round.state, round.node("a"));
    };
    const std::string only_a = "a ok, b" + no_volume, nowhere = "a" + no_volume + ", b" + no_volume;
    const auto of_one = decide("one"), of_new = decide("new");
    made.catalog.assume(of_one, "a");
    made.catalog.assume(of_new, "a");
    CHECK(filtered_by(made, using_claim("one")) == only_a);
    CHECK(filtered_by(made, using_claim("two")) == nowhere);
    CHECK(filtered_by(made, using_claim("new")) == only_a);
    // Events that are older than the decision change nothing.
    made.volume("v", "local", "a").claim("new", "wait");
    CHECK(filtered_by(made, using_claim("two")) == nowhere);
    CHECK(filtered_by(made, using_claim("new")) == only_a);
    made.catalog.forget(of_one);
    made.catalog.forget(of_new);
    CHECK(filtered_by(made, using_claim("two")) == only_a);
    CHECK(filtered_by(made, using_claim("new")) == "a ok, b ok");
    // A node that was shown, and is shown no longer, was taken back: the provisioner failed there.
    const std::string on_a = R"(,"annotations":{"volume.kubernetes.io/selected-node":"a"})";
    made.catalog.assume(of_new, "a");
    made.claim("new", "wait", on_a).claim("new", "wait");
    CHECK(filtered_by(made, using_claim("new")) == "a ok, b ok");
    catalog_maker restarted;
    classes(restarted).claim("new", "wait", on_a);
    CHECK(filtered_by(restarted, using_claim("new")) == only_a);
    restarted.claim("new", "wait");
    CHECK(filtered_by(restarted, using_claim("new")) == "a ok, b ok");
    // What the API server shows counts, not what was decided.
    made.catalog.assume(of_one, "a");
    made.volume("v", "local", "a", R"(,"claimRef":{"namespace":"default","name":"two"})");
    CHECK(filtered_by(made, using_claim("one")) == nowhere);
    CHECK(filtered_by(made, using_claim("two")) == only_a);
    made.catalog.remove_volume("v");
    CHECK(filtered_by(made, using_claim("two")) == nowhere);
}
