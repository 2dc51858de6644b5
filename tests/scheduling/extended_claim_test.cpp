// Extended resources that DeviceClasses stand for: the claim that is made for a pod, which class counts, and what the
// plugins say of nodes.
#include <kcontrol/scheduling/claim_catalog.hpp>
#include <kcontrol/scheduling/dynamic_resources.hpp>
#include <kcontrol/scheduling/extended_claim.hpp>
#include <kcontrol/scheduling/node_resources_fit.hpp>

#include "scheduling/plugin_world.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;
using scheduling::claim_catalog;
using scheduling::dynamic_resources;
using scheduling::extended_claim;
using scheduling::node_resources_fit;
using scheduling::node_resources_fit_options;

namespace {

using catalog_pointer = std::shared_ptr<claim_catalog>;

void set_class(claim_catalog& to, const std::string& name, const std::string& resource, int second = 0) {
    to.set(object_of<claim_catalog::device_class>(
        R"({"metadata":{"name":")" + name + R"(","creationTimestamp":"2026-01-01T00:00:0)" + std::to_string(second) +
        R"(Z"},"spec":{)" + (resource.empty() ? "" : R"("extendedResourceName":")" + resource + '"') + "}}"));
}

void set_slice(claim_catalog& to, const std::string& node, int devices) {
    std::string all;
    for (int i = 0; i < devices; ++i) {
        all += (i == 0 ? "" : ",") + (R"({"name":"gpu-)" + std::to_string(i)) + "\"}";
    }
    to.set(object_of<claim_catalog::slice>(
        R"({"metadata":{"name":")" + node + R"("},"spec":{"driver":"gpu.example","nodeName":")" + node +
        R"(","pool":{"name":")" + node + R"(","generation":1,"resourceSliceCount":1},"devices":[)" + all + "]}}"));
}

catalog_pointer make_catalog() {
    return std::make_shared<claim_catalog>(
        [](const scheduling::device_inventory::known_device&, std::string_view) { return result<bool>(true); });
}

// "container-0-request-0 2 gpu; c: x by container-0-request-0"
std::string text_of(const extended_claim* of) {
    if (of == nullptr) return "none";
    std::string out;
    for (const auto& each : of->object->spec.devices.requests) {
        out += (out.empty() ? "" : ", ") + each.name.str() + " " + std::to_string(*each.exactly->count) + " " +
               each.exactly->device_class_name.str();
    }
    for (const auto& each : of->mappings) {
        out += "; " + each.container_name.str() + ": " + each.resource_name.str() + " by " + each.request_name.str();
    }
    return out;
}

std::string containers(const std::string& init, const std::string& others) {
    return R"({"initContainers":[)" + init + R"(],"containers":[)" + others + "]}";
}
std::string container(const std::string& name, const std::string& requests, bool is_sidecar = false) {
    return R"({"name":")" + name + R"(",)" + (is_sidecar ? R"("restartPolicy":"Always",)" : "") +
           R"("resources":{"requests":{)" + requests + "}}}";
}

// A claim of the API server for the extended resources of a pod of the default namespace.
std::shared_ptr<const claim_catalog::claim> stored(const scheduling::pod_info& pod, const claim_catalog& known,
                                                   const std::string& name, const std::string& node = {}) {
    auto made = *extended_claim::of(pod.pod(), [&](auto resource) { return known.find_class_for(resource); })->object;
    made.metadata.name = name;
    made.metadata.uid = "uid of " + name;
    made.metadata.resource_version = "7";
    if (!node.empty()) {
        auto& given = made.status.allocation.edit();
        auto& device = given.devices.results.emplace_back();
        device.request = made.spec.devices.requests.begin()->name;
        device.driver = "gpu.example";
        device.pool = node;
        device.device = "gpu-0";
        auto& field = given.node_selector.edit().node_selector_terms.emplace_back().match_fields.emplace_back();
        field.key = "metadata.name";
        field.operator_ = "In";
        field.values = {text(node)};
    }
    return std::make_shared<const claim_catalog::claim>(std::move(made));
}

}  // namespace

