// Which servers are reached through which proxy, as the environment variables say it: Go's httpproxy, rule by rule.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/http/url.hpp>
#include <kcontrol/runtime/environment.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::http {

namespace detail {

/// An IP address; an IPv4 one inside IPv6 counts as IPv4.
struct plain_address {
    bool v6 = false;
    std::array<std::uint8_t, 16> bytes{};
    friend bool operator==(const plain_address&, const plain_address&) = default;
};

/// One entry of NO_PROXY.
struct proxy_exception {
    enum class form { everything, network, address, domain } is = form::everything;
    plain_address address;
    int prefix_bits = 0;
    std::string domain;         ///< with a dot before it
    bool domain_itself = true;  ///< false: only what is below it
    std::string port;           ///< empty: any
};

}  // namespace detail

/// HTTP_PROXY, HTTPS_PROXY and NO_PROXY. NO_PROXY is a list with commas: "*", an address or a network (10.0.0.0/8), a
/// name, which stands for what is below it, too, ".name" or "*.name" for that only; each but a network with a port if
/// it likes. localhost and loopback addresses are always reached directly. Source: golang.org/x/net/http/httpproxy.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class proxy_rules {
public:
    proxy_rules() = default;

    /// From the environment: in upper case, or else in lower case. HTTP_PROXY does not count in a CGI program
    /// (REQUEST_METHOD is set), where it is a header of whoever asks. Errors: invalid_config, naming the variable.
    static KCONTROL_DECL result<proxy_rules> from_environment(const environment& env);

    proxy_rules& for_http(proxy p) { return http_ = std::move(p), *this; }    ///< for http servers; empty: none
    proxy_rules& for_https(proxy p) { return https_ = std::move(p), *this; }  ///< for https servers; empty: none
    /// Adds a list as NO_PROXY has it; empty entries are passed over.
    KCONTROL_DECL proxy_rules& except(std::string_view no_proxy);

    /// What to go through to that server; empty: directly.
    KCONTROL_DECL proxy choose(const endpoint& to) const;

private:
    proxy http_;
    proxy https_;
    std::vector<detail::proxy_exception> exceptions_;
};

}  // namespace kcontrol::http

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/http/impl/proxy_rules.ipp>
#endif
