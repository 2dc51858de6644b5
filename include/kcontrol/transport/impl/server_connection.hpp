// One connection of the server: a pump that reads ahead, and the coroutine that answers what it read.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/http/handler.hpp>
#include <kcontrol/runtime/guarded_calls.hpp>
#include <kcontrol/runtime/log_rate_limit.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/transport/impl/connection_ledger.hpp>
#include <kcontrol/transport/impl/message_parser.hpp>
#include <kcontrol/transport/impl/turns.hpp>
#include <kcontrol/transport/impl/watchdog.hpp>
#include <kcontrol/transport/server.hpp>

#include <boost/beast/core/flat_buffer.hpp>

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

namespace kcontrol::inline v0_1::http::detail {

class server_connection;

/// What connections need of their server and know of each other; they keep it alive.
class connection_context {
public:
    using id = connection_ledger::id;

    connection_context(environment& e, executor x, handler h, server_options o, logger l)
        : env(e),
          ex(std::move(x)),
          answer(std::move(h)),
          options(o),
          log(std::move(l)),
          calls(env, log),
          ledger(options),
          large_answers(std::make_shared<turns>(env, ex)) {}

    /// Closes those that make room for others, and empties the list.
    void close(std::vector<id>& made_room, shed_reason why);
    void tell_refused(shed_reason why);
    void tell_postponed(const error_code& why);

    environment& env;
    executor ex;
    handler answer;
    server_options options;
    logger log;
    guarded_calls calls;  // of the handler
    connection_ledger ledger;
    std::shared_ptr<turns> large_answers;  // at the next part of one, and what its handler does for it
    std::unordered_map<id, server_connection*> connections;

private:
    log_rate_limit shed_pace_, refused_pace_, postponed_pace_;
};

/// Reads all the time, into a bounded buffer: that is how it notices that the peer has gone while a handler waits.
/// Thread-safety: touched on the server's executor only.
class server_connection : public std::enable_shared_from_this<server_connection> {
public:
    /// `name`: its own in the ledger of `shared`.
    server_connection(std::shared_ptr<connection_context> shared, connection_ledger::id name,
                      std::unique_ptr<byte_stream> stream, std::string peer);

    /// Answers requests until the connection ends. The one coroutine of the connection.
    awaitable<void> serve();

    void stop();   // closes an idle connection; triggers disconnected() of a running handler
    void drain();  // closes an idle connection, and another one after its next answer
    void close();
    void reset();

private:
    friend class server_responder;
    friend class server_websocket;
    class request_state;

    /// What the peer has to do by a time, or the connection ends.
    class due {
    public:
        due(time_point w, timeout_cause what) : when(w), for_what(what) {}
        time_point when;
        timeout_cause for_what;
    };

    void pump();
    void admit();
    due by_login(due other) const;  // that, or the login if it is due before
    bool is_late_with_login();
    void settle();  // tells the ledger whom it waits for
    std::size_t held() const { return input_.size() + request_ + unsent_ + kept_; }
    void account();  // tells the ledger what is held
    void account_for_answer();
    bool has_room();  // asks it whether there is room for that
    awaitable<wake> any_input(time_point deadline);
    awaitable<wake> more_input(due by);
    awaitable<bool> open_tls();
    awaitable<void> take_turn();
    awaitable<bool> serve_one();
    int take_input(message_parser<true>& parser);
    awaitable<int> read_head(message_parser<true>& parser);  // 0: go on; -1: close; else: the status to refuse with
    awaitable<int> read_body(message_parser<true>& parser);
    awaitable<bool> run_handler(message_parser<true>& parser);
    awaitable<void> refuse(int status);
    awaitable<void> farewell();
    awaitable<result<void>> write_out(write_buffers out);
    awaitable<result<std::string>> read_upgraded(std::optional<time_point> deadline, std::stop_token stop);
    std::optional<time_point> time_after(duration time) const;  // nothing of it means never

    std::shared_ptr<connection_context> shared_;
    connection_ledger::id name_;
    std::unique_ptr<byte_stream> stream_;
    std::string peer_;
    std::string client_subject_;
    std::shared_ptr<watchdog> dog_;
    std::stop_source gone_;
    async_event arrived_;
    boost::beast::flat_buffer input_;
    std::vector<char> chunk_;  // the read in progress must not see input_ move
    time_point begun_;         // since when it is there
    time_point first_due_;     // when the first request has to be complete
    bool first_ = true;        // that one is not complete
    bool known_ = false;       // its peer is no stranger
    std::size_t request_ = 0;  // bytes of the request that is read or answered
    std::size_t unsent_ = 0;   // bytes of the write in progress
    std::size_t granted_ = 0;  // bytes of the answer that may be written before its next turn
    std::size_t kept_ = 0;     // bytes that the handler says it keeps
    bool working_ = false;     // a handler does
    bool idle_ = false;        // it has been answered, and has not begun the next request
    bool drained_ = false;     // it serves one request more, if any
    bool handshaking_ = false;
    bool refused_ = false;
    bool reading_ = false;
    bool filled_ = false;  // the last read had more to give
    bool ended_ = false;   // no more input will come
};

}  // namespace kcontrol::http::detail
