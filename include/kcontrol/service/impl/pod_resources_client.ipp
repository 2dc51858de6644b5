#pragma once

#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/service/detail/grpc_call.hpp>
#include <kcontrol/service/pod_resources_client.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <memory>
#include <utility>

namespace kcontrol::inline v0_1::service {
namespace detail {

inline constexpr std::size_t most_pod_resources = std::size_t{16} << 20;  // as the kubelet's own limit
inline constexpr std::size_t most_socket_path = 107;

// What goes on between the socket and the one who waits for it; shared, as one of them may be gone first.
struct kubelet_exchange {
    using answer = result<std::optional<std::string>>;

    kubelet_exchange(const executor& ex, std::string method, std::string message)
        : socket(ex), call(std::move(method), std::move(message), most_pod_resources) {}

    boost::asio::local::stream_protocol::socket socket;
    grpc_call call;
    std::optional<answer> outcome;
    async_event over;

    void end(answer with) {
        if (!outcome) outcome.emplace(std::move(with));
        over.notify_all();
    }
    void end_as_called() {
        const auto& called = *call.outcome();
        if (called) return end(std::optional<std::string>(*called));
        end(called.error());
    }
};

inline error broken_kubelet_socket(const char* what, const error_code& why) {
    return error(errc::connection_lost,
                 std::string("the kubelet's pod-resources socket: ") + what + ": " + why.message());
}

inline awaitable<void> talk_to_kubelet(std::shared_ptr<kubelet_exchange> x, std::string path) {
    const auto no_throw = [](error_code& to) { return boost::asio::redirect_error(boost::asio::use_awaitable, to); };
    error_code failed;
    const boost::asio::local::stream_protocol::endpoint peer(path);
    co_await x->socket.async_connect(peer, no_throw(failed));
    if (failed == boost::system::errc::no_such_file_or_directory) co_return x->end(std::optional<std::string>());
    if (failed) {
        co_return x->end(error(errc::connection_refused, path + ": " + failed.message() +
                                                             "; is the kubelet running, and the socket's directory "
                                                             "mounted?"));
    }
    std::array<char, 16384> buffer{};
    while (true) {
        const auto out = x->call.send();
        if (!out.empty()) co_await boost::asio::async_write(x->socket, boost::asio::buffer(out), no_throw(failed));
        if (failed) co_return x->end(broken_kubelet_socket("can't write", failed));
        if (x->call.outcome()) co_return x->end_as_called();
        const auto size = co_await x->socket.async_read_some(boost::asio::buffer(buffer), no_throw(failed));
        if (failed == boost::asio::error::eof) {
            x->call.closed();
        } else if (failed) {
            co_return x->end(broken_kubelet_socket("can't read", failed));
        } else {
            x->call.receive(std::string_view(buffer.data(), size));
        }
        if (x->call.outcome()) co_return x->end_as_called();
    }
}

// A v1.GetPodResourcesRequest.
inline std::string pod_resources_request(const namespaced_name& pod) {
    std::string out;
    const auto add = [&](char tag, const std::string& text) {
        out += tag;
        std::size_t size = text.size();
        for (; size >= 0x80; size >>= 7) out += static_cast<char>((size & 0x7F) | 0x80);
        out += static_cast<char>(size);
        out += text;
    };
    add('\x0a', pod.name);        // field 1
    add('\x12', pod.namespace_);  // field 2
    return out;
}

}  // namespace detail

KCONTROL_DECL pod_resources_client::pod_resources_client(environment& env, executor ex, std::string socket,
                                                         duration timeout)
    : env_(env), executor_(std::move(ex)), path_(std::move(socket)), timeout_(timeout) {}

KCONTROL_DECL awaitable<result<std::optional<std::string>>> pod_resources_client::call(std::string method,
                                                                                       std::string message,
                                                                                       std::stop_token stop) {
    if (path_.size() > detail::most_socket_path) {
        co_return error(errc::invalid_argument, path_ + ": the path of a socket is shorter");
    }
    const auto x = std::make_shared<detail::kubelet_exchange>(executor_, std::move(method), std::move(message));
    boost::asio::co_spawn(executor_, detail::talk_to_kubelet(x, path_), boost::asio::detached);
    const auto deadline = env_.now() + timeout_;
    while (!x->outcome) {
        const auto why = co_await x->over.wait(env_, stop, deadline);
        if (x->outcome || why == wake::notified) continue;
        error_code ignored;
        x->socket.close(ignored);
        if (why == wake::stopped) co_return error(errc::stopped, "stopped while the kubelet was asked");
        co_return error(errc::timeout, path_ + ": the kubelet does not answer");
    }
    co_return std::move(*x->outcome);
}

KCONTROL_DECL awaitable<result<std::vector<pod_resources>>> pod_resources_client::list(std::stop_token stop) {
    std::string method = "/v1.PodResourcesLister/List";
    const auto answer = co_await call(std::move(method), std::string(), std::move(stop));
    if (!answer) co_return answer.error();
    if (!*answer) co_return std::vector<pod_resources>();
    co_return decode_pod_resources_list(**answer);
}

KCONTROL_DECL awaitable<result<pod_resources>> pod_resources_client::get(namespaced_name pod, std::stop_token stop) {
    std::string method = "/v1.PodResourcesLister/Get";
    std::string message = detail::pod_resources_request(pod);
    const auto answer = co_await call(std::move(method), std::move(message), std::move(stop));
    if (!answer) co_return answer.error().with_context(to_string(pod));
    if (!*answer) {
        co_return error(errc::unavailable, path_ +
                                               ": there is no socket; is the kubelet running, and the socket's "
                                               "directory mounted?");
    }
    co_return decode_pod_resources(**answer);
}

}  // namespace kcontrol::service
