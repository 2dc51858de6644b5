// The monitor's web face before a script: what the browser tests (tests/browser) drive. Every line on standard input is
// one step, a JSON object with "op"; each is answered with a line on standard output once it is done, so that a test
// knows that the page's turn has come. The first line printed is {"port":N}.
//
//   (any)        may have "at", when it happened
//   cluster      a cluster joins or changes: the members of /api/v1/clusters
//   forget       a cluster leaves: name
//   job          a job appears or changes: the members of /api/v1/jobs, and conditions, labels
//   delete       a job goes: cluster, namespace, kind, name
//   totals       a point of /api/v1/totals: time, states, gpus
//   answer       answers a path with this status and body, whatever the monitor would say; status 0: as before
//   down, up     stops listening and ends every connection; listens at the same port again
//   mute, unmute connections stay open but carry nothing, as when a machine on the way fails; goes on
//   clients      how many read the event stream
#include <kcontrol/http/url.hpp>
#include <kcontrol/json/value.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/transport/server.hpp>

#include "script.hpp"
#include "table/totals.hpp"
#include "web/job_answer.hpp"
#include "web/totals_answer.hpp"
#include "web/web.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <unistd.h>

namespace {

namespace asio = boost::asio;
namespace http = kcontrol::http;
using namespace training_monitor;

/// What is between the monitor and the browser: canned answers, and a line that goes dead.
class line {
public:
    explicit line(kcontrol::environment& env) : env_(env) {}

    void answer(const std::string& path, int status, std::string body) {
        canned_.erase(path);
        if (status != 0) canned_.emplace(path, http::response(status, "application/json", std::move(body)));
    }
    void mute(bool on) {
        muted_ = on;
        resume_.notify_all();
    }
    http::handler wrap(http::handler inner) {
        return [this, inner = std::move(inner)](http::server_request request, http::responder& out) {
            return serve(inner, std::move(request), out);
        };
    }

private:
    class wire final : public http::responder {
    public:
        wire(line& owner, http::responder& inner) : owner_(owner), inner_(inner) {}
        kcontrol::awaitable<kcontrol::result<void>> send(http::response answer) override {
            co_await owner_.unmuted(inner_.gone());
            auto sent = co_await inner_.send(std::move(answer));
            co_return sent;
        }
        kcontrol::awaitable<kcontrol::result<void>> start(http::response_head head) override {
            co_await owner_.unmuted(inner_.gone());
            auto sent = co_await inner_.start(std::move(head));
            co_return sent;
        }
        kcontrol::awaitable<kcontrol::result<void>> write(std::string piece) override {
            co_await owner_.unmuted(inner_.gone());
            auto sent = co_await inner_.write(std::move(piece));
            co_return sent;
        }
        void abort() override { inner_.abort(); }
        std::stop_token gone() const override { return inner_.gone(); }

    private:
        line& owner_;
        http::responder& inner_;
    };

    kcontrol::awaitable<void> unmuted(std::stop_token gone) {
        while (muted_ && !gone.stop_requested()) co_await resume_.wait(env_, gone);
    }

    kcontrol::awaitable<void> serve(http::handler inner, http::server_request request, http::responder& out) {
        const std::string path(http::split_target(request.target).first);
        wire between(*this, out);
        const auto canned = canned_.find(path);
        if (canned != canned_.end()) {
            auto copy = canned->second;
            const auto sent = co_await between.send(std::move(copy));
            static_cast<void>(sent);
        } else {
            co_await inner(std::move(request), between);
        }
    }

    kcontrol::environment& env_;
    std::map<std::string, http::response> canned_;
    bool muted_ = false;
    kcontrol::async_event resume_;
};

class page_server {
public:
    page_server(kcontrol::environment& env, asio::io_context& context, std::chrono::milliseconds heartbeat)
        : env_(env),
          hub_(env, table_, event_hub_options().heartbeat(heartbeat)),
          site_(env, table_, hub_),
          line_(env),
          server_(env, context.get_executor(), line_.wrap(site_.handler())) {
        site_.add_route("/api/v1/jobs/", [this](std::string_view path, std::string_view query) {
            return job_answer(past_, table_, path, query, env_.wall_now());
        });
        site_.add_route("/api/v1/totals",
                        [this](std::string_view, std::string_view query) { return totals_answer(totals_, query); });
    }