TEST_CASE("extended_claim: requests and mappings, as kube-scheduler names and shares them") {
    struct row {
        const char* what;
        std::string spec;
        const char* expected;
    };
    const std::string x = R"("example.com/x":")", y = R"("example.com/y":")";
    const row rows[] = {
        {"nothing", containers("", container("c", "")), "none"},
        {"a resource without a class", containers("", container("c", R"("other.com/z":"1")")), "none"},
        {"0 of it", containers("", container("c", x + "0\"")), "none"},
        {"one", containers("", container("c", x + "2\"")),
         "container-0-request-0 2 X; c: example.com/x by container-0-request-0"},
        {"the index is that of the name among all requests",
         containers("", container("c", R"("cpu":"1","memory":"1Gi",)" + x + "1\"," + y + "3\"")),
         "container-0-request-1 1 X, container-0-request-2 3 Y; c: example.com/x by container-0-request-1; "
         "c: example.com/y by container-0-request-2"},
        {"two containers", containers("", container("c", x + "1\"") + "," + container("d", x + "2\"")),
         "container-0-request-0 1 X, container-1-request-0 2 X; c: example.com/x by container-0-request-0; "
         "d: example.com/x by container-1-request-0"},
        {"an init container uses what a container has later",
         containers(container("i", x + "2\""), container("c", x + "1\"") + "," + container("d", x + "2\"")),
         "container-1-request-0 1 X, container-2-request-0 2 X; c: example.com/x by container-1-request-0; "
         "d: example.com/x by container-2-request-0; i: example.com/x by container-1-request-0; "
         "i: example.com/x by container-2-request-0"},
        {"and has what is missing by itself", containers(container("i", x + "3\""), container("c", x + "1\"")),
         "container-0-request-0 2 X, container-1-request-0 1 X; c: example.com/x by container-1-request-0; "
         "i: example.com/x by container-1-request-0; i: example.com/x by container-0-request-0"},
        {"of several the largest need serves all",
         containers(container("i", x + "2\"") + "," + container("j", x + "4\"") + "," + container("k", x + "1\""),
                    container("c", x + "1\"")),
         "container-1-request-0 3 X, container-3-request-0 1 X; c: example.com/x by container-3-request-0; "
         "i: example.com/x by container-3-request-0; i: example.com/x by container-1-request-0; "
         "j: example.com/x by container-3-request-0; j: example.com/x by container-1-request-0; "
         "k: example.com/x by container-3-request-0"},
        {"a sidecar keeps its devices, and shares them with those before it only",
         containers(container("i", x + "1\"") + "," + container("s", x + "1\"", true) + "," + container("j", x + "1\""),
                    container("c", "")),
         "container-1-request-0 1 X, container-2-request-0 1 X; s: example.com/x by container-1-request-0; "
         "i: example.com/x by container-1-request-0; j: example.com/x by container-2-request-0"},
    };
    const auto known = make_catalog();
    set_class(*known, "X", "example.com/x");
    set_class(*known, "Y", "example.com/y");
    const auto class_of = [&](std::string_view resource) { return known->find_class_for(resource); };
    for (const auto& each : rows) {
        CAPTURE(each.what);
        CHECK(text_of(extended_claim::of(pod_of("p", each.spec)->pod(), class_of).get()) == each.expected);
    }
    // Sorted by their text: the tenth container comes before the second.
    std::string many;
    for (int i = 0; i < 11; ++i) {
        many += (i == 0 ? "" : ",") + container("c" + std::to_string(i), i % 9 == 1 ? x + "1\"" : "");
    }
    CHECK(text_of(extended_claim::of(pod_of("p", containers("", many))->pod(), class_of).get())
              .find("container-1-request-0 1 X, container-10-request-0 1 X;") == 0);
    const auto claim = extended_claim::of(pod_of("nlp/p", rows[3].spec)->pod(), class_of)->object;
    CHECK(claim->metadata.generate_name == "p-extended-resources-");
    CHECK(claim->metadata.namespace_ == "nlp");
    CHECK(extended_claim::pod_of(*claim) == "uid-nlp/p");
    CHECK(extended_claim::is_draft(*claim));
    auto other = *claim;
    other.metadata.annotations = {};
    CHECK(extended_claim::pod_of(other) == "");
}

