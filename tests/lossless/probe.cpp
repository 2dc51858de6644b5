// For tests/e2e/test_lossless.py, which has a real API server:
//     lossless_probe make FIRST_SEED COUNT     a line for each: {"seed", "base", "object", "plural", "types":
//     [name...]} lossless_probe edit KUBECONFIG           reads lines {"seed", "type", "name"}; reads that object with
//     the client,
//                                              edits it as the type, writes it, prints {"edits": [...]} or {"error":
//                                              text}
#include <kcontrol/manager/find_config.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/transport/client.hpp>

#include "cases.hpp"
#include "support/probe_options.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <iostream>

using namespace kcontrol_test;

namespace {

void make(std::uint64_t first, std::uint64_t count) {
    for (auto seed = first; seed < first + count; ++seed) {
        const auto made = make_object(seed);
        json::array types;
        for (const auto& type : made.of->types) types.emplace_back(type.name);
        std::cout << json::serialize(json::object{{"seed", seed},
                                                  {"base", json::parse(made.of->base).value()},
                                                  {"object", made.object},
                                                  {"plural", json::value(made.of->info->plural)},
                                                  {"types", std::move(types)}})
                  << '\n';
    }
}

const typed_edit& find_type(std::string_view name) {
    for (const auto& each : lossless_cases()) {
        for (const auto& type : each.types) {
            if (type.name == name) return type;
        }
    }
    throw std::runtime_error("no such type: " + std::string(name));
}

int edit_all(const std::string& kubeconfig) {
    kcontrol::system_environment env;
    const auto config = kcontrol::find_cluster_config(env, kubeconfig);
    if (!config) return std::cerr << config.error().what() << '\n', 1;
    boost::asio::io_context context(1);
    const auto transports = kcontrol::http::make_transport_factory(env);
    auto api = kcontrol::client::connect(env, context.get_executor(), *config, transports);
    if (!api) return std::cerr << api.error().what() << '\n', 1;
    *api = api->with(kcontrol::test::probe_options(env));
    for (std::string line; std::getline(std::cin, line);) {
        const auto order = json::parse(line).value();
        const auto& type = find_type(json::get_string(order, {"type"}));
        const kcontrol::namespaced_name key("default", std::string(json::get_string(order, {"name"})));
        auto task = type.run(*api, key, order.at("seed").to_number<std::uint64_t>());
        auto edits = boost::asio::co_spawn(context, std::move(task), boost::asio::use_future);
        context.restart();
        while (edits.wait_for(std::chrono::seconds(0)) != std::future_status::ready && context.run_one() != 0) {
        }
        const auto done = edits.get();
        const json::object answer =
            done ? json::object{{"edits", *done}} : json::object{{"error", done.error().what()}};
        std::cout << json::serialize(answer) << std::endl;
    }
    api->close();
    return 0;
}

}  // namespace

int main(int count, char** arguments) {
    const std::vector<std::string> words(arguments + 1, arguments + count);
    try {
        if (words.size() == 3 && words[0] == "make") return make(std::stoull(words[1]), std::stoull(words[2])), 0;
        if (words.size() == 2 && words[0] == "edit") return edit_all(words[1]);
    } catch (const std::exception& failed) {
        return std::cerr << failed.what() << '\n', 1;
    }
    return std::cerr << "usage: lossless_probe make FIRST_SEED COUNT | edit KUBECONFIG\n", 2;
}
