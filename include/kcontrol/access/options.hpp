// How a program's own endpoints are guarded: how long answers of the cluster are believed, and how many are asked for.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

/// Options of delegated_access; the times are controller-runtime's (filters.WithAuthenticationAndAuthorization).
class access_options {
public:
    /// How long it is believed whose a token is, and that it is nobody's. Default 1 min.
    access_options& token_ttl(duration d) { return token_ttl_ = d, *this; }
    /// How long it is believed that somebody may do something. Default 5 min.
    access_options& allowed_ttl(duration d) { return allowed_ttl_ = d, *this; }
    /// How long it is believed that he may not. Default 30 s.
    access_options& denied_ttl(duration d) { return denied_ttl_ = d, *this; }
    /// How long one question to the cluster may take, its repetitions and the wait for its turn included. Default 10 s.
    access_options& review_timeout(duration d) { return review_timeout_ = d, *this; }
    /// How many questions are at the cluster at a time, and how many wait for their turn; beyond it 503. Default 8, 64.
    access_options& max_reviews(std::size_t at_once, std::size_t waiting) {
        return max_reviews_ = at_once == 0 ? 1 : at_once, max_waiting_ = waiting, *this;
    }
    /// How many answers are cached of each sort: valid tokens, invalid tokens (many guesses evict guesses only), and
    /// permissions. Default 1024.
    access_options& max_cached(std::size_t entries) { return max_cached_ = entries, *this; }
    /// A path that is served to everybody, as kube-apiserver's /healthz; it and nothing below it. Repeatable.
    access_options& always_allow(std::string path) { return always_allowed_.push_back(std::move(path)), *this; }
    /// Tokens must be for one of these audiences; else for the API server's own. Repeatable.
    access_options& audience(std::string name) { return audiences_.push_back(std::move(name)), *this; }

    duration token_ttl() const noexcept { return token_ttl_; }
    duration allowed_ttl() const noexcept { return allowed_ttl_; }
    duration denied_ttl() const noexcept { return denied_ttl_; }
    duration review_timeout() const noexcept { return review_timeout_; }
    std::size_t max_reviews() const noexcept { return max_reviews_; }
    std::size_t max_waiting() const noexcept { return max_waiting_; }  ///< questions; beyond them 503; default 64
    std::size_t max_cached() const noexcept { return max_cached_; }
    /// Paths that are served to everybody; default none.
    const std::vector<std::string>& always_allowed() const noexcept { return always_allowed_; }
    /// A token must be for one of these; empty, which is the default: for the API server's own.
    const std::vector<std::string>& audiences() const noexcept { return audiences_; }

private:
    duration token_ttl_ = std::chrono::minutes(1);
    duration allowed_ttl_ = std::chrono::minutes(5);
    duration denied_ttl_ = std::chrono::seconds(30);
    duration review_timeout_ = std::chrono::seconds(10);
    std::size_t max_reviews_ = 8, max_waiting_ = 64;
    std::size_t max_cached_ = 1024;
    std::vector<std::string> always_allowed_, audiences_;
};

}  // namespace kcontrol
