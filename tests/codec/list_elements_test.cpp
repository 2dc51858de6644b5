// Which elements of a list are the same: what a patch does with members that a type does not declare.
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/codec/dynamic_object.hpp>
#include <kcontrol/codec/list_elements.hpp>
#include <kcontrol/codec/patch_between.hpp>
#include <kcontrol/documents/patch.hpp>
#include <kcontrol/values/raw_json.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

using namespace kcontrol;

namespace {

// Of a Service's ports only the numbers: half of their key.
struct port_number {
    std::int32_t port = 0;
    static constexpr auto kcontrol_fields() { return fields(field("port", &port_number::port)); }
};
struct number_spec {
    list<port_number> ports;
    static constexpr auto kcontrol_fields() { return fields(field("ports", &number_spec::ports)); }
};
struct service_numbers {
    static constexpr resource_name kcontrol_resource{"", "v1", "Service", "services"};
    object_meta metadata;
    number_spec spec;
    static constexpr auto kcontrol_fields() { return fields(field("spec", &service_numbers::spec)); }
};

// A part of a pod: a list with keys, with a list without; structs by value and boxed.
struct toleration_part {
    text key;
    text effect;
    static constexpr auto kcontrol_fields() {
        return fields(field("key", &toleration_part::key), field("effect", &toleration_part::effect));
    }
};
struct security_part {
    std::optional<std::int64_t> run_as_user;
    static constexpr auto kcontrol_fields() { return fields(field("runAsUser", &security_part::run_as_user)); }
};
struct container_part {
    text name;
    text image;
    security_part security;
    static constexpr auto kcontrol_fields() {
        return fields(field("name", &container_part::name), field("image", &container_part::image),
                      field("securityContext", &container_part::security));
    }
};
struct boxed_container {
    text name;
    boxed<security_part> security;
    static constexpr auto kcontrol_fields() {
        return fields(field("name", &boxed_container::name), field("securityContext", &boxed_container::security));
    }
};
template <class Container>
struct pod_spec_part {
    list<Container> containers;
    list<toleration_part> tolerations;
    static constexpr auto kcontrol_fields() {
        return fields(field("containers", &pod_spec_part::containers),
                      field("tolerations", &pod_spec_part::tolerations));
    }
};
template <class Container>
struct pod_part {
    static constexpr resource_name kcontrol_resource{"", "v1", "Pod", "pods"};
    object_meta metadata;
    pod_spec_part<Container> spec;
    static constexpr auto kcontrol_fields() { return fields(field("spec", &pod_part::spec)); }
};

// A custom resource: keys by the type of the elements, by the field, by convention, and none.
struct keyed_step {
    std::int32_t number = 0;
    text state;
    static constexpr auto kcontrol_fields() {
        return fields(field("number", &keyed_step::number), field("state", &keyed_step::state));
    }
    static constexpr auto kcontrol_rules() { return rules().keyed_by("number"); }
};
struct plain_step {
    text name;
    text state;
    list<text> tags;
    static constexpr auto kcontrol_fields() {
        return fields(field("name", &plain_step::name), field("state", &plain_step::state),
                      field("tags", &plain_step::tags));
    }
};
struct custom_spec {
    list<keyed_step> keyed;
    list<plain_step> by_field;
    list<plain_step> by_name;
    list<plain_step> atomic;
    list<text> words;
    raw_json anything;
    static constexpr auto kcontrol_fields() {
        return fields(
            field("keyed", &custom_spec::keyed),
            field("byField", &custom_spec::by_field, rules().list_type_map("state").items(rules())),
            field("byName", &custom_spec::by_name), field("atomic", &custom_spec::atomic, rules().list_type_atomic()),
            field("words", &custom_spec::words, rules().list_type_set()), field("anything", &custom_spec::anything));
    }
};
struct custom {
    static constexpr resource_name kcontrol_resource{"example.com", "v1", "Custom", "customs"};
    object_meta metadata;
    custom_spec spec;
    static constexpr auto kcontrol_fields() { return fields(field("spec", &custom::spec)); }
};

std::string object_with(const std::string& spec) {
    return R"({"metadata":{"name":"n","namespace":"ns","resourceVersion":"7"},"spec":)" + spec + "}";
}

/// The spec that the server has after the edit, or why the patch is refused.
template <class T>
std::string edited(const std::string& spec, const std::function<void(T&)>& edit) {
    const T before = from_json<T>(object_with(spec)).value();
    T after = before;
    edit(after);
    const auto patch = patch_between(before, after);
    if (!patch) {
        CHECK(patch.error() == errc::invalid_argument);
        return patch.error().message();
    }
    json::value server = json::parse(object_with(spec)).value();
    if (patch->content_type == "application/merge-patch+json") {
        json::apply_merge_patch(server, json::parse(patch->text).value());
    } else if (!patch->empty()) {
        REQUIRE(json::apply_patch(server, json::parse(patch->text).value()));
    }
    return json::serialize(server.at("spec"));
}

const std::string three_ports = R"({"ports":[{"name":"web","port":443,"targetPort":8443},)"
                                R"({"name":"metrics","port":90,"targetPort":9090},)"
                                R"({"name":"admin","port":80,"targetPort":8080}]})";
const std::string told_apart =
    ": the edited elements can't be told from added and removed ones, and a patch could give "
    "members that their type does not declare to another element; ";

}  // namespace

