// How objects travel in a simulation: its seed says.
#pragma once

#include <kcontrol/client/client_options.hpp>
#include <kcontrol/client/protobuf_encoding.hpp>
#include <kcontrol/http/message.hpp>

#include <cstdint>
#include <string_view>

namespace kcontrol::test {

/// Every second seed speaks Protocol Buffers.
inline bool speaks_protobuf(std::uint64_t seed) { return seed % 2 == 0; }

inline client_options in_encoding_of(std::uint64_t seed) {
    return client_options().encoding(speaks_protobuf(seed) ? protobuf_encoding() : nullptr);
}

inline bool asks_for_protobuf(const http::request& request) {
    return request.headers.get("accept").find("protobuf") != std::string_view::npos;
}

}  // namespace kcontrol::test
