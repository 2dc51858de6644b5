#include "pods/pod_resources_client.hpp"

#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/run.hpp>
#include <kcontrol/testing/temporary_directory.hpp>

#include "pods/answers.hpp"
#include "pods/fake_kubelet.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <doctest/doctest.h>

using namespace gpu_labeler;
using namespace gpu_labeler::test;
using kcontrol::errc;
namespace asio = boost::asio;
using asio::local::stream_protocol;

namespace {

using listed = kcontrol::result<std::vector<device_user>>;

// Takes the connection, and says nothing, or closes it at once.
kcontrol::awaitable<void> take(stream_protocol::acceptor& acceptor, std::vector<stream_protocol::socket>& into,
                               bool keep) {
    auto socket = co_await acceptor.async_accept(asio::use_awaitable);
    if (keep) into.push_back(std::move(socket));
}

kcontrol::awaitable<void> ask(pod_resources_client& client, std::stop_token stop, listed& into) {
    into = co_await client.list(stop);
}

struct fixture {
    kcontrol::system_environment env;
    asio::io_context context;
    kcontrol::testing::temporary_directory directory;
    std::string path = directory.path("kubelet.sock");

    listed list(kcontrol::duration timeout = std::chrono::minutes(1), std::stop_token stop = {}) {
        pod_resources_client client(env, context.get_executor(), path, timeout);
        listed out = kcontrol::error(errc::unavailable);
        kcontrol::testing::run(context, ask(client, stop, out));
        return out;
    }
};

}  // namespace

TEST_CASE("kubelet: its list over a socket") {
    fixture f;
    stream_protocol::acceptor acceptor(f.context, stream_protocol::endpoint(f.path));
    grpc_answer answer;
    std::vector<pod_answer> pods;
    for (int i = 0; i < 2000; ++i) {  // more than the window of one stream
        const auto n = std::to_string(i);
        pods.push_back({"team", "pod-" + n, {{"main", "nvidia.com/gpu", {"GPU-" + n}}}});
    }
    answer.body = framed(pods_message(pods));
    CHECK(answer.body.size() > 65535);
    kcontrol::testing::start(f.context, serve(acceptor, answer));
    const auto users = f.list();
    REQUIRE(users);
    REQUIRE(users->size() == 2000);
    CHECK(users->back() == device_user{"team", "pod-1999", "main", "GPU-1999"});
}

TEST_CASE("kubelet: no socket is nobody, no kubelet is an error") {
    fixture f;
    const auto none = f.list();
    REQUIRE(none);
    CHECK(none->empty());
    { stream_protocol::acceptor acceptor(f.context, stream_protocol::endpoint(f.path)); }  // which leaves the file
    const auto refused = f.list();
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == errc::connection_refused);
    CHECK(refused.error().message().find(f.path) != std::string::npos);
    f.path = "/" + std::string(200, 'x');
    CHECK(f.list().error() == errc::invalid_argument);
}

TEST_CASE("kubelet: one that closes, and one that says nothing") {
    for (const bool keep : {false, true}) {
        CAPTURE(keep);
        fixture f;
        std::vector<stream_protocol::socket> kept;
        stream_protocol::acceptor acceptor(f.context, stream_protocol::endpoint(f.path));
        kcontrol::testing::start(f.context, take(acceptor, kept, keep));
        // measures: one that says nothing costs the time-out
        const auto users = f.list(keep ? std::chrono::milliseconds(50) : std::chrono::minutes(1));
        REQUIRE_FALSE(users);
        CHECK(users.error() == (keep ? errc::timeout : errc::connection_lost));
    }
}

TEST_CASE("kubelet: a stop ends the call") {
    fixture f;
    std::vector<stream_protocol::socket> kept;
    stream_protocol::acceptor acceptor(f.context, stream_protocol::endpoint(f.path));
    kcontrol::testing::start(f.context, take(acceptor, kept, true));
    std::stop_source stop;
    stop.request_stop();
    const auto users = f.list(std::chrono::minutes(1), stop.get_token());
    REQUIRE_FALSE(users);
    CHECK(users.error() == errc::stopped);
}
