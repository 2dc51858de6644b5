#pragma once

#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/transport/server.hpp>
#include <kcontrol/transport/serving_certificate.hpp>
#include <kcontrol/webhook/impl/review_answers.hpp>
#include <kcontrol/webhook/impl/webhook_endpoints.hpp>
#include <kcontrol/webhook/webhook_server.hpp>

#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

inline constexpr std::string_view conversion_path = "/convert";

inline std::string default_certificate_directory(const environment& env) {
    const auto temporary = env.variable("TMPDIR");
    return (temporary && !temporary->empty() ? *temporary : std::string("/tmp")) + "/k8s-webhook-server/serving-certs";
}

inline webhook_tls tls_of_files(environment& env, const webhook_server_options& options, const logger& log) {
    const std::string& given = options.certificate_directory();
    const std::string directory = (given.empty() ? default_certificate_directory(env) : given) + "/";
    const auto files = std::make_shared<http::serving_certificate>(http::serving_certificate::from_files(
        env, directory + options.certificate_file(), directory + options.key_file(), log));
    if (!options.client_authorities().empty()) files->require_clients_of(directory + options.client_authorities());
    webhook_tls out([files] { return files->load(); },
                    [files](http::server& of, std::stop_token stop) { return files->follow(of, std::move(stop)); });
    out.stats = [files] { return files->stats(); };
    return out;
}

}  // namespace detail

struct webhook_server::impl {
    using self_ptr = std::shared_ptr<impl>;
    enum class phase { idle, starting, serving, stopping };

    impl(environment& e, executor x, webhook_server_options o, logger l)
        : env(e),
          ex(std::move(x)),
          options(std::move(o)),
          log(std::move(l)),
          faults(std::make_shared<detail::webhook_faults>(env, log)),
          conversions(std::make_shared<std::vector<kind_conversion>>()),
          endpoints(std::make_shared<detail::webhook_endpoints>(env, ex, options, faults, log)) {}

    static awaitable<result<void>> run(self_ptr self, std::stop_token stop);
    static awaitable<result<void>> listen_when_possible(self_ptr self, std::stop_token stop);
    http::server_options limits() const {
        http::server_options out = options.limits();
        return out.max_body(options.max_body());
    }

    environment& env;
    executor ex;
    webhook_server_options options;
    logger log;
    std::shared_ptr<detail::webhook_faults> faults;
    std::shared_ptr<std::vector<kind_conversion>> conversions;
    std::shared_ptr<detail::webhook_endpoints> endpoints;
    std::shared_ptr<http::server> server;  // of the present or the last run
    webhook_tls tls;
    phase at = phase::idle;
    std::string no_certificate;  // why there is none yet
};

inline awaitable<result<void>> webhook_server::impl::listen_when_possible(self_ptr self, std::stop_token stop) {
    std::string told;
    while (!stop.stop_requested()) {
        const auto certificate = self->tls.load();
        result<void> usable = certificate ? result<void>() : result<void>(certificate.error());
        if (certificate) {
            auto listening = self->server->listen(self->options.address(), *certificate);
            if (listening) co_return result<void>();
            if (!(listening.error() == errc::invalid_config)) co_return listening.error();
            usable = std::move(listening);
        }
        self->no_certificate = usable.error().what();
        if (self->no_certificate != told) {
            told = self->no_certificate;
            self->log.warning("webhooks wait for a certificate", {{"error", told}});
        }
        co_await sleep_for(self->env, std::chrono::seconds(1), stop);
    }
    co_return error(errc::stopped);
}

inline awaitable<result<void>> webhook_server::impl::run(self_ptr self, std::stop_token stop) {
    if (self->at != phase::idle) co_return error(errc::unavailable, "the webhook server runs already");
    if (!self->options.address().enabled) co_return result<void>();
    self->at = phase::starting;
    const std::shared_ptr<void> at_end(nullptr, [self](void*) {
        self->at = phase::idle;
        self->endpoints->say_goodbye(false);
    });
    self->tls = self->options.tls();
    if (!self->tls.load) self->tls = detail::tls_of_files(self->env, self->options, self->log);
    self->server =
        std::make_shared<http::server>(self->env, self->ex, self->endpoints->handler(), self->limits(), self->log);
    const auto server = self->server;
    const auto listening = co_await listen_when_possible(self, stop);
    if (!listening) {
        if (stop.stop_requested()) co_return result<void>();
        co_return listening.error();
    }
    server->start();
    self->at = phase::serving;
    self->log.info("webhooks are served", {{"port", std::to_string(server->local_port())}});
    std::stop_source following;
    if (self->tls.follow) self->endpoints->tasks().spawn(self->tls.follow(*server, following.get_token()));
    // With an end, so that a context that goes takes the sleep along.
    while (!stop.stop_requested()) co_await sleep_for(self->env, std::chrono::hours(1), stop);

    self->at = phase::stopping;
    self->endpoints->say_goodbye(true);
    self->log.info("webhooks are being stopped");
    co_await sleep_for(self->env, self->options.shutdown_delay(), {});
    co_await server->drain(self->options.drain_timeout());
    following.request_stop();
    const bool ended = co_await self->endpoints->tasks().join(self->env.now() + std::chrono::seconds(1));
    if (!ended) self->log.warning("a webhook's function does not heed its stop token; it is left behind");
    co_return result<void>();
}

