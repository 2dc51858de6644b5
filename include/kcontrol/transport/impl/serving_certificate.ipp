#pragma once

#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/transport/self_signed.hpp>
#include <kcontrol/transport/server.hpp>
#include <kcontrol/transport/serving_certificate.hpp>

#include <optional>
#include <utility>

namespace kcontrol::inline v0_1::http {
namespace detail {

inline constexpr duration certificate_poll = std::chrono::seconds(10);
inline constexpr std::size_t most_of_certificate = std::size_t{1} << 20;
inline constexpr duration self_signed_life = std::chrono::hours(24 * 365);

inline result<std::string> read_pem_file(environment& env, const std::string& path) {
    auto text = env.read_regular_file(path, most_of_certificate);
    if (text && text->empty()) return error(errc::invalid_config, path + " is empty; it must hold PEM text");
    return text;
}

inline std::string folder_of_file(const std::string& path) {
    const auto slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace detail

struct serving_certificate::state {
    state(environment& e, logger l) : env(e), log(std::move(l)) {}

    bool from_files() const { return !certificate.empty(); }

    result<server_tls> load() {
        ++stats.reads;
        auto made = from_files() ? read() : make();
        if (made) {
            current = *made;
        } else {
            ++stats.errors;
        }
        return made;
    }

    result<server_tls> read() {
        auto chain = detail::read_pem_file(env, certificate);
        if (!chain) return chain.error();
        auto pem = detail::read_pem_file(env, key);
        if (!pem) return pem.error();
        server_tls made(std::move(*chain), secret_string(std::move(*pem)));
        if (authorities.empty()) return made;
        auto trusted = detail::read_pem_file(env, authorities);
        if (!trusted) return trusted.error();
        return made.client_ca_pem(std::move(*trusted)).require_client_certificate(true);
    }

    result<server_tls> make() {
        const wall_time now = env.wall_now();
        certificate_options of_authority(now);
        of_authority.common_name("kcontrol-self-signed").not_after(now + detail::self_signed_life);
        const auto authority = certificate_authority::create(of_authority);
        if (!authority) return authority.error();
        certificate_options names(now);
        names.common_name("localhost").dns("localhost").ip("127.0.0.1").ip("::1");
        names.not_after(now + detail::self_signed_life);
        auto issued = authority->issue(names);
        if (!issued) return issued.error();
        renew_at = now + detail::self_signed_life / 2;
        return server_tls(issued->cert_pem + authority->cert_pem(), std::move(issued->key_pem));
    }

    void look(server& of) {
        if (!from_files() && env.wall_now() < renew_at) return;
        const std::optional<server_tls> before = current;
        const auto found = load();
        if (!found) return complain(found.error());
        if (before == *found) return complaint.clear();
        const auto replaced = of.replace_tls(*found);
        if (!replaced) {
            ++stats.errors;
            current = before;
            return complain(replaced.error());
        }
        complaint.clear();
        log.info("the serving certificate was renewed", {{"file", certificate}});
    }

    // Certificate and key are two files: between their changes they do not fit.
    void complain(const error& why) {
        const std::string text = why.what();
        if (text != complaint) {
            log.error("the serving certificate can't be renewed; what was read before stays in use",
                      {{"certificate", certificate}, {"key", key}, {"error", text}});
        }
        complaint = text;
    }

    environment& env;
    logger log;
    std::string certificate, key;  // files; empty: made on the spot
    std::string authorities;       // the file of those that clients are of; empty: they need no certificate
    certificate_stats stats;
    std::optional<server_tls> current;
    wall_time renew_at{};
    std::string complaint;  // told last
};

KCONTROL_DECL serving_certificate serving_certificate::from_files(environment& env, std::string certificate,
                                                                  std::string key, logger log) {
    auto made = std::make_shared<state>(env, std::move(log));
    made->certificate = std::move(certificate);
    made->key = std::move(key);
    return serving_certificate(std::move(made));
}

KCONTROL_DECL serving_certificate& serving_certificate::require_clients_of(std::string authorities) {
    state_->authorities = std::move(authorities);
    return *this;
}

KCONTROL_DECL serving_certificate serving_certificate::self_signed(environment& env, logger log) {
    return serving_certificate(std::make_shared<state>(env, std::move(log)));
}

KCONTROL_DECL result<server_tls> serving_certificate::load() { return state_->load(); }

inline awaitable<void> serving_certificate::follow(std::shared_ptr<state> self, server& of, std::stop_token stop) {
    const executor mine = co_await boost::asio::this_coro::executor;
    // What the watch calls may come after the end of this coroutine, so it has the event's half of the ownership.
    const auto changed = std::make_shared<async_event>();
    std::unique_ptr<directory_watch> watch;
    if (self->from_files()) {
        auto opened = self->env.watch_directory(mine, detail::folder_of_file(self->certificate));
        if (opened) watch = std::move(*opened);  // else there is the look every ten seconds
    }
    if (watch) {
        watch->start([weak = std::weak_ptr(changed)] {
            if (const auto event = weak.lock()) event->notify_all();
        });
    }
    while (!stop.stop_requested()) {
        const wake why = co_await changed->wait(self->env, stop, self->env.now() + detail::certificate_poll);
        if (why == wake::stopped) break;
        self->look(of);
    }
    if (watch) watch->stop();
}

KCONTROL_DECL awaitable<void> serving_certificate::follow(server& of, std::stop_token stop) {
    return follow(state_, of, std::move(stop));
}

KCONTROL_DECL certificate_stats serving_certificate::stats() const { return state_->stats; }

KCONTROL_DECL void write_certificate_metrics(metrics_writer& out, const certificate_stats& of) {
    out.counter("certwatcher_read_certificate_total", "Total number of certificate reads", {},
                static_cast<double>(of.reads));
    out.counter("certwatcher_read_certificate_errors_total", "Total number of certificate read errors", {},
                static_cast<double>(of.errors));
}

}  // namespace kcontrol::http
