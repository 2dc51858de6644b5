// The GPU scheduler's page before a script: see scripted_server.hpp. What /api/v1 answers is canned (step "answer"),
// but for its events. Steps of its own, with an event's name, and its data as text:
//
//   first        every client of the events gets this first, in place of an earlier one of that name
//   send         the present clients get this now
#include <kcontrol/serve/embedded_file.hpp>
#include <kcontrol/serve/event_stream.hpp>
#include <kcontrol/serve/router.hpp>

#include "gpu_scheduler/page.hpp"
#include "scripted_server.hpp"

namespace {

namespace http = kcontrol::http;

class gpu_page_server final : public scripted_server {
public:
    gpu_page_server(kcontrol::environment& env, boost::asio::io_context& context)
        : scripted_server(env, context,
                          [this](http::server_request request, http::responder& out) {
                              return routes_.handler()(std::move(request), out);
                          }),
          stream_(env) {
        add_files(routes_, gpu_scheduler::embedded_files());
        routes_.stream("GET", "/api/v1/events", [this](http::routed_request, http::responder& out) {
            return stream_.serve(out, http::event_stream_head(), [this](http::responder& to) { return open(to); });
        });
    }

private:
    std::optional<std::string> step(const std::string& op, const kcontrol::json::object& at) override {
        if (op != "first" && op != "send") return std::nullopt;
        auto event = http::format_event(++events_, text(at, "name"), text(at, "data"));
        if (op == "send") {
            stream_.publish(std::move(event));
        } else {
            first_[text(at, "name")] = std::move(event);
        }
        return "ok";
    }
    kcontrol::awaitable<kcontrol::result<void>> open(http::responder& to) {
        std::string all;
        for (const auto& [name, event] : first_) all += event;
        auto sent = co_await to.write(std::move(all));
        co_return sent;
    }

    http::event_stream stream_;
    http::router routes_;
    std::map<std::string, std::string> first_;
    std::uint64_t events_ = 0;
};

}  // namespace

int main() {
    kcontrol::system_environment env;
    boost::asio::io_context context(1);
    gpu_page_server server(env, context);
    return serve_script(context, server);
}
