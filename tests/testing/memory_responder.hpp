// A responder that keeps what a handler says, so that the API server is tested without sockets.
#pragma once

#include <kcontrol/documents/value.hpp>
#include <kcontrol/http/handler.hpp>
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>

#include "support/recording_responder.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kcontrol::test {

using testing::manual_environment;

class memory_responder final : public recording_responder {
public:
    awaitable<result<void>> write(std::string piece) override {
        ++writes;
        body += piece;
        if (gone_.stop_requested()) co_return error(errc::connection_lost);
        co_return result<void>();
    }

    std::size_t writes = 0;
    bool done = false;

    json::value json() const { return json::parse(body).value(); }
    /// The events of a watch so far, as "TYPE name resourceVersion"; ERROR events as "ERROR code".
    std::vector<std::string> events() const {
        std::vector<std::string> out;
        for (std::size_t at = 0, end = 0; (end = body.find('\n', at)) != std::string::npos; at = end + 1) {
            const auto event = json::parse(std::string_view(body).substr(at, end - at));
            if (!event) {
                out.emplace_back("garbage");
                continue;
            }
            std::string text(json::get_string(*event, {"type"}));
            if (text == "ERROR") {
                text += " " + json::serialize(*json::find(*event, {"object", "code"}));
            } else {
                const auto name = json::get_string(*event, {"object", "metadata", "name"});
                if (!name.empty()) text += " " + std::string(name);
            }
            out.push_back(std::move(text));
        }
        return out;
    }
};

/// Sends requests to a handler and keeps the answers.
class memory_client {
public:
    memory_client(boost::asio::io_context& context, http::handler handler)
        : context_(context), handler_(std::move(handler)) {}

    http::fields headers;  ///< sent with every request

    http::server_request make(std::string method, std::string target, std::string body = {},
                              std::string content_type = {}) const {
        http::server_request request;
        request.method = std::move(method);
        request.target = std::move(target);
        request.headers = headers;
        request.body = std::move(body);
        if (!content_type.empty()) request.headers.set("Content-Type", std::move(content_type));
        return request;
    }

    /// Starts a request and runs what can run now.
    std::shared_ptr<memory_responder> start(http::server_request request) {
        auto out = std::make_shared<memory_responder>();
        boost::asio::co_spawn(context_, call(handler_, std::move(request), out), [](std::exception_ptr e) {
            if (e) std::rethrow_exception(e);
        });
        manual_environment::run_ready(context_);
        return out;
    }
    std::shared_ptr<memory_responder> start(std::string target) { return start(make("GET", std::move(target))); }

    /// A request that is answered at once.
    std::shared_ptr<memory_responder> call(std::string method, std::string target, std::string body = {},
                                           std::string content_type = "application/json") {
        auto out = start(make(std::move(method), std::move(target), std::move(body), std::move(content_type)));
        REQUIRE(out->done);
        return out;
    }
    std::shared_ptr<memory_responder> get(std::string target) { return call("GET", std::move(target), {}, {}); }
    std::shared_ptr<memory_responder> merge(std::string target, std::string body) {
        return call("PATCH", std::move(target), std::move(body), "application/merge-patch+json");
    }

private:
    static awaitable<void> call(http::handler handler, http::server_request request,
                                std::shared_ptr<memory_responder> out) {
        co_await handler(std::move(request), *out);
        out->done = true;
    }

    boost::asio::io_context& context_;
    http::handler handler_;
};

}  // namespace kcontrol::test
