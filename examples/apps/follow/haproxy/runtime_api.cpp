#include "haproxy/runtime_api.hpp"

#include <kcontrol/runtime/wait.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace follow::haproxy {
namespace {

namespace asio = boost::asio;
using asio::local::stream_protocol;
using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;

constexpr std::size_t most_bytes = std::size_t{16} << 20;  // 5,000 servers take half a MiB
constexpr std::size_t longest_path = 107;                  // sockaddr_un
constexpr auto patience = std::chrono::seconds(5);

// What goes on between the socket and the one who waits for it; shared, as one of them may end first.
struct exchange {
    exchange(const kcontrol::executor& ex, std::string p) : socket(ex), path(std::move(p)) {}

    stream_protocol::socket socket;
    std::string path;
    std::optional<result<std::string>> outcome;
    kcontrol::async_event over;

    void end(result<std::string> with) {
        if (!outcome) outcome.emplace(std::move(with));
        over.notify_all();
    }
    void broken(const char* what, const kcontrol::error_code& why) {
        end(error(errc::connection_lost, path + ": " + what + ": " + why.message()));
    }
};

std::string without_breaks(std::string text) {
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
}

kcontrol::awaitable<void> talk(std::shared_ptr<exchange> x, std::string command) {
    kcontrol::error_code failed;
    const stream_protocol::endpoint where(x->path);
    co_await x->socket.async_connect(where, asio::redirect_error(asio::use_awaitable, failed));
    if (failed) {
        co_return x->end(error(errc::connection_refused,
                               x->path + ": " + failed.message() +
                                   "; does HAProxy run, with `stats socket PATH level admin`, and may this user write "
                                   "to it?"));
    }
    command += '\n';
    co_await asio::async_write(x->socket, asio::buffer(command), asio::redirect_error(asio::use_awaitable, failed));
    if (failed) co_return x->broken("can't write", failed);
    std::string answer;
    std::array<char, 16384> buffer{};
    for (;;) {
        const auto size =
            co_await x->socket.async_read_some(asio::buffer(buffer), asio::redirect_error(asio::use_awaitable, failed));
        answer.append(buffer.data(), size);
        if (failed == asio::error::eof) co_return x->end(without_breaks(std::move(answer)));
        if (failed) co_return x->broken("can't read", failed);
        if (answer.size() > most_bytes) co_return x->end(error(errc::too_large, x->path + ": the answer is too long"));
    }
}

kcontrol::awaitable<result<std::string>> ask(kcontrol::environment& env, kcontrol::executor ex, std::string path,
                                             std::string command, std::stop_token stop) {
    if (path.size() > longest_path) {
        co_return error(errc::invalid_argument, path + ": a socket's path has at most 107 bytes; use a shorter one");
    }
    const auto x = std::make_shared<exchange>(ex, std::move(path));
    asio::co_spawn(ex, talk(x, std::move(command)), asio::detached);
    const auto deadline = env.now() + patience;
    while (!x->outcome) {
        const auto why = co_await x->over.wait(env, stop, deadline);
        if (x->outcome || why == kcontrol::wake::notified) continue;
        kcontrol::error_code ignored;
        x->socket.close(ignored);
        if (why == kcontrol::wake::stopped) co_return error(errc::stopped, "stopped while HAProxy was asked");
        co_return error(errc::timeout, x->path + ": HAProxy does not answer within 5s");
    }
    co_return *x->outcome;
}

}  // namespace

ask_function ask_socket(kcontrol::environment& env, kcontrol::executor ex, std::string socket) {
    return [&env, ex = std::move(ex), socket = std::move(socket)](std::string command, std::stop_token stop) {
        return ask(env, ex, socket, std::move(command), std::move(stop));
    };
}

}  // namespace follow::haproxy
