// What the same GETs cost where nothing but Boost stands between the program and the server: Asio's TLS stream and
// Beast's HTTP/1.1, one connection, a coroutine. bench/transport_figures.py counts its instructions beside ours.
//
// usage: raw_beast URL CA_FILE http1 gets COUNT 1 PATH
#include <kcontrol/client/client.hpp>

#include "measure.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace {

using namespace kcontrol_bench;
namespace asio = boost::asio;
namespace beast_http = boost::beast::http;
using tcp = asio::ip::tcp;
using stream = asio::ssl::stream<tcp::socket>;

asio::awaitable<void> ask(stream& server, std::string host, std::string path, int count) {
    boost::beast::flat_buffer input;
    const asio::use_awaitable_t<> token;
    for (int i = 0; i < count; ++i) {
        beast_http::request<beast_http::empty_body> req(beast_http::verb::get, path, 11);
        req.set(beast_http::field::host, host);
        req.set(beast_http::field::user_agent, "bench/1");
        req.set(beast_http::field::accept, "application/json");
        co_await beast_http::async_write(server, req, token);
        beast_http::response<beast_http::string_body> answer;
        co_await beast_http::async_read(server, input, answer, token);
        if (answer.result_int() != 200) throw std::runtime_error("status " + std::to_string(answer.result_int()));
    }
}

void run(asio::io_context& context, asio::awaitable<void> work) {
    asio::co_spawn(context, std::move(work), [](std::exception_ptr failure) {
        if (failure) std::rethrow_exception(failure);
    });
    context.restart();
    context.run();
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> words(argv, argv + argc);
    try {
        if (words.size() != 8 || words[3] != "http1" || words[4] != "gets" || words[6] != "1") {
            throw std::runtime_error("usage: see the first lines of raw_beast.cpp");
        }
        const auto config = cluster(words[1], argv[2]);
        asio::io_context context{1};
        asio::ssl::context tls(asio::ssl::context::tls_client);
        tls.load_verify_file(words[2]);
        tls.set_verify_mode(asio::ssl::verify_peer);
        stream server(context, tls);
        const tcp::endpoint to(asio::ip::make_address(config.server().host), config.server().port);
        server.next_layer().connect(to);
        server.next_layer().set_option(tcp::no_delay(true));
        server.handshake(stream::client);
        const std::string host = config.server().host + ":" + std::to_string(config.server().port);
        const int count = std::stoi(words[5]);
        run(context, ask(server, host, words[7], 1));
        const kcontrol::system_environment env;
        const auto begun = env.now();
        const double cpu = cpu_us();
        run(context, ask(server, host, words[7], count));
        const double used = cpu_us() - cpu;
        const double seconds = std::chrono::duration<double>(env.now() - begun).count();
        print("gets", count / seconds, "1/s");
        print("gets", used / count, "us CPU");
        print("gets", count / used * 1e6, "1/CPU second");
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "%s\n", failure.what());
        return 1;
    }
    return 0;
}
