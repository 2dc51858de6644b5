// What is read of Protocol Buffers that Go would not write: out of order, wrong, too much; and what projections,
// metadata and dynamic objects get of them.
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/api/protobuf.hpp>
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/codec/detail/protobuf_wire.hpp>
#include <kcontrol/codec/dynamic_object.hpp>
#include <kcontrol/codec/metadata_object.hpp>
#include <kcontrol/codec/protobuf.hpp>

#include "support/print.hpp"

#include <doctest/doctest.h>

using namespace kcontrol;
using api::core::v1::pod;

namespace {

const protobuf_message& pods() { return *api::find_protobuf("", "v1", "Pod"); }

std::string message_of(std::string_view text, const protobuf_message& kind = pods()) {
    json::document document;
    const auto root = document.parse(text);
    REQUIRE(root.has_value());
    const auto written = json_to_protobuf(kind, *root);
    REQUIRE_MESSAGE(written.has_value(), (written ? "" : written.error().message()));
    return *written;
}

std::string field(std::uint32_t number, std::string_view value) {
    std::string out;
    detail::put_bytes(out, number, value);
    return out;
}
std::string integer(std::uint32_t number, std::uint64_t value) {
    std::string out;
    detail::put_integer(out, number, value);
    return out;
}

/// The JSON of what is read, or why not; once with a pool and once without.
template <class T>
std::string read(std::string_view bytes, const resource_info& info = resource_of<T>(),
                 const protobuf_message& kind = pods()) {
    // Of its exact size: AddressSanitizer sees a read beyond the end.
    const std::vector<char> exact(bytes.begin(), bytes.end());
    const std::string_view message(exact.data(), exact.size());
    const protobuf_kind_codec codec(info, kind);
    const auto said = [&](const result<any_object>& object) {
        return object ? info.encode(*object).value() : object.error().message();
    };
    const auto alone = said(codec.decode(message));
    share_pool pool;
    for (int times = 0; times < 3; ++times) CHECK(said(codec.decode(message, &pool)) == alone);
    return alone;
}

constexpr const char* sample =
    R"({"metadata":{"name":"a-pod","labels":{"app":"web","tier":"some-front"},"managedFields":[
{"manager":"m","fieldsV1":{"f:a":{}}}]},"spec":{"nodeName":"node-one","containers":[{"name":"main","image":"registry/image",
"ports":[{"containerPort":80}],"resources":{"limits":{"cpu":"500m"}},"livenessProbe":{"httpGet":{"port":"http"}}}]},
"status":{"phase":"Running","startTime":"2024-05-01T12:00:00Z"}})";

}  // namespace

TEST_CASE("a whole object, however its fields come") {
    const auto text = read<pod>(message_of(sample));
    CHECK(text.find(R"("image":"registry/image")") != std::string::npos);
    CHECK(text.find(R"("startTime":"2024-05-01T12:00:00Z")") != std::string::npos);
    CHECK(text.find(R"("limits":{"cpu":"500m"})") != std::string::npos);
    CHECK(text.find(R"("port":"http")") != std::string::npos);

    // In parts, as two messages behind each other are one: scalars of the last, lists and messages of both.
    const auto halves =
        message_of(R"({"metadata":{"name":"first"},"spec":{"nodeName":"n","containers":[{"name":"a"}]}})") +
        message_of(R"({"metadata":{"name":"second"},"spec":{"containers":[{"name":"b"}]}})");
    const auto whole = read<pod>(halves);
    CHECK(whole.find(R"("name":"second")") != std::string::npos);
    CHECK(whole.find("first") == std::string::npos);
    const auto containers = whole.find(R"("containers":[{)");
    REQUIRE(containers != std::string::npos);
    CHECK(whole.find(R"("name":"a")", containers) < whole.find(R"("name":"b")", containers));
    CHECK(read<pod>(halves).find("nodeName") == std::string::npos);  // the second has an empty one
    // In parts one level below, and with elements of a list apart.
    const auto meta = field(1, field(1, "n") + field(14, "one") + field(5, "u") + field(14, "two"));
    CHECK(read<pod>(meta).find(R"("finalizers":["one","two"])") != std::string::npos);
    // Maps: in any order, of a key twice the last counts, half an entry is one with an empty half.
    const auto labels = field(1, field(11, field(1, "b") + field(2, "1")) + field(11, field(1, "a") + field(2, "2")) +
                                     field(11, field(2, "3") + field(1, "b")) + field(11, field(1, "half")));
    CHECK(read<pod>(labels).find(R"("labels":{"a":"2","b":"3","half":""})") != std::string::npos);
    // Fields of later versions, of each wire type.
    const auto later = field(99, "x") + integer(98, 7) +
                       std::string(
                           "\x81\x07"
                           "12345678",
                           10) +
                       std::string(
                           "\x85\x07"
                           "1234",
                           6) +
                       message_of(sample);
    CHECK(read<pod>(later) == text);
    CHECK(read<pod>("") == read<pod>(field(1, "")));
}

