// patch_between and dynamic objects: nothing the type does not know is lost.
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/codec/dynamic_object.hpp>
#include <kcontrol/codec/patch_between.hpp>
#include <kcontrol/documents/patch.hpp>

#include "model/pod.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <random>

using namespace kcontrol;
using kcontrol_test::pod;

namespace {

// What the server has: much of it is not in our pod. The status is missing, as on a new custom resource.
const char* const server_text = R"({
  "apiVersion": "v1", "kind": "Pod",
  "metadata": {"name": "web", "namespace": "shop", "resourceVersion": "12", "labels": {"app": "web"},
               "managedFields": [{"manager": "kubectl"}]},
  "spec": {
    "containers": [
      {"name": "a", "image": "a:1", "args": ["x", "y"], "lifecycle": {"unknown": "of a"}},
      {"name": "b", "image": "b:1", "env": [{"name": "E", "valueFrom": {"unknown": "of E"}}], "lifecycle": {"unknown": "of b"}},
      {"name": "c", "image": "c:1", "ports": [{"containerPort": 80, "unknown": "of 80"}, {"containerPort": 81, "unknown": "of 81"}]}
    ],
    "hostNetwork": false, "volumes": [{"unknown": true}]
  }
})";

json::value parsed(std::string_view text) { return json::parse(text).value(); }

json::value applied(json::value target, const object_patch& patch) {
    if (patch.empty()) return target;
    const auto body = parsed(patch.text);
    if (patch.content_type == "application/merge-patch+json") {
        json::apply_merge_patch(target, body);
    } else {
        REQUIRE(patch.content_type == "application/json-patch+json");
        const auto done = json::apply_patch(target, body);
        REQUIRE_MESSAGE(done.has_value(), patch.text);
    }
    return target;
}

pod snapshot() { return from_json<pod>(server_text).value(); }

/// The server's object after the edit, and the patch's text.
json::value edited(const std::function<void(pod&)>& edit, object_patch& patch) {
    const pod before = snapshot();
    pod after = before;
    edit(after);
    const auto made = patch_between(before, after);
    REQUIRE(made.has_value());
    patch = *made;
    json::value server = applied(parsed(server_text), patch);
    // What we know of the server's object is now what we wanted.
    const auto read = from_json<pod>(json::serialize(server));
    REQUIRE(read.has_value());
    const bool same = equal(*read, after);
    CHECK(same);
    return server;
}

}  // namespace

TEST_CASE("patch: nothing differs, nothing is sent") {
    const auto patch = patch_between(snapshot(), snapshot());
    REQUIRE(patch.has_value());
    CHECK(patch->empty());
}

TEST_CASE("patch: the text") {
    struct row {
        std::function<void(pod&)> edit;
        const char* text;
    };
    const row rows[] = {
        {[](pod& p) { p.metadata.labels["tier"] = "1"; },
         R"({"metadata":{"labels":{"tier":"1"},"resourceVersion":"12"}})"},
        {[](pod& p) { p.metadata.labels.reset(); }, R"({"metadata":{"labels":null,"resourceVersion":"12"}})"},
        {[](pod& p) { p.metadata.finalizers.push_back("example.com/x"); },
         R"({"metadata":{"finalizers":["example.com/x"],"resourceVersion":"12"}})"},
        {[](pod& p) { p.spec.priority = 0; }, R"({"spec":{"priority":0},"metadata":{"resourceVersion":"12"}})"},
        {[](pod& p) { p.spec.host_network = true; },
         R"({"spec":{"hostNetwork":true},"metadata":{"resourceVersion":"12"}})"},
        // The server has no status yet.
        {[](pod& p) {
             p.status.phase = "Running";
             p.status.container_statuses.resize(1);
         },
         R"({"status":{"phase":"Running","containerStatuses":[{"ready":false,"restartCount":0}]},"metadata":{"resourceVersion":"12"}})"},
        {[](pod& p) { p.spec.containers[1].image = "b:2"; },
         R"([{"op":"add","path":"/metadata/resourceVersion","value":"12"},{"op":"add","path":"/spec/containers/1/image","value":"b:2"}])"},
        {[](pod& p) { p.spec.containers.erase(p.spec.containers.begin()); },
         R"([{"op":"add","path":"/metadata/resourceVersion","value":"12"},{"op":"remove","path":"/spec/containers/0"}])"},
        {[](pod& p) { p.spec.containers[2].ports.erase(p.spec.containers[2].ports.begin()); },
         R"([{"op":"add","path":"/metadata/resourceVersion","value":"12"},{"op":"remove","path":"/spec/containers/2/ports/0"}])"},
        {[](pod& p) { std::swap(p.spec.containers[0], p.spec.containers[2]); },
         R"([{"op":"add","path":"/metadata/resourceVersion","value":"12"},{"op":"move","from":"/spec/containers/2","path":"/spec/containers/0"},{"op":"move","from":"/spec/containers/2","path":"/spec/containers/1"}])"},
        {[](pod& p) { p.metadata.resource_version = "99"; }, ""},
    };
    for (const auto& row : rows) {
        CAPTURE(std::string(row.text));
        const pod before = snapshot();
        pod after = before;
        row.edit(after);
        const auto patch = patch_between(before, after);
        REQUIRE(patch.has_value());
        if (row.text[0] == '\0') {
            CHECK(patch->empty());
        } else {
            const bool same = parsed(patch->text) == parsed(row.text);
            CHECK_MESSAGE(same, patch->text);
        }
    }
}

