// For tests/e2e/test_login.py: who a real API server takes one client for.
//     login_probe [KUBECONFIG] [--context NAME]    without a file as kubectl has it
// For each line of standard input it asks once, and prints "NAME [GROUP,…] in NAMESPACE", or "error: …". Warnings of
// the log are told on standard error.
#include <kcontrol/auth/find_config.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/transport/client.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <iostream>
#include <string>
#include <utility>

using namespace kcontrol;

namespace {

std::string who_is(const http::response& answer) {
    const auto review = json::parse(answer.body);
    if (!review) return "error: " + review.error().what();
    std::string out(json::get_string(*review, {"status", "userInfo", "username"}));
    std::string groups;
    const auto* found = json::find(*review, {"status", "userInfo", "groups"});
    if (found && found->is_array()) {
        for (const auto& group : found->get_array()) {
            if (group.is_string()) groups += (groups.empty() ? "" : ",") + std::string(group.get_string());
        }
    }
    return out + " [" + groups + "]";
}

awaitable<void> ask(client c) {
    http::request req("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews");
    req.headers.set("Content-Type", "application/json");
    req.body = R"({"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"})";
    http::exchange_options options;
    options.deadline(std::chrono::minutes(1));
    const auto answer = co_await c.raw(std::move(req), std::move(options));
    if (answer) {
        std::cout << who_is(*answer) << " in " << c.default_namespace() << std::endl;
    } else {
        std::cout << "error: " << answer.error().what() << std::endl;
    }
}

}  // namespace

int main(int argc, char** argv) {
    auth::config_search how;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--context" && i + 1 < argc) {
            how.overrides(auth::kubeconfig_overrides().context(argv[++i]));
        } else {
            how.file(word);
        }
    }
    system_environment env;
    boost::asio::io_context context(1);
    const logger log(
        [](const log_record& r) {
            std::cerr << r.message;
            for (const auto& field : r.fields) std::cerr << " " << field.name << "=" << field.value;
            std::cerr << std::endl;
        },
        log_level::warning);
    const auto config = auth::find_config(env, how);
    if (!config) return std::cout << "error: " << config.error().what() << std::endl, 1;
    auto c = client::connect(env, context.get_executor(), *config, http::make_transport_factory(env), log);
    if (!c) return std::cout << "error: " << c.error().what() << std::endl, 1;
    for (std::string line; std::getline(std::cin, line);) {
        boost::asio::co_spawn(context, ask(*c), boost::asio::detached);
        context.restart();
        context.run();
    }
    return 0;
}
