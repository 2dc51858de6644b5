#include "guarded_serving/guarded_server.hpp"

#include <kcontrol/runtime/wait.hpp>

#include <chrono>
#include <utility>

namespace guarded_serving {
namespace {

// Mounted Secrets take up to a minute to change anyway.
constexpr auto look_again = std::chrono::seconds(10);

gate_rules rules_of(const kcontrol::http::listen_address& at, const access_options& access, std::string program,
                    bearer_tokens tokens) {
    gate_rules out;
    out.program = std::move(program);
    out.listen_host = at.host;
    out.tls = access.tls();
    out.login = access.login();
    out.tokens = std::move(tokens);
    out.trusted_origins = access.trusted_origins();
    return out;
}

kcontrol::http::server_options with_login(kcontrol::http::server_options limits, const access_options& access) {
    if (access.login()) limits.login_timeout(std::chrono::seconds(10));
    return limits;
}

}  // namespace

guarded_server::guarded_server(kcontrol::environment& env, kcontrol::executor ex, kcontrol::http::handler inner,
                               kcontrol::http::listen_address at, access_options access, serving_secrets secrets,
                               kcontrol::http::server_options limits, std::string program, kcontrol::logger log)
    : env_(env),
      at_(std::move(at)),
      access_(std::move(access)),
      log_(log),
      tls_(std::move(secrets.tls)),
      guard_(rules_of(at_, access_, std::move(program), std::move(secrets.tokens))),
      server_(env, std::move(ex), guard_.before(std::move(inner)), with_login(std::move(limits), access_),
              std::move(log)) {}

kcontrol::result<std::string> guarded_server::start() {
    if (!at_.enabled) return std::string();
    const auto listening = server_.listen(at_, tls_);
    if (!listening) {
        const bool about_files = listening.error() == kcontrol::errc::invalid_config;
        return listening.error().with_context(about_files ? tls_files() : "--listen");  // it names the address
    }
    server_.start();
    auto bound = at_;
    bound.port = server_.local_port();
    return (tls_ ? "https://" : "http://") + bound.text() + "/";
}

kcontrol::awaitable<void> guarded_server::renew(std::stop_token stop) {
    if (!at_.enabled || (!access_.tls() && !access_.login())) co_return;
    while (!stop.stop_requested()) {
        const auto woken = co_await kcontrol::sleep_for(env_, look_again, stop);
        if (woken == kcontrol::wake::timeout) look();
    }
}

kcontrol::awaitable<void> guarded_server::stop() { co_await server_.stop(); }

void guarded_server::look() {
    auto found = read_serving_files(env_, access_);
    if (!found) return complain(found.error().message());
    if (found->tls && *found->tls != *tls_) {
        const auto replaced = server_.replace_tls(*found->tls);
        // Certificate and key are two files: between their changes they do not fit.
        if (!replaced) return complain(tls_files() + ": " + replaced.error().message());
        tls_ = std::move(found->tls);
        log_.info("the serving certificate was renewed", {{"file", access_.tls_cert_file()}});
    }
    guard_.replace_tokens(std::move(found->tokens));
    complaint_.clear();
}

// Which of them is wrong, the server's message says.
std::string guarded_server::tls_files() const {
    std::string out =
        "--tls-cert-file " + access_.tls_cert_file() + ", --tls-private-key-file " + access_.tls_key_file();
    return access_.client_ca_file().empty() ? out : out + ", --client-ca-file " + access_.client_ca_file();
}

void guarded_server::complain(const std::string& why) {
    if (why != complaint_)
        log_.error("the files for serving can't be used; what was read before stays in use", {{"error", why}});
    complaint_ = why;
}

}  // namespace guarded_serving
