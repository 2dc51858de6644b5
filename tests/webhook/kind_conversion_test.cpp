// Versions of a kind by hub and spoke: what is converted, what is kept, and what is told when it can't be.
#include <kcontrol/documents/value.hpp>
#include <kcontrol/webhook/conversion_review.hpp>

#include "support/print.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>

namespace {

using namespace kcontrol;

struct port_v1 {
    std::string name;
    std::int32_t number = 0;
    static constexpr auto kcontrol_fields() {
        return fields(field("name", &port_v1::name), field("number", &port_v1::number));
    }
};
struct gate_spec_v1 {
    std::string host;
    std::vector<port_v1> ports;
    static constexpr auto kcontrol_fields() {
        return fields(field("host", &gate_spec_v1::host), field("ports", &gate_spec_v1::ports));
    }
};
struct gate_v1 {
    static constexpr resource_name kcontrol_resource{"net.example.com", "v1", "Gate", "gates"};
    object_meta metadata;
    gate_spec_v1 spec;
    static constexpr auto kcontrol_fields() { return fields(field("spec", &gate_v1::spec)); }
};

// Its host and first port are one text.
struct gate_spec_v1beta1 {
    std::string address;
    std::vector<port_v1> ports;
    static constexpr auto kcontrol_fields() {
        return fields(field("address", &gate_spec_v1beta1::address), field("ports", &gate_spec_v1beta1::ports));
    }
};
struct gate_v1beta1 {
    static constexpr resource_name kcontrol_resource{"net.example.com", "v1beta1", "Gate", "gates"};
    object_meta metadata;
    gate_spec_v1beta1 spec;
    static constexpr auto kcontrol_fields() { return fields(field("spec", &gate_v1beta1::spec)); }

    result<void> convert_to(gate_v1& to) const {
        if (spec.address == "throw") throw std::runtime_error("no such host");
        if (spec.address.empty()) return error(errc::invalid_argument, "spec.address: it is empty");
        to.spec.host = spec.address;
        to.spec.ports = spec.ports;
        return {};
    }
    void convert_from(const gate_v1& from) {
        spec.address = from.spec.host;
        spec.ports = from.spec.ports;
        if (spec.address == "sort") {
            std::sort(spec.ports.begin(), spec.ports.end(), [](auto& a, auto& b) { return a.number < b.number; });
        }
        metadata.labels["seen"] = "yes";
        metadata.name = "another";
    }
};
// It loses the ports.
struct gate_v1alpha1 {
    static constexpr resource_name kcontrol_resource{"net.example.com", "v1alpha1", "Gate", "gates"};
    object_meta metadata;
    std::string host;
    static constexpr auto kcontrol_fields() { return fields(field("host", &gate_v1alpha1::host)); }

    void convert_to(gate_v1& to) const { to.spec.host = host; }
    void convert_from(const gate_v1& from) { host = from.spec.host; }
};

const std::vector<kind_conversion>& kinds() {
    static const std::vector<kind_conversion> made{conversion_of<gate_v1, gate_v1beta1, gate_v1alpha1>()};
    return made;
}

std::string review(const std::string& version, const std::string& objects) {
    return R"({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"c-1",)"
           R"("desiredAPIVersion":")" +
           version + R"(","objects":[)" + objects + "]}}";
}

// The one object that comes out, or why none does.
std::string converted(const std::string& version, const std::string& object) {
    const auto asked = decode_conversion_review(review(version, object));
    if (!asked) return asked.error().message();
    const auto made = convert_one(kinds(), *asked, 0);
    return made ? *made : made.error().message();
}

void check_same(const std::string& got, const std::string& wanted) {
    INFO(got);
    const auto read = json::parse(got);
    REQUIRE(read);
    CHECK(json::equal(*read, json::parse(wanted).value()));
}

