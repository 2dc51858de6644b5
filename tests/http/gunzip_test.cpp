// Compressed bodies: whatever the members and however they are cut, what comes out is the same, and no more than may
// be.
#include <kcontrol/http/gunzip.hpp>
#include <kcontrol/testing/run.hpp>

#include "support/gzip.hpp"
#include "support/print.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace kcontrol;
using kcontrol::test::gzip;

namespace {

constexpr std::size_t plenty = std::size_t{1} << 30;

std::string varied(std::size_t bytes) {
    std::string out;
    for (std::uint64_t i = 1; out.size() < bytes; ++i) out += std::to_string(i * 6364136223846793005U) + ",";
    return out;
}

// Hands out its bytes in slices of one size, and says how often it was asked.
class sliced_body final : public http::body_stream {
public:
    sliced_body(std::string bytes, std::size_t slice) : bytes_(std::move(bytes)), slice_(slice) {}
    awaitable<result<std::size_t>> read_some(std::span<char> into, duration, std::stop_token) override {
        const std::size_t n = std::min({into.size(), slice_, bytes_.size() - at_});
        std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at_), n, into.begin());
        at_ += n;
        co_return n;
    }

private:
    std::string bytes_;
    std::size_t slice_;
    std::size_t at_ = 0;
};

awaitable<result<std::string>> read_all(http::body_stream& body, std::size_t room) {
    std::string all, chunk(room, '\0');
    for (;;) {
        const std::span<char> into(chunk);
        const auto n = co_await body.read_some(into, std::chrono::seconds(1), {});
        if (!n) co_return n.error();
        if (*n == 0) co_return all;
        all.append(chunk, 0, *n);
    }
}

result<std::string> decoded(std::string bytes, std::size_t slice, std::size_t room) {
    boost::asio::io_context context;
    const auto body = http::make_gunzip_body(std::make_unique<sliced_body>(std::move(bytes), slice));
    return testing::run(context, read_all(*body, room));
}

}  // namespace

TEST_CASE("one member or many, cut anywhere and read by any room") {
    const std::string text = varied(100'000);
    const std::vector<std::string> bodies{gzip(text), gzip(text.substr(0, 7)) + gzip("") + gzip(text.substr(7)),
                                          gzip("") + gzip(text) + gzip("")};
    for (const auto& body : bodies) {
        CHECK(http::gunzip_all(body, plenty).value() == text);
        for (const std::size_t slice : {1U, 2U, 17U, 4096U, 1U << 20}) {
            for (const std::size_t room : {1U, 3U, 1000U, 65536U}) {
                CAPTURE(slice);
                CAPTURE(room);
                if (slice * room < 16) continue;  // slow, and tells nothing more
                CHECK(decoded(body, slice, room).value() == text);
            }
        }
    }
    CHECK(decoded(gzip("small") + gzip("er"), 1, 1).value() == "smaller");
    CHECK(http::gunzip_all("", plenty).value().empty());
    CHECK(decoded("", 1, 1).value().empty());
    CHECK(decoded(gzip(""), 1, 1).value().empty());
}

TEST_CASE("a body that is cut says so, wherever") {
    const std::string text = varied(300);
    const std::string body = gzip(text) + gzip("more");
    const std::size_t first = gzip(text).size();
    for (std::size_t n = 1; n < body.size(); ++n) {
        CAPTURE(n);
        const auto whole = http::gunzip_all(body.substr(0, n), plenty);
        const auto piecewise = decoded(body.substr(0, n), 16, 64);
        if (n == first) {
            CHECK(whole.value() == text);
            CHECK(piecewise.value() == text);
            continue;
        }
        REQUIRE_FALSE(whole.has_value());
        CHECK(whole.error() == errc::truncated);
        REQUIRE_FALSE(piecewise.has_value());
        CHECK(piecewise.error() == errc::truncated);
    }
}

TEST_CASE("damage is noticed") {
    const std::string good = gzip(varied(3000));
    for (std::size_t at :
         {std::size_t{0}, std::size_t{1}, std::size_t{2}, good.size() / 2, good.size() - 8, good.size() - 1}) {
        CAPTURE(at);
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ 0x55);
        const auto whole = http::gunzip_all(bad, plenty);
        REQUIRE_FALSE(whole.has_value());
        CHECK((whole.error() == errc::protocol_error || whole.error() == errc::truncated));
        CHECK_FALSE(decoded(bad, 100, 100).has_value());
    }
    CHECK(http::gunzip_all(good + "x", plenty).error() == errc::truncated);
    for (const char* behind : {"xx", "{}", "\r\n"}) {
        CHECK(http::gunzip_all(good + behind, plenty).error() == errc::protocol_error);
        CHECK(decoded(good + behind, 7, 1000).error() == errc::protocol_error);
    }
    CHECK(http::gunzip_all("{\"kind\":\"Pod\"}", plenty).error() == errc::protocol_error);
    // zlib's own format and raw deflate are no gzip.
    CHECK(http::gunzip_all("\x78\x9c\x4b\x04\x00\x00\x62\x00\x62", plenty).error() == errc::protocol_error);
}

