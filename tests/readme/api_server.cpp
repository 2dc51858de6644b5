// The in-process API server as a program: prints its URL, then serves until it is ended.
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/api_server.hpp>
#include <kcontrol/transport/client.hpp>
#include <kcontrol/transport/server.hpp>

#include <boost/asio/io_context.hpp>

#include <cstdio>

int main() {
    boost::asio::io_context context;
    kcontrol::system_environment env;
    kcontrol::testing::api_server_options options;
    options.webhook_transport(kcontrol::http::make_transport_factory(env));
    kcontrol::testing::api_server api(env, context.get_executor(), options);
    kcontrol::http::server server(env, context.get_executor(), api.handler());
    const auto listening = server.listen(kcontrol::http::listen_address("127.0.0.1", 0));
    if (!listening) {
        std::fprintf(stderr, "%s\n", listening.error().message().c_str());
        return 1;
    }
    server.start();
    std::printf("http://127.0.0.1:%d\n", server.local_port());
    std::fflush(stdout);
    context.run();
}
