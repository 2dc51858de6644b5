// Commands in containers: what is asked for, what comes of it, and every way to end.
#include <kcontrol/client/detail/channels.hpp>
#include <kcontrol/client/detail/exec_status.hpp>
#include <kcontrol/client/pod_exec.hpp>

#include "client/fake_websocket.hpp"
#include "fixture.hpp"

#include <stdexcept>
#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;
using namespace std::string_literals;

namespace {

const std::string success = R"({"metadata":{},"status":"Success"})";

std::string exits(int code) {
    return R"({"status":"Failure","message":"command terminated with non-zero exit code","reason":"NonZeroExitCode",)"
           R"("details":{"causes":[{"reason":"ExitCode","message":")" +
           std::to_string(code) + "\"}]}}";
}

class exec_fixture : public client_fixture {
public:
    exec_stream open(exec_options options = {}, std::vector<std::string> command = {"ls"}) {
        client c = connect_here();
        auto opened = await(open_exec(c, {"default", "web"}, std::move(command), std::move(options)));
        if (!opened) throw exception(opened.error());
        return std::move(*opened);
    }
    error refused(exec_options options = {}, std::vector<std::string> command = {"ls"}) {
        client c = connect_here();
        const auto opened = await(open_exec(c, {"default", "web"}, std::move(command), std::move(options)));
        REQUIRE_FALSE(opened.has_value());
        return opened.error();
    }
    client connect_here() {
        auto made = client::connect(env, context.get_executor(), config, peers->factory(), log);
        REQUIRE(made.has_value());
        return *made;
    }
    /// "out:…" and "err:…" as they come, then the exit code or the error.
    std::string all_of(exec_stream& from) {
        std::string out;
        for (;;) {
            const auto next = await(from.next({}));
            if (!next) return out + "error: " + next.error().what();
            if (!*next) return out + "exit " + std::to_string(from.exit_code().value());
            out += ((*next)->from == exec_source::output ? "out:" : "err:") + std::string((*next)->bytes) + " ";
        }
    }

    std::shared_ptr<fake_websockets> peers = std::make_shared<fake_websockets>(env);
};

}  // namespace

TEST_CASE("streams are told apart by the first byte of each message, however that comes") {
    for (std::size_t slice = 1; slice < 8; ++slice) {
        detail::channel_reader reader;
        std::string seen;
        for (const std::string& message : {"\x01"s,
                                           "\x01"
                                           "abc"s,
                                           ""s,
                                           "\x02"
                                           "de"s,
                                           "\x03"
                                           "f"s}) {
            std::size_t at = 0;
            do {
                const auto piece = std::string_view(message).substr(at, slice);
                at += piece.size();
                const auto part = reader.take(piece, at == message.size());
                if (part) seen += std::to_string(part->channel) + std::string(part->bytes);
            } while (at < message.size());
        }
        // The number of a channel is there once for each piece.
        std::string once;
        char last = '\0';
        for (const char c : seen) {
            const bool is_number = c >= '0' && c <= '9';
            if (!is_number || c != last) once += c;
            if (is_number) last = c;
        }
        CHECK(once == "1abc2de3f");
    }
}

TEST_CASE("what servers say of a command's end") {
    CHECK(detail::read_exec_status(success).value() == 0);
    CHECK(detail::read_exec_status(exits(3)).value() == 3);
    CHECK(detail::read_exec_status(exits(137)).value() == 137);
    const auto failed = detail::read_exec_status(
        R"({"status":"Failure","code":500,"reason":"InternalError","message":"no such file: /bin/\u001b[31mls"})");
    REQUIRE_FALSE(failed.has_value());
    CHECK(failed.error() == api_errc::internal_error);
    CHECK(failed.error().message() == "no such file: /bin/\\x1b[31mls");
    for (
        const char* odd :
        {"{}", R"({"status":"Failure","reason":"NonZeroExitCode"})",
         R"({"status":"Failure","reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"x"}]}})",
         R"({"status":"Failure","reason":"NonZeroExitCode","details":{"causes":[7,{"reason":"ExitCode"}]}})",
         R"({"status":7})", "[]", "7", "{", ""}) {
        CAPTURE(odd);
        CHECK_FALSE(detail::read_exec_status(odd).has_value());
    }
}

