// Bytes read as Protocol Buffers give what their JSON gives, however they are cut, shared or read again.
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/api/protobuf.hpp>
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/codec/metadata_object.hpp>
#include <kcontrol/codec/protobuf.hpp>
#include <kcontrol/codec/protobuf_stream.hpp>

#include "require.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace kcontrol;

std::string outcome(const resource_info& info, const result<any_object>& object) {
    return object ? "decoded " + info.encode(*object).value() : object.error().message();
}

void compare(const resource_info& info, const protobuf_message& message, std::string_view bytes) {
    const protobuf_kind_codec codec(info, message);
    const auto alone = codec.decode(bytes);
    share_pool pool;
    for (int times = 0; times < 3; ++times) {
        fuzz::require(outcome(info, codec.decode(bytes, &pool)) == outcome(info, alone));
    }
    // The JSON has also what the type does not know, which may be wrong.
    if (const auto text = protobuf_to_json(message, bytes)) {
        const auto other = info.decode_text(*text);
        if (other) fuzz::require(alone.has_value());
        if (other) fuzz::require(equal(*info.type, alone->address(), other->address()));
    }
    if (!alone) return;
    const auto written = codec.encode(*alone);
    if (!written) return;  // a quantity may be none
    const auto again = codec.decode(open_protobuf(*written).value().message);
    fuzz::require(again.has_value());
    fuzz::require(codec.encode(*again).value() == *written);
}

std::string read_all(std::string_view bytes, std::size_t piece) {
    std::string said;
    protobuf_list_reader list(64);
    protobuf_watch_reader watch(64);
    for (int errors = 0; errors < 100;) {
        bool more = false;
        const auto item = list.next();
        if (item && *item) more = true, said += "item " + std::string(**item) + "\n";
        if (!item && item.error().code() == errc::too_large) ++errors, more = true, said += "large\n";
        const auto event = watch.next();
        if (event && *event) more = true, said += "event\n";
        if (!event) ++errors, said += "wrong event\n";
        if (more) continue;
        if (bytes.empty()) break;
        list.feed(bytes.substr(0, piece));
        watch.feed(bytes.substr(0, piece));
        bytes.remove_prefix(std::min(piece, bytes.size()));
    }
    return said;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::vector<char> exact(data, data + size);
    const std::string_view bytes(exact.data(), exact.size());
    const auto& pods = *api::find_protobuf("", "v1", "Pod");
    compare(resource_of<api::core::v1::pod>(), pods, bytes);
    const auto opened = open_protobuf(bytes);
    if (opened) compare(resource_of<api::core::v1::pod>(), pods, opened->message);
    read_all(bytes, 1);
    read_all(bytes, 7);
    return 0;
}
