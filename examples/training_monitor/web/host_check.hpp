// Against DNS rebinding: a page of the monitor on a loopback address answers to loopback names only.
#pragma once

#include <string>
#include <string_view>

namespace training_monitor {

/// True if the address is one that only this machine reaches.
bool is_loopback(std::string_view host);

/// True if a server that listens at `listen_host` (empty: every address) answers a request with that Host header.
/// Beyond loopback any name may lead to it, so none is refused.
bool is_allowed_host(std::string_view host_header, std::string_view listen_host);

}  // namespace training_monitor
