#include <kcontrol/documents/value.hpp>

#include "model/widget.hpp"

#include <doctest/doctest.h>

using namespace kcontrol;
using namespace kcontrol_test;

namespace {

struct dotted {
    std::string value;
    std::string unlisted;
    static constexpr auto kcontrol_fields() { return fields(field("a.b/c~d", &dotted::value)); }
};

struct moments {
    micro_time first;
    std::optional<micro_time> last;
    static constexpr auto kcontrol_fields() {
        return fields(field("first", &moments::first), field("last", &moments::last));
    }
};

struct deprecated_storage : widget_v1beta1 {
    static constexpr resource_name kcontrol_resource{"schema.example.com", "v1alpha1", "Widget", "widgets"};
    static constexpr auto kcontrol_fields() { return widget_v1beta1::kcontrol_fields(); }
    static constexpr auto kcontrol_crd() { return crd().storage().served(false).singular("wi").list_kind("Widgetry"); }
};

struct plain {
    static constexpr resource_name kcontrol_resource{"example.com", "v1", "Plain", "plains", resource_scope::cluster};
    object_meta metadata;
    std::string value;
    static constexpr auto kcontrol_fields() { return fields(field("value", &plain::value)); }
};

}  // namespace

TEST_CASE("typed paths") {
    constexpr field_path replicas = path(&widget::spec, &widget_spec::replicas);
    static_assert(replicas.size() == 2 && replicas[1] == "replicas" && replicas.type() == "integer");
    CHECK(replicas.str() == "spec.replicas");
    CHECK(replicas.pointer() == "/spec/replicas");
    CHECK(replicas.json_path() == ".spec.replicas");
    CHECK(path(&widget::status, &widget_status::selector).str() == "status.selector");
    CHECK(path(&widget::metadata, &object_meta::labels).str() == "metadata.labels");
    CHECK(path(&widget::metadata, &object_meta::creation_timestamp).type() == "date");
    CHECK(path(&moments::first).type() == "date");
    CHECK(printer_column("Last", path(&moments::last)).type == "date");
    CHECK(path(&widget::spec, &widget_spec::pod, &widget_template::metadata, &object_meta::name).str() ==
          "spec.pod.metadata.name");
    CHECK(path(&widget::spec, &widget_spec::ports).type().empty());
    CHECK(path(&widget::spec) != replicas);

    CHECK(path(&dotted::value).json_path() == R"(.a\.b/c~d)");
    CHECK(path(&dotted::value).pointer() == "/a.b~1c~0d");
    field_path deep;
    for (std::size_t i = 0; i < field_path::max_depth; ++i) deep.push("x");
    CHECK_THROWS_AS(deep.push("x"), std::length_error);
    CHECK_THROWS_AS(path(&dotted::unlisted), std::invalid_argument);
}

TEST_CASE("a path of a CRD begins with a whole step") {
    const struct {
        crd_path place;
        bool in_spec;
    } cases[] = {
        {path(&widget::spec, &widget_spec::replicas), true},
        {path(&widget::status, &widget_status::replicas), false},
        {".spec", true},
        {".spec.replicas", true},
        {".spec['replicas']", true},
        {".specific.x", false},
        {R"(.spec\.x)", false},
        {"spec.replicas", false},
        {".spe", false},
        {".", false},
        {"", false},
    };
    for (const auto& c : cases) {
        CAPTURE(c.place.json_path());
        CHECK(c.place.starts_with("spec") == c.in_spec);
    }
}

TEST_CASE("the CRD of one type without extras") {
    const auto made = crd_of<plain>();
    REQUIRE(made);
    CHECK(made->name() == "plains.example.com");
    CHECK(made->to_json() ==
          R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":)"
          R"({"name":"plains.example.com"},"spec":{"group":"example.com","names":{"plural":"plains",)"
          R"("singular":"plain","kind":"Plain","listKind":"PlainList"},"scope":"Cluster","versions":[{"name":"v1",)"
          R"("served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":)"
          R"({"apiVersion":{"type":"string"},"kind":{"type":"string"},"metadata":{"type":"object"},)"
          R"("value":{"type":"string"}}}}}],"conversion":{"strategy":"None"}}})");
}

TEST_CASE("the CRD of two versions with everything") {
    auto made = crd_of<widget, widget_v1beta1>();
    REQUIRE(made);
    made->annotation("b", "2").annotation("a", "1").label("app", "x");
    const auto crd = json::parse(made->to_json()).value();
    CHECK(json::serialize(crd.at("metadata")) ==
          R"({"name":"widgets.schema.example.com","labels":{"app":"x"},"annotations":{"a":"1","b":"2"}})");
    const auto& spec = crd.at("spec");
    CHECK(
        json::serialize(spec.at("names")) ==
        R"({"plural":"widgets","singular":"widget","shortNames":["wd","wdg"],"kind":"Widget","listKind":"WidgetList",)"
        R"("categories":["all","toys"]})");
    auto v1 = spec.at("versions").at(0).as_object();
    v1.stable_erase(v1.find("schema"));
    CHECK(
        json::serialize(v1) ==
        R"json({"name":"v1","served":true,"storage":true,"subresources":{"status":{},"scale":{"specReplicasPath":)json"
        R"json(".spec.replicas","statusReplicasPath":".status.replicas","labelSelectorPath":".status.selector"}},)json"
        R"json("additionalPrinterColumns":[{"name":"Replicas","type":"integer","jsonPath":".spec.replicas"},)json"
        R"json({"name":"Color","type":"string","description":"Its colour.","jsonPath":".spec.color"},)json"
        R"json({"name":"Ready","type":"string","priority":1,"jsonPath":)json"
        R"json(".status.conditions[?(@.type==\"Ready\")].status"},)json"
        R"json({"name":"Age","type":"date","jsonPath":".metadata.creationTimestamp"}],)json"
        R"json("selectableFields":[{"jsonPath":".spec.color"}]})json");
    auto beta = spec.at("versions").at(1).as_object();
    beta.stable_erase(beta.find("schema"));
    CHECK(json::serialize(beta) ==
          R"({"name":"v1beta1","served":true,"storage":false,"deprecated":true,"deprecationWarning":"use v1"})");
}

TEST_CASE("versions that a webhook converts") {
    auto made = crd_of<widget_v1beta1, deprecated_storage>();
    REQUIRE(made);
    const auto conversion = [&made] {
        return json::serialize(json::parse(made->to_json()).value().at("spec").at("conversion"));
    };
    const std::string by_service =
        R"({"strategy":"Webhook","webhook":{"clientConfig":{"caBundle":"UEVN","service":{)"
        R"("namespace":"ops","name":"widgets","path":"/convert"}},"conversionReviewVersions":["v1"]}})";
    made->convert_by_service("ops", "widgets", "PEM");
    CHECK(conversion() == by_service);
    made->convert_by_url("https://127.0.0.1:9443/convert");
    CHECK(conversion().find(R"("url":"https://127.0.0.1:9443/convert")") != std::string::npos);
    made->convert_by_service("ops", "widgets", "PEM");  // the last one counts
    CHECK(conversion() == by_service);
}

TEST_CASE("a later version may be the one that is stored") {
    const auto made = crd_of<widget_v1beta1, deprecated_storage>();
    REQUIRE(made);
    const auto crd = json::parse(made->to_json()).value();
    const auto& versions = crd.at("spec").at("versions").as_array();
    CHECK(versions[0].at("storage") == false);
    CHECK(versions[1].at("storage") == true);
    CHECK(versions[1].at("served") == false);
    CHECK(crd.at("spec").at("names").at("singular") == "widget");
}
