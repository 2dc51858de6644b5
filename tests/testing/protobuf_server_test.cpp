// The in-process API server speaks Protocol Buffers at its door.
#include <kcontrol/api/protobuf.hpp>
#include <kcontrol/codec/protobuf.hpp>
#include <kcontrol/codec/protobuf_stream.hpp>
#include <kcontrol/testing/api_server.hpp>

#include "support/print.hpp"
#include "testing/memory_responder.hpp"

#include <doctest/doctest.h>

using namespace kcontrol;
using namespace kcontrol::testing;

namespace {

struct fixture {
    boost::asio::io_context context;
    testing::manual_environment env;
    api_server server{env, context.get_executor(), {}};
    test::memory_client client{context, server.handler()};

    explicit fixture(std::string accept) { client.headers.set("Accept", std::move(accept)); }
    ~fixture() {
        server.break_watches();
        testing::manual_environment::run_ready(context);
    }
};

const std::string both = "application/vnd.kubernetes.protobuf,application/json";
const std::string maps = "/api/v1/namespaces/default/configmaps";

const protobuf_message& message_named(std::string_view kind) {
    if (kind == "Status") return api::protobuf_status();
    if (kind == "PartialObjectMetadata") return api::protobuf_partial_object();
    const auto* found = api::find_protobuf("", "v1", kind);
    REQUIRE(found != nullptr);
    return *found;
}

/// The JSON of what is in an envelope.
json::value opened(std::string_view bytes) {
    const auto envelope = open_protobuf(bytes);
    REQUIRE(envelope);
    const auto text =
        protobuf_to_json(message_named(envelope->kind), envelope->message, envelope->api_version, envelope->kind);
    REQUIRE(text);
    return json::parse(*text).value();
}

std::string closed(const std::string& text, std::string_view kind) {
    json::document document;
    const auto message = json_to_protobuf(message_named(kind), document.parse(text).value());
    REQUIRE(message);
    protobuf_envelope envelope;
    envelope.api_version = "v1";
    envelope.kind = kind;
    envelope.message = *message;
    return close_protobuf(envelope);
}

}  // namespace

TEST_CASE("objects come and go in Protocol Buffers") {
    fixture f(both);
    const auto made = f.client.call("POST", maps, closed(R"({"metadata":{"name":"a"},"data":{"k":"v"}})", "ConfigMap"),
                                    std::string(protobuf_media_type));
    CHECK(made->head.status == 201);
    CHECK(made->head.headers.get("Content-Type") == protobuf_media_type);
    CHECK(json::get_string(opened(made->body), {"data", "k"}) == "v");
    const auto got = f.client.get(maps + "/a");
    CHECK(json::get_string(opened(got->body), {"kind"}) == "ConfigMap");
    CHECK_FALSE(json::get_string(opened(got->body), {"metadata", "resourceVersion"}).empty());
    const auto missing = f.client.get(maps + "/b");
    CHECK(missing->head.status == 404);
    CHECK(json::get_string(opened(missing->body), {"reason"}) == "NotFound");
    const auto wrong = f.client.call("POST", maps, "k8s", std::string(protobuf_media_type));
    CHECK(wrong->head.status == 400);
    const auto patched = f.client.merge(maps + "/a", R"({"data":{"k":"w"}})");
    CHECK(json::get_string(opened(patched->body), {"data", "k"}) == "w");
}

