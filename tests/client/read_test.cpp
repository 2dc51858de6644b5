// Lists, events and objects are read however they are written, and only what a cursor can't read goes another way.
#include <kcontrol/client/detail/read_event.hpp>
#include <kcontrol/client/detail/read_list.hpp>
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

result<any_list> read_list(std::string body) {
    share_pool pool;
    return detail::read_list(answer_of(std::move(body)), things(), pool, logger());
}

std::string list_error(std::string body) {
    const auto list = read_list(std::move(body));
    return list ? "none" : list.error().message();
}

std::string names(const any_list& list) {
    std::string out;
    for (const auto& item : list.items) out += item.meta().name + ",";
    return out;
}

}  // namespace

TEST_CASE("read list: of a built-in kind, and of a custom one, whose members are in order") {
    const std::string items = R"([{"metadata":{"name":"a"}},{"metadata":{"name":"b"},"spec":{"x":[1,{}]}}])";
    for (const std::string& body : {
             R"({"kind":"ThingList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":"c"},"items":)" +
                 items + "}\n",
             R"({"apiVersion":"v1","items":)" + items +
                 R"(,"kind":"ThingList","metadata":{"continue":"c","remainingItemCount":3,"resourceVersion":"7"}})",
         }) {
        const auto list = read_list(body);
        REQUIRE(list.has_value());
        CHECK(names(*list) == "a,b,");
        CHECK(list->resource_version == "7");
        CHECK(list->continue_token == "c");
    }
    CHECK(read_list(R"({"metadata":{},"items":null})")->items.empty());
    CHECK(read_list(R"({"metadata":{},"items":[]})")->items.empty());
}

TEST_CASE("read list: with white space, and objects that a cursor can't read") {
    const auto list = read_list(R"(
        { "kind" : "ThingList" , "it\u0065ms" : [ {"metadata":{"name":"a"}} , { "metadata" : { "name" : "b" } },
          {"m\u0065tadata":{"name":"c"}}, {"metadata":{"name":"d"},"x":"\u0041\ud83d\ude00"} ],
          "metadata" : { "continue" : "c\u002f" , "resourceVersion" : "7" , "x" : [ ] } } )");
    REQUIRE(list.has_value());
    CHECK(names(*list) == "a,b,c,d,");
    CHECK(list->resource_version == "7");
    CHECK(list->continue_token == "c/");
    CHECK(list->skipped == 0);
    CHECK(list->items[3].as<dynamic_object>()->content.to_json() ==
          R"({"metadata":{"name":"d"},"x":"\u0041\ud83d\ude00"})");
}

TEST_CASE("read list: a bad object is left out, whatever is wrong with it") {
    const auto list = read_list(
        "{\"metadata\":{},\"items\":[null,7,{\"metadata\":{\"name\":1}},{\"metadata\":{\"name\":\"a\"}},"
        "{\"x\":01},{\"x\" 1},{\"x\":\"\xff\"},[],{\"metadata\":{\"name\":\"b\"}}]}");
    REQUIRE(list.has_value());
    CHECK(names(*list) == "a,b,");
    CHECK(list->skipped == 7);
}

TEST_CASE("read list: of members that come twice the first one counts, and strings only") {
    CHECK(read_list(R"({"metadata":{},"items":[],"items":[{}]})")->items.empty());
    const auto list = read_list(
        R"({"metadata":{"resourceVersion":"1","resourceVersion":"2","continue":5},"metadata":{"continue":"x"},"items":[]})");
    CHECK(list->resource_version == "1");
    CHECK(list->continue_token.empty());
}

TEST_CASE("read list: another answer says what it is") {
    const std::string no_list = "the server's answer is not a list: it has no metadata or no items";
    for (const char* body : {"{}", R"({"metadata":{"resourceVersion":"7"}})", R"({"items":[]})",
                             R"({"metadata":null,"items":[]})", R"({"metadata":{},"items":7})"}) {
        CAPTURE(body);
        CHECK(list_error(body) == no_list);
    }
    CHECK(list_error("[]") == "the server's answer is not a JSON object");
    CHECK(list_error("null") == "the server's answer is not a JSON object");
    CHECK(read_list("\n").error() == errc::not_an_api_server);
    const auto failed = read_list(R"({"kind":"Status", "metadata":{},"status":"Failure","code":410,"message":"old"})");
    CHECK(failed.error() == condition::expired);
    CHECK(failed.error().message() == "old");
    for (const auto& [body, place] : {
             std::pair(R"({"metadata":{},"items":[{}]} x)", "29"),
             std::pair(R"({"metadata":{},"items":[{},]})", "27"),
             std::pair(R"({"metadata":{},"items":[{}])", "27"),
             std::pair(R"({"metadata":{},"items":[{} {}]})", "27"),
             std::pair(R"({"metadata":{},"items":[{]})", "25"),
             std::pair(R"({"metadata" {},"items":[]})", "12"),
             std::pair(R"(hello)", "0"),
         }) {
        CAPTURE(body);
        const auto list = read_list(body);
        REQUIRE_FALSE(list.has_value());
        CHECK(list.error() == errc::decode_failed);
        CHECK(std::string(list.error().what())
                  .find(std::string("the server's answer: malformed JSON at byte ") + place) != std::string::npos);
    }
}

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