KCONTROL_DECL webhook_server::webhook_server(environment& env, executor ex, webhook_server_options options, logger log)
    : impl_(std::make_shared<impl>(env, std::move(ex), std::move(options), std::move(log))) {}

KCONTROL_DECL webhook_server::~webhook_server() = default;

KCONTROL_DECL result<void> webhook_server::add_admission(webhook_registration what, admission_handler handler) {
    auto faults = impl_->faults;
    const auto held = std::make_shared<const admission_handler>(std::move(handler));
    auto added = impl_->endpoints->add(what.path(), [faults, held](webhook_call call) {
        return detail::answer_admission(faults, held, std::move(call));
    });
    if (!added) return added.error();
    (*added)->known_as = std::move(what);
    return {};
}

KCONTROL_DECL result<void> webhook_server::add(std::string path, webhook_handler handler) {
    const auto added = impl_->endpoints->add(std::move(path), std::move(handler));
    return added ? result<void>() : result<void>(added.error());
}

KCONTROL_DECL result<void> webhook_server::add_conversion(kind_conversion of) {
    const group_version_kind& kind = of.hub().gvk;
    for (const kind_conversion& one : *impl_->conversions) {
        if (!one.is_of(kind.group, kind.kind)) continue;
        return error(errc::invalid_argument, kind.group + " " + kind.kind + " has a conversion already");
    }
    if (impl_->conversions->empty()) {
        auto added = add(std::string(detail::conversion_path),
                         [faults = impl_->faults, kinds = impl_->conversions](webhook_call call) {
                             return detail::answer_conversion(faults, kinds, std::move(call));
                         });
        if (!added) return added;
    }
    impl_->conversions->push_back(std::move(of));
    return {};
}

KCONTROL_DECL std::vector<webhook_registration> webhook_server::webhooks() const {
    std::vector<webhook_registration> out;
    for (const auto& [path, one] : impl_->endpoints->all()) {
        if (one->known_as) out.push_back(*one->known_as);
    }
    for (const kind_conversion& of : *impl_->conversions) {
        out.emplace_back(webhook_registration::kind::conversion, of.hub().plural + "." + of.hub().gvk.group,
                         std::string(detail::conversion_path));
    }
    return out;
}

KCONTROL_DECL http::handler webhook_server::handler() const { return impl_->endpoints->handler(); }

KCONTROL_DECL awaitable<result<void>> webhook_server::run(std::stop_token stop) {
    return impl::run(impl_, std::move(stop));
}

KCONTROL_DECL result<void> webhook_server::ready() const {
    if (!impl_->options.address().enabled) return {};
    if (impl_->at == impl::phase::idle) return error(errc::unavailable, "webhooks are not served");
    if (impl_->at == impl::phase::stopping) return error(errc::unavailable, "webhooks are being stopped");
    if (impl_->at == impl::phase::starting) {
        return error(errc::unavailable, "webhooks have no certificate: " + impl_->no_certificate);
    }
    return impl_->options.ready_when() ? impl_->options.ready_when()() : result<void>();
}

KCONTROL_DECL std::uint16_t webhook_server::local_port() const noexcept {
    return impl_->server ? impl_->server->local_port() : std::uint16_t{0};
}

KCONTROL_DECL void webhook_server::write_metrics(metrics_writer& out) const {
    impl_->endpoints->write_metrics(out);
    if (impl_->tls.stats) http::write_certificate_metrics(out, impl_->tls.stats());
    if (impl_->server) http::write_server_metrics(out, "webhooks", impl_->server->stats());
}

}  // namespace kcontrol
