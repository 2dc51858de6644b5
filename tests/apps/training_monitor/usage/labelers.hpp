// What labelers answer. The API server for tests proxies nothing, so this is played before it.
#pragma once

#include <kcontrol/transport/client.hpp>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace training_monitor::tests {

namespace http = kcontrol::http;

// What is asked of labelers by way of the API server.
struct played_labelers {
    std::map<std::string, http::response> answers;  // by pod
    std::vector<std::string> asked;

    void set(const std::string& pod, const std::string& items) {
        answers[pod] = http::response(200, "application/json", R"({"state":"ok","message":"","items":)" + items + "}");
    }
    http::transport_factory before(http::transport_factory real);
};

class before_server final : public http::transport {
public:
    before_server(std::shared_ptr<http::transport> server, played_labelers& played)
        : server_(std::move(server)), played_(played) {}
    kcontrol::awaitable<kcontrol::result<http::opened_exchange>> open(http::request req,
                                                                      http::exchange_options how) override {
        const std::string begin = "/api/v1/namespaces/gpu-labeler/pods/", end = ":9400/proxy/api/v1/gpus";
        if (!req.target.starts_with(begin) || !req.target.ends_with(end)) {
            auto passed_on = server_->open(std::move(req), std::move(how));
            auto answer = co_await std::move(passed_on);
            co_return answer;
        }
        const std::string pod = req.target.substr(begin.size(), req.target.size() - begin.size() - end.size());
        played_.asked.push_back(pod);
        const auto at = played_.answers.find(pod);
        http::response answer(503, "text/plain", "no route");
        if (at != played_.answers.end()) answer = at->second;
        co_return answer;
    }
    void close() override { server_->close(); }

private:
    std::shared_ptr<http::transport> server_;
    played_labelers& played_;
};

inline http::transport_factory played_labelers::before(http::transport_factory real) {
    return [this, real = std::move(real)](
               kcontrol::executor ex, const http::endpoint& at,
               const http::tls_options& tls) -> kcontrol::result<std::shared_ptr<http::transport>> {
        auto made = real(std::move(ex), at, tls);
        if (!made) return made.error();
        return std::shared_ptr<http::transport>(std::make_shared<before_server>(std::move(*made), *this));
    };
}

inline std::string gpu_item(int index, const char* utilization, const char* health = "ok") {
    return R"({"index":)" + std::to_string(index) + R"(,"name":"H100","health":")" + health +
           R"(","reason":"","temperatureC":40,"powerW":70,"utilization":{"gpu":)" + utilization +
           R"(},"memory":{"totalBytes":100,"usedBytes":10},"xid":null,"users":[]})";
}

}  // namespace training_monitor::tests
