// What a server sends over HTTP/2, cut as it likes, while requests begin, are read and are abandoned: no stream gets
// more than it may hold, each ends once, and what is cut otherwise becomes the same.
#include <kcontrol/transport/impl/http2_session.hpp>

#include "require.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace {

using kcontrol::fuzz::require;
using kcontrol::http::detail::http2_session;
using kcontrol::http::detail::http2_stream;

constexpr std::size_t most_body = 100;

// What became of the requests, and the words of their failures: which of two reasons is told first depends on the cuts.
struct outcome {
    std::string state, words;
};

// Every byte of `plan` says what happens before the next piece: a request, a read, the end of one.
outcome play(std::string_view bytes, std::string_view plan, std::size_t step) {
    http2_session session("server:443");
    std::vector<std::unique_ptr<http2_stream>> streams;
    std::string out;
    const auto open = [&](bool whole) {
        kcontrol::http::request req(whole ? "GET" : "POST", "/");
        if (!whole) req.body = std::string(1000, 'b');
        auto made = std::make_unique<http2_stream>(std::move(req), whole, whole ? most_body : http2_stream::unlimited);
        if (session.open(*made)) streams.push_back(std::move(made));
    };
    open(true);
    open(false);
    bool over = !session.take_output(out, 1 << 20);
    std::string into(64, '\0');
    while (!bytes.empty() && !over) {
        const auto piece = bytes.substr(0, step);
        bytes.remove_prefix(piece.size());
        over = !session.receive({piece.data(), piece.size()});
        if (!plan.empty() && !streams.empty()) {
            const auto what = static_cast<unsigned char>(plan.front());
            plan.remove_prefix(1);
            http2_stream& one = *streams[what / 8 % streams.size()];
            if (what % 8 == 1 && streams.size() < 20) open(what / 8 % 2 == 0);
            if (what % 8 == 2) session.took(one, one.take_body(into));
            if (what % 8 == 3) session.abandon(one);
            if (what % 8 == 4) session.new_period();
            if (what % 8 == 5) session.ping();
        }
        out.clear();
        if (!over) over = !session.take_output(out, 1 << 20);
        require(out.size() < (1 << 21));
        for (const auto& one : streams) {
            const std::size_t most = one->whole ? most_body : http2_session::stream_window + into.size();
            require(one->body.size() <= most);
            require(!(one->ended && one->failure && one->id >= 0));
        }
    }
    session.fail(kcontrol::error(kcontrol::errc::connection_lost), kcontrol::error(kcontrol::errc::truncated));
    outcome seen;
    for (const auto& one : streams) {
        require(one->id < 0);
        seen.state += std::to_string(one->head.status) + (one->head_done ? "h" : "") + (one->ended ? "e" : "") +
                      (one->failure ? "f" : "") + one->body + "\n";
        if (one->failure) seen.words += one->failure->what();
    }
    return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const std::string_view all(reinterpret_cast<const char*>(data), size);
    const std::size_t step = data[0] % 32 + 1u;
    const std::size_t planned = std::min<std::size_t>(data[1] % 32, size - 2);
    const auto plan = all.substr(2, planned);
    std::string bytes("\0\0\0\x04\0\0\0\0\0", 9);  // settings come first
    bytes += all.substr(2 + planned);
    play(bytes, plan, step);
    const auto pieces = play(bytes, {}, step), whole = play(bytes, {}, bytes.size());
    // nghttp2 counts the pieces of a CONTINUATION frame's first bytes, too.
    require(pieces.state == whole.state || pieces.words.find("CONTINUATION") != std::string::npos);
    return 0;
}
