// Whatever a peer sends as an HTTP/1.1 message, a client's or a server's, cut as the network likes: head, body, chunks
// and trailers become the same, or the same error, and neither grows beyond its bound. The input: a byte that chooses
// which of the two and whether the peer closes then, one for the size of the pieces; the bytes.
#include <kcontrol/transport/impl/message_parser.hpp>

#include "require.hpp"

#include <boost/asio/buffer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace {

using kcontrol::errc;
using kcontrol::fuzz::require;
namespace detail = kcontrol::http::detail;

constexpr std::size_t most_body = 1000;

// What was made of the bytes. Of an error only that there is one: which of two is found first depends on the cuts.
struct outcome {
    bool failed = false, done = false;
    std::string head, body;
    bool operator==(const outcome&) const = default;
};

template <bool IsRequest>
outcome parse(std::string_view bytes, std::size_t step, bool closes) {
    detail::message_parser<IsRequest> parser(most_body);
    boost::beast::flat_buffer input;
    outcome out;
    while (!bytes.empty() && !out.failed && !parser.done()) {
        const auto piece = bytes.substr(0, step);
        bytes.remove_prefix(piece.size());
        input.commit(
            boost::asio::buffer_copy(input.prepare(piece.size()), boost::asio::buffer(piece.data(), piece.size())));
        const auto taken = parser.parse(input);
        require(parser.body.size() <= most_body);
        if (taken) continue;
        require(taken.error() == errc::protocol_error || taken.error() == errc::too_large);
        require(!taken.error().message().empty());
        out.failed = true;
    }
    if (!out.failed && closes) parser.end_of_input();
    out.done = !out.failed && parser.done();
    if (!out.done) return out;
    out.head = parser.method + " " + parser.target + " " + std::to_string(parser.status) + "\n";
    for (const auto& field : parser.headers) {
        require(kcontrol::http::is_valid_field(field.name, field.value));
        out.head += field.name + ": " + field.value + "\n";
    }
    require(out.head.size() <= 2 * detail::header_limit);
    out.body = parser.body;
    return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
    const std::size_t step = std::size_t{1} + data[1] % 64;
    const bool closes = (data[0] & 2) != 0;
    const auto of = (data[0] & 1) != 0 ? parse<true> : parse<false>;
    const outcome whole = of(bytes, bytes.size(), closes), cut = of(bytes, step, closes);
    // Of what is not complete yet, a fault may be found sooner or later.
    if (whole.done || cut.done) require(whole == cut);
    return 0;
}
