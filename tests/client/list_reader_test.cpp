// A list is read as it arrives, however it is written and cut, and one bad object spoils no other.
#include <kcontrol/client/detail/list_reader.hpp>
#include <kcontrol/codec/dynamic_object.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

using namespace kcontrol;

namespace {

const resource_info& things() {
    static const resource_info info = dynamic_resource({"example.com", "v1", "Thing"}, "things");
    return info;
}

http::response_head json_head() {
    http::response_head head(200);
    head.headers.set("Content-Type", "application/json");
    return head;
}

// The list in `body`, which arrives in pieces of `step` bytes and is decoded in batches of `batch`.
result<any_list> read_list(const std::string& body, std::size_t step, std::size_t batch,
                           std::size_t largest = std::size_t{32} << 20) {
    share_pool pool;
    detail::list_reader reader(json_head(), things(), pool, batch, largest);
    for (std::size_t at = 0; at < body.size();) {
        const auto room = reader.room();
        const std::size_t n = std::min({step, room.size(), body.size() - at});
        std::memcpy(room.data(), body.data() + at, n);
        at += n;
        auto read = reader.filled(n);
        if (!read) return read.error();
    }
    return reader.finish();
}

result<any_list> read_list(const std::string& body) { return read_list(body, body.size() + 1, 1 << 18); }

std::string names(const any_list& list) {
    std::string out;
    for (const auto& item : list.items) out += item.meta().name + ",";
    return out;
}

std::string invalid(const any_list& list) {
    std::string out;
    for (const auto& object : list.invalid) out += object.describe() + ": " + object.why.message() + "\n";
    return out;
}

// How the list reads in one piece, and whether it reads the same in every other way.
result<any_list> read_in_every_way(const std::string& body) {
    auto whole = read_list(body);
    for (const std::size_t step : {1U, 2U, 3U, 7U, 20U, 64U}) {
        for (const std::size_t batch : {1U, 10U, 100U}) {
            CAPTURE(step);
            CAPTURE(batch);
            const auto other = read_list(body, step, batch);
            REQUIRE(other.has_value() == whole.has_value());
            if (whole) {
                CHECK(names(*other) == names(*whole));
                CHECK(invalid(*other) == invalid(*whole));
                CHECK(other->resource_version == whole->resource_version);
                CHECK(other->continue_token == whole->continue_token);
                CHECK(other->bytes == body.size());
            } else {
                CHECK(other.error().what() == whole.error().what());
            }
        }
    }
    return whole;
}

}  // namespace

TEST_CASE("list_reader: who holds an object already is asked for each as it arrives, with the list's version") {
    const std::string items = R"("items":[{"metadata":{"name":"a","uid":"1"}},{"metadata":{"name":"b","uid":"2"}}])";
    const std::string version = R"("metadata":{"resourceVersion":"7"})";
    const auto held = std::make_shared<dynamic_object>();
    held->metadata.name = "held";
    for (const bool version_first : {true, false}) {
        const std::string body = "{" + (version_first ? version + "," + items : items + "," + version) + "}";
        share_pool pool;
        detail::list_reader reader(json_head(), things(), pool);
        std::string asked;
        reader.reuse([&](const any_object& listed, std::string_view of) {
            asked += listed.meta().name + "@" + std::string(of) + ",";
            return listed.meta().name == "b" ? any_object(std::shared_ptr<const dynamic_object>(held)) : any_object();
        });
        std::memcpy(reader.room().data(), body.data(), body.size());
        REQUIRE(reader.filled(body.size()));
        const auto list = reader.finish();
        REQUIRE(list);
        CHECK(names(*list) == "a,held,");
        CHECK(asked == (version_first ? "a@7,b@7," : "a@,b@,"));
    }
}

