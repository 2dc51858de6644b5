// For tests/e2e/test_apply.py: an in-process API server behind a socket, beside which a real one is asked the same.
//     apply_probe    prints its URL, serves plain http until standard input ends
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/local_api_server.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <array>
#include <iostream>
#include <unistd.h>

int main() {
    boost::asio::io_context context;
    kcontrol::system_environment env;
    kcontrol::testing::local_api_server server(env, context.get_executor(), {}, false);
    if (const auto started = server.start(); !started) return std::cerr << started.error().what() << '\n', 1;
    std::cout << "http://127.0.0.1:" << server.port() << std::endl;
    boost::asio::posix::stream_descriptor input(context, ::dup(STDIN_FILENO));
    std::array<char, 16> bytes{};
    input.async_read_some(boost::asio::buffer(bytes), [&](auto, auto) { context.stop(); });
    context.run();
    return 0;
}
