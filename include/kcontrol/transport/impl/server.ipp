#pragma once

#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/transport/impl/descriptor_reserve.hpp>
#include <kcontrol/transport/impl/server_connection.ipp>
#include <kcontrol/transport/impl/server_websocket.ipp>
#include <kcontrol/transport/server.hpp>

#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::http {
namespace detail {

inline std::string peer_text(const tcp::socket& socket) {
    error_code failure;
    const auto from = socket.remote_endpoint(failure);
    if (failure) return "unknown";
    return listen_address(from.address().to_string(), from.port()).text();
}

/// The part of a server that its coroutines keep alive.
class server_core {
public:
    explicit server_core(std::shared_ptr<connection_context> context)
        : shared(std::move(context)), acceptor(shared->ex), tasks(shared->env, shared->ex, shared->log) {}

    void stop_accepting() {
        error_code ignored;
        acceptor.close(ignored);
        reserve.spend();
        stopping.request_stop();
    }

    void refill_reserve() {
        if (acceptor.is_open()) reserve.take();
    }

    // A copy: what is done to one connection may end others.
    std::vector<server_connection*> all() const {
        std::vector<server_connection*> out;
        for (const auto& [name, one] : shared->connections) out.push_back(one);
        return out;
    }

    std::shared_ptr<connection_context> shared;
    tcp::acceptor acceptor;
    descriptor_reserve reserve;
    std::shared_ptr<tls_context> tls;
    std::stop_source stopping;
    std::size_t stops = 0;   // in progress
    bool accepting = false;  // start() was called since listen()
    bool draining = false;   // drain() was
    task_group tasks;
};

// What connections are counted by: of IPv6 a /64, for who has one address there has them all.
inline std::string address_key(const tcp::socket& socket) {
    error_code failure;
    const auto from = socket.remote_endpoint(failure);
    if (failure) return "unknown";
    auto address = from.address();
    if (address.is_v4()) return address.to_string();
    auto six = address.to_v6();
    if (six.is_v4_mapped()) return boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, six).to_string();
    auto bytes = six.to_bytes();
    std::fill(bytes.begin() + 8, bytes.end(), static_cast<unsigned char>(0));
    return boost::asio::ip::address_v6(bytes).to_string() + "/64";
}

// Ends a connection's place in the ledger and among the others, however its coroutine ends.
class connection_place {
public:
    connection_place(std::shared_ptr<server_core> core, connection_ledger::id name)
        : core_(std::move(core)), name_(name) {}
    ~connection_place() {
        core_->shared->connections.erase(name_);
        core_->shared->ledger.leave(name_);
        core_->refill_reserve();  // with what it has just closed, before others take that
    }
    connection_place(const connection_place&) = delete;
    connection_place& operator=(const connection_place&) = delete;

private:
    std::shared_ptr<server_core> core_;
    connection_ledger::id name_;
};

// The functions below take the core by value: they may start after the server has gone.
inline awaitable<void> serve_socket(std::shared_ptr<server_core> core, tcp::socket socket, connection_ledger::id name) {
    const connection_place place(core, name);
    const std::string peer = peer_text(socket);
    prepare_socket(socket, false);
    std::unique_ptr<byte_stream> stream;
    if (core->tls) {
        auto made = make_tls_stream(std::move(socket), core->tls, {});
        if (!made) co_return;
        stream = std::move(*made);
    } else {
        stream = make_plain_stream(std::move(socket));
    }
    const auto connection = std::make_shared<server_connection>(core->shared, name, std::move(stream), peer);
    core->shared->connections.emplace(name, connection.get());
    if (!core->shared->ledger.has(name)) connection->close();  // it made room before it had begun
    if (core->draining) connection->drain();
    if (core->stopping.stop_requested()) connection->stop();
    co_await connection->serve();
}

inline void admit_socket(const std::shared_ptr<server_core>& core, tcp::socket socket) {
    auto& shared = *core->shared;
    auto outcome = shared.ledger.enter(address_key(socket), shared.env.now());
    shared.close(outcome.made_room, outcome.why);
    if (outcome.name != 0) {
        try {
            core->tasks.spawn_user_task(serve_socket(core, std::move(socket), outcome.name));
        } catch (...) {
            shared.ledger.leave(outcome.name);
            throw;
        }
    } else {
        shared.tell_refused(outcome.why);
    }
}

inline bool out_of_resources(const error_code& failure) {
    return failure == boost::asio::error::no_descriptors || failure == boost::asio::error::no_buffer_space ||
           failure == boost::asio::error::no_memory || failure == boost::system::errc::too_many_files_open_in_system;
}