TEST_CASE_FIXTURE(exec_fixture, "a command: both outputs as they come, and its exit code") {
    const auto peer = peers->accept("v5.channel.k8s.io");
    for (const char* empty : {"\x01", "\x02", "\x03"}) peer->push(empty);
    peer->push("\x01one");
    peer->push("\x02two");
    peer->push("\x01" + std::string(2500, 'x'));
    peer->push("\x09what nobody knows");
    peer->push("\x03" + exits(7));
    peer->close();
    exec_stream command = open(exec_options().container("c"), {"sh", "-c", "a b&c"});
    REQUIRE(peers->sent().size() == 1);
    const http::request& req = peers->sent()[0];
    CHECK(req.method == "GET");
    CHECK(req.target ==
          "/api/v1/namespaces/default/pods/web/"
          "exec?command=sh&command=-c&command=a%20b%26c&container=c&stdout=true&stderr=true");
    CHECK(req.headers.get("Sec-WebSocket-Protocol") == "v5.channel.k8s.io, v4.channel.k8s.io");
    CHECK(req.headers.get("Accept") == "*/*");  // nodes refuse the connection to a port with 406 else
    CHECK_FALSE(req.headers.contains("Accept-Encoding"));
    CHECK(command.protocol() == "v5.channel.k8s.io");
    CHECK_FALSE(command.exit_code().has_value());
    CHECK(all_of(command) == "out:one err:two out:" + std::string(999, 'x') + " out:" + std::string(1000, 'x') +
                                 " out:" + std::string(501, 'x') + " exit 7");
    CHECK_FALSE(await(command.next({})).value().has_value());  // and it stays so
}

TEST_CASE_FIXTURE(exec_fixture, "a command that could not be run says why") {
    auto peer = peers->accept("v4.channel.k8s.io");
    peer->push("\x03" + R"x({"status":"Failure","code":500,"message":"container not found (\"c\")"})x"s);
    peer->close();
    exec_stream command = open();
    CHECK(all_of(command).starts_with("error: container not found"));
    CHECK_FALSE(command.exit_code().has_value());
    CHECK(all_of(command).starts_with("error: container not found"));
}

TEST_CASE_FIXTURE(exec_fixture, "a connection that ends before the command does is no success") {
    for (const bool properly : {true, false}) {
        auto peer = peers->accept("v5.channel.k8s.io");
        peer->push("\x01x");
        properly ? peer->close() : peer->fail(errc::connection_lost);
        exec_stream command = open();
        const std::string seen = all_of(command);
        CHECK(seen.starts_with("out:x error: "));
        CHECK_FALSE(command.exit_code().has_value());
        CHECK((seen.find("nobody said") != std::string::npos) == properly);
    }
    // One whose end was told is over, however the connection ends then, and even if it does not.
    for (const int how : {0, 1, 2}) {
        auto peer = peers->accept("v5.channel.k8s.io");
        peer->push("\x03" + success);
        if (how == 0) peer->close();
        if (how == 1) peer->fail(errc::truncated);
        exec_stream command = open();
        const auto before = env.now();
        CHECK(all_of(command) == "exit 0");
        CHECK(env.now() - before == (how == 2 ? 10s : 0s));
    }
}

