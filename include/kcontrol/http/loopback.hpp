// Whether a host, as it is written, is this machine itself.
#pragma once

#include <string_view>

namespace kcontrol::inline v0_1::http {

/// True for "localhost", "::1" and 127.0.0.0/8 as an IP address without brackets. Names that merely resolve to one of
/// them do not count, nor does "127.evil.example".
inline bool is_loopback(std::string_view host) {
    if (host == "localhost" || host == "::1") return true;
    return host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string_view::npos;
}

}  // namespace kcontrol::http