TEST_CASE("list elements: a Service's ports by a projection of half of their key") {
    using service = service_numbers;
    CHECK(edited<service>(three_ports,
                          [](service& s) {
                              std::sort(s.spec.ports.begin(), s.spec.ports.end(),
                                        [](auto& a, auto& b) { return a.port < b.port; });
                          }) ==
          R"({"ports":[{"name":"admin","port":80,"targetPort":8080},{"name":"metrics","port":90,"targetPort":9090},)"
          R"({"name":"web","port":443,"targetPort":8443}]})");
    CHECK(edited<service>(three_ports,
                          [](service& s) {
                              s.spec.ports.erase(s.spec.ports.begin());
                              s.spec.ports.emplace_back().port = 81;
                              std::swap(s.spec.ports[1], s.spec.ports[2]);
                          }) == R"({"ports":[{"name":"metrics","port":90,"targetPort":9090},{"port":81},)"
                                R"({"name":"admin","port":80,"targetPort":8080}]})");
    // One number with two protocols.
    const std::string dns =
        R"({"ports":[{"name":"a","port":53,"protocol":"TCP"},{"name":"b","port":53,"protocol":"UDP"}]})";
    CHECK(edited<service>(dns, [](service& s) { s.spec.ports.emplace_back().port = 80; }) ==
          R"({"ports":[{"name":"a","port":53,"protocol":"TCP"},{"name":"b","port":53,"protocol":"UDP"},{"port":80}]})");
    // Of half a key nobody knows whether the port was changed, or another one is there.
    CHECK(edited<service>(three_ports, [](service& s) {
              s.spec.ports[0].port = 444;
          }).starts_with("patch of ns/n: spec.ports: "));
    CHECK(edited<service>(dns, [](service& s) { s.spec.ports.erase(s.spec.ports.begin()); }) ==
          "patch of ns/n: spec.ports" + told_apart +
              "declare the list's keys in the type of its elements (protocol is missing), or write the whole object");
}

TEST_CASE("list elements: a list without keys, by all that the type declares") {
    using pod = pod_part<container_part>;
    const std::string spec =
        R"({"tolerations":[{"key":"gpu","effect":"NoSchedule","tolerationSeconds":1},)"
        R"({"key":"gpu","effect":"NoExecute","tolerationSeconds":2},{"key":"gpu","effect":"NoExecute"}]})";
    CHECK(
        edited<pod>(spec, [](pod& p) { p.spec.tolerations.erase(p.spec.tolerations.begin()); }) ==
        R"({"tolerations":[{"key":"gpu","effect":"NoExecute","tolerationSeconds":2},{"key":"gpu","effect":"NoExecute"}]})");
    const std::string refusal = "patch of ns/n: spec.tolerations" + told_apart +
                                "declare all members of its elements in their type, or write the whole object";
    CHECK(edited<pod>(spec, [](pod& p) { p.spec.tolerations[0].effect = "NoExecute"; }) == refusal);
    CHECK(edited<pod>(spec, [](pod& p) { p.spec.tolerations.erase(p.spec.tolerations.begin() + 2); }) == refusal);
    CHECK(edited<pod>(spec, [](pod& p) { p.spec.tolerations[1].key = "other"; }) == refusal);
    // All gone: nothing can get to another one.
    CHECK(edited<pod>(spec, [](pod& p) { p.spec.tolerations.clear(); }) == R"({"tolerations":[]})");
}