TEST_CASE("list_reader: of a built-in kind, and of a custom one, whose members are in order") {
    const std::string items = R"([{"metadata":{"name":"a"}},{"metadata":{"name":"b"},"spec":{"x":[1,{}]}}])";
    for (const std::string& body : {
             R"({"kind":"ThingList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":"c"},"items":)" +
                 items + "}\n",
             R"({"apiVersion":"v1","items":)" + items +
                 R"(,"kind":"ThingList","metadata":{"continue":"c","remainingItemCount":3,"resourceVersion":"7"}})",
         }) {
        const auto list = read_in_every_way(body);
        REQUIRE(list.has_value());
        CHECK(names(*list) == "a,b,");
        CHECK(list->resource_version == "7");
        CHECK(list->continue_token == "c");
    }
    CHECK(read_in_every_way(R"({"metadata":{},"items":null})")->items.empty());
    CHECK(read_in_every_way(R"({"metadata":{},"items":[]})")->items.empty());
}

TEST_CASE("list_reader: with white space, and objects that a cursor can't read") {
    const auto list = read_in_every_way(R"(
        { "kind" : "ThingList" , "it\u0065ms" : [ {"metadata":{"name":"a"}} , { "metadata" : { "name" : "b" } },
          {"m\u0065tadata":{"name":"c"}}, {"metadata":{"name":"d"},"x":"\u0041\ud83d\ude00"} ],
          "metadata" : { "continue" : "c\u002f" , "resourceVersion" : "7" , "x" : [ ] } } )");
    REQUIRE(list.has_value());
    CHECK(names(*list) == "a,b,c,d,");
    CHECK(list->resource_version == "7");
    CHECK(list->continue_token == "c/");
    CHECK(list->invalid.empty());
    CHECK(list->items[3].as<dynamic_object>()->content.to_json() ==
          R"({"metadata":{"name":"d"},"x":"\u0041\ud83d\ude00"})");
}

TEST_CASE("list_reader: an object that does not decode is told of, and all others are there") {
    const auto list = read_in_every_way(
        "{\"metadata\":{},\"items\":[null,7,{\"metadata\":{\"name\":1}},{\"metadata\":{\"name\":\"a\"}},"
        "{\"metadata\":{\"namespace\":\"n\",\"name\":\"bad\"},\"x\":01},{\"x\" 1},{\"x\":\"\xff\"},[],"
        "{\"kind\":\"Other\",\"metadata\":{\"name\":\"o\"}},"
        "{\"metadata\":{\"name\":\"b\"}}]}");
    REQUIRE(list.has_value());
    CHECK(names(*list) == "a,b,");
    CHECK(list->invalid.size() == 8);
    const std::string told = invalid(*list);

    CHECK(told.find("(no name): it is not a JSON object\n") == 0);
    CHECK(told.find("n/bad: ") != std::string::npos);
    CHECK(told.find("o: kind: expected Thing, got \"Other\"\n") != std::string::npos);
}

TEST_CASE("list_reader: depth is no limit of what a cursor reads, and of no other object") {
    const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
    const auto list =
        read_in_every_way(R"({"metadata":{},"items":[{"metadata":{"name":"a","managedFields":)" + nested(100'000) +
                          R"(}},{"metadata":{"name":"b"}, "x":)" + nested(300) + R"(},{"metadata":{"name":"c"}}]})");
    REQUIRE(list.has_value());
    CHECK(names(*list) == "a,c,");
    CHECK(invalid(*list).find("b: ") == 0);
}

TEST_CASE("list_reader: an object that is larger than any can be is passed over, in little memory") {
    const std::string large =
        R"({"metadata":{"namespace":"n","name":"big","uid":"u","resourceVersion":"5"},"data":{"x":")" +
        std::string(5000, 'x') + R"(\"}"}})";
    for (const std::size_t step : {1U, 7U, 400U}) {
        CAPTURE(step);
        const auto list =
            read_list(R"({"items":[{"metadata":{"name":"a"}},)" + large + R"(,{"metadata":{"name":"b"}},)" + large +
                          R"(],"metadata":{"resourceVersion":"7"}})",
                      step, 100, 1000);
        REQUIRE(list.has_value());
        CHECK(names(*list) == "a,b,");
        REQUIRE(list->invalid.size() == 2);
        CHECK(list->invalid[0].describe() == "n/big");
        CHECK(list->invalid[0].metadata.resource_version == "5");
        CHECK(list->invalid[0].metadata.uid == "u");
        CHECK(list->invalid[0].why == errc::too_large);
        CHECK(list->resource_version == "7");
    }
    const auto member =
        read_list(R"({"metadata":{"x":")" + std::string(5000, 'x') + R"("},"items":[]})", 10, 100, 1000);
    CHECK(member.error() == errc::too_large);
}