    kcontrol::result<void> listen() {
        auto listening = server_.listen({"127.0.0.1", port_});
        if (!listening) return listening;
        server_.start();
        port_ = server_.local_port();
        return {};
    }

    kcontrol::awaitable<std::string> step(kcontrol::json::object at) {
        const std::string op = text(at, "op");
        if (op == "cluster") {
            tell(table_.set_cluster(read_cluster(at)), at);
        } else if (op == "forget") {
            tell(table_.remove_cluster(text(at, "name")), at);
        } else if (op == "job") {
            auto job = read_job(at);
            const bool known =
                table_.find(job.view.cluster, job.view.namespace_, job.view.kind, job.view.name) != nullptr;
            tell(known ? table_.update(std::move(job)) : table_.add(std::move(job)), at);
        } else if (op == "delete") {
            auto job = read_job(at);
            tell(table_.remove(job), at);
        } else if (op == "totals") {
            const auto point = read_totals(at);
            totals_.record(kcontrol::wall_time(std::chrono::seconds(point.time)), point.counts);
        } else if (op == "answer") {
            line_.answer(text(at, "path"), static_cast<int>(number(at, "status")), text(at, "body"));
        } else if (op == "down") {
            co_await server_.stop();
        } else if (op == "up") {
            const auto listening = listen();
            if (!listening) co_return "error: " + listening.error().message();
        } else if (op == "mute" || op == "unmute") {
            line_.mute(op == "mute");
        } else if (op == "clients") {
            co_return std::to_string(hub_.clients());
        } else {
            co_return "error: no such op: " + op;
        }
        co_return std::string("ok");
    }

    kcontrol::awaitable<void> run(asio::posix::stream_descriptor& input) {
        std::printf("{\"port\":%u}\n", static_cast<unsigned>(port_));
        std::fflush(stdout);
        std::string buffer;
        for (;;) {
            boost::system::error_code failure;
            const auto length = co_await asio::async_read_until(input, asio::dynamic_buffer(buffer), '\n',
                                                                asio::redirect_error(asio::use_awaitable, failure));
            if (failure) break;
            auto parsed = kcontrol::json::parse(std::string_view(buffer).substr(0, length - 1));
            std::string answer = "error: not a JSON object";
            if (parsed && parsed->is_object()) {
                auto step_of = step(std::move(parsed->as_object()));
                answer = co_await std::move(step_of);
            }
            buffer.erase(0, length);
            std::printf("%s\n", answer.c_str());
            std::fflush(stdout);
        }
        // Those who read the stream hold on to the hub; they end before it does.
        line_.mute(false);
        co_await server_.stop();
    }

private:
    // A step may say when it happened ("at"), so that timelines have a past.
    void tell(const std::vector<change>& changes, const kcontrol::json::object& at) {
        const auto said = parse_rfc3339_seconds(text(at, "at"));
        past_.take(changes, said ? kcontrol::wall_time(std::chrono::seconds(*said)) : env_.wall_now());
        hub_.publish(changes);
    }

    kcontrol::environment& env_;
    job_table table_;
    history past_;
    totals totals_;
    event_hub hub_;
    web site_;
    line line_;
    http::server server_;
    std::uint16_t port_ = 0;
};

}  // namespace

// usage: page_server [HEARTBEAT_MS]
int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);
    kcontrol::system_environment env;
    asio::io_context context(1);
    page_server server(env, context, std::chrono::milliseconds(argc > 1 ? std::atoi(argv[1]) : 15000));
    const auto listening = server.listen();
    if (!listening) {
        std::fprintf(stderr, "page_server: %s\n", listening.error().message().c_str());
        return 1;
    }
    asio::posix::stream_descriptor input(context, ::dup(STDIN_FILENO));
    int status = 0;
    asio::co_spawn(context, server.run(input), [&](std::exception_ptr failure) {
        if (failure) status = 1;
        context.stop();
    });
    context.run();
    return status;
}
