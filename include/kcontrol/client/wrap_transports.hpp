// Transports around those of another factory.
#pragma once

#include <kcontrol/http/transport.hpp>
#include <kcontrol/http/wrapped_transport.hpp>

#include <functional>
#include <memory>

namespace kcontrol::inline v0_1 {

/// Makes transports as `below` does, and around each the one that `wrap` makes of it, which forwards to it.
KCONTROL_DECL http::transport_factory wrap_transports(
    http::transport_factory below,
    std::function<std::shared_ptr<http::transport>(std::shared_ptr<http::transport>)> wrap);

/// The same, where a function is all that is around each: it acts before and after an exchange of any verb.
KCONTROL_DECL http::transport_factory wrap_transports(http::transport_factory below, http::open_function around);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/client/impl/wrap_transports.ipp>
#endif
