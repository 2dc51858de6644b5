// Lists and watches in Protocol Buffers, cut anywhere.
#include <kcontrol/codec/protobuf.hpp>
#include <kcontrol/codec/protobuf_stream.hpp>

#include "support/print.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace kcontrol;

namespace {

std::string list_of(const std::vector<std::string>& items) {
    std::string list;
    append_protobuf_member(list, 1,
                           std::string("\x12\x02"
                                       "42\x1a\x03nxt\x20\x07",
                                       11));
    append_protobuf_member(list, 9, "from a later version");
    for (const auto& item : items) append_protobuf_member(list, 2, item);
    protobuf_envelope envelope;
    envelope.api_version = "v1";
    envelope.kind = "PodList";
    envelope.message = list;
    return close_protobuf(envelope);
}

/// All that a reader says of these bytes, in pieces of that size.
std::vector<std::string> read_list(std::string_view bytes, std::size_t piece, std::size_t max_item = 1000) {
    std::vector<std::string> said;
    protobuf_list_reader reader(max_item);
    while (true) {
        const auto next = reader.next();
        if (!next) {
            said.push_back(next.error().message());
            if (next.error().code() != errc::too_large) return said;
        } else if (*next) {
            said.push_back("item " + std::string(**next));
        } else if (!bytes.empty()) {
            reader.feed(bytes.substr(0, piece));
            bytes.remove_prefix(std::min(piece, bytes.size()));
        } else {
            break;
        }
    }
    const auto end = reader.finish();
    said.push_back(end ? reader.api_version() + " " + reader.kind() + " " + reader.resource_version() + " " +
                             reader.continue_token() + " " + std::to_string(reader.remaining_item_count().value_or(-1))
                       : end.error().message());
    return said;
}

}  // namespace

TEST_CASE("a list is read item by item, wherever its bytes are cut") {
    const auto bytes = list_of({"first", "", "third"});
    const std::vector<std::string> expected = {"item first", "item ", "item third", "v1 PodList 42 nxt 7"};
    for (std::size_t piece = 1; piece <= bytes.size(); ++piece) CHECK(read_list(bytes, piece) == expected);
    CHECK(read_list(list_of({}), 3) == std::vector<std::string>{"v1 PodList 42 nxt 7"});
}

TEST_CASE("a list that ends early says so, at every byte") {
    const auto bytes = list_of({"first"});
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const auto said = read_list(std::string_view(bytes).substr(0, size), 7);
        // What is behind the list itself need not be there.
        CAPTURE(size);
        CHECK((said.back() == "the list ended before its end" || size >= bytes.size() - 4));
    }
}

TEST_CASE("an item that is too large is left out alone") {
    const std::string large(50, 'x');
    for (const std::size_t piece : {1U, 10U, 1000U}) {
        CHECK(read_list(list_of({"first", large, "third"}), piece, 49) ==
              std::vector<std::string>{"item first", "an object of 50 bytes in a list, more than the 49 that are held",
                                       "item third", "v1 PodList 42 nxt 7"});
    }
}

TEST_CASE("what is no list is told") {
    CHECK(read_list("{\"kind\":\"PodList\"}", 3).back() == "this is no list in Protocol Buffers of Kubernetes");
    CHECK(read_list(std::string("k8s\0\x03", 5), 9).back() ==
          "malformed Protocol Buffers: a field number that there is not");
    CHECK(read_list(std::string("k8s\0\x0b", 5), 9).back() ==
          "malformed Protocol Buffers: a wire type that Kubernetes has not");
    CHECK(read_list(std::string("k8s\0\x12\x03\x12\x05hello", 13), 9).back() ==
          "malformed Protocol Buffers: a length beyond the end of the list");
    CHECK(read_list(std::string("k8s\0", 4) + std::string(30, '\xff'), 50).back() ==
          "malformed Protocol Buffers: a varint of more than 64 bits");
    CHECK(read_list(std::string("k8s\0\x12\x00\x12\x00", 8), 50).back() ==
          "malformed Protocol Buffers: two lists in one envelope");
}

namespace {

std::vector<std::string> read_watch(std::string_view bytes, std::size_t piece, std::size_t max_event = 1000) {
    std::vector<std::string> said;
    protobuf_watch_reader reader(max_event);
    for (int errors = 0; errors < 5;) {
        const auto next = reader.next();
        if (!next) {
            said.push_back(next.error().message());
            ++errors;
        } else if (*next) {
            said.push_back(std::string((*next)->type) + " " + std::string((*next)->object));
        } else if (!bytes.empty()) {
            reader.feed(bytes.substr(0, piece));
            bytes.remove_prefix(std::min(piece, bytes.size()));
        } else {
            break;
        }
    }
    if (const auto end = reader.finish(); !end) said.push_back(end.error().message());
    return said;
}

}  // namespace

TEST_CASE("a watch is cut into its events, wherever its bytes are cut") {
    const auto bytes = protobuf_watch_frame("ADDED", "one") + protobuf_watch_frame("BOOKMARK", "") +
                       protobuf_watch_frame("DELETED", "3");
    for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
        CHECK(read_watch(bytes, piece) == std::vector<std::string>{"ADDED one", "BOOKMARK ", "DELETED 3"});
    }
    CHECK(read_watch(bytes.substr(0, bytes.size() - 1), 8).back() == "the watch ended inside an event");
}

TEST_CASE("an event that is wrong or too large is left out alone, an endless one ends the watch") {
    const std::string good = protobuf_watch_frame("ADDED", "1");
    const std::string large = protobuf_watch_frame("ADDED", std::string(60, 'x'));
    const std::string wrong("\0\0\0\x02\x0a\x09", 6);
    CHECK(read_watch(wrong + good, 3) ==
          std::vector<std::string>{"malformed Protocol Buffers: a length beyond the end", "ADDED 1"});
    CHECK(read_watch(large + good, 7, 50) ==
          std::vector<std::string>{"a watch event of 71 bytes, more than the 50 that are held", "ADDED 1"});
    CHECK(read_watch(std::string("\x7f\0\0\0", 4) + good, 7).front() ==
          "a watch event of 2130706432 bytes, more than the 1000 that are held");
    CHECK(read_watch(std::string("\x7f\0\0\0", 4) + good, 7)[1] == "the watch could not be read further");
}