TEST_CASE("numbers of a list may stand together") {
    const auto context = [](const std::string& groups) { return field(2, field(14, groups)); };
    const std::string packed("\x01\x96\x01", 3);
    CHECK(read<pod>(context(field(4, packed) + integer(4, 7))).find(R"("supplementalGroups":[1,150,7])") !=
          std::string::npos);
    CHECK(read<pod>(context(field(4, ""))).find("supplementalGroups") == std::string::npos);
    CHECK(read<pod>(context(integer(4, static_cast<std::uint64_t>(-5)))).find("[-5]") != std::string::npos);
}

TEST_CASE("what is wrong is told with its path") {
    const auto spec = [](const std::string& bytes) { return field(2, bytes); };
    const auto container = [&](const std::string& bytes) { return spec(field(2, field(1, "ok")) + field(2, bytes)); };
    const std::string malformed = "malformed Protocol Buffers: ";
    CHECK(read<pod>("\x0a\x05"
                    "abc") == malformed + "a length beyond the end");
    CHECK(read<pod>(container("\x0a\x05"
                              "abc")) == "spec.containers[1]: " + malformed + "a length beyond the end");
    CHECK(read<pod>(container(integer(2, 5))) ==
          "spec.containers[1].image: " + malformed + "field 2 has wire type 0, expected 2");
    // Of two of a field, too, of which the last one counts.
    const std::string twice = field(2, integer(12, 1)) + integer(2, 0);
    CHECK(read<pod>(twice) == "spec: " + malformed + "field 2 has wire type 0, expected 2");
    CHECK_FALSE(protobuf_to_json(pods(), twice));
    const std::string text_twice = container(field(2, "a\xff") + field(2, "image"));
    CHECK(read<pod>(text_twice) == "spec.containers[1].image: a string that is not UTF-8");
    CHECK_FALSE(protobuf_to_json(pods(), text_twice));
    // Parts that are a message only together.
    const std::string parts = field(1, "\x0a\x02") + field(1, "ab");
    CHECK(read<pod>(parts) == "metadata: " + malformed + "a length beyond the end");
    CHECK_FALSE(protobuf_to_json(pods(), parts));
    CHECK(read<pod>(container("\x0b")) == "spec.containers[1]: " + malformed + "a group, which Kubernetes has none of");
    CHECK(read<pod>(container("\x0e")) == "spec.containers[1]: " + malformed + "a wire type that there is not");
    CHECK(read<pod>(container(std::string("\0", 1))) ==
          "spec.containers[1]: " + malformed + "a field number that there is not");
    CHECK(read<pod>(container(field(2,
                                    "a\xff"
                                    "bcdefghijk"))) == "spec.containers[1].image: a string that is not UTF-8");
    CHECK(read<pod>(container(field(2, "\xff"))) == "spec.containers[1].image: a string that is not UTF-8");
    CHECK(read<pod>(field(1, field(11, field(1, "\xc0") + field(2, "v")))) ==
          "metadata.labels: a string that is not UTF-8");
    CHECK(read<pod>(field(1, field(11, field(1, "key") + integer(2, 1)))) ==
          "metadata.labels[key]: " + malformed + "field 2 has wire type 0, expected 2");
    CHECK(read<pod>(std::string(11, '\xff')) == malformed + "a varint of more than 64 bits");
    CHECK(read<pod>("\x08") == malformed + "the bytes end inside a varint");
    CHECK(read<pod>(field(1, field(8, integer(1, std::uint64_t{1} << 40)))) ==
          "metadata.creationTimestamp: a time before 1678 or after 2261");
    const auto http = field(10, field(1, field(2, field(2, integer(1, 5)))));  // livenessProbe.httpGet.port
    CHECK(read<pod>(container(http)) ==
          "spec.containers[1].livenessProbe.httpGet.port: neither an integer nor a string");
    // Cut anywhere: an object or an error, never more.
    const auto whole = message_of(sample);
    for (std::size_t size = 0; size < whole.size(); ++size) read<pod>(std::string_view(whole).substr(0, size));
}

