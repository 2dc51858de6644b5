// The certificate that a server of ours shows: that of two files, as long as they last, or one made on the spot.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/metrics/metrics_writer.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/executor.hpp>
#include <kcontrol/transport/server_tls.hpp>

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

namespace kcontrol::inline v0_1::http {

class server;

/// How often the files were read, and how often they could not be used.
class certificate_stats {
public:
    std::uint64_t reads = 0;   ///< failed ones, too, and certificates made on the spot
    std::uint64_t errors = 0;  ///< of these, and certificates that the server did not take
};

/// Where a server's certificate and key come from. load() has those to listen with; follow() keeps the server's right:
/// files are read when something changes in the certificate's directory, and every ten seconds, as controller-runtime's
/// certwatcher does; one that was made on the spot is made anew when half of its time is over. What can't be used (of
/// two files that change one after the other, the first alone) is told, and what the server has stays in use.
///
/// Thread-safety: shared objects unsafe; use it on the server's executor.
/// Object lifetime: may be destroyed while follow() runs; the environment and the server outlive that.
class serving_certificate {
public:
    /// PEM files, of which the key has no passphrase. At most 1 MiB each.
    static KCONTROL_DECL serving_certificate from_files(environment& env, std::string certificate, std::string key,
                                                        logger log = {});
    /// For "localhost", 127.0.0.1 and ::1, by an authority that nobody knows: it encrypts, and shows nobody who
    /// answers.
    static KCONTROL_DECL serving_certificate self_signed(environment& env, logger log = {});

    /// Asks clients for a certificate of these authorities, a PEM file that is read and followed as the two are; who
    /// has none is refused. Call it before load(). Only of files.
    KCONTROL_DECL serving_certificate& require_clients_of(std::string authorities);

    /// What the server shall have now. Errors: file_failed, too_large, invalid_config (an empty file), each naming the
    /// file. Whether certificate and key fit is found out by the server that takes them.
    KCONTROL_DECL result<server_tls> load();

    /// Replaces the server's certificate whenever it changes, until `stop`.
    KCONTROL_DECL awaitable<void> follow(server& of, std::stop_token stop);

    KCONTROL_DECL certificate_stats stats() const;  ///< since it was made; for write_certificate_metrics()

private:
    struct state;
    explicit serving_certificate(std::shared_ptr<state> s) : state_(std::move(s)) {}
    static awaitable<void> follow(std::shared_ptr<state> self, server& of, std::stop_token stop);
    std::shared_ptr<state> state_;
};

/// certwatcher_read_certificate_total and certwatcher_read_certificate_errors_total, as controller-runtime has them.
KCONTROL_DECL void write_certificate_metrics(metrics_writer& out, const certificate_stats& of);

}  // namespace kcontrol::http

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/transport/impl/serving_certificate.ipp>
#endif
