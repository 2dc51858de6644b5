// Bytes → HTTP/1.1 messages: Beast's parser, made stricter, with the library's own types on its other side.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/http/ascii.hpp>
#include <kcontrol/http/message.hpp>

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::http::detail {

inline constexpr std::size_t header_limit = std::size_t{64} << 10;

/// One message. parse() takes bytes until the message is complete; the head is there once head_done().
///
/// Beyond what Beast checks it refuses what makes two readers disagree on where a message ends: folded header lines,
/// Transfer-Encoding other than "chunked", or together with Content-Length, or in HTTP/1.0, several Content-Length even
/// if they are equal (RFC 9112 §6, §11.2), and a header, chunk header or trailer of more than header_limit bytes.
template <bool IsRequest>
class message_parser final : public boost::beast::http::basic_parser<IsRequest> {
    using base = boost::beast::http::basic_parser<IsRequest>;
    using beast_error = boost::beast::http::error;

public:
    explicit message_parser(std::size_t max_body) : max_body_(max_body) {
        this->header_limit(static_cast<std::uint32_t>(header_limit + 1));
        this->body_limit(boost::none);  // Beast's own counts a whole stream; ours is max_body
    }

    /// Takes what it can from `input`. An error says what is wrong: protocol_error or too_large.
    result<void> parse(boost::beast::flat_buffer& input) {
        while (input.size() != 0 && !this->is_done()) {
            const bool in_head = !this->is_header_done();
            if (in_head) {
                const auto whole = check_head(input);
                if (!whole) return whole.error();
                if (!*whole) return {};
            } else if (is_cut_last_chunk(input)) {
                return {};
            }
            boost::system::error_code failure;
            const auto used = this->put(input.cdata(), failure);
            input.consume(used);
            if (failure == beast_error::need_more) {
                // Beast waits for the rest of a start line that ends too early, whatever follows it.
                if (in_head && !this->is_header_done()) {
                    return error(errc::protocol_error, "malformed HTTP/1.1 message: its first line is incomplete");
                }
                if (input.size() > header_limit) return too_long("a chunk header");
                if (used == 0) return {};
            } else if (failure) {
                return explain(failure);
            }
            this->eager(true);
            if (stop_after_head_ && this->is_header_done()) {
                stop_after_head_ = false;
                return {};
            }
        }
        return {};
    }

    /// The peer closed. True if the message is complete by that.
    bool end_of_input() {
        if (this->is_done()) return true;
        if (!this->is_header_done()) return false;
        boost::system::error_code failure;
        this->put_eof(failure);
        return !failure;
    }

    bool head_done() const { return this->is_header_done(); }
    bool done() const { return this->is_done(); }

    /// Where body bytes go first, until it is full; what is left is kept for take_body() and body.
    void direct(std::span<char> into) { direct_ = into, direct_used_ = 0; }
    std::size_t direct_used() const noexcept { return direct_used_; }

    /// Moves kept body bytes into `into`.
    std::size_t take_body(std::span<char> into) {
        const auto n = std::min(into.size(), body.size() - taken_);
        if (n != 0) std::memcpy(into.data(), body.data() + taken_, n);
        taken_ += n;
        if (taken_ == body.size()) {
            body.clear();
            if (body.capacity() > most_kept) body.shrink_to_fit();
            taken_ = 0;
        }
        return n;
    }

    std::string method;
    std::string target;
    int status = 0;
    int version = 11;
    http::fields headers;
    std::string body;
    bool body_too_large = false;  ///< of a too_large: it was the body's size

private:
    // Nothing of a head is parsed before all of it is here.
    result<bool> check_head(const boost::beast::flat_buffer& input) const {
        const std::string_view text(static_cast<const char*>(input.cdata().data()), input.size());
        // A peer that speaks another protocol, TLS for one, may be waiting for an answer before it goes on.
        if (IsRequest ? !is_token_char(text.front()) : text.front() != 'H') {
            return error(errc::protocol_error, "malformed HTTP/1.1 message: it does not begin like one");
        }
        const auto end = text.substr(0, header_limit).find("\r\n\r\n");
        if (end == std::string_view::npos) {
            if (text.size() >= header_limit) return too_long("the message's header");
            return false;
        }
        const auto head = text.substr(0, end);
        if (head.find("\r\n ") != std::string_view::npos || head.find("\r\n\t") != std::string_view::npos) {
            return error(errc::protocol_error, "a header line is folded");
        }
        return true;
    }

    // The last chunk of a body without any other, cut before its last byte: Beast 1.81 asserts that it never gets four
    // bytes of that.
    bool is_cut_last_chunk(const boost::beast::flat_buffer& input) const {
        return input.size() == 4 && this->chunked() && chunk_left_ == 0 &&
               std::memcmp(input.cdata().data(), "0\r\n", 3) == 0;
    }

    static error too_long(std::string_view what) {
        return error(errc::too_large, std::string(what) + " exceeds " + std::to_string(header_limit >> 10) + " KiB");
    }

    error explain(const boost::system::error_code& failure) const {
        if (failure == errc::too_large) {
            return error(errc::too_large, "the body exceeds " + std::to_string(max_body_) + " bytes");
        }
        if (failure == beast_error::header_limit) return too_long("the message's header");
        return error(errc::protocol_error,
                     "malformed HTTP/1.1 message: " + (problem_ ? std::string(problem_) : failure.message()));
    }

    static std::string_view view(boost::beast::string_view text) { return {text.data(), text.size()}; }

    void on_request_impl(boost::beast::http::verb, boost::beast::string_view method_text,
                         boost::beast::string_view target_text, int number, boost::system::error_code&) override {
        method = view(method_text);
        target = view(target_text);
        version = number;
    }

    void on_response_impl(int code, boost::beast::string_view, int number, boost::system::error_code&) override {
        status = code;
        version = number;
    }

    void on_field_impl(boost::beast::http::field, boost::beast::string_view name, boost::beast::string_view value,
                       boost::system::error_code&) override {
        if (head_complete_) return;  // trailers are dropped
        // Beast takes equal ones for one; who does not would end this message elsewhere.
        if (iequals(view(name), "Content-Length")) lengths_ += view(value).find(',') == std::string_view::npos ? 1 : 2;
        headers.add(view(name), std::string(view(value)));
    }

    // Trailers are dropped. Boost 1.92 asks this for them and 1.88 does not, so there can't be an `override`.
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Winconsistent-missing-override"
#endif
    void on_trailer_field_impl(boost::beast::http::field, boost::beast::string_view, boost::beast::string_view,
                               boost::system::error_code&) {}
#ifdef __clang__
#pragma clang diagnostic pop
#endif

    void on_header_impl(boost::system::error_code& failure) override {
        head_complete_ = true;
        const bool encoded = headers.contains("Transfer-Encoding");
        if (lengths_ > 1) {
            problem_ = "it has more than one Content-Length";
        } else if (encoded && headers.contains("Content-Length")) {
            problem_ = "it has both Transfer-Encoding and Content-Length";
        } else if (encoded && !iequals(headers.get("Transfer-Encoding"), "chunked")) {
            problem_ = "its Transfer-Encoding is not \"chunked\"";
        } else if (encoded && version < 11) {
            problem_ = "it has a Transfer-Encoding in HTTP/1.0";
        }
        if (problem_) {
            failure = make_error_code(errc::protocol_error);
        } else if (!this->is_done() && this->content_length().value_or(0) > max_body_) {
            body_too_large = true;  // said before a byte of it is read
            failure = make_error_code(errc::too_large);
        }
    }

    void on_body_init_impl(const boost::optional<std::uint64_t>& length, boost::system::error_code&) override {
        if (length && direct_.empty() && max_body_ != unlimited) {
            body.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(*length, std::uint64_t{1} << 20)));
        }
    }

    std::size_t on_body_impl(boost::beast::string_view piece, boost::system::error_code& failure) override {
        if (max_body_ != unlimited && piece.size() > max_body_ - total_) {
            body_too_large = true;
            failure = make_error_code(errc::too_large);
            return 0;
        }
        total_ += piece.size();
        const auto n = std::min(piece.size(), direct_.size() - direct_used_);
        if (n != 0) std::memcpy(direct_.data() + direct_used_, piece.data(), n);
        direct_used_ += n;
        body.append(piece.data() + n, piece.size() - n);
        return piece.size();
    }

    void on_chunk_header_impl(std::uint64_t size, boost::beast::string_view, boost::system::error_code&) override {
        chunk_left_ = size;
    }
    std::size_t on_chunk_body_impl(std::uint64_t, boost::beast::string_view piece,
                                   boost::system::error_code& failure) override {
        chunk_left_ -= piece.size();
        return on_body_impl(piece, failure);
    }
    void on_finish_impl(boost::system::error_code&) override {}

public:
    static constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();
    /// Leaves the body's bytes in the input until parse() is called again after the head.
    void stop_after_head() noexcept { stop_after_head_ = true; }

private:
    // Of a stream between its reads: it may be long to the next one.
    static constexpr std::size_t most_kept = std::size_t{4} << 10;

    std::size_t max_body_;
    std::size_t total_ = 0;
    std::size_t taken_ = 0;
    std::span<char> direct_;
    std::size_t direct_used_ = 0;
    std::uint64_t chunk_left_ = 0;  // of the chunk that has begun
    int lengths_ = 0;
    bool head_complete_ = false;
    bool stop_after_head_ = false;
    const char* problem_ = nullptr;
};

}  // namespace kcontrol::http::detail
