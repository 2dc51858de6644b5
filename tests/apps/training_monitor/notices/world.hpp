// A monitor's core with made-up receivers: table, history, notices.
#pragma once

#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>

#include "history/history.hpp"
#include "notices/center.hpp"
#include "notices/support.hpp"
#include "table/job_table.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace training_monitor::notices::tests {

namespace http = kcontrol::http;

inline constexpr std::string_view secret = "T0PSECRET";

// Answers what the test says, at once; counts what came.
class fake_transport final : public http::transport {
public:
    using answerer = std::function<kcontrol::result<http::response>(const http::request&)>;
    explicit fake_transport(answerer a) : answer_(std::move(a)) {}
    kcontrol::awaitable<kcontrol::result<http::opened_exchange>> open(http::request req,
                                                                      http::exchange_options) override {
        auto out = answer_(req);
        if (!out) co_return out.error();
        co_return std::move(*out);
    }
    void close() override {}

private:
    answerer answer_;
};

inline observed_job seen(std::string name, job_state state, std::string version) {
    observed_job out;
    out.view = job(std::move(name), state);
    out.resource_version = std::move(version);
    return out;
}

// One that says nothing of when it began: what counts is when it was seen.
inline observed_job fresh(std::string name, job_state state, std::string version) {
    auto out = seen(std::move(name), state, std::move(version));
    out.view.start_time.reset();
    out.view.completion_time.reset();
    return out;
}

inline receiver_config receiver(std::string name, receiver_kind kind = receiver_kind::webhook) {
    receiver_config out;
    out.name = std::move(name);
    out.kind = kind;
    out.http.server = http::endpoint("https", "hooks.example", 443);
    out.http.target = kcontrol::secret_string("/" + std::string(secret));
    out.http.secret = kcontrol::secret_string(std::string(secret));
    out.text = *text_template::parse("{{ .name }} {{ .previous }}->{{ .state }}");
    out.own_text = true;
    return out;
}

inline std::string text_of(const http::request& req) {
    const auto at = req.body.find(R"("text":")");
    return req.body.substr(at + 8, req.body.find('"', at + 8) - at - 8);
}

// A monitor's core with one receiver: table, history, notices.
struct world {
    explicit world(history& remembered, notice_config config = everything())
        : past(remembered),
          notices(
              env, context.get_executor(), std::move(config), past,
              [this](auto&&...) { return std::make_shared<fake_transport>(respond); }, log) {
        kcontrol::testing::start(context, notices.run(stop.get_token()));
        env.run_ready(context);
    }
    ~world() {
        stop.request_stop();
        env.run_ready(context);
    }
    static notice_config everything() {
        notice_config out;
        out.receivers.push_back(receiver("audit"));
        out.rules.resize(1);
        out.rules[0].receivers = {0};
        return out;
    }
    void take(const std::vector<change>& changes) {
        notices.take(past.observe(changes, env.wall_now()));
        env.run_ready(context);
    }
    std::vector<std::string> take_sent() { return std::exchange(sent, {}); }
    using texts = std::vector<std::string>;

    kcontrol::testing::manual_environment env;
    boost::asio::io_context context;
    history& past;
    std::string logged;
    kcontrol::logger log{kcontrol::log_sink([this](const kcontrol::log_record& r) {
        logged.append(r.message);
        for (const auto& field : r.fields) logged.append(" ").append(field.name).append("=").append(field.value);
        logged += '\n';
    })};
    texts sent, ids;
    std::function<kcontrol::result<http::response>(const http::request&)> answer = [](const http::request&) {
        return http::response(200, "text/plain", "ok");
    };
    std::function<kcontrol::result<http::response>(const http::request&)> respond = [this](const http::request& req) {
        auto out = answer(req);
        ids.push_back(std::string(req.headers.get("X-Training-Monitor-Id")));
        if (out && out->status == 200) sent.push_back(text_of(req));
        return out;
    };
    std::stop_source stop;
    center notices;
    job_table table;
};

}  // namespace training_monitor::notices::tests
