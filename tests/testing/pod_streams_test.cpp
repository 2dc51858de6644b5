// Commands in pods and their ports, played by a test: our own client before the in-process API server's socket.
#include <kcontrol/client/pod_exec.hpp>
#include <kcontrol/client/port_forward.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/testing/local_api_server.hpp>
#include <kcontrol/testing/pod_commands.hpp>
#include <kcontrol/testing/run.hpp>
#include <kcontrol/transport/client.hpp>

#include "support/print.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cctype>
#include <stdexcept>
#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::testing;

namespace {

const namespaced_name web("default", "web");
const std::stop_token no_stop;

json::value pod(const std::string& name, const std::string& more = R"("nodeName":"n")") {
    return json::parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
                       R"(","annotations":{"sim/exec":"nvidia-smi -L: 'GPU 0'\n'*': {stderr: nope, code: 3}"}},)" +
                       R"("spec":{"containers":[{"name":"main"}],)" + more + "}}")
        .value();
}

// Says what it was asked, then what it hears, in capitals; a word "exit" ends it with 7.
awaitable<int> play(exec_call& call) {
    const std::string asked = call.request().container + ":" + std::to_string(call.command().size()) +
                              (call.request().attaches ? " attached\n" : "\n");
    bool heard = co_await call.write(asked);
    while (heard) {
        auto said = co_await call.read();
        if (!said) break;
        if (*said == "exit") co_return 7;
        for (char& c : *said) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        heard = co_await call.write_error(*said);
    }
    heard = co_await call.write("at " + std::to_string(call.terminal().first));
    co_return heard ? 0 : 1;
}

awaitable<void> answer_port(port_call& call) {
    if (call.port() == 81) {
        co_await call.refuse("nobody listens");
        co_return;
    }
    for (;;) {
        const auto said = co_await call.read();
        if (!said) co_return;
        const bool heard = co_await call.write("<" + *said + ">");
        if (!heard) co_return;
    }
}

awaitable<std::string> rest_of(exec_stream& from) {
    std::string out;
    for (;;) {
        const auto next = co_await from.next(no_stop);
        if (!next) co_return out + "error " + std::string(next.error().what());
        if (!*next) co_return out + "exit " + std::to_string(from.exit_code().value_or(-1));
        out += ((*next)->from == exec_source::output ? "out:" : "err:") + std::string((*next)->bytes) + ";";
    }
}

using scenario = std::function<awaitable<void>(client, api_server&)>;

awaitable<void> with_server(environment& env, executor ex, scenario body) {
    local_api_server server(env, ex);
    REQUIRE(server.start());
    auto made = client::connect(env, ex, server.config(), http::make_transport_factory(env));
    REQUIRE(made);
    server.api().create(pod("web")).value();
    co_await body(*made, server.api());
    co_await server.stop();
}

void before_server(scenario body) {
    system_environment env;
    boost::asio::io_context context;
    testing::run(context, with_server(env, context.get_executor(), std::move(body)));
}

