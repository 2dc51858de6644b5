// Discovery: which kinds a server serves, what a word means there, its OpenAPI documents and its version. Kept for a
// while.
#pragma once

#include <kcontrol/client/api_catalog.hpp>
#include <kcontrol/client/client.hpp>

#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

/// What an api_discovery keeps, and for how long.
class discovery_options {
public:
    discovery_options() = default;

    /// How long an answer is good. Default 10 min.
    discovery_options& lifetime(duration d) { return lifetime_ = d, *this; }
    /// The minimum time between two requests because of an unknown kind. Default 10 s.
    discovery_options& min_refresh_interval(duration d) { return min_refresh_interval_ = d, *this; }
    /// For each request. Default 32 s, as client-go has it.
    discovery_options& deadline(duration d) { return deadline_ = d, *this; }
    /// Does without the aggregated form, which servers have since Kubernetes 1.26. For tests.
    discovery_options& legacy(bool on) { return legacy_ = on, *this; }

    duration lifetime() const noexcept { return lifetime_; }
    duration min_refresh_interval() const noexcept { return min_refresh_interval_; }
    duration deadline() const noexcept { return deadline_; }
    bool legacy() const noexcept { return legacy_; }

private:
    duration lifetime_ = std::chrono::minutes(10);
    duration min_refresh_interval_ = std::chrono::seconds(10);
    duration deadline_ = std::chrono::seconds(32);
    bool legacy_ = false;
};

/// What GET /version says.
class server_version {
public:
    std::string major;        ///< "1"; a text, as the server writes it
    std::string minor;        ///< of some providers with a "+" behind it
    std::string git_version;  ///< "v1.36.1"
    std::string platform;     ///< of the server's machine: "linux/amd64"
};

namespace detail {
class discovery_state;
}

/// Asks a server what it serves, and keeps the answer. The catalog is asked for once for all who want it at the same
/// time; for documents and the version each one asks. Where part of the catalog can't be had, which is so while the
/// program behind an aggregated API is down, the rest is there: api_catalog::failures says what is missing, and each
/// such group-version is logged once as a warning, until it is there again.
///
/// Copies share what they keep. Thread-safety: shared objects unsafe; use it on the client's executor.
class api_discovery {
public:
    /// Asks nothing yet. `log` is told of group-versions whose kinds can't be had.
    KCONTROL_DECL explicit api_discovery(client of, discovery_options options = {}, logger log = {});

    /// All that the server serves. Errors: those of client::raw(), decode_failed.
    KCONTROL_DECL awaitable<result<std::shared_ptr<const api_catalog>>> catalog(std::stop_token stop = {});

    /// What a word means, see api_catalog::find(). An unknown word is requested anew, at most once per
    /// min_refresh_interval(). Errors, besides: no_such_kind; where it may belong to a group that could not be had, why
    /// that is.
    KCONTROL_DECL awaitable<result<api_resource>> find(std::string word, std::stop_token stop = {});
    /// The same of a kind; with an empty version that which the server prefers.
    KCONTROL_DECL awaitable<result<api_resource>> find(group_version_kind gvk, std::stop_token stop = {});

    /// The OpenAPI v3 document of a group-version as JSON. It is kept as long as the server says that it is the same.
    /// Errors, besides: not_found if there is none.
    KCONTROL_DECL awaitable<result<std::shared_ptr<const std::string>>> openapi(std::string group, std::string version,
                                                                                std::stop_token stop = {});
    /// The paths that have a document: "api/v1", "apis/apps/v1"…
    KCONTROL_DECL awaitable<result<std::vector<std::string>>> openapi_paths(std::stop_token stop = {});

    /// What GET /version says, kept as long. Errors: those of client::raw(), decode_failed.
    KCONTROL_DECL awaitable<result<server_version>> version(std::stop_token stop = {});

    /// Discards the cached answers.
    KCONTROL_DECL void invalidate();

private:
    std::shared_ptr<detail::discovery_state> state_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/client/impl/api_discovery.ipp>
#endif