TEST_CASE("patch: what the type does not know survives, in lists as well") {
    object_patch patch;
    const auto server = edited(
        [](pod& p) {
            auto& containers = p.spec.containers;
            containers.erase(containers.begin());
            containers.insert(containers.begin(), kcontrol_test::container());
            containers[0].name = "new";
            std::swap(containers[1], containers[2]);
            containers[2].image = "b:2";
            containers[2].env[0].value = "v";
        },
        patch);
    const auto& containers = server.at("spec").at("containers").as_array();
    REQUIRE(containers.size() == 3);
    CHECK(json::serialize(containers[0]) == R"({"name":"new"})");
    CHECK(json::get_string(containers[1], {"name"}) == "c");
    CHECK(json::serialize(containers[1].at("ports")) ==
          R"([{"containerPort":80,"unknown":"of 80"},{"containerPort":81,"unknown":"of 81"}])");
    CHECK(json::get_string(containers[2], {"lifecycle", "unknown"}) == "of b");
    CHECK(json::get_string(containers[2], {"image"}) == "b:2");
    CHECK(json::serialize(containers[2].at("env")) == R"([{"name":"E","valueFrom":{"unknown":"of E"},"value":"v"}])");
    CHECK(server.at("spec").as_object().contains("volumes"));
    CHECK(server.at("metadata").as_object().contains("managedFields"));
}

TEST_CASE("patch: any edit of known fields arrives") {
    for (unsigned seed = 0; seed < 300; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
        object_patch patch;
        const auto server = edited(
            [&](pod& p) {
                auto& containers = p.spec.containers;
                for (std::size_t step = below(4) + 1; step > 0; --step) {
                    const std::size_t at = containers.empty() ? 0 : below(containers.size());
                    switch (containers.empty() ? 0 : below(8)) {
                    case 0:
                        containers.emplace(containers.begin() + static_cast<std::ptrdiff_t>(at));
                        containers[at].name = "n" + std::to_string(below(5));
                        break;
                    case 1: containers.erase(containers.begin() + static_cast<std::ptrdiff_t>(at)); break;
                    case 2: std::swap(containers[at], containers.front()); break;
                    case 3: containers[at].args.resize(below(4)); break;
                    case 4: containers[at].ports.resize(below(4)); break;
                    case 5: containers[at].env.resize(below(3)); break;
                    case 6: containers[at].limits["cpu~/" + std::to_string(below(2))] = "1"; break;
                    case 7: p.metadata.annotations["a/b~c"] = std::to_string(below(3)); break;
                    }
                }
            },
            patch);
        CHECK(server.at("spec").as_object().contains("volumes"));
    }
}

TEST_CASE("patch: refused") {
    pod before = snapshot();
    pod after = before;
    after.metadata.name = "other";
    auto patch = patch_between(before, after);
    REQUIRE(!patch.has_value());
    CHECK(patch.error() == errc::invalid_argument);
    CHECK(patch.error().message() ==
          "patch of shop/web: the edited copy is of shop/other; namespace and name can't be changed");
    before.metadata.resource_version.clear();
    patch = patch_between(before, before);
    REQUIRE(!patch.has_value());
    CHECK(patch.error() == errc::invalid_argument);
}

TEST_CASE("dynamic: everything is kept, and metadata can be edited") {
    const auto info =
        dynamic_resource({"example.com", "v1", "Thing"}, "things", resource_scope::cluster, managed_fields::kept);
    CHECK(!info.namespaced());
    const std::string text =
        R"({"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"x","labels":{},"managedFields":[{"a":null}]},)"
        R"("spec":{"big":9007199254740993,"huge":18446744073709551615,"real":0.5,"none":null,"list":[1,"a",true]}})";
    json::document document;
    const auto object = info.decode(document.parse(text).value());
    REQUIRE(object.has_value());
    CHECK(object->meta().name == "x");
    CHECK(object->as<dynamic_object>()->gvk() == info.gvk);
    CHECK(info.encode(*object).value() == text);

    dynamic_object edited = *object->as<dynamic_object>();
    edited.metadata.labels["a"] = "b";
    edited.metadata.generation = 2;
    edited.metadata.resource_version = "7";
    const auto written = parsed(info.encode(borrow(edited)).value());
    CHECK(json::serialize(written.at("metadata")) ==
          R"({"name":"x","labels":{"a":"b"},"managedFields":[{"a":null}],"resourceVersion":"7","generation":2})");

    // An element of a list has no apiVersion and kind; a patch works as for typed objects.
    auto item =
        info.decode(document.parse(R"({"metadata":{"name":"x","resourceVersion":"7"},"spec":{"n":1}})").value());
    REQUIRE(item.has_value());
    dynamic_object after = *item->as<dynamic_object>();
    after.content["spec"].as_object()["n"] = nullptr;
    const auto patch = patch_between(info, *item, borrow(after));
    REQUIRE(patch.has_value());
    CHECK(
        patch->text ==
        R"([{"op":"add","path":"/metadata/resourceVersion","value":"7"},{"op":"add","path":"/spec/n","value":null}])");
    CHECK(json::serialize(parsed(info.encode(*item).value()).at("apiVersion")) == R"("example.com/v1")");

    CHECK(info.decode(document.parse("[]").value()).error() == errc::decode_failed);
    CHECK(info.decode(document.parse(R"({"metadata":{"name":1}})").value()).error().message() ==
          "metadata.name: expected a string, found the integer 1");
}