awaitable<void> play_life(client c, api_server& api) {
    api.on_exec(play);
    const std::vector<std::string> command{"sh", "-c", "x"};
    auto options = exec_options().input();
    auto running = co_await open_exec(c, web, command, options);
    REQUIRE(running);
    CHECK(running->protocol() == "v5.channel.k8s.io");
    auto sized = co_await running->resize(120, 40, no_stop);
    CHECK(sized);
    const std::string large(70'000, 'a');
    auto sent = co_await running->write(large, no_stop);
    CHECK(sent);
    auto closed = co_await running->close_input(no_stop);
    CHECK(closed);
    const std::string all = co_await rest_of(*running);
    std::string errors;
    for (std::size_t at = 0; (at = all.find("err:", at)) != std::string::npos; at += 4) {
        errors += all.substr(at + 4, all.find(';', at) - at - 4);
    }
    CHECK(all.starts_with("out:main:3\n;"));
    CHECK(errors == std::string(70'000, 'A'));
    CHECK(all.ends_with("out:at 120;exit 0"));
    options.tty();
    // A bad end; a container that is attached to; one output where there is a terminal.
    auto attached = co_await open_attach(c, web, options);
    REQUIRE(attached);
    sent = co_await attached->write("exit", no_stop);
    CHECK(sent);
    const std::string end = co_await rest_of(*attached);
    CHECK(end == "out:main:0 attached\n;exit 7");
}

awaitable<void> refusals(client c, api_server& api) {
    const auto fails = [&c](std::string name, exec_options options) -> awaitable<std::string> {
        const std::vector<std::string> command{"ls"};
        const namespaced_name pod_name("default", name);
        const auto opened = co_await open_exec(c, pod_name, command, options);
        co_return opened ? std::string("opened") : std::string(opened.error().what());
    };
    const exec_options plain;
    std::string why = co_await fails("web", plain);
    CHECK(why.find("this server has no pods/exec") != std::string::npos);
    api.on_exec(play);
    api.create(pod("waits", R"("x":1)")).value();
    why = co_await fails("nope", plain);
    CHECK(why.find("pods \"nope\" not found") != std::string::npos);
    why = co_await fails("waits", plain);
    CHECK(why.find("pod waits does not have a host assigned") != std::string::npos);
    auto other = exec_options().container("other");
    why = co_await fails("web", other);
    CHECK(why.find("container other is not valid for pod web") != std::string::npos);
    api.access().forbid({"*", "create", "pods/exec"});
    why = co_await fails("web", plain);
    CHECK(why.find("cannot create resource \"pods/exec\"") != std::string::npos);
}

awaitable<void> ports_life(client c, api_server& api) {
    api.on_port(answer_port);
    auto open = co_await open_port(c, web, 80);
    REQUIRE(open);
    std::array<char, 64> room{};
    const std::vector<std::string> words{"one", "two"};
    for (const auto& word : words) {
        auto sent = co_await open->write(word, no_stop);
        CHECK(sent);
        const auto heard = co_await open->read_some(room, no_stop);
        REQUIRE(heard);
        CHECK(std::string(room.data(), *heard) == "<" + word + ">");
    }
    auto refused = co_await open_port(c, web, 81);
    REQUIRE(refused);
    const auto none = co_await refused->read_some(room, no_stop);
    REQUIRE_FALSE(none);
    CHECK(std::string(none.error().what()).find("nobody listens") != std::string::npos);
}

// A container that dies in the middle of a command, and a client that goes.
awaitable<void> broken_ends(client c, api_server& api) {
    api.on_exec([](exec_call&) -> awaitable<int> { throw std::runtime_error("the node is gone"); });
    const std::vector<std::string> command{"ls"};
    auto options = exec_options().input();
    auto running = co_await open_exec(c, web, command, options);
    REQUIRE(running);
    const std::string end = co_await rest_of(*running);
    CHECK(end.starts_with("error "));
    const auto ended = std::make_shared<async_event>();
    api.on_exec([ended](exec_call& call) -> awaitable<int> {
        const auto said = co_await call.read();
        if (!said) ended->notify_all();
        co_return 0;
    });
    auto left = co_await open_exec(c, web, command, options);
    REQUIRE(left);
    const auto late = c.env().now() + std::chrono::minutes(1);
    { const exec_stream gone = std::move(*left); }
    const wake why = co_await ended->wait(c.env(), no_stop, late);
    CHECK(why == wake::notified);
}

}  // namespace

TEST_CASE("a test plays containers: commands, input, both outputs, terminals, exit codes") { before_server(play_life); }

TEST_CASE("a command that can't begin is refused in a real server's words") { before_server(refusals); }

TEST_CASE("a test plays what listens at ports of pods") { before_server(ports_life); }

TEST_CASE("a container that dies and a client that goes end a command") { before_server(broken_ends); }

TEST_CASE("what an annotation says of commands") {
    const json::value said = pod("web");
    CHECK(command_of(said, {"nvidia-smi", "-L"}).output == "GPU 0");
    CHECK(command_of(said, {"ls"}).exit_code == 3);
    CHECK(command_of(said, {"ls"}).error_output == "nope");
    const json::value plain = json::parse("{}").value();
    CHECK(command_of(plain, {"echo", "a", "b"}).output == "a b\n");
    CHECK(command_of(plain, {"cat"}).echoes);
    CHECK(command_of(plain, {}).echoes);
    CHECK(command_of(plain, {"false"}).exit_code == 1);
    CHECK(command_of(plain, {"python"}).exit_code == 127);
}
