// kc logs, exec and port-forward: what flows from and to a pod.
#include <kcontrol/client/pod_exec.hpp>
#include <kcontrol/client/pod_logs.hpp>
#include <kcontrol/client/port_forward.hpp>

#include "session.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/write.hpp>

#include <charconv>
#include <iostream>
#include <unistd.h>

namespace kc {
namespace {

using boost::asio::ip::tcp;
constexpr boost::asio::as_tuple_t<boost::asio::use_awaitable_t<>> no_throw{};
constexpr std::size_t room = 65536;

// POD or pod/POD.
namespaced_name pod_of(const session& s, const char* usage) {
    if (s.said.words.size() < 2) refuse(usage);
    const std::string& word = s.said.words[1];
    return {s.client.underlying().default_namespace(), word.substr(word.find('/') + 1)};
}

template <class Number>
Number number(std::string_view text, const char* usage) {
    Number out{};
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (fault != std::errc() || end != text.data() + text.size()) refuse(usage);
    return out;
}

awaitable<result<int>> print_log(client c, namespaced_name pod, log_options how) {
    auto log = co_await open_logs(c, pod, how);
    if (!log) co_return log.error();
    std::string chunk(room, '\0');
    for (;;) {
        const std::span<char> into(chunk);
        const auto n = co_await log->read_some(into, {});
        if (!n) co_return n.error();
        if (*n == 0) co_return 0;
        std::cout << std::string_view(chunk.data(), *n) << std::flush;
    }
}

// What can't be waited for is a file.
template <class From, class To>
awaitable<void> pump(std::shared_ptr<From> from, std::shared_ptr<To> to) {
    for (std::string chunk(room, '\0');;) {
        const auto outcome = co_await from->async_read_some(boost::asio::buffer(chunk), no_throw);
        const bool is_file = std::get<0>(outcome) == boost::asio::error::operation_not_supported;
        const auto n = is_file ? ::read(from->native_handle(), chunk.data(), room) : ssize_t(std::get<1>(outcome));
        if (n <= 0) break;
        const auto sent = co_await to->write(std::string_view(chunk.data(), static_cast<std::size_t>(n)), {});
        if (!sent) co_return;
    }
    if constexpr (requires { to->close_input({}); }) (void)co_await to->close_input({});
}

awaitable<result<int>> run_command(client c, namespaced_name pod, std::vector<std::string> command,
                                   const exec_options how) {
    auto opened = co_await open_exec(c, pod, std::move(command), how);
    if (!opened) co_return opened.error();
    const auto stream = std::make_shared<exec_stream>(std::move(*opened));
    const auto input = std::make_shared<boost::asio::posix::stream_descriptor>(c.get_executor(), ::dup(STDIN_FILENO));
    if (how.input()) boost::asio::co_spawn(c.get_executor(), pump(input, stream), boost::asio::detached);
    for (;;) {
        const auto next = co_await stream->next({});
        if (!next) co_return next.error();
        if (!*next) co_return stream->exit_code().value();
        ((*next)->from == exec_source::output ? std::cout : std::cerr) << (*next)->bytes << std::flush;
    }
}

awaitable<void> forward(client c, namespaced_name pod, std::uint16_t port, port_forward_options how,
                        std::shared_ptr<tcp::socket> local) {
    auto opened = co_await open_port(c, pod, port, how);
    const auto far = opened ? std::make_shared<port_stream>(std::move(*opened)) : nullptr;
    if (far) boost::asio::co_spawn(c.get_executor(), pump(local, far), boost::asio::detached);
    error why = far ? error() : opened.error();
    for (std::string chunk(room, '\0'); far;) {
        const std::span<char> into(chunk);
        const auto n = co_await far->read_some(into, {});
        if (!n) why = n.error();
        if (!n || *n == 0) break;
        const auto outcome = co_await boost::asio::async_write(*local, boost::asio::buffer(chunk, *n), no_throw);
        if (std::get<0>(outcome)) break;
    }
    if (why.code()) std::cerr << "error: " << why.what() << std::endl;
    boost::system::error_code ignored;
    local->close(ignored);
}

// Until the program is ended.
awaitable<result<int>> listen(client c, namespaced_name pod, std::uint16_t local, std::uint16_t port,
                              port_forward_options how) {
    tcp::acceptor acceptor(c.get_executor(), {boost::asio::ip::address_v4::loopback(), local});
    std::cout << "Forwarding from 127.0.0.1:" << acceptor.local_endpoint().port() << " -> " << port << std::endl;
    for (;;) {
        auto outcome = co_await acceptor.async_accept(no_throw);
        if (std::get<0>(outcome)) co_return error(errc::unavailable, std::get<0>(outcome).message());
        auto socket = std::make_shared<tcp::socket>(std::move(std::get<1>(outcome)));
        boost::asio::co_spawn(c.get_executor(), forward(c, pod, port, how, std::move(socket)), boost::asio::detached);
    }
}

}  // namespace

int logs(session& s) {
    const auto pod = pod_of(s, "logs POD [-f]");
    log_options how = s.timed(log_options());
    how.container(s.said.text("--container")).follow(s.said.has("--follow")).previous(s.said.has("--previous"));
    how.timestamps(s.said.has("--timestamps"));
    if (s.said.has("--tail")) how.tail(number<std::int64_t>(s.said.text("--tail"), "--tail N"));
    return s.client.run([&](client& c) { return print_log(c, pod, how); }).value();
}

int exec(session& s) {
    const auto pod = pod_of(s, "exec POD -- COMMAND ARGUMENT…");
    const std::vector<std::string> command(s.said.words.begin() + 2, s.said.words.end());
    const auto how = s.timed(exec_options()).container(s.said.text("--container")).input(s.said.has("--stdin"));
    const int code = s.client.run([&](client& c) { return run_command(c, pod, command, how); }).value();
    if (code != 0) std::cerr << "command terminated with exit code " << code << "\n";
    return code;
}

int port_forward(session& s) {
    const char* const usage = "port-forward POD [LOCAL:]REMOTE";
    const auto pod = pod_of(s, usage);
    if (s.said.words.size() != 3) refuse(usage);
    const std::string& ports = s.said.words[2];
    const auto colon = ports.find(':');
    const auto far = number<std::uint16_t>(ports.substr(colon + 1), usage);
    const auto near = colon == std::string::npos ? far : number<std::uint16_t>("0" + ports.substr(0, colon), usage);
    const auto how = s.timed(port_forward_options());
    // A pod that is not there is an error at once, not of the first connection.
    const auto& pods = s.info(s.kind("pods"));
    (void)s.client.run([&](client& c) { return c.get(pods, pod, s.timed(get_options())); }).value();
    return s.client.run([&](client& c) { return listen(c, pod, near, far, how); }).value();
}

}  // namespace kc
