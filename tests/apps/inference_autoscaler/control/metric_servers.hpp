// A Prometheus server, and a GPU scheduler, in a simulated network.
#pragma once

#include <kcontrol/http/url.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/serve/responses.hpp>
#include <kcontrol/serve/router.hpp>
#include <kcontrol/testing/sim_world.hpp>

#include <map>
#include <string>
#include <vector>

namespace inference_autoscaler::tests {

/// Answers a query by its name: with `values`, NaN if it is not there; "hangs": after a minute.
struct metric_servers {
    explicit metric_servers(testing::sim_world& world) {
        const auto answer = [this, &world](http::routed_request asked, http::responder& out) -> awaitable<void> {
            const std::string what = http::parse_query(asked.query()).at(0).second;
            queries.push_back(what);
            const auto found = values.find(what);
            const std::string value = found == values.end() ? "NaN" : found->second;
            if (value == "hangs") (void)co_await sleep_for(world.env(), std::chrono::minutes(1), out.disconnected());
            std::string body = R"({"status":"success","data":{"resultType":"vector","result":[)"
                               R"({"metric":{},"value":[1,")" +
                               value + R"("]}]}})";
            auto response = http::json_response(200, std::move(body));
            const auto sent = co_await out.send(std::move(response));
            static_cast<void>(sent);
        };
        routes.stream("GET", "/api/v1/query", answer);
        routes.get("/api/v1/fits", [this](const http::routed_request& asked) {
            fits.emplace_back(asked.query());
            return http::json_response(status, places);
        });
        world.network().listen("metrics", world.get_executor(), routes.handler());
    }

    std::map<std::string, std::string> values;
    std::vector<std::string> queries, fits;
    int status = 200;
    std::string places = R"({"now":true,"largestGang":5})";
    http::router routes;
};

}  // namespace inference_autoscaler::tests