// Who has waited the longest gives up his descriptor, or else the server its own.
inline bool make_room(server_core& core) {
    auto& shared = *core.shared;
    const auto one = shared.ledger.give_up_one(shared.env.now());
    if (!one) return core.reserve.spend();
    std::vector<connection_ledger::id> made_room{*one};
    shared.close(made_room, shed_reason::descriptors);
    return true;
}

// Lets in one that is there. `pressing`: somebody is; else no room is made for him.
inline error_code accept_one(const std::shared_ptr<server_core>& core, bool pressing) {
    error_code failure;
    tcp::socket socket(core->shared->ex);
    core->acceptor.accept(socket, failure);
    if (pressing && out_of_resources(failure) && make_room(*core)) core->acceptor.accept(socket, failure);
    core->refill_reserve();
    if (failure) return failure;
    try {
        admit_socket(core, std::move(socket));
    } catch (const std::bad_alloc&) {
        return boost::asio::error::no_memory;
    }
    return {};
}

// How many connections one round of the loop lets in at most.
inline constexpr int accepted_each_round = 8;

// Somebody is there. Lets in all who are, for who comes after a crowd waits in the system's queue behind it, so that
// has to be short. But one by one while it costs others their places before they could say anything.
inline error_code accept_present(const std::shared_ptr<server_core>& core) {
    const auto& shared = *core->shared;
    const error_code failure = accept_one(core, true);
    bool more = !failure;
    for (int i = 1; more && i < accepted_each_round && !shared.ledger.is_pressed(shared.env.now()); ++i) {
        more = !accept_one(core, false);  // mostly: nobody is there; else the next round learns it
    }
    return failure;
}

// It first waits for somebody to come: asked to accept, the system wants a descriptor before it looks whether anybody
// is there, and where none is left one of the connections would make room for nobody.
inline awaitable<void> accept_loop(std::shared_ptr<server_core> core, std::stop_token stop) {
    auto& shared = *core->shared;
    boost::asio::as_tuple_t<boost::asio::use_awaitable_t<>> token;
    while (!stop.stop_requested()) {
        const auto outcome = co_await core->acceptor.async_wait(tcp::acceptor::wait_read, token);
        if (stop.stop_requested() || core->draining) break;
        const auto& [failure] = outcome;
        const error_code refused = failure ? failure : accept_present(core);
        if (!failure && !out_of_resources(refused)) continue;  // if one was not accepted, he was gone before
        shared.ledger.was_refused(shed_reason::descriptors);
        shared.tell_postponed(refused);
        co_await sleep_for(shared.env, std::chrono::milliseconds(100), stop);
    }
}

inline error listen_error(const listen_address& at, const error_code& failure) {
    const std::string text = "can't listen at " + at.text() + ": " + failure.message();
    if (failure == boost::asio::error::address_in_use) {
        return error(errc::address_in_use,
                     text + "; stop the program that listens there, or choose another port (0: any)");
    }
    if (failure == boost::asio::error::access_denied) {
        return error(errc::invalid_argument, text + "; ports below 1024 need a privilege, choose a higher one");
    }
    return error(errc::invalid_argument, text + "; choose an address of this machine");
}

inline error_code bind_acceptor(tcp::acceptor& acceptor, const tcp::endpoint& at) {
    error_code failure;
    acceptor.open(at.protocol(), failure);
    if (failure) return failure;
    ::fcntl(acceptor.native_handle(), F_SETFD, FD_CLOEXEC);
    acceptor.set_option(tcp::acceptor::reuse_address(true), failure);
    if (at.address().is_v6()) {
        // Every address means IPv4, too.
        acceptor.set_option(boost::asio::ip::v6_only(!at.address().is_unspecified()), failure);
    }
    acceptor.bind(at, failure);
    if (!failure) acceptor.listen(boost::asio::socket_base::max_listen_connections, failure);
    // accept_present() never waits, neither for the next one nor because one is gone before he is accepted.
    if (!failure) acceptor.non_blocking(true, failure);
    if (!failure) acceptor.set_option(boost::asio::socket_base::enable_connection_aborted(true), failure);
    if (failure) {
        error_code ignored;
        acceptor.close(ignored);
    }
    return failure;
}

inline error_code bind_any(tcp::acceptor& acceptor, std::uint16_t port) {
    const error_code failure = bind_acceptor(acceptor, tcp::endpoint(tcp::v6(), port));
    if (!failure || failure == boost::asio::error::address_in_use) return failure;
    return bind_acceptor(acceptor, tcp::endpoint(tcp::v4(), port));  // a machine without IPv6
}

}  // namespace detail

