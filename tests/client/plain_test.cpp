// What API servers write is read in the quick way; all else is left to the general one.
#include <kcontrol/client/detail/plain_event.hpp>
#include <kcontrol/client/detail/plain_list.hpp>
#include <kcontrol/client/detail/plain_object.hpp>
#include <kcontrol/codec/dynamic_object.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace kcontrol;

namespace {

const resource_info& things() {
    static const resource_info info = dynamic_resource({"example.com", "v1", "Thing"}, "things");
    return info;
}

std::optional<any_list> read_list(const std::string& body) {
    share_pool pool;
    return detail::read_plain_list(body, things(), pool);
}

std::optional<watch_event> read_event(const std::string& frame) {
    return detail::read_plain_event(frame, things(), nullptr);
}

}  // namespace

TEST_CASE("plain list: of a built-in kind, and of a custom one, whose members are in order") {
    const std::string items = R"([{"metadata":{"name":"a"}},{"metadata":{"name":"b"},"spec":{"x":[1,{}]}}])";
    for (const std::string& body : {
             R"({"kind":"ThingList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":"c"},"items":)" +
                 items + "}\n",
             R"({"apiVersion":"v1","items":)" + items +
                 R"(,"kind":"ThingList","metadata":{"continue":"c","remainingItemCount":3,"resourceVersion":"7"}})",
         }) {
        const auto list = read_list(body);
        REQUIRE(list.has_value());
        REQUIRE(list->items.size() == 2);
        CHECK(list->items[1].meta().name == "b");
        CHECK(list->resource_version == "7");
        CHECK(list->continue_token == "c");
    }
    CHECK(read_list(R"({"metadata":{},"items":null})")->items.empty());
    CHECK(read_list(R"({"metadata":{},"items":[]})")->items.empty());
}

TEST_CASE("plain list: another answer, or a bad object, is left to the general way") {
    for (const char* body : {
             "",
             "\n",
             "{}",
             "[]",
             R"({"metadata":{"resourceVersion":"7"}})",
             R"({"items":[]})",
             R"({"kind":"Status","metadata":{},"status":"Failure"})",
             R"({"metadata":{},"items":[null]})",
             R"({"metadata":{},"items":[{"metadata":{"name":1}}]})",
             R"({"metadata":{},"items":[{}]} x)",
             R"({"metadata":{},"items":[{},]})",
             R"({"metadata":{},"items":[{}])",
             R"({"metadata": {},"items":[]})",
             R"({"metadata":{},"items":[],"items":[{}]})",
             R"({"metadata":{},"metadata":{},"items":[]})",
             R"({"metadata":{"continue":5},"items":[]})",
             R"({"metadata":null,"items":[]})",
             "{\"metadata\":{},\n\"items\":[]}",
             R"({"metadata":{},"items":[{]})",
         }) {
        CAPTURE(body);
        CHECK_FALSE(read_list(body).has_value());
    }
}

TEST_CASE("plain event: an object that is added, modified or deleted") {
    for (const auto& [name, type] :
         {std::pair("ADDED", watch_event_type::added), std::pair("MODIFIED", watch_event_type::modified),
          std::pair("DELETED", watch_event_type::deleted)}) {
        const auto event = read_event(std::string(R"({"type":")") + name +
                                      R"(","object":{"metadata":{"name":"a","resourceVersion":"12"}}})");
        REQUIRE(event.has_value());
        CHECK(event->type == type);
        CHECK(event->resource_version == "12");
        CHECK(event->object.meta().name == "a");
    }
    for (const char* frame : {
             "",
             R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"12"}}})",
             R"({"type":"ERROR","object":{"kind":"Status"}})",
             R"({"type":"NEW","object":{}})",
             R"({"type": "ADDED","object":{}})",
             R"({"object":{},"type":"ADDED"})",
             R"({"type":"ADDED","object":{}}})",
             R"({"type":"ADDED","object":{})",
             R"({"type":"ADDED","object":null})",
             R"({"type":"ADDED","object":{},"x":1})",
             R"({"type":"ADDED","object":{"metadata":{"name":1}}})",
         }) {
        CAPTURE(frame);
        CHECK_FALSE(read_event(frame).has_value());
    }
}

TEST_CASE("plain object: of the kind that was asked for, and whole") {
    const auto read = [](std::string_view body) {
        return static_cast<bool>(detail::read_plain_object(body, things()));
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
