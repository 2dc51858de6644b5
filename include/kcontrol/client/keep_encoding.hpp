// For transports that forward to others: how objects travel is kept.
#pragma once

#include <kcontrol/http/transport.hpp>

#include <memory>

namespace kcontrol {

/// `around`, which forwards what it is asked to `below`, as a transport of the encoding that `below` has (speaking(),
/// in object_encoding.hpp). For who wraps transports that others make: a client looks at the outermost one only.
KCONTROL_DECL std::shared_ptr<http::transport> keep_encoding(const http::transport& below,
                                                             std::shared_ptr<http::transport> around);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/client/impl/keep_encoding.ipp>
#endif
