#pragma once

#include <kcontrol/base/base64.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/transport/impl/proxy_tunnel.hpp>
#include <kcontrol/transport/impl/tls_context.hpp>

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace kcontrol::inline v0_1::http::detail {

inline error no_way(std::string_view what) { return error(errc::connection_refused, std::string(what)); }

inline error not_a_proxy(std::string_view what) {
    return error(errc::protocol_error, std::string(what) + "; is that the right port and kind of proxy?");
}

inline awaitable<result<void>> tell_proxy(byte_stream& stream, std::string bytes) {
    write_buffers out{boost::asio::buffer(bytes), boost::asio::const_buffer(), boost::asio::const_buffer()};
    const io_outcome sent = co_await write(stream, out);
    if (sent.failure)
        co_return error(errc::connection_lost, "it broke the connection: " + tls_failure_text(sent.failure));
    co_return result<void>();
}

// Exactly that many bytes more.
inline awaitable<result<void>> hear_proxy(byte_stream& stream, std::string& into, std::size_t bytes) {
    const std::size_t whole = into.size() + bytes;
    std::array<char, 512> chunk{};
    while (into.size() < whole) {
        const io_outcome got =
            co_await read(stream, boost::asio::buffer(chunk.data(), std::min(chunk.size(), whole - into.size())));
        into.append(chunk.data(), got.bytes);
        if (got.failure && into.size() < whole) {
            co_return error(errc::connection_lost, "it closed the connection without an answer");
        }
    }
    co_return result<void>();
}

KCONTROL_DECL std::string proxy_authorization(const proxy& via) {
    if (!via.has_login()) return {};
    return "\r\nProxy-Authorization: Basic " + encode_base64(via.user() + ":" + std::string(via.password().reveal()));
}

// The status of an answer's head; 0 if it is none.
inline int status_of_head(std::string_view head) {
    if (!head.starts_with("HTTP/1.") || head.size() < 12 || head[8] != ' ') return 0;
    int status = 0;
    for (const char digit : head.substr(9, 3)) {
        if (digit < '0' || digit > '9') return 0;
        status = status * 10 + (digit - '0');
    }
    return status;
}

inline error connect_refused(std::string_view head, int status, const std::string& target) {
    const std::string line = escape_control(head.substr(0, std::min(head.find("\r\n"), std::size_t{120})));
    std::string remedy = "; check that it lets " + target + " through";
    if (status == 407) remedy = "; give its user and password (http://user:password@host:port)";
    return no_way("it opens no way to " + target + ": " + line + remedy);
}

inline awaitable<result<void>> open_connect(byte_stream& stream, const endpoint& server) {
    const std::string host = server.host.find(':') == std::string::npos ? server.host : "[" + server.host + "]";
    const std::string target = host + ":" + std::to_string(server.port);
    std::string ask = "CONNECT " + target + " HTTP/1.1\r\nHost: " + target + proxy_authorization(server.via);
    ask += "\r\n\r\n";
    const auto asked = co_await tell_proxy(stream, std::move(ask));
    if (!asked) co_return asked.error();
    constexpr std::size_t longest_head = std::size_t{16} << 10;
    std::string head;
    // Byte by byte would be safe, too; but no server of ours speaks first, so what follows the head is a fault.
    while (head.find("\r\n\r\n") == std::string::npos) {
        if (head.size() > longest_head) co_return not_a_proxy("its answer has no end");
        if (head.size() >= 7 && !head.starts_with("HTTP/1.")) co_return not_a_proxy("its answer is not HTTP");
        std::array<char, 2048> chunk{};
        const io_outcome got = co_await read(stream, boost::asio::buffer(chunk));
        head.append(chunk.data(), got.bytes);
        if (got.failure) break;
    }
    const int status = status_of_head(head);
    const auto end = head.find("\r\n\r\n");
    if (head.empty()) co_return error(errc::connection_lost, "it closed the connection without an answer");
    if (status == 0) co_return not_a_proxy("its answer is not HTTP");
    if (status < 200 || status > 299) co_return connect_refused(head, status, target);
    if (end == std::string::npos) co_return error(errc::connection_lost, "it broke the connection inside its answer");
    if (end + 4 != head.size()) co_return not_a_proxy("it sent more than an answer to CONNECT");
    co_return result<void>();
}

inline std::string_view socks_refusal(unsigned char code) {
    constexpr std::array<std::string_view, 9> words{"succeeded",
                                                    "general failure",
                                                    "its rules do not allow it",
                                                    "network unreachable",
                                                    "host unreachable (it does not know the name, or nothing answers)",
                                                    "connection refused",
                                                    "TTL expired",
                                                    "command not supported",
                                                    "address type not supported"};
    return code < words.size() ? words[code] : std::string_view("unknown reason");
}

inline std::string socks_request(const endpoint& server) {
    std::string out("\x05\x01\x00", 3);
    error_code no_address;
    const auto address = boost::asio::ip::make_address(server.host, no_address);
    if (no_address) {
        out += '\x03';
        out += static_cast<char>(server.host.size());
        out += server.host;
    } else if (address.is_v4()) {
        out += '\x01';
        for (const unsigned char byte : address.to_v4().to_bytes()) out += static_cast<char>(byte);
    } else {
        out += '\x04';
        for (const unsigned char byte : address.to_v6().to_bytes()) out += static_cast<char>(byte);
    }
    out += static_cast<char>(server.port >> 8);
    out += static_cast<char>(server.port & 0xff);
    return out;
}

inline awaitable<result<void>> log_in_to_socks(byte_stream& stream, const proxy& via) {
    constexpr std::size_t longest = 255;
    const std::string_view password = via.password().reveal();
    if (via.user().empty() || via.user().size() > longest || password.empty() || password.size() > longest) {
        co_return no_way("it wants a user and a password of 1 to 255 bytes; give both in its URL");
    }
    std::string login = "\x01";
    login += static_cast<char>(via.user().size());
    login += via.user();
    login += static_cast<char>(password.size());
    login += password;
    const auto told = co_await tell_proxy(stream, std::move(login));
    if (!told) co_return told.error();
    std::string answer;
    const auto heard = co_await hear_proxy(stream, answer, 2);
    if (!heard) co_return heard.error();
    if (answer[1] != 0) co_return no_way("it refuses this user and password");
    co_return result<void>();
}

inline awaitable<result<void>> greet_socks(byte_stream& stream, const proxy& via) {
    std::string greeting = via.has_login() ? std::string("\x05\x02\x00\x02", 4) : std::string("\x05\x01\x00", 3);
    const auto greeted = co_await tell_proxy(stream, std::move(greeting));
    if (!greeted) co_return greeted.error();
    std::string answer;
    const auto heard = co_await hear_proxy(stream, answer, 2);
    if (!heard) co_return heard.error();
    if (answer[0] != 5) co_return not_a_proxy("its answer is not SOCKS5");
    if (answer[1] == 0) co_return result<void>();
    if (answer[1] == 2 && via.has_login()) {
        const auto logged_in = co_await log_in_to_socks(stream, via);
        co_return logged_in;
    }
    co_return no_way("it wants a login that was not offered; give its user and password (socks5://user:password@…)");
}

inline awaitable<result<void>> open_socks(byte_stream& stream, const endpoint& server) {
    const auto greeted = co_await greet_socks(stream, server.via);
    if (!greeted) co_return greeted.error();
    const auto asked = co_await tell_proxy(stream, socks_request(server));
    if (!asked) co_return asked.error();
    std::string answer;
    auto heard = co_await hear_proxy(stream, answer, 5);  // up to the first byte of the address it uses
    if (!heard) co_return heard.error();
    if (answer[0] != 5) co_return not_a_proxy("its answer is not SOCKS5");
    const auto code = static_cast<unsigned char>(answer[1]);
    if (code != 0) {
        co_return no_way("it opens no way to " + server.host + " port " + std::to_string(server.port) + ": " +
                         std::string(socks_refusal(code)));
    }
    const std::size_t name = static_cast<unsigned char>(answer[4]);
    std::size_t rest = 0;
    if (answer[3] == 1) rest = 3 + 2;
    if (answer[3] == 3) rest = name + 2;
    if (answer[3] == 4) rest = 15 + 2;
    if (rest == 0) co_return not_a_proxy("its answer is not SOCKS5");
    heard = co_await hear_proxy(stream, answer, rest);
    co_return heard;
}

KCONTROL_DECL awaitable<result<void>> open_tunnel(byte_stream& stream, const endpoint& server) {
    if (server.via.scheme() == "socks5") return open_socks(stream, server);
    return open_connect(stream, server);
}

}  // namespace kcontrol::http::detail
