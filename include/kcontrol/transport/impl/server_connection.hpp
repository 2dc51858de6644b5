// One connection of the server: a pump that reads ahead, and the coroutine that answers what it read.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/http/handler.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/transport/impl/message_parser.hpp>
#include <kcontrol/transport/impl/watchdog.hpp>
#include <kcontrol/transport/server.hpp>

#include <boost/beast/core/flat_buffer.hpp>

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace kcontrol::http::detail {

/// What connections need of their server; they keep it alive.
class connection_context {
public:
    connection_context(environment& e, executor x, handler h, server_options o, logger l)
        : env(e), ex(std::move(x)), answer(std::move(h)), options(o), log(std::move(l)) {}
    environment& env;
    executor ex;
    handler answer;
    server_options options;
    logger log;
};

/// Reads all the time, into a bounded buffer: that is how it notices that the peer has gone while a handler waits.
/// Thread-safety: touched on the server's executor only.
class server_connection : public std::enable_shared_from_this<server_connection> {
public:
    server_connection(std::shared_ptr<const connection_context> shared, std::unique_ptr<byte_stream> stream,
                      std::string peer);

    /// Answers requests until the connection ends. The one coroutine of the connection.
    awaitable<void> serve();

    void stop();  // closes an idle connection; triggers gone() of a running handler
    void close();
    void reset();

private:
    friend class server_responder;
    class request_state;

    void pump();
    awaitable<wake> more_input(time_point deadline);
    awaitable<bool> open_tls();
    awaitable<bool> serve_one();
    awaitable<int> read_head(message_parser<true>& parser);  // 0: go on; -1: close; else: the status to refuse with
    awaitable<int> read_body(message_parser<true>& parser);
    awaitable<bool> run_handler(message_parser<true>& parser);
    awaitable<void> refuse(int status);
    awaitable<void> farewell();
    awaitable<result<void>> write_out(write_buffers out);

    std::shared_ptr<const connection_context> shared_;
    std::unique_ptr<byte_stream> stream_;
    std::string peer_;
    std::string client_subject_;
    std::shared_ptr<watchdog> dog_;
    std::stop_source gone_;
    async_event arrived_;
    boost::beast::flat_buffer input_;
    std::vector<char> chunk_;  // the read in progress must not see input_ move
    bool handshaking_ = false;
    bool refused_ = false;
    bool reading_ = false;
    bool ended_ = false;  // no more input will come
};

}  // namespace kcontrol::http::detail
