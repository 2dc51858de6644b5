// A byte_stream as Beast's WebSocket wants what is below it.
#pragma once

#include <kcontrol/transport/impl/byte_stream.hpp>

#include <boost/asio/append.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/role.hpp>
#include <boost/beast/websocket/teardown.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace kcontrol::inline v0_1::http::detail {

class socket_layer {
public:
    using executor_type = tcp::socket::executor_type;

    explicit socket_layer(std::unique_ptr<byte_stream> below) : below_(std::move(below)) {}

    executor_type get_executor() noexcept { return below_->socket().get_executor(); }
    byte_stream& below() noexcept { return *below_; }

    // The results are spelled out: Beast asks for their types before there is anything to deduce them from.
    template <class Buffers, class Token>
    BOOST_ASIO_INITFN_RESULT_TYPE(Token, void(error_code, std::size_t))
    async_read_some(const Buffers& into, Token&& token) {
        start_read operation{below_.get(), first_of<boost::asio::mutable_buffer>(into)};
        return boost::asio::async_initiate<Token, void(error_code, std::size_t)>(operation, token);
    }
    template <class Buffers, class Token>
    BOOST_ASIO_INITFN_RESULT_TYPE(Token, void(error_code, std::size_t))
    async_write_some(const Buffers& from, Token&& token) {
        start_write operation{below_.get(), {}};
        std::size_t n = 0;
        for (auto at = boost::asio::buffer_sequence_begin(from);
             at != boost::asio::buffer_sequence_end(from) && n < operation.from.size(); ++at) {
            const boost::asio::const_buffer piece(*at);
            if (piece.size() != 0) operation.from[n++] = piece;
        }
        return boost::asio::async_initiate<Token, void(error_code, std::size_t)>(operation, token);
    }

private:
    template <class Buffer, class Buffers>
    static Buffer first_of(const Buffers& all) {
        for (auto at = boost::asio::buffer_sequence_begin(all); at != boost::asio::buffer_sequence_end(all); ++at) {
            const Buffer piece(*at);
            if (piece.size() != 0) return piece;
        }
        return {};
    }

    std::unique_ptr<byte_stream> below_;
};

// Found by Beast at the end of the closing handshake, and where a connection fails.
inline void teardown(boost::beast::role_type, socket_layer& layer, error_code& failure) {
    layer.below().close();
    failure = {};
}

template <class Handler>
void async_teardown(boost::beast::role_type, socket_layer& layer, Handler&& handler) {
    layer.below().close();
    boost::asio::post(layer.get_executor(), boost::asio::append(std::forward<Handler>(handler), error_code{}));
}

inline void beast_close_socket(socket_layer& layer) { layer.below().close(); }

}  // namespace kcontrol::http::detail
