// What the server reads and writes of WebSockets: RFC 6455 §5, frame by frame.
#include <kcontrol/transport/impl/websocket_frames.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::http::detail;
using namespace std::string_literals;

namespace {

// As a client sends it.
std::string masked(unsigned char first, const std::string& content, const std::string& mask = "\x37\xfa\x21\x3d") {
    std::string out(1, static_cast<char>(first));
    const int bytes = content.size() < 126 ? 0 : content.size() <= 0xffff ? 2 : 8;
    out += static_cast<char>(0x80 | (bytes == 0 ? content.size() : bytes == 2 ? 126 : 127));
    for (int i = bytes; i-- > 0;) out += static_cast<char>(content.size() >> (8 * i) & 0xff);
    out += mask;
    for (std::size_t i = 0; i < content.size(); ++i) out += static_cast<char>(content[i] ^ mask[i % 4]);
    return out;
}

// All that is there: "text" a part, "|" its end, "<9:text>" a control frame; "error" at the first.
std::string read(frame_reader& from, std::size_t most = 4096) {
    std::string out;
    for (;;) {
        auto piece = from.next(most);
        if (!piece) return out + "error";
        if (!*piece) return out;
        const auto code = static_cast<int>((*piece)->code);
        if (code >= 8) {
            out += "<" + std::to_string(code) + ":" + (*piece)->bytes + ">";
        } else {
            out += (*piece)->bytes + ((*piece)->last ? "|" : "");
        }
    }
}

std::string read(const std::string& bytes, std::size_t most = 4096) {
    frame_reader reader;
    reader.add(bytes);
    return read(reader, most);
}

}  // namespace

TEST_CASE("messages, their parts, and control frames between them") {
    CHECK(read(masked(0x82, "Hello")) == "Hello|");
    CHECK(read(masked(0x81, "Hello") + masked(0x82, "")) == "Hello||");
    CHECK(read(masked(0x02, "Hel") + masked(0x89, "are you there") + masked(0x00, "") + masked(0x80, "lo")) ==
          "Hel<9:are you there>lo|");
    CHECK(read(masked(0x88, "\x03\xe8")) == "<8:\x03\xe8>");
    for (const std::size_t size : {125U, 126U, 65535U, 65536U}) {
        const std::string content(size, 'x');
        CHECK(read(masked(0x82, content), size) == content + "|");
    }
}

TEST_CASE("a message comes in the same parts however its bytes are cut") {
    const std::string bytes = masked(0x02, "abc") + masked(0x8a, "") + masked(0x80, std::string(200, 'd'));
    for (std::size_t at = 0; at <= bytes.size(); ++at) {
        frame_reader reader;
        reader.add(bytes.substr(0, at));
        std::string seen = read(reader);
        reader.add(bytes.substr(at));
        seen += read(reader);
        CHECK(seen == "abc<10:>" + std::string(200, 'd') + "|");
    }
}

TEST_CASE("no part is larger than the reader's room") {
    frame_reader reader;
    reader.add(masked(0x82, "abcdef"));
    std::vector<std::string> parts;
    for (auto piece = reader.next(4); piece && *piece; piece = reader.next(4)) parts.push_back((*piece)->bytes);
    CHECK(parts == std::vector<std::string>{"abcd", "ef"});
}

TEST_CASE("what no client may send is an error") {
    const std::string unmasked = "\x82\x01x"s;
    for (const auto& bytes : {
             unmasked,
             masked(0xc2, "x"),
             masked(0x83, "x"),
             masked(0x8b, "x"),
             masked(0x09, "x"),
             masked(0x80, "x"),
             masked(0x02, "x") + masked(0x82, "y"),
             masked(0x89, std::string(126, 'x')),
             "\x82\xff"s + std::string(8, '\xff') + "mask",
         }) {
        CHECK(read(bytes).ends_with("error"));
    }
}

TEST_CASE("heads of a server's frames") {
    CHECK(frame_head(frame_code::binary, 5) == "\x82\x05"s);
    CHECK(frame_head(frame_code::close, 125) == "\x88\x7d"s);
    CHECK(frame_head(frame_code::binary, 126) == "\x82\x7e\x00\x7e"s);
    CHECK(frame_head(frame_code::binary, 65536) == "\x82\x7f\x00\x00\x00\x00\x00\x01\x00\x00"s);
}
