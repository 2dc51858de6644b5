#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/service/pod_resources_client.hpp>
#include <kcontrol/testing/run.hpp>
#include <kcontrol/testing/temporary_directory.hpp>

#include "service/fake_kubelet.hpp"
#include "service/pod_answers.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <doctest/doctest.h>

using namespace kcontrol::service;
using namespace kcontrol::test;
using kcontrol::errc;
namespace asio = boost::asio;
using asio::local::stream_protocol;

namespace {

using listed = kcontrol::result<std::vector<pod_resources>>;

// Takes the connection, and says nothing, or closes it at once.
kcontrol::awaitable<void> take(stream_protocol::acceptor& acceptor, std::vector<stream_protocol::socket>& into,
                               bool keep) {
    auto socket = co_await acceptor.async_accept(asio::use_awaitable);
    if (keep) into.push_back(std::move(socket));
}

kcontrol::awaitable<void> ask(pod_resources_client& client, std::stop_token stop, listed& into) {
    into = co_await client.list(stop);
}

kcontrol::awaitable<void> ask_for(pod_resources_client& client, kcontrol::namespaced_name pod,
                                  kcontrol::result<pod_resources>& into) {
    into = co_await client.get(std::move(pod), {});
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
    kcontrol::result<pod_resources> get(const std::string& ns, const std::string& name) {
        pod_resources_client client(env, context.get_executor(), path, std::chrono::minutes(1));
        kcontrol::result<pod_resources> out = kcontrol::error(errc::unavailable);
        kcontrol::testing::run(context, ask_for(client, kcontrol::namespaced_name(ns, name), out));
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
    const auto& last = users->back();
    CHECK(last.namespace_ == "team");
    CHECK(last.name == "pod-1999");
    REQUIRE(last.containers.size() == 1);
    CHECK(last.containers[0].name == "main");
    CHECK(last.containers[0].cpus == std::vector<std::int64_t>{7});
    REQUIRE(last.containers[0].devices.size() == 1);
    CHECK(last.containers[0].devices[0].resource == "nvidia.com/gpu");
    CHECK(last.containers[0].devices[0].ids == std::vector<std::string>{"GPU-1999"});
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

TEST_CASE("kubelet: one pod by its name") {
    fixture f;
    const auto none = f.get("team", "a");
    REQUIRE_FALSE(none);
    CHECK(none.error() == errc::unavailable);  // no socket: that is no answer about the pod
    stream_protocol::acceptor acceptor(f.context, stream_protocol::endpoint(f.path));
    grpc_answer answer;
    answer.body = framed(pods_message({{"team", "a", {{"main", "nvidia.com/gpu", {"GPU-1", "GPU-2"}}}}}));
    kcontrol::testing::start(f.context, serve(acceptor, answer));
    const auto one = f.get("team", "a");
    REQUIRE(one);
    CHECK(one->name == "a");
    CHECK(one->containers.at(0).devices.at(0).ids.size() == 2);

    grpc_answer refused;
    refused.headers = {{":status", "200"}, {"grpc-status", "2"}, {"grpc-message", "pod b not found"}};
    refused.trailers.clear();
    kcontrol::testing::start(f.context, serve(acceptor, refused));
    const auto other = f.get("team", "b");
    REQUIRE_FALSE(other);
    CHECK(other.error() == errc::unavailable);
    CHECK(other.error().message().starts_with("team/b: "));
    CHECK(other.error().message().find("pod b not found") != std::string::npos);
}