TEST_CASE("list elements: a struct in an element keeps what its type does not declare") {
    using pod = pod_part<container_part>;
    const std::string spec = R"({"containers":[{"name":"a","securityContext":{"runAsUser":1,"fsGroup":2}},)"
                             R"({"name":"b","securityContext":{"fsGroup":2}}]})";
    CHECK(
        edited<pod>(spec, [](pod& p) { p.spec.containers[0].security.run_as_user.reset(); }) ==
        R"({"containers":[{"name":"a","securityContext":{"fsGroup":2}},{"name":"b","securityContext":{"fsGroup":2}}]})");
    CHECK(edited<pod>(spec, [](pod& p) { p.spec.containers[1].security.run_as_user = 3; }) ==
          "patch of ns/n: spec.containers[1].securityContext: its type can't tell whether the object has other members "
          "here, which a JSON Patch would remove; make the member a kcontrol::boxed, or write the whole object");
    using boxed_pod = pod_part<boxed_container>;
    CHECK(edited<boxed_pod>(spec, [](boxed_pod& p) { p.spec.containers[1].security.edit().run_as_user = 3; }) ==
          R"({"containers":[{"name":"a","securityContext":{"runAsUser":1,"fsGroup":2}},)"
          R"({"name":"b","securityContext":{"fsGroup":2,"runAsUser":3}}]})");
}

TEST_CASE("list elements: keys of a custom resource") {
    const auto swap = [](auto& l) { std::swap(l[0], l[1]); };
    CHECK(
        edited<custom>(R"({"keyed":[{"number":1,"state":"a","x":1},{"number":2,"state":"b","x":2}]})", [&](custom& c) {
            swap(c.spec.keyed);
            c.spec.keyed[0].state = "c";
        }) == R"({"keyed":[{"number":2,"state":"c","x":2},{"number":1,"state":"a","x":1}]})");
    CHECK(edited<custom>(R"({"byField":[{"name":"n","state":"a","x":1},{"name":"m","state":"b","x":2}]})",
                         [&](custom& c) { std::swap(c.spec.by_field[0].name, c.spec.by_field[1].name); }) ==
          R"({"byField":[{"name":"m","state":"a","x":1},{"name":"n","state":"b","x":2}]})");
    CHECK(
        edited<custom>(R"({"byName":[{"name":"n","state":"a","x":1},{"name":"m","state":"b","x":2}]})", [&](custom& c) {
            swap(c.spec.by_name);
            c.spec.by_name[0].tags.emplace_back("t");
        }) == R"({"byName":[{"name":"m","state":"b","x":2,"tags":["t"]},{"name":"n","state":"a","x":1}]})");
    // Two of a name: by everything.
    CHECK(edited<custom>(R"({"byName":[{"name":"n","state":"a","x":1},{"name":"n","state":"b","x":2}]})",
                         [&](custom& c) { swap(c.spec.by_name); }) ==
          R"({"byName":[{"name":"n","state":"b","x":2},{"name":"n","state":"a","x":1}]})");
    CHECK(edited<custom>(R"({"byName":[{"name":"n","state":"a","x":1},{"name":"n","state":"b","x":2}]})",
                         [&](custom& c) { c.spec.by_name[0].state = "c"; }) ==
          "patch of ns/n: spec.byName" + told_apart +
              "give their type keys (rules().keyed_by(\"…\")), or write the whole object");
    // Said to be atomic: its names are no keys.
    CHECK(edited<custom>(R"({"atomic":[{"name":"n","state":"a","x":1}]})", [&](custom& c) {
              c.spec.atomic[0].state = "c";
          }).starts_with("patch of ns/n: spec.atomic: "));
}

TEST_CASE("list elements: scalars and what is kept as JSON have nothing that is not seen") {
    CHECK(edited<custom>(R"({"words":["a","b"],"x":1})", [](custom& c) { c.spec.words[0] = "c"; }) ==
          R"({"words":["c","b"],"x":1})");
    CHECK(edited<custom>(R"({"anything":{"l":[{"k":1},{"k":1}]},"keyed":[{"number":1,"x":1},{"number":2}]})",
                         [](custom& c) {
                             c.spec.anything = raw_json::parse(R"({"l":[{"k":2}]})").value();
                             c.spec.keyed.erase(c.spec.keyed.begin() + 1);
                         }) == R"({"anything":{"l":[{"k":2}]},"keyed":[{"number":1,"x":1}]})");
}

TEST_CASE("list elements: a dynamic object declares everything") {
    const auto info = dynamic_resource({"example.com", "v1", "Thing"}, "things");
    json::document document;
    const std::string text = object_with(R"({"l":[{"k":1},{"k":1},{"k":2}]})");
    const auto before = info.decode(document.parse(text).value()).value();
    dynamic_object after = *before.as<dynamic_object>();
    auto& list = after.content["spec"].at("l").as_array();
    list[1].as_object()["k"] = 3;
    const auto patch = patch_between(info, before, borrow(after));
    REQUIRE(patch);
    CHECK(patch->text.find(R"({"op":"add","path":"/spec/l/1/k","value":3})") != std::string::npos);
}
