#pragma once

#include <kcontrol/values/api_duration.hpp>
#include <kcontrol/webhook/webhook_builder.hpp>
#include <kcontrol/webhook/webhook_flags.hpp>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL void webhook_flags::add_to(run_options& to) {
    const auto address = [this](std::string_view text) -> result<void> {
        auto parsed = http::parse_listen_address(text);
        if (!parsed) return parsed.error();
        options_.address(std::move(*parsed));
        return {};
    };
    const auto directory = [this](std::string_view text) -> result<void> {
        options_.certificate_directory(std::string(text));
        return {};
    };
    const auto authorities = [this](std::string_view text) -> result<void> {
        options_.client_authorities(std::string(text));
        return {};
    };
    const auto delay = [this](std::string_view text) -> result<void> {
        const auto parsed = parse_duration(text);
        if (!parsed) return parsed.error();
        if (*parsed < duration::zero()) return error(errc::invalid_argument, "it must not be negative");
        options_.shutdown_delay(*parsed);
        return {};
    };
    const auto service = [this](std::string_view text) -> result<void> {
        const auto slash = text.find('/');
        if (slash == std::string_view::npos || slash == 0 || slash + 1 == text.size() ||
            text.find('/', slash + 1) != std::string_view::npos) {
            return error(errc::invalid_argument, "expected NAMESPACE/NAME, as ops/webhooks");
        }
        address_ = webhook_address::service(std::string(text.substr(0, slash)), std::string(text.substr(slash + 1)));
        return {};
    };
    const auto url = [this](std::string_view text) -> result<void> {
        if (text.substr(0, 8) != "https://") return error(errc::invalid_argument, "expected https://HOST[:PORT]");
        address_ = webhook_address::url(std::string(text));
        return {};
    };
    const auto keep = [](std::string& in) {
        return [&in](std::string_view text) -> result<void> { return in = std::string(text), result<void>(); };
    };
    to.flag("--webhook-bind-address", "ADDR:PORT", "where webhooks are served; default :9443; \"0\": nowhere", address)
        .flag("--webhook-cert-path", "DIR",
              "directory of the webhooks' certificate; default $TMPDIR/k8s-webhook-server/serving-certs", directory)
        .flag("--webhook-cert-name", "FILE", "the certificate there; default tls.crt", keep(certificate_))
        .flag("--webhook-cert-key", "FILE", "its key; default tls.key", keep(key_))
        .flag("--webhook-client-ca-name", "FILE", "authorities there of which clients must have a certificate",
              authorities)
        .flag("--webhook-shutdown-delay", "TIME", "how long webhooks are served on at a stop; default 5s", delay)
        .flag("--print-webhooks", "prints the configurations of the webhooks, and ends", print_)
        .flag("--webhook-service", "NAMESPACE/NAME", "the Service in them by which API servers call", service)
        .flag("--webhook-url", "URL", "the address in them, in place of a Service: https://HOST[:PORT]", url);
    const auto wanted = [this] { return print_; };
    to.print_instead(wanted, [this](manager& m) -> result<std::string> {
        if (address_) return print_webhooks(name_, get_webhook_server(m).webhooks(), *address_);
        return error(errc::invalid_argument,
                     "--print-webhooks: give --webhook-service NAMESPACE/NAME or --webhook-url URL");
    });
}

KCONTROL_DECL webhook_server_options webhook_flags::options() const {
    webhook_server_options out = options_;
    return out.certificate_files(certificate_.empty() ? out.certificate_file() : certificate_,
                                 key_.empty() ? out.key_file() : key_);
}

}  // namespace kcontrol
