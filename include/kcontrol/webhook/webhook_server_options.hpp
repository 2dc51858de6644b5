// How a webhook server listens, what it shows, and what a request may take.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/executor.hpp>
#include <kcontrol/runtime/time.hpp>
#include <kcontrol/transport/listen_address.hpp>
#include <kcontrol/transport/server_options.hpp>
#include <kcontrol/transport/server_tls.hpp>
#include <kcontrol/transport/serving_certificate.hpp>

#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1 {

/// Where a webhook server has its certificate from, if not from files: a Secret, for one. `load` says what there is
/// now; as long as it fails, the server is not ready and asks again every second. `follow` gives the server what comes
/// afterwards (http::server::replace_tls), until it is stopped.
class webhook_tls {
public:
    /// The certificate and key of now, or why there is none.
    using load_function = std::function<result<http::server_tls>()>;
    /// Returns when `stop` is triggered.
    using follow_function = std::function<awaitable<void>(http::server& of, std::stop_token stop)>;

    webhook_tls() = default;
    webhook_tls(load_function l, follow_function f) : load(std::move(l)), follow(std::move(f)) {}  ///< `f` may be empty

    load_function load;                              ///< empty: the files of the options count
    follow_function follow;                          ///< may be empty
    std::function<http::certificate_stats()> stats;  ///< for the metrics certwatcher_…; may be empty
};

/// Options of a webhook_server; the defaults are controller-runtime's where it has one.
class webhook_server_options {
public:
    /// Default: port 9443 of every address. One that is not enabled: nothing is served.
    webhook_server_options& address(http::listen_address a) { return address_ = std::move(a), *this; }
    /// The directory of the certificate's files. Default: $TMPDIR/k8s-webhook-server/serving-certs, /tmp without it.
    webhook_server_options& certificate_directory(std::string d) { return directory_ = std::move(d), *this; }
    /// Their names there. Defaults: tls.crt and tls.key.
    webhook_server_options& certificate_files(std::string certificate, std::string key) {
        return certificate_ = std::move(certificate), key_ = std::move(key), *this;
    }
    /// A file there with the authorities of which clients must have a certificate: that of the API server. Default:
    /// none is asked for.
    webhook_server_options& client_authorities(std::string file) {
        return client_authorities_ = std::move(file), *this;
    }
    /// Something else in place of the files.
    webhook_server_options& tls(webhook_tls t) { return tls_ = std::move(t), *this; }

    /// What besides the certificate has to be there before the server says that it is ready: the caches that its
    /// functions read, for one. `ready_when(m.informers_synced().check)`
    webhook_server_options& ready_when(std::function<result<void>()> check) { return check_ = std::move(check), *this; }

    /// What a request has that does not say (`?timeout=5s`, as API servers do); at most 30 s in any case. Default 10 s.
    webhook_server_options& default_timeout(duration d) { return timeout_ = d, *this; }
    /// Requests that are worked at at a time; others wait until their time is over. Default 256.
    webhook_server_options& max_concurrent_requests(std::size_t n) { return concurrent_ = n, *this; }
    /// Larger bodies get 413. Default 7 MiB, which an API server's largest review fits in.
    webhook_server_options& max_body(std::size_t bytes) { return max_body_ = bytes, *this; }

    /// For how long it goes on serving at a stop, while it says already that it is not ready and that connections are
    /// at their end: so long as it may take until everybody knows that. Default 5 s.
    webhook_server_options& shutdown_delay(duration d) { return shutdown_delay_ = d, *this; }
    /// How long requests in flight may take after that. Default 15 s.
    webhook_server_options& drain_timeout(duration d) { return drain_timeout_ = d, *this; }
    /// Of its connections. max_body() counts in place of theirs.
    webhook_server_options& limits(http::server_options o) { return limits_ = o, *this; }

    const http::listen_address& address() const noexcept { return address_; }
    const std::string& certificate_directory() const noexcept { return directory_; }
    /// Its name in certificate_directory(). Default: tls.crt.
    const std::string& certificate_file() const noexcept { return certificate_; }
    /// Its name in certificate_directory(). Default: tls.key.
    const std::string& key_file() const noexcept { return key_; }
    const std::string& client_authorities() const noexcept { return client_authorities_; }
    const webhook_tls& tls() const noexcept { return tls_; }
    /// Null: the certificate is enough.
    const std::function<result<void>()>& ready_when() const noexcept { return check_; }
    duration default_timeout() const noexcept { return timeout_; }
    std::size_t max_concurrent_requests() const noexcept { return concurrent_; }
    std::size_t max_body() const noexcept { return max_body_; }
    duration shutdown_delay() const noexcept { return shutdown_delay_; }
    duration drain_timeout() const noexcept { return drain_timeout_; }
    const http::server_options& limits() const noexcept { return limits_; }

private:
    http::listen_address address_{std::string(), 9443};
    std::string directory_;
    std::string certificate_ = "tls.crt", key_ = "tls.key", client_authorities_;
    webhook_tls tls_;
    std::function<result<void>()> check_;
    duration timeout_ = std::chrono::seconds(10);
    std::size_t concurrent_ = 256;
    std::size_t max_body_ = std::size_t{7} << 20;
    duration shutdown_delay_ = std::chrono::seconds(5);
    duration drain_timeout_ = std::chrono::seconds(15);
    http::server_options limits_;
};

}  // namespace kcontrol