TEST_CASE_FIXTURE(exec_fixture, "input goes in pieces and in turns, and ends") {
    const auto peer = peers->accept("v5.channel.k8s.io");
    exec_stream command = open(exec_options().input().tty().error_output(true));
    CHECK(peers->sent()[0].target.ends_with("exec?command=ls&stdin=true&stdout=true&tty=true"));
    CHECK(await(command.write("", {})).has_value());
    CHECK(await(command.write("hello", {})).has_value());
    CHECK(await(command.write(std::string(70'000, 'x'), {})).has_value());
    CHECK(await(command.resize(80, 24, {})).has_value());
    REQUIRE(peer->written.size() == 5);
    CHECK(peer->written[0] == "\0hello"s);
    CHECK(peer->written[1] == "\0"s + std::string(32768, 'x'));
    CHECK(peer->written[3].size() == 70'000 - 2 * 32768 + 1);
    CHECK(peer->written[4] == "\x04{\"Width\":80,\"Height\":24}");
    peer->written.clear();

    peer->stuck = true;
    const std::string first(40'000, 'a');
    std::optional<result<void>> one, two, three;
    start(context, keep_outcome(command.write(first, {}), one));
    start(context, keep_outcome(command.write("b", {}), two));
    std::stop_source source;
    start(context, keep_outcome(command.resize(1, 1, source.get_token()), three));
    manual_environment::run_ready(context);
    CHECK(peer->written.empty());
    source.request_stop();
    manual_environment::run_ready(context);
    REQUIRE(three.has_value());
    CHECK(three->error() == errc::stopped);
    peer->stuck = false;
    peer->changed.notify_all();
    manual_environment::run_ready(context);
    REQUIRE(one.has_value());
    REQUIRE(two.has_value());
    REQUIRE(peer->written.size() == 3);
    CHECK(peer->written[2] == "\0b"s);

    CHECK(await(command.close_input({})).has_value());
    CHECK(await(command.close_input({})).has_value());
    REQUIRE(peer->written.size() == 4);
    CHECK(peer->written[3] == "\xff\0"s);
    CHECK(await(command.write("late", {})).error() == errc::invalid_argument);
}

TEST_CASE_FIXTURE(exec_fixture,
                  "an older server has no word for the end of input, and a command without input gets none") {
    const auto old = peers->accept("v4.channel.k8s.io");
    exec_stream command = open(exec_options().input());
    const auto closed = await(command.close_input({}));
    REQUIRE_FALSE(closed.has_value());
    CHECK(closed.error() == errc::unavailable);
    CHECK(closed.error().message().find("v4.channel.k8s.io") != std::string::npos);
    CHECK(await(command.write("x", {})).has_value());
    peers->accept("v5.channel.k8s.io");
    exec_stream mute = open();
    CHECK(await(mute.write("x", {})).error() == errc::invalid_argument);
    CHECK(await(mute.close_input({})).has_value());
}

TEST_CASE_FIXTURE(exec_fixture, "what is refused before anything is sent, and by whom afterwards") {
    CHECK(refused({}, {}).message() == "the command is empty");
    CHECK(refused(exec_options().output(false).error_output(false)) == errc::invalid_argument);
    CHECK(peers->sent().empty());
    peers->refuse(http::response(403, "application/json",
                                 R"({"kind":"Status","code":403,"reason":"Forbidden","message":"not you"})"));
    CHECK(refused().message() == "not you");
    peers->refuse(http::response(200, "application/json", "{}"));
    CHECK(refused() == errc::protocol_error);
    peers->accept("");
    CHECK(refused().message().find("speaks none of v5.channel.k8s.io") != std::string::npos);
    CHECK(refused() == errc::connection_refused);
    // Sent away for a while, it comes back; with other credentials, too.
    http::response later(429, "application/json", "{}");
    later.headers.set("Retry-After", "1");
    peers->refuse(later);
    peers->accept("v5.channel.k8s.io");
    const auto before = env.now();
    open();
    CHECK(env.now() - before >= 1s);
    client c = connect_here();
    CHECK(await(open_attach(c, {"default", "../x"}, {})).error() == errc::invalid_argument);
    CHECK(await(open_attach(c, {"", "x"}, {})).error() == errc::invalid_argument);
    peers->accept("v5.channel.k8s.io");
    CHECK(await(open_attach(c, {"default", "web"}, {})).has_value());
    CHECK(peers->sent().back().target == "/api/v1/namespaces/default/pods/web/attach?stdout=true&stderr=true");
    // A fence lets no command through.
    client fenced = c.guarded([]() -> result<duration> { return error(errc::not_leading, "no"); });
    const auto sent = peers->sent().size();
    CHECK(await(open_exec(fenced, {"default", "web"}, {"ls"}, {})).error() == errc::not_leading);
    CHECK(peers->sent().size() == sent);
}

TEST_CASE_FIXTURE(exec_fixture, "a guard that throws while a command is written to fails that write") {
    bool throws = false;
    client guarded = connect_here().guarded([&throws]() -> result<duration> {
        if (throws) throw std::runtime_error("out of order");
        return duration(1min);
    });
    const auto peer = peers->accept("v5.channel.k8s.io");
    auto opened = await(open_exec(guarded, {"default", "web"}, {"cat"}, exec_options().input()));
    REQUIRE(opened.has_value());
    throws = true;
    CHECK(await(opened->write("x", {})).error() == errc::callback_failed);
    throws = false;
    CHECK(await(opened->write("x", {})).has_value());
}

TEST_CASE_FIXTURE(exec_fixture, "a stop ends a read; destruction ends what is in progress, and closes the connection") {
    const auto peer = peers->accept("v5.channel.k8s.io");
    std::optional<exec_stream> command = open(exec_options().input());
    std::stop_source source;
    std::optional<result<std::optional<exec_output>>> read;
    start(context, keep_outcome(command->next(source.get_token()), read));
    manual_environment::run_ready(context);
    CHECK_FALSE(read.has_value());
    source.request_stop();
    manual_environment::run_ready(context);
    REQUIRE(read.has_value());
    CHECK(read->error() == errc::stopped);
    read.reset();
    std::optional<result<void>> sent, waits;
    peer->stuck = true;
    start(context, keep_outcome(command->next({}), read));
    start(context, keep_outcome(command->write("x", {}), sent));
    start(context, keep_outcome(command->write("y", {}), waits));
    manual_environment::run_ready(context);
    command.reset();
    manual_environment::run_ready(context);
    CHECK(peer->gone);
    REQUIRE(read.has_value());
    REQUIRE(sent.has_value());
    REQUIRE(waits.has_value());
    CHECK(read->error() == errc::unavailable);
    CHECK(sent->error() == errc::unavailable);
    CHECK(waits->error() == errc::unavailable);
    CHECK(env.pending_timers() == 0);
}

TEST_CASE_FIXTURE(exec_fixture, "commands run in pods of the client's namespace") {
    const client c = connect_here().namespaced("default");
    const auto peer = peers->accept("v5.channel.k8s.io");
    CHECK(await(open_exec(c, {"", "web"}, {"ls"}, {})).has_value());
    CHECK(peers->sent().back().target.starts_with("/api/v1/namespaces/default/pods/web/exec?"));
    const auto sent = peers->sent().size();
    CHECK(await(open_exec(c, {"other", "web"}, {"ls"}, {})).error() == errc::invalid_argument);
    CHECK(peers->sent().size() == sent);
}