TEST_CASE("list_reader: what has no end is held up to the largest object, and not copied again and again") {
    constexpr std::size_t largest = std::size_t{2} << 20, batch = std::size_t{64} << 10;
    struct row {
        const char* begin;
        char then;
    };
    const row rows[] = {{R"({"metadata":{},"items":[{"a":")", 'x'},
                        {R"({"metadata":{},"items":[)", ' '},
                        {R"({"a":")", 'x'},
                        {"{", ' '}};
    for (const auto& row : rows) {
        CAPTURE(std::string(row.begin));
        share_pool pool;
        detail::list_reader reader(json_head(), things(), pool, batch, largest);
        std::size_t copied = 0, most = 0;
        const char* end = nullptr;
        std::string piece = row.begin;
        for (std::size_t sent = 0; sent < 4 * largest; sent += piece.size(), piece.assign(4096, row.then)) {
            const auto room = reader.room();
            // Another buffer: what was held went over.
            if (room.data() + room.size() != std::exchange(end, room.data() + room.size())) copied += sent;
            most = std::max(most, room.size());
            std::memcpy(room.data(), piece.data(), piece.size());
            if (!reader.filled(piece.size())) break;
        }
        CHECK(most <= largest + 4 * batch);
        CHECK(copied <= 4 * largest);
    }
}

TEST_CASE("list_reader: of members that come twice the first one counts, and strings only") {
    CHECK(read_in_every_way(R"({"metadata":{},"items":[],"items":[{}]})")->items.empty());
    const auto list = read_in_every_way(
        R"({"metadata":{"resourceVersion":"1","resourceVersion":"2","continue":5},"metadata":{"continue":"x"},"items":[]})");
    CHECK(list->resource_version == "1");
    CHECK(list->continue_token.empty());
}

TEST_CASE("list_reader: another answer says what it is, and where it goes wrong") {
    const auto list_error = [](const std::string& body) {
        const auto list = read_in_every_way(body);
        return list ? std::string("none") : list.error().message();
    };
    for (const char* body : {"{}", R"({"metadata":{"resourceVersion":"7"}})", R"({"items":[]})",
                             R"({"metadata":null,"items":[]})", R"({"metadata":{},"items":7})"}) {
        CAPTURE(body);
        CHECK(list_error(body) == "the server's answer is not a list: it has no metadata or no items");
    }
    CHECK(read_in_every_way("\n").error() == errc::not_an_api_server);
    CHECK(read_in_every_way("").error() == errc::not_an_api_server);
    CHECK(read_in_every_way("<html>").error() == errc::not_an_api_server);
    const auto failed =
        read_in_every_way(R"({"kind":"Status", "metadata":{},"status":"Failure","code":410,"message":"old"})");
    CHECK(failed.error() == condition::expired);
    CHECK(failed.error().message() == "old");
    for (const auto& one : {
             std::pair(R"([])", ", byte 0: "),
             std::pair(R"({"metadata":{},"items":[{}]} x)", ", byte 29: "),
             std::pair(R"({"metadata":{},"items":[{},]})", ", item 1, byte 27: "),
             std::pair(R"({"metadata":{},"items":[{}])", ", byte 27: it ends in the middle"),
             std::pair(R"({"metadata":{},"items":[{},{}])", ", byte 30: it ends in the middle"),
             std::pair(R"({"metadata":{},"items":[{} {}]})", ", item 1, byte 27: "),
             std::pair(R"({"metadata":{},"items":[{]})", ", item 0, byte 24: "),
             std::pair(R"({"metadata" {},"items":[]})", ", byte 12: "),
             std::pair(R"(hello)", ", byte 0: "),
         }) {
        const auto& body = one.first;
        const auto& where = one.second;
        CAPTURE(body);
        const auto list = read_in_every_way(body);
        REQUIRE_FALSE(list.has_value());
        CHECK(list.error() == errc::decode_failed);
        CHECK(list.error().message().find(std::string("the server's answer is not JSON") + where) == 0);
    }
}
