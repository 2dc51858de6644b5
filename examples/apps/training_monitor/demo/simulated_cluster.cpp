#include "simulated_cluster.hpp"

#include <kcontrol/transport/self_signed.hpp>

namespace training_monitor::demo {
namespace {

namespace http = kcontrol::http;

}  // namespace

simulated_cluster::simulated_cluster(kcontrol::environment& env, kcontrol::executor ex, std::string name)
    : env_(env),
      name_(std::move(name)),
      api_(env, ex),
      server_(
          env, ex,
          [this, api = api_.handler()](http::server_request request, http::responder& out) {
              return serve(api, std::move(request), out);
          },
          http::server_options().drain_timeout(std::chrono::milliseconds(200))) {}

kcontrol::awaitable<void> simulated_cluster::serve(const http::handler& api, http::server_request request,
                                                   http::responder& out) {
    if (answer_before_) {
        if (auto answer = answer_before_(request.target)) {
            const auto sent = co_await out.send(std::move(*answer));
            static_cast<void>(sent);
            co_return;
        }
    }
    auto answering = api(std::move(request), out);
    co_await std::move(answering);
}

kcontrol::result<void> simulated_cluster::start() {
    const auto now = env_.wall_now();
    const auto authority =
        http::certificate_authority::create(http::certificate_options(now).common_name(name_ + " authority"));
    if (!authority) return authority.error();
    const auto own = authority->issue(http::certificate_options(now).common_name(name_).ip("127.0.0.1"));
    if (!own) return own.error();
    ca_pem_ = authority->cert_pem();
    tls_.emplace(own->cert_pem, own->key_pem);
    rotate();
    const auto back = come_back();
    if (!back) return back.error();
    address_.port = server_.local_port();  // for good, as a real server's
    return {};
}

kcontrol::awaitable<void> simulated_cluster::stop() { co_await server_.stop(); }

kcontrol::awaitable<void> simulated_cluster::go_down() {
    server_.reset_connections();
    co_await server_.stop();
}

kcontrol::result<void> simulated_cluster::come_back() {
    auto listening = server_.listen(address_, tls_);
    if (!listening) return listening.error();
    server_.start();
    return {};
}

void simulated_cluster::rotate() {
    const std::string old = std::exchange(token_, "demo-" + std::to_string(env_.random()));
    std::map<std::string, std::string> tokens{{token_, "monitor"}};
    if (!old.empty()) tokens.emplace(old, "monitor");
    api_.access().set_tokens(std::move(tokens));
}

void simulated_cluster::revoke_old_tokens() { api_.access().set_tokens({{token_, "monitor"}}); }

kcontrol::auth::cluster_config simulated_cluster::config() const {
    kcontrol::auth::cluster_config out;
    out.server(http::endpoint("https", "127.0.0.1", address_.port));
    out.tls(http::tls_options().ca_pem(ca_pem_));
    out.token(kcontrol::secret_string(token_));
    return out;
}

std::size_t simulated_cluster::requests(std::string_view plural) {
    return api_.request_log().count("list", plural) + api_.request_log().count("watch", plural);
}

}  // namespace training_monitor::demo
