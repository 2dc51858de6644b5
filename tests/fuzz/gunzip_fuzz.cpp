// However a compressed body is cut and read, what comes out is the same text, or the same error, and never more than
// may be; and what was compressed comes back.
//
// The input is a byte for the slices that arrive, one for the room of each read, one that says what the rest is: a body
// as it is (even), or a text of which members are made (odd).
#include <kcontrol/http/gunzip.hpp>
#include <kcontrol/testing/run.hpp>

#include "require.hpp"
#include "support/gzip.hpp"

#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace {

using namespace kcontrol;
using fuzz::require;

constexpr std::size_t most = std::size_t{8} << 20;

class sliced_body final : public http::body_stream {
public:
    sliced_body(std::string_view bytes, std::size_t slice) : left_(bytes), slice_(slice) {}
    awaitable<result<std::size_t>> read_some(std::span<char> into, duration, std::stop_token) override {
        const std::size_t n = std::min({into.size(), slice_, left_.size()});
        std::copy_n(left_.data(), n, into.data());
        left_.remove_prefix(n);
        co_return n;
    }

private:
    std::string_view left_;
    std::size_t slice_;
};

awaitable<result<std::string>> read_all(http::body_stream& body, std::size_t room) {
    std::string all, chunk(room, '\0');
    for (;;) {
        const std::span<char> into(chunk);
        const auto n = co_await body.read_some(into, std::chrono::seconds(1), {});
        if (!n) co_return n.error();
        require(*n <= room);
        if (*n == 0) co_return all;
        all.append(chunk, 0, *n);
        require(all.size() <= most);
    }
}

result<std::string> read_sliced(std::string_view bytes, std::size_t slice, std::size_t room) {
    boost::asio::io_context context;
    const auto body = http::make_gunzip_body(std::make_unique<sliced_body>(bytes, slice));
    return testing::run(context, read_all(*body, room));
}

void same(const result<std::string>& a, const result<std::string>& b) {
    require(a.has_value() == b.has_value());
    if (a) require(*a == *b);
    if (!a) require(a.error().code() == b.error().code() && !a.error().what().empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 3) return 0;
    const std::size_t slice = data[0] + 1u, room = data[1] + 1u;
    const bool is_text = (data[2] & 1) != 0;
    const std::string_view rest(reinterpret_cast<const char*>(data) + 3, size - 3);
    std::string body(rest);
    if (is_text) {
        body.clear();
        for (std::size_t at = 0; at < rest.size(); at += slice) body += test::gzip(rest.substr(at, slice));
    }
    const auto whole = http::gunzip_all(body, most);
    same(whole, read_sliced(body, slice, room));
    same(whole, read_sliced(body, body.size() + 1, std::size_t{64} << 10));
    if (is_text) require(whole.has_value() && *whole == rest);
    if (whole && !whole->empty()) {
        const auto less = http::gunzip_all(body, whole->size() - 1);
        require(!less && less.error() == errc::too_large);
        // What was cut is never taken for a whole: it ends between two members, or it is an error.
        const auto cut = http::gunzip_all(std::string_view(body).substr(0, body.size() - 1), most);
        require(!cut || cut->size() <= whole->size());
        if (is_text) require(!cut && cut.error() == errc::truncated);
    }
    return 0;
}
