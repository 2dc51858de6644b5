// For tests/e2e/test_streams.py: logs, commands and ports of pods of a real API server, as our client has them.
//     stream_probe KUBECONFIG logs NAMESPACE/POD [follow] [previous] [timestamps] [tail=N] [limit=N] [container=C]
//     stream_probe KUBECONFIG exec NAMESPACE/POD [input] [tty] -- COMMAND ARGUMENT…
//     stream_probe KUBECONFIG attach NAMESPACE/POD [input] [tty]
//     stream_probe KUBECONFIG port NAMESPACE/POD PORT
// What comes goes to standard output and standard error, standard input goes there. It ends with the command's exit
// code, or with 99 and the error. A line "stop" instead of input ends what is in progress.
#include <kcontrol/auth/find_config.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/client/pod_exec.hpp>
#include <kcontrol/client/pod_logs.hpp>
#include <kcontrol/client/port_forward.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/transport/client.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <iostream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace kcontrol;

namespace {

struct asked {
    asked() = default;
    std::string verb;
    namespaced_name pod;
    std::vector<std::string> words, command;
    std::string value(std::string_view name) const {
        for (const auto& word : words) {
            if (word.starts_with(name)) return word.substr(name.size());
        }
        return {};
    }
    bool has(std::string_view name) const {
        for (const auto& word : words) {
            if (word == name) return true;
        }
        return false;
    }
};

int failed(const error& why) {
    std::cerr << "error: " << why.what() << std::endl;
    return 99;
}

// Standard input as it comes; empty at its end.
awaitable<std::string> next_input(boost::asio::posix::stream_descriptor& from) {
    boost::asio::as_tuple_t<boost::asio::use_awaitable_t<>> token;
    std::string chunk(65536, '\0');
    const auto outcome = co_await from.async_read_some(boost::asio::buffer(chunk), token);
    chunk.resize(std::get<1>(outcome));
    co_return chunk;
}

// The line "stop" stops; everything else is input for `write`, and its end for `close`.
template <class Write, class Close>
awaitable<void> pump_input(std::stop_source stop, Write write, Close close) {
    boost::asio::posix::stream_descriptor input(co_await boost::asio::this_coro::executor, ::dup(STDIN_FILENO));
    for (;;) {
        const std::string chunk = co_await next_input(input);
        if (chunk == "stop\n") {
            stop.request_stop();
            co_return;
        }
        if (chunk.empty()) {
            (void)co_await close();
            co_return;
        }
        const auto sent = co_await write(chunk);
        if (!sent) co_return;
    }
}

awaitable<int> run_logs(client c, asked what, std::stop_source stop) {
    log_options options;
    options.follow(what.has("follow")).previous(what.has("previous")).timestamps(what.has("timestamps"));
    options.container(what.value("container="));
    if (const auto n = what.value("tail="); !n.empty()) options.tail(std::stol(n));
    if (const auto n = what.value("limit="); !n.empty()) options.limit_bytes(std::stol(n));
    auto log = co_await open_logs(c, what.pod, options);
    if (!log) co_return failed(log.error());
    for (;;) {
        const auto line = co_await log->next_line(stop.get_token());
        if (!line) co_return failed(line.error());
        if (!*line) co_return 0;
        std::cout << (*line)->text << ((*line)->whole ? "\n" : "") << std::flush;
    }
}

awaitable<int> run_command(client c, asked what, std::stop_source stop) {
    exec_options options;
    options.input(what.has("input")).tty(what.has("tty")).container(what.value("container="));
    result<exec_stream> opened = error(errc::unavailable);
    if (what.verb == "exec") {
        opened = co_await open_exec(c, what.pod, what.command, options);
    } else {
        opened = co_await open_attach(c, what.pod, options);
    }
    if (!opened) co_return failed(opened.error());
    exec_stream& command = *opened;
    std::cerr << "protocol " << command.protocol() << std::endl;
    const auto write = [&command, stop](std::string_view text) { return command.write(text, stop.get_token()); };
    const auto close = [&command, stop] { return command.close_input(stop.get_token()); };
    if (what.has("tty")) {
        const auto resized = co_await command.resize(100, 40, stop.get_token());
        if (!resized) co_return failed(resized.error());
    }
    boost::asio::co_spawn(c.get_executor(), pump_input(stop, write, close), boost::asio::detached);
    for (;;) {
        const auto next = co_await command.next(stop.get_token());
        if (!next) co_return failed(next.error());
        if (!*next) co_return command.exit_code().value_or(98);
        auto& to = (*next)->from == exec_source::output ? std::cout : std::cerr;
        to << (*next)->bytes << std::flush;
    }
}

awaitable<int> run_port(client c, asked what, std::stop_source stop) {
    auto opened = co_await open_port(c, what.pod, static_cast<std::uint16_t>(std::stoi(what.words.at(0))));
    if (!opened) co_return failed(opened.error());
    port_stream& port = *opened;
    const auto write = [&port, stop](std::string_view text) { return port.write(text, stop.get_token()); };
    const auto close = [] { return make_ready(result<void>()); };
    boost::asio::co_spawn(c.get_executor(), pump_input(stop, write, close), boost::asio::detached);
    std::string buffer(65536, '\0');
    for (;;) {
        const std::span<char> into(buffer);
        const auto n = co_await port.read_some(into, stop.get_token());
        if (!n) co_return failed(n.error());
        if (*n == 0) co_return 0;
        std::cout << std::string_view(buffer.data(), *n) << std::flush;
    }
}

awaitable<void> run(client c, asked what, int& code) {
    std::stop_source stop;
    if (what.verb == "logs") {
        const auto none = [](std::string_view) { return make_ready(result<void>()); };
        const auto close = [] { return make_ready(result<void>()); };
        boost::asio::co_spawn(c.get_executor(), pump_input(stop, none, close), boost::asio::detached);
        code = co_await run_logs(c, what, stop);
    } else if (what.verb == "port") {
        code = co_await run_port(c, what, stop);
    } else {
        code = co_await run_command(c, what, stop);
    }
    std::cout << std::flush;
    // Standard input may never end.
    ::_exit(code);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) return std::cerr << "usage: see the file's head" << std::endl, 2;
    asked what;
    what.verb = argv[2];
    const std::string pod = argv[3];
    const auto slash = pod.find('/');
    what.pod = {pod.substr(0, slash), pod.substr(slash + 1)};
    bool command = false;
    for (int i = 4; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--" && !command) {
            command = true;
        } else {
            (command ? what.command : what.words).push_back(word);
        }
    }
    system_environment env;
    boost::asio::io_context context(1);
    auth::config_search how;
    how.file(argv[1]);
    const auto config = auth::find_config(env, how);
    if (!config) return failed(config.error());
    auto c = client::connect(env, context.get_executor(), *config, http::make_transport_factory(env));
    if (!c) return failed(c.error());
    int code = 97;
    boost::asio::co_spawn(context, run(*c, what, code), boost::asio::detached);
    context.run();
    return code;
}