namespace {

const protobuf_field& find(const protobuf_message& in, std::string_view name) {
    for (const auto& each : in.all()) {
        if (each.name == name) return each;
    }
    FAIL(std::string(name));
    std::abort();
}

}  // namespace

TEST_CASE("what is nested too deeply or would take too much is refused") {
    const auto* crds = api::find_protobuf("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
    REQUIRE(crds != nullptr);
    const auto& versions = *find(*find(*crds, "spec").message, "versions").message;
    const auto& schemas = *find(*find(versions, "schema").message, "openAPIV3Schema").message;
    const auto nested = [&](int levels) {
        std::string schema;
        for (int i = 0; i < levels; ++i) schema = field(find(schemas, "not").number, schema);
        return protobuf_to_json(schemas, schema);
    };
    CHECK(nested(190).has_value());
    REQUIRE_FALSE(nested(300).has_value());
    CHECK(nested(300).error().message().find("not.not.not.not") == 0);
    CHECK(nested(300).error().message().find(": messages nested too deeply") != std::string::npos);
    // Two bytes on the wire for hundreds in memory.
    std::string many;
    for (int i = 0; i < 40000; ++i) many += field(2, "");
    CHECK(read<pod>(field(2, many)).find("spec.containers: the object would take more than") == 0);
}

TEST_CASE("projections, metadata and dynamic objects get what they have of a kind") {
    const auto bytes = message_of(sample);
    const group_version_kind kind{"", "v1", "Pod"};
    const auto meta = metadata_resource(kind, "pods");
    CHECK(read<metadata_object>(bytes, meta) ==
          R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a-pod","labels":{"app":"web","tier":"some-front"}}})");
    CHECK(read<metadata_object>(bytes, meta, api::protobuf_partial_object()) == read<metadata_object>(bytes, meta));
    const auto dynamic = dynamic_resource(kind, "pods");
    const auto text = read<dynamic_object>(bytes, dynamic);
    CHECK(text.starts_with(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a-pod")"));
    CHECK(text.find("managedFields") == std::string::npos);
    CHECK(text.find(R"("nodeName":"node-one")") != std::string::npos);
    const auto kept = dynamic_resource(kind, "pods", resource_scope::namespaced, managed_fields::kept);
    CHECK(read<dynamic_object>(bytes, kept).find(R"("fieldsV1":{"f:a":{}})") != std::string::npos);
    // Only what is JSON gets into JSON.
    const auto hostile = field(1, field(17, field(7, field(1, "{}],\"x\":[1"))));
    const std::string named = "metadata.managedFields[0].fieldsV1: ";
    CHECK(read<dynamic_object>(hostile, kept) == named + "malformed JSON at byte 2");
    std::string deep;
    for (int level = 0; level < 300; ++level) deep = "{\"f:a\":" + (deep.empty() ? "{}" : deep) + "}";
    CHECK(read<dynamic_object>(field(1, field(17, field(7, field(1, deep)))), kept) ==
          named + "JSON nested deeper than 256 levels");
}

namespace {

struct loose_status {
    raw_json phase;
    text startTime;
    static constexpr auto kcontrol_fields() {
        return fields(kcontrol::field("phase", &loose_status::phase),
                      kcontrol::field("startTime", &loose_status::startTime));
    }
};
struct loose_pod {
    static constexpr resource_name kcontrol_resource{"", "v1", "Pod", "pods"};
    using kcontrol_projection = void;
    object_meta metadata;
    raw_json spec;
    boxed<loose_status> status;
    text unheard_of;
    static constexpr auto kcontrol_fields() {
        return fields(kcontrol::field("spec", &loose_pod::spec), kcontrol::field("status", &loose_pod::status),
                      kcontrol::field("unheardOf", &loose_pod::unheard_of));
    }
};
struct own_memory_pod {
    static constexpr resource_name kcontrol_resource{"", "v1", "Pod", "pods"};
    object_meta metadata;
    std::map<std::string, std::int64_t> spec;
    static constexpr auto kcontrol_fields() { return fields(kcontrol::field("spec", &own_memory_pod::spec)); }
};

}  // namespace

TEST_CASE("a member of another type than the table's is read as JSON is") {
    const auto bytes = message_of(R"({"metadata":{"name":"n"},"spec":{"nodeName":"x","priority":5},
                                      "status":{"phase":"Running","startTime":"2024-05-01T12:00:00Z"}})");
    const auto text = read<loose_pod>(bytes);
    CHECK(text.find(R"("nodeName":"x")") != std::string::npos);
    CHECK(text.find(R"("priority":5)") != std::string::npos);
    CHECK(text.find(R"("status":{"phase":"Running","startTime":"2024-05-01T12:00:00Z"})") != std::string::npos);
    const auto refused = read<own_memory_pod>(bytes);
    CHECK(refused.find("spec[") == 0);
    CHECK(refused.find("expected an integer, found") != std::string::npos);
}

