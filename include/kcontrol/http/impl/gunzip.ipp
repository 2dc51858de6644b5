#pragma once

#include <kcontrol/base/ascii.hpp>
#include <kcontrol/http/gunzip.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>
#include <zlib.h>

namespace kcontrol::inline v0_1::http {

struct gunzip::state {
    state() = default;
    ~state() {
        if (open) ::inflateEnd(&stream);
    }
    state(const state&) = delete;
    state& operator=(const state&) = delete;

    bool begin() {
        constexpr int largest_window = 15, gzip_only = 16;
        return open = ::inflateInit2(&stream, largest_window + gzip_only) == Z_OK;
    }

    z_stream stream{};
    bool open = false;
};

KCONTROL_DECL gunzip::gunzip() = default;
KCONTROL_DECL gunzip::~gunzip() = default;

KCONTROL_DECL error gunzip::fail(error why) {
    failure_ = why;
    return why;
}

KCONTROL_DECL result<gunzip_step> gunzip::step(std::span<const char> in, std::span<char> out) {
    constexpr std::size_t most_at_once = std::size_t{1} << 30;
    if (failure_) return *failure_;
    if (!member_) {
        member_ = std::make_unique<state>();
        if (!member_->begin()) return fail(error(errc::out_of_memory, "no memory to decode a gzip-compressed body"));
    }
    z_stream& z = member_->stream;
    // zlib does not change its input; its interface is older than const.
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    z.avail_in = static_cast<uInt>(std::min(in.size(), most_at_once));
    z.next_out = reinterpret_cast<Bytef*>(out.data());
    z.avail_out = static_cast<uInt>(std::min(out.size(), most_at_once));
    const uInt in_before = z.avail_in, out_before = z.avail_out;
    const int code = ::inflate(&z, Z_NO_FLUSH);
    gunzip_step done;
    done.taken = in_before - z.avail_in;
    done.given = out_before - z.avail_out;
    taken_ += done.taken;
    given_ += done.given;
    if (code == Z_MEM_ERROR) return fail(error(errc::out_of_memory, "no memory to decode a gzip-compressed body"));
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
        return fail(error(errc::protocol_error, std::string("the gzip-compressed body is damaged: ") +
                                                    (z.msg != nullptr ? z.msg : "not gzip")));
    }
    if (given_ > free_output && given_ / most_ratio > taken_) {
        return fail(error(errc::too_large, "the compressed body is a bomb: " + std::to_string(taken_) +
                                               " bytes became " + std::to_string(given_)));
    }
    if (code == Z_STREAM_END) member_.reset();
    return done;
}

KCONTROL_DECL bool is_gzip(const response_head& head) noexcept {
    const auto coding = head.headers.get("Content-Encoding");
    return iequals(coding, "gzip") || iequals(coding, "x-gzip");
}

KCONTROL_DECL void forget_coding(response_head& head) {
    head.headers.erase("Content-Encoding");
    head.headers.erase("Content-Length");
}

namespace detail {

inline error gzip_cut() { return error(errc::truncated, "the gzip-compressed body ends inside its data"); }

class gunzip_body final : public body_stream {
public:
    explicit gunzip_body(std::unique_ptr<body_stream> from) : from_(std::move(from)) {}

    awaitable<result<std::size_t>> read_some(std::span<char> into, duration idle, std::stop_token stop) override {
        if (into.empty()) co_return error(errc::invalid_argument, "a read needs room for at least one byte");
        std::size_t fruitless = 0;  // bytes that came and said nothing
        for (;;) {
            while (begin_ < end_ || full_) {
                const std::span<const char> in(chunk_.data() + begin_, end_ - begin_);
                if (in.empty() && decoder_.complete()) break;
                const auto done = decoder_.step(in, into);
                if (!done) co_return done.error();
                begin_ += done->taken;
                full_ = done->given == into.size();
                if (done->given > 0) co_return done->given;
                if (done->taken == 0) break;
            }
            full_ = false;
            // Members without content cost a peer little, and would keep a reader here for ever.
            if (fruitless > most_fruitless) {
                co_return error(errc::protocol_error, "the gzip-compressed body goes on without any content");
            }
            const auto got = co_await from_->read_some(chunk_, idle, stop);
            if (!got) co_return got.error();
            if (*got == 0 && !decoder_.complete()) co_return gzip_cut();
            if (*got == 0) co_return std::size_t{0};
            begin_ = 0;
            end_ = *got;
            fruitless += *got;
        }
    }

private:
    static constexpr std::size_t most_fruitless = std::size_t{64} << 10;

    std::unique_ptr<body_stream> from_;
    gunzip decoder_;
    std::array<char, std::size_t{16} << 10> chunk_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    bool full_ = false;  // the last step filled its room, so that the decoder may hold more
};

}  // namespace detail

KCONTROL_DECL std::unique_ptr<body_stream> make_gunzip_body(std::unique_ptr<body_stream> from) {
    return std::make_unique<detail::gunzip_body>(std::move(from));
}

KCONTROL_DECL result<std::string> gunzip_all(std::string_view body, std::size_t most) {
    gunzip decoder;
    std::string out;
    std::array<char, std::size_t{64} << 10> room;
    bool full = false;
    for (std::span<const char> in(body.data(), body.size()); !in.empty() || (full && !decoder.complete());) {
        const auto done = decoder.step(in, room);
        if (!done) return done.error();
        if (done->given > most - out.size()) {
            return error(errc::too_large, "the decoded body exceeds " + std::to_string(most) + " bytes");
        }
        in = in.subspan(done->taken);
        out.append(room.data(), done->given);
        full = done->given == room.size();
        if (done->taken == 0 && done->given == 0) break;
    }
    if (!decoder.complete()) return detail::gzip_cut();
    return out;
}

}  // namespace kcontrol::http