TEST_CASE("from the hub, to the hub, and between two spokes") {
    check_same(converted("net.example.com/v1", R"({"apiVersion":"net.example.com/v1beta1","kind":"Gate",)"
                                               R"("metadata":{"name":"a"},"spec":{"address":"h"}})"),
               R"({"apiVersion":"net.example.com/v1","kind":"Gate","metadata":{"name":"a"},"spec":{"host":"h"}})");
    check_same(converted("net.example.com/v1alpha1", R"({"apiVersion":"net.example.com/v1","kind":"Gate",)"
                                                     R"("metadata":{"name":"a"},"spec":{"host":"h"}})"),
               R"({"apiVersion":"net.example.com/v1alpha1","kind":"Gate","metadata":{"name":"a"},"host":"h"})");
    check_same(
        converted("net.example.com/v1beta1", R"({"apiVersion":"net.example.com/v1alpha1","kind":"Gate",)"
                                             R"("metadata":{"name":"a"},"host":"h"})"),
        R"({"apiVersion":"net.example.com/v1beta1","kind":"Gate","metadata":{"name":"a","labels":{"seen":"yes"}},)"
        R"("spec":{"address":"h"}})");
    const std::string same = R"({"apiVersion":"net.example.com/v1","kind":"Gate","metadata":{"name":"a"},"x":1})";
    check_same(converted("net.example.com/v1", same), same);
}

TEST_CASE("metadata stays as it is, also what its type does not know; labels and annotations may change") {
    check_same(
        converted(
            "net.example.com/v1beta1",
            R"({"apiVersion":"net.example.com/v1","kind":"Gate","metadata":{"name":"a","namespace":"n","uid":"u",)"
            R"("resourceVersion":"7","generation":3,"managedFields":[{"manager":"m"}],"newInKubernetes":[1],)"
            R"("labels":{"app":"x"},"annotations":{"k":"v"},"finalizers":["f"]},"spec":{"host":"h"}})"),
        R"({"apiVersion":"net.example.com/v1beta1","kind":"Gate","metadata":{"name":"a","namespace":"n","uid":"u",)"
        R"("resourceVersion":"7","generation":3,"managedFields":[{"manager":"m"}],"newInKubernetes":[1],)"
        R"("labels":{"app":"x","seen":"yes"},"annotations":{"k":"v"},"finalizers":["f"]},"spec":{"address":"h"}})");
}

TEST_CASE("members that neither version's type knows stay at their places; those that moved do not come back") {
    check_same(converted("net.example.com/v1beta1",
                         R"({"apiVersion":"net.example.com/v1","kind":"Gate","metadata":{"labels":{"seen":"yes"}},)"
                         R"("status":{"up":true},"spec":{"host":"h","address":"stale","limits":{"rps":5},)"
                         R"("ports":[{"name":"web","number":80,"tls":true}]}})"),
               R"({"apiVersion":"net.example.com/v1beta1","kind":"Gate","metadata":{"labels":{"seen":"yes"}},)"
               R"("status":{"up":true},"spec":{"address":"h","limits":{"rps":5},)"
               R"("ports":[{"name":"web","number":80,"tls":true}]}})");
}

TEST_CASE("members that neither version's type knows stay with their element of a list, wherever it goes") {
    const auto convert = [](const char* ports) {
        const std::string got =
            converted("net.example.com/v1beta1", std::string(R"({"apiVersion":"net.example.com/v1","kind":"Gate",)") +
                                                     R"("spec":{"host":"sort","ports":)" + ports + "}}");
        return json::serialize(*json::find(json::parse(got).value(), {"spec", "ports"}));
    };
    // By their names.
    CHECK(convert(R"([{"name":"web","number":80,"tls":true},{"name":"admin","number":9,"tls":false}])") ==
          R"([{"name":"admin","number":9,"tls":false},{"name":"web","number":80,"tls":true}])");
    // By all that both types know.
    CHECK(convert(R"([{"name":"a","number":80,"x":1},{"name":"a","number":9,"x":2}])") ==
          R"([{"name":"a","number":9,"x":2},{"name":"a","number":80,"x":1}])");
    // Of several that look alike nobody knows whose they were.
    CHECK(convert(R"([{"name":"a","number":9,"x":1},{"name":"a","number":9,"x":2},{"name":"a","number":8,"x":3}])") ==
          R"([{"name":"a","number":8,"x":3},{"name":"a","number":9},{"name":"a","number":9}])");
}

