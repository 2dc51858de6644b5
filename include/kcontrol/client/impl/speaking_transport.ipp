#pragma once

#include <kcontrol/client/detail/speaking_transport.hpp>
#include <kcontrol/client/object_encoding.hpp>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL http::transport_factory speaking(std::shared_ptr<const object_encoding> encoding,
                                               http::transport_factory below) {
    return [encoding = std::move(encoding), below = std::move(below)](
               executor ex, const http::endpoint& to,
               const http::tls_options& tls) -> result<std::shared_ptr<http::transport>> {
        auto made = below(std::move(ex), to, tls);
        if (!made) return made.error();
        return std::shared_ptr<http::transport>(
            std::make_shared<detail::speaking_transport>(encoding, std::move(*made)));
    };
}

}  // namespace kcontrol
