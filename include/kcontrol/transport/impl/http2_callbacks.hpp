// What nghttp2 calls, and what becomes of its streams by that.
#pragma once

#include <kcontrol/transport/impl/http2_session.hpp>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>
#include <new>
#include <nghttp2/nghttp2.h>

namespace kcontrol::inline v0_1::http::detail {

inline constexpr std::size_t http2_header_limit = std::size_t{64} << 10;  // as HTTP/1.1 has it

inline std::string http2_name_of(std::uint32_t code) {
    if (code <= NGHTTP2_HTTP_1_1_REQUIRED) return nghttp2_http2_strerror(code);
    return "error " + std::to_string(code);
}

inline error malformed_http2(const std::string& what) {
    return error(errc::protocol_error, "malformed HTTP/2: " + what);
}

inline error flooded_http2() {
    return error(errc::protocol_error, "the server floods the connection with frames that bring nothing");
}

// What nghttp2 calls. Each gets the session as its last argument.
struct http2_callbacks {
    static http2_session& self(void* user) { return *static_cast<http2_session*>(user); }
    static http2_stream* stream(nghttp2_session* session, std::int32_t id) {
        return static_cast<http2_stream*>(nghttp2_session_get_stream_user_data(session, id));
    }

    static int on_begin_frame(nghttp2_session* session, const nghttp2_frame_hd* head, void* user) {
        auto& own = self(user);
        if (head->type == NGHTTP2_PUSH_PROMISE) {
            own.broken_ = malformed_http2("the server pushes what nobody asked for");
            return NGHTTP2_ERR_CALLBACK_FAILURE;
        }
        // Empty pieces of a head are counted here, too: nghttp2 before 1.61 takes them without end (CVE-2024-28182).
        const bool fills = head->type == NGHTTP2_CONTINUATION || head->type == NGHTTP2_DATA;
        const bool wanted = head->type == NGHTTP2_HEADERS || (fills && head->length != 0);
        if (wanted && stream(session, head->stream_id)) return 0;
        return own.count_idle_frame() ? 0 : NGHTTP2_ERR_CALLBACK_FAILURE;
    }

    static int on_header(nghttp2_session* session, const nghttp2_frame* frame, const std::uint8_t* name,
                         std::size_t name_size, const std::uint8_t* value, std::size_t value_size, std::uint8_t,
                         void* user) {
        http2_stream* const one = stream(session, frame->hd.stream_id);
        if (!one) return 0;
        one->header_bytes += name_size + value_size + 32;
        if (one->header_bytes > http2_header_limit) {
            self(user).refuse(*one, error(errc::too_large, "the message's header exceeds " +
                                                               std::to_string(http2_header_limit >> 10) + " KiB"));
            return 0;
        }
        const std::string_view key(reinterpret_cast<const char*>(name), name_size);
        const std::string_view text(reinterpret_cast<const char*>(value), value_size);
        if (one->head_done) {
            if (one->keeps_trailers) keep(self(user), *one, [&] { one->trailers.add(key, std::string(text)); });
            return 0;
        }
        if (key == ":status") {
            std::from_chars(text.data(), text.data() + text.size(), one->head.status);
        } else {
            keep(self(user), *one, [&] { one->head.headers.add(key, std::string(text)); });
        }
        return 0;
    }

    // Nothing may be thrown through nghttp2: where memory is short, the stream ends.
    template <class Store>
    static bool keep(http2_session& own, http2_stream& one, Store store) {
        try {
            store();
            return true;
        } catch (const std::bad_alloc&) {
            own.refuse(one, error(errc::out_of_memory));
            return false;
        }
    }

    static int on_invalid_header(nghttp2_session* session, const nghttp2_frame* frame, const std::uint8_t*, std::size_t,
                                 const std::uint8_t*, std::size_t, std::uint8_t, void* user) {
        http2_stream* const one = stream(session, frame->hd.stream_id);
        if (one) self(user).refuse(*one, malformed_http2("a header field holds characters that HTTP does not allow"));
        return 0;
    }

