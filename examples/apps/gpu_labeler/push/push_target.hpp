// Where samples are pushed to.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/http/endpoint.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace gpu_labeler {

/// A URL, without a login: that comes from a file.
class push_target {
public:
    push_target() = default;

    /// "http(s)://host[:port]/path[?query]". Errors: invalid_argument with the remedy; the URL is not repeated, for its
    /// query may hold a password.
    static kcontrol::result<push_target> parse(std::string_view url);

    const kcontrol::http::endpoint& server() const noexcept { return server_; }
    /// Path and query.
    const std::string& target() const noexcept { return target_; }
    bool given() const noexcept { return !target_.empty(); }

    friend bool operator==(const push_target& a, const push_target& b) {
        return a.target_ == b.target_ && a.server_.scheme == b.server_.scheme && a.server_.host == b.server_.host &&
               a.server_.port == b.server_.port;
    }

private:
    kcontrol::http::endpoint server_;
    std::string target_;
};

/// What the command line says about pushing.
class push_options {
public:
    push_options() = default;

    push_options& target(push_target t) { return target_ = std::move(t), *this; }
    /// Holds the value of the header Authorization, for example "Token …".
    push_options& authorization_file(std::string f) { return authorization_file_ = std::move(f), *this; }
    /// PEM; empty: the system's roots.
    push_options& ca_file(std::string f) { return ca_file_ = std::move(f), *this; }

    const push_target& target() const noexcept { return target_; }
    const std::string& authorization_file() const noexcept { return authorization_file_; }
    const std::string& ca_file() const noexcept { return ca_file_; }

private:
    push_target target_;
    std::string authorization_file_;
    std::string ca_file_;
};

/// Whether the flags go together. Errors: invalid_argument naming them.
kcontrol::result<void> check_push(const push_options& o);

}  // namespace gpu_labeler
