#include "pods/pod_resources_client.hpp"

#include <kcontrol/runtime/wait.hpp>

#include "pods/grpc_call.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <memory>

namespace gpu_labeler {
namespace {

namespace asio = boost::asio;
using asio::local::stream_protocol;
using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;

constexpr std::size_t most_bytes = 16 << 20;  // as the kubelet's own limit

// What goes on between the socket and the one who waits for it; shared, as one of them may be gone first.
struct exchange {
    explicit exchange(const kcontrol::executor& ex)
        : socket(ex), call("/v1.PodResourcesLister/List", std::string(), most_bytes) {}

    stream_protocol::socket socket;
    grpc_call call;
    std::optional<result<std::string>> outcome;
    kcontrol::async_event over;

    void end(result<std::string> with) {
        if (!outcome) outcome.emplace(std::move(with));
        over.notify_all();
    }
};

error broken(const char* what, const kcontrol::error_code& why) {
    return error(errc::connection_lost,
                 std::string("the kubelet's pod-resources socket: ") + what + ": " + why.message());
}

kcontrol::awaitable<void> talk(std::shared_ptr<exchange> x, std::string path) {
    kcontrol::error_code failed;
    co_await x->socket.async_connect(stream_protocol::endpoint(path),
                                     asio::redirect_error(asio::use_awaitable, failed));
    if (failed == boost::system::errc::no_such_file_or_directory) co_return x->end(std::string());  // of nobody
    if (failed) {
        co_return x->end(error(errc::connection_refused, path + ": " + failed.message() +
                                                             "; is the kubelet running, and the socket's directory "
                                                             "mounted?"));
    }
    std::array<char, 16384> buffer{};
    while (true) {
        const auto out = x->call.send();
        if (!out.empty()) {
            co_await asio::async_write(x->socket, asio::buffer(out), asio::redirect_error(asio::use_awaitable, failed));
        }
        if (failed) co_return x->end(broken("can't write", failed));
        if (x->call.outcome()) co_return x->end(*x->call.outcome());
        const auto size =
            co_await x->socket.async_read_some(asio::buffer(buffer), asio::redirect_error(asio::use_awaitable, failed));
        if (failed == asio::error::eof) {
            x->call.closed();
        } else if (failed) {
            co_return x->end(broken("can't read", failed));
        } else {
            x->call.receive(std::string_view(buffer.data(), size));
        }
        if (x->call.outcome()) co_return x->end(*x->call.outcome());
    }
}

}  // namespace

pod_resources_client::pod_resources_client(kcontrol::environment& env, kcontrol::executor ex, std::string socket,
                                           kcontrol::duration timeout)
    : env_(env), executor_(std::move(ex)), path_(std::move(socket)), timeout_(timeout) {}

kcontrol::awaitable<result<std::vector<device_user>>> pod_resources_client::list(std::stop_token stop) {
    const auto x = std::make_shared<exchange>(executor_);
    if (path_.size() > 107) co_return error(errc::invalid_argument, path_ + ": the path of a socket is shorter");
    asio::co_spawn(executor_, talk(x, path_), asio::detached);
    const auto deadline = env_.now() + timeout_;
    while (!x->outcome) {
        const auto why = co_await x->over.wait(env_, stop, deadline);
        if (x->outcome || why == kcontrol::wake::notified) continue;
        kcontrol::error_code ignored;
        x->socket.close(ignored);
        if (why == kcontrol::wake::stopped) co_return error(errc::stopped, "stopped while the kubelet was asked");
        co_return error(errc::timeout, path_ + ": the kubelet does not answer");
    }
    if (!*x->outcome) co_return x->outcome->error();
    co_return decode_pod_resources(**x->outcome);
}

}  // namespace gpu_labeler