    static int on_frame(nghttp2_session* session, const nghttp2_frame* frame, void* user) {
        auto& own = self(user);
        if (frame->hd.type == NGHTTP2_SETTINGS) own.settings_seen_ = true;
        if (frame->hd.type == NGHTTP2_GOAWAY) on_goaway(own, frame->goaway);
        if (frame->hd.type == NGHTTP2_RST_STREAM) {
            if (http2_stream* const one = stream(session, frame->hd.stream_id)) one->reset_by_peer = true;
        }
        if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) return 0;
        http2_stream* const one = stream(session, frame->hd.stream_id);
        if (!one) return 0;
        if (frame->hd.type == NGHTTP2_HEADERS && !one->head_done && !on_head(own, *one)) return 0;
        if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
            one->ended = true;
            one->changed();
        }
        return 0;
    }

    // False: it was not the head, or there is none.
    static bool on_head(http2_session& own, http2_stream& one) {
        const int status = one.head.status;
        if (status == 101) {
            own.refuse(one, error(errc::protocol_error, "the server switched protocols unasked"));
            return false;
        }
        if (status >= 100 && status < 200) {
            one.head = {};
            one.header_bytes = 0;
            if (++one.interim > http2_session::most_interim) {
                own.refuse(one, error(errc::protocol_error, "the server sends interim responses without end"));
            }
            return false;
        }
        if (status < 100 || status > 599) {
            own.refuse(one, error(errc::protocol_error, "the status " + std::to_string(status) + " does not exist"));
            return false;
        }
        one.head_done = true;
        own.idle_frames_ = 0;
        if (one.whole && one.asked.method != "HEAD") expect_body(own, one);
        if (one.failure) return false;
        if (!one.whole) one.changed();
        return true;
    }

    // Said before a byte of it is read, where it is too large.
    static void expect_body(http2_session& own, http2_stream& one) {
        const std::string_view text = one.head.headers.get("content-length");
        std::uint64_t size = 0;
        if (text.empty() || std::from_chars(text.data(), text.data() + text.size(), size).ec != std::errc()) return;
        if (size > one.max_body) return own.refuse(one, too_large(one));
        const auto known = static_cast<std::size_t>(std::min<std::uint64_t>(size, std::uint64_t{1} << 20));
        keep(own, one, [&] { one.body.reserve(known); });
    }

    static error too_large(const http2_stream& one) {
        return error(errc::too_large, "the body exceeds " + std::to_string(one.max_body) + " bytes");
    }

    static int on_data(nghttp2_session* session, std::uint8_t, std::int32_t id, const std::uint8_t* data,
                       std::size_t size, void* user) {
        auto& own = self(user);
        nghttp2_session_consume_connection(session, size);
        http2_stream* const one = stream(session, id);
        if (!one) return 0;
        own.idle_frames_ = 0;
        if (size > one->max_body - one->total) {
            own.refuse(*one, too_large(*one));
            return 0;
        }
        // nghttp2 hands this on, too, until it has told the server.
        if (!one->whole && one->kept() + size > http2_session::stream_window) {
            own.refuse(*one, malformed_http2("more than the window"));
            return 0;
        }
        const std::size_t had = one->total;
        std::size_t taken = 0;
        const auto store = [&] { taken = one->add_body({reinterpret_cast<const char*>(data), size}); };
        if (!keep(own, *one, store)) return 0;
        if (one->whole) {
            constexpr std::size_t large = http2_session::stream_window / 4;
            if (had <= large && one->total > large) {
                nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, id, http2_session::whole_window);
            }
            nghttp2_session_consume_stream(session, id, size);
        } else {
            if (taken != 0) nghttp2_session_consume_stream(session, id, taken);
            one->changed();
        }
        return 0;
    }

    static void on_goaway(http2_session& own, const nghttp2_goaway& frame) {
        constexpr std::size_t most_text = 200;
        own.goaway_ = true;
        own.goaway_code_ = frame.error_code;
        own.goaway_text_.assign(reinterpret_cast<const char*>(frame.opaque_data),
                                std::min(frame.opaque_data_len, most_text));
    }

    // The end of the connection, or of the stream: then nghttp2 resets it.
    static int on_invalid_frame(nghttp2_session* session, const nghttp2_frame* frame, int code, void* user) {
        auto& own = self(user);
        own.invalid_ = code;
        http2_stream* const one = stream(session, frame->hd.stream_id);
        if (!one) return 0;
        own.detach(*one);
        one->failure = malformed_http2(nghttp2_strerror(code));
        one->changed();
        return 0;
    }

    static int before_sent(nghttp2_session* session, const nghttp2_frame* frame, void* user) {
        // Only nghttp2 says goodbye, and that because of an error of the whole connection.
        if (frame->hd.type == NGHTTP2_GOAWAY && !self(user).broken_) {
            const int invalid = self(user).invalid_;
            self(user).broken_ =
                malformed_http2(invalid != 0 ? nghttp2_strerror(invalid) : http2_name_of(frame->goaway.error_code));
        }
        if (frame->hd.type == NGHTTP2_HEADERS) {
            if (http2_stream* const one = stream(session, frame->hd.stream_id)) one->sent = true;
        }
        return 0;
    }

    static int on_close(nghttp2_session* session, std::int32_t id, std::uint32_t code, void* user) {
        auto& own = self(user);
        --own.open_;
        http2_stream* const one = stream(session, id);
        if (!one) return 0;
        own.detach(*one);
        if (one->ended) return 0;
        const std::string name = http2_name_of(code);
        if (one->sent && !one->reset_by_peer && code != NGHTTP2_REFUSED_STREAM) {
            one->failure = malformed_http2(name);  // it is nghttp2 that ends the stream
        } else {
            one->unprocessed = !one->sent || code == NGHTTP2_REFUSED_STREAM || code == NGHTTP2_HTTP_1_1_REQUIRED;
            one->wants_http1 = code == NGHTTP2_HTTP_1_1_REQUIRED;
            one->failure = one->head_done ? error(errc::truncated, "the server broke off its answer: " + name)
                                          : error(errc::connection_lost, "the server gave no answer: " + name);
        }
        one->changed();
        return 0;
    }

    static ssize_t read_request(nghttp2_session* session, std::int32_t id, std::uint8_t* out, std::size_t room,
                                std::uint32_t* flags, nghttp2_data_source*, void* user) {
        self(user).idle_frames_ = 0;
        http2_stream* const one = stream(session, id);
        if (!one) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
        const std::string& text = one->asked.body;
        const std::size_t n = std::min(room, text.size() - one->body_sent);
        if (n != 0) std::memcpy(out, text.data() + one->body_sent, n);
        one->body_sent += n;
        if (one->body_sent == text.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
        return static_cast<ssize_t>(n);
    }

    static nghttp2_session* make(http2_session& own) {
        nghttp2_session_callbacks* set = nullptr;
        if (nghttp2_session_callbacks_new(&set) != 0) throw std::bad_alloc();
        const std::unique_ptr<nghttp2_session_callbacks, decltype(&nghttp2_session_callbacks_del)> freed(
            set, &nghttp2_session_callbacks_del);
        nghttp2_session_callbacks_set_on_begin_frame_callback(set, &on_begin_frame);
        nghttp2_session_callbacks_set_on_header_callback(set, &on_header);
        nghttp2_session_callbacks_set_on_invalid_header_callback(set, &on_invalid_header);
        nghttp2_session_callbacks_set_on_frame_recv_callback(set, &on_frame);
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(set, &on_data);
        nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(set, &on_invalid_frame);
        nghttp2_session_callbacks_set_before_frame_send_callback(set, &before_sent);
        nghttp2_session_callbacks_set_on_stream_close_callback(set, &on_close);

        nghttp2_option* options = nullptr;
        if (nghttp2_option_new(&options) != 0) throw std::bad_alloc();
        const std::unique_ptr<nghttp2_option, decltype(&nghttp2_option_del)> freed_too(options, &nghttp2_option_del);
        nghttp2_option_set_no_auto_window_update(options, 1);
        nghttp2_option_set_peer_max_concurrent_streams(options, http2_session::assumed_streams);
        nghttp2_option_set_max_reserved_remote_streams(options, 0);
        nghttp2_option_set_max_deflate_dynamic_table_size(options, 4096);
        nghttp2_option_set_max_send_header_block_length(options, std::size_t{1} << 20);
        nghttp2_session* made = nullptr;
        if (nghttp2_session_client_new2(&made, set, &own, options) != 0) throw std::bad_alloc();
        return made;
    }
};

}  // namespace kcontrol::http::detail