TEST_CASE("claim_catalog: which class stands for an extended resource") {
    const auto known = make_catalog();
    const auto found = [&](const char* resource) {
        const auto by = known->find_class_for(resource);
        return by == nullptr ? "" : by->metadata.name.str();
    };
    CHECK(found("example.com/x") == "");
    set_class(*known, "b", "example.com/x", 1);
    CHECK(found("example.com/x") == "b");
    set_class(*known, "old", "example.com/x", 0);
    CHECK(found("example.com/x") == "b");
    set_class(*known, "a", "example.com/x", 1);
    CHECK(found("example.com/x") == "a");  // as new, and the first by name
    set_class(*known, "new", "example.com/x", 2);
    CHECK(found("example.com/x") == "new");
    set_class(*known, "new", "", 2);
    CHECK(found("example.com/x") == "a");
    CHECK(found("deviceclass.resource.kubernetes.io/new") == "new");
    CHECK(found("deviceclass.resource.kubernetes.io/none") == "");
    known->remove(*known->find_class("a"));
    CHECK(found("example.com/x") == "b");
    known->clear();
    CHECK(found("example.com/x") == "");
    CHECK(found("deviceclass.resource.kubernetes.io/new") == "");
}

TEST_CASE("claim_catalog: the claim of a pod's extended resources") {
    const auto known = make_catalog();
    set_class(*known, "gpu", "example.com/x");
    set_slice(*known, "a", 1);
    const auto pod = pod_of("p", requesting(R"({"example.com/x":"1"})"));
    const auto other = pod_of("q", requesting(R"({"example.com/x":"1"})"));
    const auto draft = extended_claim::of(pod->pod(), [&](auto of) { return known->find_class_for(of); })->object;
    const auto given = stored(*pod, *known, "c", "a");
    auto assumed = known->assume(draft, *given->status.allocation);
    CHECK(known->find_extended_claim(pod->pod()) == draft);
    CHECK(known->find_claim("default", draft->metadata.name) == draft);
    CHECK(known->allocation_of(draft) == assumed);
    CHECK(known->find_extended_claim(other->pod()) == nullptr);
    CHECK(known->held().size() == 1);
    known->set(given);
    CHECK(known->find_extended_claim(pod->pod()) == given);
    CHECK(known->held().size() == 2);  // until the decision is dropped
    assumed.reset();
    CHECK(known->held().size() == 1);
    CHECK(known->find_claim("default", draft->metadata.name) == nullptr);
    // A claim of the same name for another pod.
    auto again = *stored(*other, *known, "c");
    again.metadata.uid = "again";
    again.metadata.resource_version = "8";
    known->set(std::make_shared<const claim_catalog::claim>(again));
    CHECK(known->find_extended_claim(pod->pod()) == nullptr);
    CHECK(known->find_extended_claim(other->pod()) != nullptr);
    known->set(given);  // late: it is deleted by now
    CHECK(known->find_extended_claim(pod->pod()) == nullptr);
    known->remove(again);
    CHECK(known->find_extended_claim(other->pod()) == nullptr);
    CHECK(known->held().empty());
}

