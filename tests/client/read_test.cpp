// Events and objects are read however they are written, and only what a cursor can't read goes another way.
#include <kcontrol/client/detail/read_event.hpp>
#include <kcontrol/client/detail/read_object.hpp>
#include <kcontrol/codec/dynamic_object.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace kcontrol;

namespace {

const resource_info& things() {
    static const resource_info info = dynamic_resource({"example.com", "v1", "Thing"}, "things");
    return info;
}

http::response answer_of(std::string body) { return http::response(200, "application/json", std::move(body)); }

}  // namespace

TEST_CASE("read event: an object that is added, modified or deleted") {
    for (const auto& [name, type] :
         {std::pair("ADDED", watch_event_type::added), std::pair("MODIFIED", watch_event_type::modified),
          std::pair("DELETED", watch_event_type::deleted)}) {
        const std::string type_member = R"("type":")" + std::string(name) + "\"";
        const std::string object = R"({"metadata":{"name":"a","resourceVersion":"12"}})";
        for (const std::string& frame :
             {"{" + type_member + ",\"object\":" + object + "}", "{\"object\":" + object + "," + type_member + "}",
              " { \"x\" : [ ] , " + type_member + " , \"object\" : " + object + " } \r"}) {
            CAPTURE(frame);
            detail::event_reader reader(frame, things(), nullptr);
            REQUIRE(reader.read());
            CHECK(reader.type() == type);
            CHECK(reader.object_text() == object);
            CHECK(reader.take_object().meta().name == "a");
        }
    }
}

TEST_CASE("read event: what a cursor can't read, or is no object, is there as text") {
    const auto read = [](std::string_view frame) {
        detail::event_reader reader(frame, things(), nullptr);
        if (!reader.read()) return std::string("no event");
        return reader.type_name() + (reader.type() ? " " : " unknown ") + std::string(reader.object_text()) +
               (reader.take_object() ? " read" : "");
    };
    CHECK(read(R"({"type":"ADDED","object":{ }})") == "ADDED { }");
    CHECK(read(R"({"type":"ADDED","object":null})") == "ADDED null");
    CHECK(read(R"({"type":"ADDED"})") == "ADDED ");
    CHECK(read(R"({"type":"BOOKMARK","object":{"metadata":{}}})") == R"(BOOKMARK {"metadata":{}})");
    CHECK(read(R"({"object":{"metadata":{}},"type":"BOOKMARK"})") == R"(BOOKMARK {"metadata":{}})");
    CHECK(read(R"({"type":"ERROR","object":{"kind":"Status"}})") == R"(ERROR {"kind":"Status"})");
    CHECK(read(R"({"type":"N\u0045W","object":{}})") == "NEW unknown {}");
    CHECK(read(R"({"type":7,"object":{}})") == " unknown {}");
    CHECK(read(R"({"type":"ADDED","object":{"a":1},"object":7,"type":"NEW"})") == R"(ADDED {"a":1} read)");
    CHECK(read(R"({"type":"ADDED","object":{"kind":"Other","a":1}})") == R"(ADDED {"kind":"Other","a":1})");
    for (const char* frame : {"", "[]", R"({"type":"ADDED","object":{}}})", R"({"type":"ADDED","object":{})",
                              R"({"type":"ADDED" "object":{}})", R"({"type":"\q","object":{}})", R"({"type":})"}) {
        CAPTURE(frame);
        CHECK(read(frame) == "no event");
    }
}

TEST_CASE("read object: of the kind that was asked for, and whole, at a cursor") {
    const auto read = [](std::string_view body) {
        return static_cast<bool>(detail::read_object_at(json::cursor(body), things()));
    };
    CHECK(read(R"({"kind":"Thing","apiVersion":"example.com/v1","metadata":{"name":"a"}})"));
    CHECK(read("{\"apiVersion\":\"example.com/v1\",\"kind\":\"Thing\",\"metadata\":{\"name\":\"a\"}}\n"));
    for (const char* body : {"", "{}", R"({"kind":"Status","status":"Failure"})", R"({"metadata":{},"kind":"Thing"})",
                             R"({"kind":"Thing"}})", R"({"kind":"Thing","metadata":{"name":1}})",
                             R"({"apiVersion":1,"kind":"Thing"})", R"({ "kind":"Thing"})"}) {
        CAPTURE(body);
        CHECK_FALSE(read(body));
    }
}

TEST_CASE("read object: however it is written, or why it is none") {
    const auto read = [](std::string body) -> std::string {
        const auto object = detail::read_object(answer_of(std::move(body)), things());
        return object ? "object " + object->meta().name : object.error().message();
    };
    CHECK(read("{\"kind\":\"Thing\",\"metadata\":{\"name\":\"a\"}}\n") == "object a");
    CHECK(read(R"( { "metadata" : { "name" : "a" } , "kind" : "Thing" } )") == "object a");
    CHECK(read(R"({"metadata":{"name":"a"},"x":[01]})").find("at byte 30") != std::string::npos);
    CHECK(read(R"({"metadata":{"name":"a"}} x)").find("malformed JSON at byte 26") != std::string::npos);
    CHECK(read(R"({"metadata":{"name":1}})").find("metadata.name: expected a string") != std::string::npos);
    CHECK(read("7") == "the server's answer is not a JSON object");
    CHECK(read(R"({"kind":"Status","status":"Failure","message":"no"})") == "no");
}
