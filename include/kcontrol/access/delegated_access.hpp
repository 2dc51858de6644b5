// Guards a program's own endpoints with the cluster's accounts and roles: who asks is found out by a TokenReview, and
// whether he may by a SubjectAccessReview, as controller-runtime's metrics server does.
#pragma once

#include <kcontrol/access/options.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/http/handler.hpp>
#include <kcontrol/metrics/metrics_writer.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace kcontrol::inline v0_1 {

/// The outcomes of requests, each counted once, and the reviews that the cluster was asked for.
class access_stats {
public:
    std::uint64_t allowed = 0;       ///< requests let through, those to paths of always_allow() too
    std::uint64_t unauthorized = 0;  ///< 401
    std::uint64_t forbidden = 0;     ///< 403
    std::uint64_t failed = 0;        ///< 500: the cluster could not be asked
    std::uint64_t overloaded = 0;    ///< 503: too many reviews wait already
    std::uint64_t malformed = 0;     ///< 400: the path can't be decoded, or does not begin with a slash
    std::uint64_t ended = 0;         ///< 503: the program ends, or the client has disconnected
    /// Requests to the cluster: TokenReviews and SubjectAccessReviews.
    std::uint64_t token_reviews = 0, access_reviews = 0;  ///< each once, however often it was retried
    std::uint64_t cache_hits = 0;                         ///< answers from the cache
};

/// Lets requests through whose sender has a bearer token of the cluster's and the right to do what he asks: the verb is
/// the method in lower case, the non-resource URL is the path, decoded, without the query. Everybody else gets, as
/// text: 401 (no token, or nobody's), 403, 500 (the cluster could not be asked; the log has the reason), 503 (too many
/// concurrent requests; the program ends; the client has disconnected) or 400 (a path with a broken escape, or without
/// a slash at its beginning). Nobody gets through because something failed.
///
/// Who runs it needs the right to create tokenreviews.authentication.k8s.io and
/// subjectaccessreviews.authorization.k8s.io: the ClusterRole system:auth-delegator.
///
/// Answers are cached for a while (access_options) by the digest of the token, never by the token itself, which is
/// neither logged nor passed on: handlers get requests without their Authorization header. Equal requests share one
/// review, which continues when its client has disconnected.
///
/// Thread-safety: shared objects unsafe; use it, and the server, on the client's executor.
/// Object lifetime: handlers may outlive it, and answer 503 then; destruction ends what is at the cluster.
class delegated_access {
public:
    /// Errors: tls_failed (OpenSSL gives no randomness).
    static KCONTROL_DECL result<delegated_access> create(client cl, access_options options = {}, logger log = {});
    KCONTROL_DECL ~delegated_access();
    KCONTROL_DECL delegated_access(delegated_access&&) noexcept;
    KCONTROL_DECL delegated_access& operator=(delegated_access&&) noexcept;

    /// A handler that calls `inner` for those who may, and says responder::admit().
    KCONTROL_DECL http::handler guard(http::handler inner) const;

    KCONTROL_DECL access_stats stats() const;  ///< what it has counted since create()

private:
    struct core;
    explicit delegated_access(std::shared_ptr<core> c);
    std::shared_ptr<core> core_;
};

/// kcontrol_http_access_total{server,outcome} and kcontrol_http_access_reviews_total{server,review}.
KCONTROL_DECL void write_access_metrics(metrics_writer& out, const std::string& server, const access_stats& of);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/access/impl/delegated_access.ipp>
#endif