TEST_CASE("NodeResourcesFit: a resource that a DeviceClass stands for passes where the node has none of it") {
    const auto known = make_catalog();
    plugin_world world;
    const auto having = [](const std::string& more) { return R"({"allocatable":{"pods":"110")" + more + "}}"; };
    world.node("has", {}, "{}", having(R"(,"example.com/x":"1")"))
        .node("lacks", {}, "{}", having(""))
        .node("zero", {}, "{}", having(R"(,"example.com/x":"0")"));
    const auto said = [&](const std::string& requests) {
        return filtered(node_resources_fit(node_resources_fit_options().claims(known)), world,
                        pod_of("p", requesting(requests)));
    };
    const std::string x = R"({"example.com/x":"2"})", implicit = R"({"deviceclass.resource.kubernetes.io/gpu":"2"})";
    const std::string refused = "!Insufficient example.com/x";
    CHECK(said(x) == "has " + refused + ", lacks " + refused + ", zero " + refused);
    CHECK(said(implicit).find("lacks !Insufficient deviceclass") != std::string::npos);
    set_class(*known, "gpu", "example.com/x");
    CHECK(said(x) == "has " + refused + ", lacks ok, zero ok");
    CHECK(said(implicit) == "has ok, lacks ok, zero ok");
    CHECK(said(R"({"example.com/x":"1","other.com/y":"1"})").find("lacks !Insufficient other.com/y") !=
          std::string::npos);
    // Without a catalog nothing stands for it.
    CHECK(filtered(node_resources_fit(), world, pod_of("p", requesting(x))).find("lacks " + refused) !=
          std::string::npos);

    // Which events of classes help.
    const auto type = [](const char* name, const char* resource) {
        claim_catalog::device_class out;
        out.metadata.name = name;
        out.spec.extended_resource_name = resource;
        return any_object(std::make_shared<const claim_catalog::device_class>(std::move(out)));
    };
    const scheduling::interned_name classes("resource.k8s.io/DeviceClass");
    const auto helps = [&](const std::string& requests, any_object before, any_object after) {
        return node_resources_fit::may_help(
            *pod_of("p", requesting(requests)),
            {{classes, scheduling::event_actions::all}, std::move(before), std::move(after)});
    };
    CHECK(helps(x, {}, type("gpu", "example.com/x")));
    CHECK(helps(x, type("gpu", ""), type("gpu", "example.com/x")));
    CHECK_FALSE(helps(x, type("gpu", "example.com/x"), type("gpu", "example.com/x")));
    CHECK_FALSE(helps(x, {}, type("gpu", "other.com/x")));
    CHECK(helps(implicit, {}, type("gpu", "")));
    CHECK_FALSE(helps(implicit, type("gpu", ""), type("gpu", "other.com/x")));
    CHECK(helps(x, {}, {}));  // another kind
}