TEST_CASE("lists, whole and of metadata") {
    fixture f(both);
    for (const char* name : {"a", "b"}) {
        REQUIRE(f.client.call("POST", maps, R"({"metadata":{"name":")" + std::string(name) + "\"}}")->head.status ==
                201);
    }
    const auto read = [](const std::string& body) {
        protobuf_list_reader reader;
        reader.feed(body);
        std::string said;
        for (auto item = reader.next(); item && *item; item = reader.next()) {
            const bool partial = reader.kind() == "PartialObjectMetadataList";
            const auto text = protobuf_to_json(message_named(partial ? "PartialObjectMetadata" : "ConfigMap"), **item);
            said += std::string(json::get_string(json::parse(*text).value(), {"metadata", "name"})) + " ";
        }
        CHECK(reader.finish());
        CHECK_FALSE(reader.resource_version().empty());
        return said + reader.api_version() + " " + reader.kind() + " " +
               (reader.continue_token().empty() ? "" : "more");
    };
    CHECK(read(f.client.get(maps)->body) == "a b v1 ConfigMapList ");
    CHECK(read(f.client.get(maps + "?limit=1")->body) == "a v1 ConfigMapList more");
    f.client.headers.set("Accept",
                         "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");
    CHECK(read(f.client.get(maps)->body) == "a b meta.k8s.io/v1 PartialObjectMetadataList ");
}

TEST_CASE("a watch is frames of events") {
    fixture f(both);
    const auto watch = f.client.start(maps + "?watch=1");
    CHECK(watch->head.headers.get("Content-Type") == "application/vnd.kubernetes.protobuf;stream=watch");
    REQUIRE(f.client.call("POST", maps, R"({"metadata":{"name":"a"}})")->head.status == 201);
    REQUIRE(f.client.call("DELETE", maps + "/a")->head.status == 200);
    protobuf_watch_reader reader;
    reader.feed(watch->body);
    std::string said;
    for (auto event = reader.next(); event && *event; event = reader.next()) {
        said += std::string((*event)->type) + " " +
                std::string(json::get_string(opened((*event)->object), {"metadata", "name"})) + ", ";
    }
    CHECK(said == "ADDED a, DELETED a, ");
    const auto late = f.client.start(
        maps + "?watch=1&resourceVersion=999999&sendInitialEvents=true&resourceVersionMatch=NotOlderThan");
    CHECK(late->head.status == 200);
}

TEST_CASE("options of a deletion may be Protocol Buffers") {
    fixture f(both);
    REQUIRE(f.client.call("POST", maps, R"({"metadata":{"name":"a"}})")->head.status == 201);
    json::document document;
    const auto message = json_to_protobuf(api::protobuf_delete_options(),
                                          document.parse(R"({"preconditions":{"uid":"another"}})").value());
    REQUIRE(message);
    protobuf_envelope envelope;
    envelope.api_version = "v1";
    envelope.kind = "DeleteOptions";
    envelope.message = *message;
    const auto refused =
        f.client.call("DELETE", maps + "/a", close_protobuf(envelope), std::string(protobuf_media_type));
    CHECK(refused->head.status == 409);
    CHECK(json::get_string(opened(refused->body), {"reason"}) == "Conflict");
}

TEST_CASE("what has no form in Protocol Buffers is JSON, or not to be had") {
    fixture f(both);
    const std::string crd =
        R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":
        "widgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"widgets","kind":
        "Widget"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",
        "x-kubernetes-preserve-unknown-fields":true}}}]}})";
    REQUIRE(f.client.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd)->head.status == 201);
    const std::string widgets = "/apis/example.com/v1/namespaces/default/widgets";
    const auto list = f.client.get(widgets);
    CHECK(list->head.headers.get("Content-Type") == "application/json");
    CHECK(json::get_string(list->json(), {"kind"}) == "WidgetList");
    CHECK(f.client.call("POST", widgets, "k8s", std::string(protobuf_media_type))->head.status == 415);
    CHECK(f.client.get("/api/v1")->head.headers.get("Content-Type") == "application/json");
    f.client.headers.set("Accept", std::string(protobuf_media_type));
    CHECK(f.client.get(widgets)->head.status == 406);
    CHECK(f.client.get(maps)->head.status == 200);
    f.client.headers.set("Accept", std::string(protobuf_media_type) + ";as=Table;g=meta.k8s.io;v=v1,application/json");
    CHECK(f.client.get(maps)->head.headers.get("Content-Type") == "application/json");
    f.client.headers.set("Accept", "application/json,application/vnd.kubernetes.protobuf");
    CHECK(f.client.get(maps)->head.headers.get("Content-Type") == "application/json");
}
