// For tests/e2e/test_prometheus.py: the autoscaler's reader of Prometheus.
//     inference_probe URL MAX_AGE_SECONDS
// For each line on standard input, a query, one line on standard output: "VALUE", or "REASON: words".
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/transport/client.hpp>

#include "queries/prometheus_reader.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <cstdlib>
#include <iostream>
#include <string>

using namespace inference_autoscaler;

namespace {

std::string read(boost::asio::io_context& context, prometheus_reader& reader, const metric_server& server,
                 const std::string& query) {
    std::optional<reading> got;
    boost::asio::co_spawn(context, reader.ask(server, query, {}), [&](std::exception_ptr failure, reading value) {
        if (failure) std::rethrow_exception(failure);
        got = std::move(value);
    });
    context.restart();
    while (!got) context.run_one();
    if (const auto* missing = got->missing()) return std::string(to_string(missing->reason)) + ": " + missing->words;
    return std::to_string(*got->known());
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    kcontrol::system_environment env;
    boost::asio::io_context context(1);
    prometheus_reader reader(env, context.get_executor(), kcontrol::http::make_transport_factory(env));
    metric_server server(argv[1]);
    server.max_age = std::chrono::seconds(std::atoi(argv[2]));
    for (std::string query; std::getline(std::cin, query);) {
        std::cout << read(context, reader, server, query) << std::endl;
    }
}
