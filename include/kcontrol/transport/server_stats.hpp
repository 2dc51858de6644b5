// What became of a server's connections, as numbers for /metrics.
#pragma once

#include <kcontrol/config.hpp>
#include <kcontrol/metrics/metrics_writer.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::http {

/// Which limit (server_options) a connection was closed or refused for.
enum class shed_reason { connections, address, bytes, descriptors };
inline constexpr std::size_t shed_reasons = 4;

/// The step for which a peer took too long.
enum class timeout_cause { handshake, first_request, login, request, idle, answer };
inline constexpr std::size_t timeout_causes = 6;

KCONTROL_DECL std::string_view to_string(shed_reason why) noexcept;
KCONTROL_DECL std::string_view to_string(timeout_cause what) noexcept;

/// Counts since the server was made, and what is now.
class server_stats {
public:
    server_stats() = default;

    std::size_t connections = 0;                     ///< open now
    std::size_t known = 0;                           ///< of these: logged in, or answered once where there is no login
    std::size_t buffered_bytes = 0;                  ///< what they hold, as max_buffered_bytes counts it
    std::uint64_t accepted = 0;                      ///< let in, since the start
    std::array<std::uint64_t, shed_reasons> shed{};  ///< closed to make room, by reason
    std::array<std::uint64_t, shed_reasons> refused{};      ///< turned away, for nobody had to make room, by reason
    std::array<std::uint64_t, timeout_causes> timed_out{};  ///< closed because a time limit expired, by cause

    std::uint64_t handler_exceptions = 0;  ///< handlers that threw

    /// Of `shed`, those closed because of that limit.
    std::uint64_t shed_for(shed_reason why) const noexcept { return shed[static_cast<std::size_t>(why)]; }
    /// Of `refused`, those turned away because of that limit.
    std::uint64_t refused_for(shed_reason why) const noexcept { return refused[static_cast<std::size_t>(why)]; }
    /// Of `timed_out`, those with that cause.
    std::uint64_t timed_out_for(timeout_cause what) const noexcept { return timed_out[static_cast<std::size_t>(what)]; }
};

/// Writes them as the families kcontrol_http_…, with the label `server`.
KCONTROL_DECL void write_server_metrics(metrics_writer& out, const std::string& server, const server_stats& of);

}  // namespace kcontrol::http

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/transport/impl/server_stats.ipp>
#endif