KCONTROL_DECL server::server(environment& env, executor ex, handler answer, server_options options, logger log)
    : core_(std::make_shared<detail::server_core>(std::make_shared<detail::connection_context>(
          env, std::move(ex), std::move(answer), options, std::move(log)))) {}

KCONTROL_DECL server::~server() {
    core_->stop_accepting();
    for (auto* one : core_->all()) one->close();
}

KCONTROL_DECL result<void> server::listen(const listen_address& at, std::optional<server_tls> tls) {
    if (!at.enabled) return error(errc::invalid_argument, "the address says not to listen");
    if (core_->acceptor.is_open()) return error(errc::unavailable, "the server listens already; stop it first");
    if (core_->stops != 0) return error(errc::unavailable, "the server is stopping; wait until its stop() returns");
    std::shared_ptr<detail::tls_context> context;
    if (tls) {
        auto made = detail::tls_context::for_server(*tls);
        if (!made) return made.error();
        context = std::move(*made);
    }
    error_code failure;
    if (at.host.empty()) {
        failure = detail::bind_any(core_->acceptor, at.port);
    } else {
        const auto address = boost::asio::ip::make_address(at.host, failure);
        if (!failure) failure = detail::bind_acceptor(core_->acceptor, detail::tcp::endpoint(address, at.port));
    }
    if (failure) return detail::listen_error(at, failure);
    core_->tls = std::move(context);
    core_->stopping = std::stop_source();
    core_->accepting = false;
    core_->draining = false;
    return {};
}

KCONTROL_DECL result<void> server::replace_tls(const server_tls& tls) {
    if (!core_->tls) return error(errc::invalid_argument, "the server does not speak TLS");
    auto made = detail::tls_context::for_server(tls);
    if (!made) return made.error();
    core_->tls = std::move(*made);
    return {};
}

KCONTROL_DECL void server::start() {
    if (!core_->acceptor.is_open() || std::exchange(core_->accepting, true)) return;
    core_->reserve.take();
    core_->tasks.spawn(detail::accept_loop(core_, core_->stopping.get_token()));
}

KCONTROL_DECL std::uint16_t server::local_port() const noexcept {
    error_code failure;
    const auto at = core_->acceptor.local_endpoint(failure);
    return failure ? std::uint16_t{0} : at.port();
}

namespace detail {

inline awaitable<void> stop_server(std::shared_ptr<server_core> core) {
    const executor caller = co_await boost::asio::this_coro::executor;
    core->tasks.exclude(user_task::of(caller));
    core->stop_accepting();
    ++core->stops;
    for (auto* one : core->all()) one->stop();
    const auto& options = core->shared->options;
    environment& env = core->shared->env;
    const bool drained = co_await core->tasks.join(env.now() + options.drain_timeout());
    if (!drained) {
        for (auto* one : core->all()) one->close();
        const bool ended = co_await core->tasks.join(env.now() + std::chrono::seconds(1));
        if (!ended) core->shared->log.warning("an HTTP handler does not heed disconnected(); it is left behind");
    }
    --core->stops;
}

}  // namespace detail

namespace detail {

inline awaitable<void> drain_server(std::shared_ptr<server_core> core, duration most) {
    const executor caller = co_await boost::asio::this_coro::executor;
    core->tasks.exclude(user_task::of(caller));
    const time_point deadline = core->shared->env.now() + most;
    // Who is in the system's queue believes that he is connected.
    for (int i = 0; i < 1024 && core->accepting && core->acceptor.is_open() && !accept_one(core, false); ++i) {
    }
    core->draining = true;
    error_code ignored;
    core->acceptor.close(ignored);
    core->reserve.spend();
    for (auto* one : core->all()) one->drain();
    const bool ended = co_await core->tasks.join(deadline);
    if (!ended) core->shared->log.warning("requests are cut off: they have not ended in the time to drain");
    co_await stop_server(core);
}

}  // namespace detail

KCONTROL_DECL awaitable<void> server::stop() { return detail::stop_server(core_); }

KCONTROL_DECL awaitable<void> server::drain(duration most) { return detail::drain_server(core_, most); }

KCONTROL_DECL void server::reset_connections() {
    for (auto* one : core_->all()) one->reset();
}

KCONTROL_DECL std::size_t server::connections() const noexcept { return core_->shared->connections.size(); }

KCONTROL_DECL std::size_t server::accepted() const noexcept {
    return static_cast<std::size_t>(core_->shared->ledger.stats().accepted);
}

KCONTROL_DECL server_stats server::stats() const {
    server_stats out = core_->shared->ledger.stats();
    out.handler_exceptions = core_->shared->calls.thrown();
    return out;
}

}  // namespace kcontrol::http
