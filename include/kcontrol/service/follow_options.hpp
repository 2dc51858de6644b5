// What the options of all followed values have in common.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include <chrono>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1::service {

/// Setters return the derived options.
template <class Derived>
class follow_options {
public:
    /// Without a sign of life of the server for so long, the value is stale. When nothing comes by itself, a small
    /// request asks for one, after half of it. Default 10 s; at least 1 s, and what is less is taken as 1 s.
    Derived& stale_after(duration d) { return stale_after_ = d, self(); }
    /// A file for the last snapshot, which is read at the next start, before the server has answered; its value is
    /// stale. It is written at most once a second and at a stop, replaced atomically, with mode 0600, and has no
    /// secret, token or annotation in it. A file that is cut, wrong, of another target or another user is logged once
    /// and ignored. Its directory must exist. Empty, the default: none.
    Derived& cache_file(std::string path) { return cache_file_ = std::move(path), self(); }

    duration stale_after() const noexcept { return stale_after_; }
    const std::string& cache_file() const noexcept { return cache_file_; }

private:
    Derived& self() { return static_cast<Derived&>(*this); }

    duration stale_after_ = std::chrono::seconds(10);
    std::string cache_file_;
};

}  // namespace kcontrol::service
