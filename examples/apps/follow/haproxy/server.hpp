// A server of a HAProxy backend, as the runtime API knows it.
#pragma once

#include <kcontrol/base/result.hpp>

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace follow::haproxy {

/// What a server does: `set server … state` has these words.
enum class server_state {
    ready,  ///< takes requests
    drain,  ///< takes no new ones, but those of sessions that stick to it
    maint,  ///< takes none; those that run may end
};

/// "ready", "drain" or "maint".
std::string_view to_string(server_state state) noexcept;

/// One server.
class server {
public:
    server() = default;
    server(std::string n, std::string a, std::uint16_t p, server_state s)
        : name(std::move(n)), address(std::move(a)), port(p), state(s) {}

    std::string name;
    std::string address;  ///< IPv4 or IPv6, without brackets
    std::uint16_t port = 0;
    server_state state = server_state::maint;

    friend auto operator<=>(const server&, const server&) = default;
};

/// What names of servers begin with that this program made; it changes no others.
inline constexpr std::string_view own_prefix = "kc_";

/// The servers of this program in the answer to `show servers state BACKEND`, sorted by name. Errors: protocol_error
/// with what HAProxy said instead, or for a table without one of the columns that are needed.
kcontrol::result<std::vector<server>> parse_servers(std::string_view answer);

}  // namespace follow::haproxy
