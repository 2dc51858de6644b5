// An API server without sockets, asked as over HTTP: for tests that compare its answers with a real server's.
#pragma once

#include <kcontrol/testing/api_server.hpp>

#include "support/print.hpp"
#include "testing/memory_responder.hpp"

#include <doctest/doctest.h>

namespace kcontrol::test {

class api_server_fixture {
public:
    explicit api_server_fixture(testing::api_server_options options =
                                    testing::api_server_options().default_and_validate(true).collect_garbage(true))
        : server(env, context.get_executor(), std::move(options)), client(context, server.handler()) {}

    /// The code and the message of a Status, or the code alone.
    std::string said(const std::string& method, const std::string& target, const std::string& body = {},
                     const std::string& content_type = "application/json") {
        const auto answer = client.call(method, target, body, content_type);
        const auto read = json::parse(answer->body);
        const std::string text(read ? json::get_string(*read, {"message"}) : std::string_view());
        return std::to_string(answer->head.status) + (text.empty() ? "" : " " + text);
    }
    json::value json_of(const std::string& target) { return client.get(target)->json(); }
    void post(const std::string& target, const std::string& body) {
        const auto answer = client.call("POST", target, body);
        INFO(answer->body);
        REQUIRE(answer->head.status == 201);
    }
    /// The names of a list's items, with blanks between them; of a refusal its message.
    std::string names(const std::string& target) {
        const json::value list = json_of(target);
        if (json::find(list, {"items"}) == nullptr) return std::string(json::get_string(list, {"message"}));
        std::string out;
        for (const auto& item : list.at("items").as_array()) {
            out += (out.empty() ? "" : " ") + std::string(json::get_string(item, {"metadata", "name"}));
        }
        return out;
    }
    void run_for(duration time) { env.advance(time, context); }

    boost::asio::io_context context;
    testing::manual_environment env;
    testing::api_server server;
    memory_client client;
};

}  // namespace kcontrol::test
