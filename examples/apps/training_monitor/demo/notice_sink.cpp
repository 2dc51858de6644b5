#include "demo/notice_sink.hpp"

#include <kcontrol/documents/value.hpp>
#include <kcontrol/json/writer.hpp>
#include <kcontrol/serve/responses.hpp>
#include <kcontrol/values/time.hpp>

#include <utility>

namespace training_monitor::demo {

namespace http = kcontrol::http;

notice_sink::notice_sink(kcontrol::environment& env, kcontrol::executor ex)
    : env_(env), server_(env, std::move(ex), [this](http::server_request request, http::responder& out) {
          return take(std::move(request), out);
      }) {}

kcontrol::result<void> notice_sink::start() {
    auto listening = server_.listen({"127.0.0.1", 0});
    if (!listening) return listening.error().with_context("the demo's receiver of notices");
    server_.start();
    return {};
}

kcontrol::awaitable<void> notice_sink::take(http::server_request request, http::responder& out) {
    const auto read = kcontrol::json::parse(request.body);
    const auto* text = read ? kcontrol::json::find(*read, {"text"}) : nullptr;
    if (text && text->is_string()) {
        if (messages_.size() == most_messages) messages_.pop_back();
        messages_.push_front({env_.wall_now(), text->get_string().c_str()});
    }
    auto answer = http::text_response(200, "ok");
    const auto sent = co_await out.send(std::move(answer));
    static_cast<void>(sent);
}

notices::notice_config notice_sink::config() const {
    notices::notice_config out;
    auto& receiver = out.receivers.emplace_back();
    receiver.name = "demo";
    receiver.kind = notices::receiver_kind::slack;
    receiver.http.server = http::endpoint("http", "127.0.0.1", server_.local_port());
    receiver.http.target = kcontrol::secret_string("/");
    auto& failures = out.rules.emplace_back();
    failures.receivers = {0};
    failures.to.emplace_back(job_state::failed);
    return out;
}

void notice_sink::add_route(http::router& to) {
    to.get("/api/v1/demo/notices", [this](const http::routed_request&) {
        kcontrol::json::writer out;
        out.begin_object();
        out.key("items");
        out.begin_array();
        for (const auto& one : messages_) {
            out.begin_object();
            out.member("at", kcontrol::format_time(one.at));
            out.member("text", one.text);
            out.end_object();
        }
        out.end_array();
        out.end_object();
        return http::json_response(200, out.take() + "\n");
    });
}

}  // namespace training_monitor::demo