TEST_CASE("why something can't be converted is said with the object's place") {
    const std::string at = "request.objects[0]: ";
    CHECK(converted("net.example.com/v9", R"({"apiVersion":"net.example.com/v1","kind":"Gate"})") ==
          at + "Gate has no version \"net.example.com/v9\" that can be converted");
    CHECK(converted("net.example.com/v1", R"({"apiVersion":"net.example.com/v0","kind":"Gate"})") ==
          at + "Gate has no version \"net.example.com/v0\" that can be converted");
    CHECK(converted("net.example.com/v1", R"({"apiVersion":"net.example.com/v1beta1","kind":"Door"})") ==
          at + "no conversion is known for \"net.example.com/v1beta1\" \"Door\"");
    CHECK(converted("net.example.com/v1", R"({"apiVersion":"net.example.com/v1beta1","kind":"Gate","spec":{}})") ==
          at + "spec.address: it is empty");
    CHECK(converted("net.example.com/v1",
                    R"({"apiVersion":"net.example.com/v1beta1","kind":"Gate","spec":{"address":"throw"}})") ==
          at + "the conversion threw: no such host");
    CHECK(converted("net.example.com/v1",
                    R"({"apiVersion":"net.example.com/v1beta1","kind":"Gate","spec":{"address":7}})")
              .find(at + "spec.address: ") == 0);
}

TEST_CASE("reviews that are none are refused by the path of what is wrong") {
    CHECK(converted("", "{}") == "request.desiredAPIVersion: it is missing");
    CHECK(converted("net.example.com/v1", "{},7") == "request.objects[1]: expected an object");
    const auto refused = [](const char* text) {
        const auto read = decode_conversion_review(text);
        return read ? std::string("it was read") : read.error().message();
    };
    CHECK(refused("[]") == "expected a ConversionReview, found no object");
    CHECK(refused(R"({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1"})") == "request: it is missing");
    CHECK(refused(R"({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1beta1"})")
              .find("apiVersion: expected apiextensions.k8s.io/v1") == 0);
}

TEST_CASE("an answer has all objects or none") {
    const auto asked = decode_conversion_review(review("net.example.com/v1", "")).value();
    CHECK(conversion_review_response(asked, std::vector<std::string>{"{\"a\":1}", "{}"}) ==
          R"({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":"c-1",)"
          R"("convertedObjects":[{"a":1},{}],"result":{"status":"Success"}}})");
    CHECK(conversion_review_response(asked, error(errc::invalid_argument, "no way")) ==
          R"({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":"c-1",)"
          R"("convertedObjects":[],"result":{"status":"Failure","message":"no way"}}})");
}

TEST_CASE("round trips: what comes back otherwise is named") {
    gate_v1beta1 gate;
    gate.metadata.name = "a";
    gate.metadata.labels["seen"] = "yes";
    gate.spec.address = "h";
    const auto both = conversion_of<gate_v1, gate_v1beta1>();
    CHECK(check_round_trips(both, gate));
    gate_v1 hub;
    hub.metadata.labels["seen"] = "yes";
    hub.spec.host = "h";
    hub.spec.ports.push_back({"web", 80});
    CHECK(check_round_trips(both, hub));
    const auto lost = check_round_trips(kinds().front(), hub);
    REQUIRE_FALSE(lost);
    CHECK(lost.error().message().find("net.example.com/v1 by way of net.example.com/v1alpha1: it comes back with "
                                      "another /spec/ports") == 0);
}

}  // namespace
