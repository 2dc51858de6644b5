// Which port of a Service or of pods is meant.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/service/detail/followed_kinds.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::service::detail {

/// What endpoints_options::port says.
class port_choice {
public:
    port_choice() = default;
    /// Errors: invalid_argument for what is neither a number from 1 to 65535 nor a name that a port can have.
    static KCONTROL_DECL result<port_choice> parse(std::string_view text);

    bool is_first() const noexcept { return name_.empty() && !number_; }             ///< none was named
    const std::string& name() const noexcept { return name_; }                       ///< empty for a number
    const std::optional<std::uint16_t>& number() const noexcept { return number_; }  ///< none for a name
    std::string text() const { return number_ ? std::to_string(*number_) : name_; }

private:
    std::string name_;
    std::optional<std::uint16_t> number_;
};

/// The port of a Service that is meant, or null. `in` may be null: the Service is not known.
KCONTROL_DECL const named_port* service_port(const followed_service* in, const port_choice& choice);

/// Where the endpoints of a slice listen on the port that is meant; 0: the slice restricts no port, and none was named.
/// Nothing: it has no such port.
KCONTROL_DECL std::optional<std::uint16_t> slice_port(const endpoint_slice& slice, const followed_service* service,
                                                      const port_choice& choice);

/// Where a pod listens, likewise.
KCONTROL_DECL std::optional<std::uint16_t> pod_port(const followed_pod& pod, const port_choice& choice);

/// "http (80), metrics (9090)", "8080" for one without a name; for messages.
KCONTROL_DECL std::string describe_ports(const list<named_port>& ports);
KCONTROL_DECL std::string describe_ports(const followed_pod& pod);

}  // namespace kcontrol::service::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/service/impl/port_choice.ipp>
#endif