TEST_CASE("dynamic_resources: devices for extended resources that a node does not have itself") {
    const auto known = make_catalog();
    set_class(*known, "gpu", "example.com/x");
    set_class(*known, "other", "example.com/y");
    set_slice(*known, "a", 2);
    set_slice(*known, "b", 1);
    plugin_world nodes;
    nodes.node("a").node("b").node("own", {}, "{}", R"({"allocatable":{"pods":"9","example.com/x":"4"}})");
    const auto wanting = [](const std::string& requests, const std::string& status = "{}") {
        return pod_of("p", requesting("{" + requests + "}"), "{}", status);
    };
    const auto said = [&](const std::shared_ptr<const scheduling::pod_info>& pod) {
        return plugin_round<dynamic_resources>(dynamic_resources(known), nodes, pod).filtered();
    };
    const std::string x1 = R"("example.com/x":"1")", x2 = R"("example.com/x":"2")";
    CHECK(said(wanting(R"("cpu":"1")")) == "all skip");
    CHECK(said(wanting(R"("elsewhere.com/z":"1")")) == "all skip");
    CHECK(said(wanting(x1)) == "a ok, b ok, own ok");
    const std::string lacks =
        "b !cannot allocate all claims: claim default/<extended-resources of p>, request container-0-request-0: "
        "2 devices are needed, 1 of 1 is free";
    CHECK(said(wanting(x2)) == "a ok, " + lacks + ", own ok");
    // Of two resources the node's own one needs no devices.
    const auto mixed = said(wanting(x1 + R"(,"example.com/y":"1")"));
    CHECK(mixed.find("a ok, b !cannot allocate") == 0);
    CHECK(mixed.find("own !cannot allocate all claims: claim default/<extended-resources of p>, "
                     "request container-0-request-1: no device is selected") != std::string::npos);
    // The status of the pod names a claim that is deleted by now.
    const std::string named = R"({"extendedResourceClaimStatus":{"resourceClaimName":"gone","requestMappings":[]}})";
    CHECK(said(wanting(x1, named)) ==
          "a ok, b ok, own !node(s) have the extended resources, and the pod's status names a ResourceClaim for them");

    // What is decided counts while it is only decided.
    dynamic_resources plugin(known);
    const auto pod = wanting(x2);
    {
        plugin_round<dynamic_resources> round(plugin, nodes, pod);
        scheduling::placement place(pod, "a");
        REQUIRE(plugin.reserve(round.state, place, round.node("a")).ok());
        REQUIRE(round.state.chosen != nullptr);
        CHECK(text_of(round.state.chosen.get()) ==
              "container-0-request-0 2 gpu; c: example.com/x by container-0-request-0");
        CHECK(known->held().size() == 2);
        CHECK(said(pod_of("q", requesting("{" + x1 + "}"))).find("1 device is needed, 0 of 2 are free, b ok") !=
              std::string::npos);
        plugin.unreserve(round.state, place);
        CHECK(known->held().empty());
    }
    {
        plugin_round<dynamic_resources> round(plugin, nodes, pod);
        scheduling::placement place(pod, "own");
        REQUIRE(plugin.reserve(round.state, place, round.node("own")).ok());
        CHECK(round.state.chosen == nullptr);
        CHECK(known->held().empty());
    }

    // A claim that was made before is used again, where it is right.
    const auto one = wanting(x1);
    known->set(stored(*one, *known, "made"));
    CHECK(said(one) == "a ok, b ok, own -node(s) don't suit the ResourceClaim that was made for the pod");
    known->remove(*known->find_claim("default", "made"));
    known->set(stored(*one, *known, "given", "b"));
    CHECK(said(one) ==
          "a -node(s) can't reach the devices of ResourceClaim \"given\", b ok, "
          "own -node(s) don't suit the ResourceClaim that was made for the pod");
    {
        plugin_round<dynamic_resources> round(plugin, nodes, one);
        scheduling::placement place(one, "b");
        REQUIRE(plugin.reserve(round.state, place, round.node("b")).ok());
        REQUIRE(round.state.uses.size() == 1);
        CHECK(round.state.uses[0].object->metadata.name == "given");
        CHECK(round.state.uses[0].is_given);
    }
    // It is for one device, and the pod wants two now.
    CHECK(said(pod).find("a -node(s) don't suit") == 0);
    auto leaving = *known->find_claim("default", "given");
    leaving.metadata.deletion_timestamp = timestamp(wall_time(std::chrono::seconds(5)));
    leaving.metadata.resource_version = "8";
    known->set(std::make_shared<const claim_catalog::claim>(leaving));
    CHECK(said(one) == "all !ResourceClaim \"given\" is being deleted");

    // Its deletion wakes the pod, and no other one.
    const auto claims = scheduling::interned_name("resource.k8s.io/ResourceClaim");
    auto empty = leaving;
    empty.status.allocation.reset();
    const any_object before(std::make_shared<const claim_catalog::claim>(empty));
    const scheduling::cluster_event gone{{claims, scheduling::event_actions::delete_}, before, {}};
    CHECK(plugin.may_help(*one, gone));
    CHECK_FALSE(plugin.may_help(*pod_of("q", requesting("{" + x1 + "}")), gone));
}