TEST_CASE("an envelope says what is in it") {
    const resource_info& info = resource_of<pod>();
    const protobuf_kind_codec codec(info, pods());
    const auto object = info.decode_text(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"n"}})").value();
    const auto bytes = codec.encode(object).value();
    CHECK(is_protobuf(bytes));
    CHECK_FALSE(is_protobuf("{}"));
    const auto opened = open_protobuf(bytes);
    REQUIRE(opened.has_value());
    CHECK(opened->api_version == "v1");
    CHECK(opened->kind == "Pod");
    CHECK(codec.decode(opened->message).value().meta().name == "n");
    CHECK(open_protobuf("{}").error().message() ==
          "these are not Protocol Buffers of Kubernetes, which begin with \"k8s\"");
    CHECK_FALSE(open_protobuf(bytes.substr(0, 9)).has_value());
}

TEST_CASE("JSON that a kind does not take is told with its path") {
    const auto write = [](const char* text) {
        json::document document;
        const auto written = json_to_protobuf(pods(), document.parse(text).value());
        return written ? "written" : written.error().message();
    };
    CHECK(write(R"({"spec":{"containers":[{"name":5}]}})") ==
          "spec.containers[0].name: expected a string, found the integer 5");
    CHECK(write(R"({"spec":{"nodeSelector":{"a":[]}}})") == "spec.nodeSelector[a]: expected a string, found a list");
    CHECK(write(R"({"spec":{"containers":[{"resources":{"limits":{"cpu":"x"}}}]}})")
              .find("spec.containers[0].resources.limits[cpu]: ") == 0);
    CHECK(write(R"({"status":{"startTime":"x"}})").find("status.startTime: expected a time") == 0);
    CHECK(write("[]") == "expected an object, found a list");
    CHECK(write("null") == "expected an object, found null");
}