TEST_CASE("once broken, always broken") {
    http::gunzip decoder;
    const std::string bad = "no gzip at all", good = gzip("x");
    std::string room(10, '\0');
    CHECK_FALSE(decoder.step(bad, room).has_value());
    CHECK(decoder.step(good, room).error() == errc::protocol_error);
    CHECK_FALSE(decoder.complete());
}

TEST_CASE("a bomb is bounded by the body's budget, and by what no real answer reaches") {
    const std::string zeros(std::size_t{64} << 20, '\0');
    const std::string bomb = gzip(zeros);
    CHECK(bomb.size() < 100'000);
    const auto whole = http::gunzip_all(bomb, plenty);
    REQUIRE_FALSE(whole.has_value());
    CHECK(whole.error() == errc::too_large);
    CHECK(whole.error().message().find("bomb") != std::string::npos);
    CHECK(decoded(bomb, 4096, 65536).error() == errc::too_large);
    // Many small members are one, too.
    std::string members;
    const std::string megabyte = gzip(std::string(std::size_t{1} << 20, '\0'));
    for (int i = 0; i < 40; ++i) members += megabyte;
    CHECK(decoded(members, 4096, 65536).error() == errc::too_large);
    // An object of one and a half megabytes of blanks is none, nor is a page of ten of them.
    const std::string blanks(std::size_t{15} << 20, ' ');
    CHECK(http::gunzip_all(gzip(blanks), plenty).value() == blanks);
    const auto budget = http::gunzip_all(gzip(blanks), blanks.size() - 1);
    REQUIRE_FALSE(budget.has_value());
    CHECK(budget.error() == errc::too_large);
    CHECK(http::gunzip_all(gzip(blanks), blanks.size()).has_value());
}

TEST_CASE("members without end and without content keep nobody") {
    std::string nothing;
    for (int i = 0; i < 20'000; ++i) nothing += gzip("");
    const auto read = decoded(nothing, 100, 100);
    REQUIRE_FALSE(read.has_value());
    CHECK(read.error() == errc::protocol_error);
}

TEST_CASE("what a head says of its body's coding") {
    struct row {
        const char* value;
        bool is;
    };
    for (const auto& r : {row{"gzip", true}, row{"GZIP", true}, row{"x-gzip", true}, row{"", false},
                          row{"identity", false}, row{"br", false}, row{"gzip, gzip", false}, row{"gzipped", false}}) {
        CAPTURE(r.value);
        http::response_head head(200);
        head.headers.set("content-encoding", r.value);
        CHECK(http::is_gzip(head) == r.is);
    }
    http::response_head head(200);
    CHECK_FALSE(http::is_gzip(head));
    head.headers.set("Content-Encoding", "gzip");
    head.headers.set("Content-Length", "12");
    http::forget_coding(head);
    CHECK(head.headers.size() == 0);
}
