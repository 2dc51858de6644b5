#pragma once

#include <kcontrol/client/wrap_transports.hpp>

#include <utility>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL http::transport_factory wrap_transports(
    http::transport_factory below,
    std::function<std::shared_ptr<http::transport>(std::shared_ptr<http::transport>)> wrap) {
    return [below = std::move(below), wrap = std::move(wrap)](
               executor ex, const http::endpoint& to,
               const http::tls_options& tls) -> result<std::shared_ptr<http::transport>> {
        auto made = below(std::move(ex), to, tls);
        if (!made) return made.error();
        return wrap(std::move(*made));
    };
}

KCONTROL_DECL http::transport_factory wrap_transports(http::transport_factory below, http::open_function around) {
    return wrap_transports(std::move(below), [around = std::move(around)](std::shared_ptr<http::transport> one) {
        return std::make_shared<http::wrapped_transport>(std::move(one), around);
    });
}

}  // namespace kcontrol
