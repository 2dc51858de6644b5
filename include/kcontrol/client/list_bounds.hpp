// How much a list may be, in all its pages: no real cluster comes near, an endless answer does.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/runtime/time.hpp>

#include <cstdint>

namespace kcontrol::inline v0_1 {

/// Bounds of one list. What goes beyond ends it with errc::limit_exceeded, which names the bound.
///
/// The defaults are several times what a cluster has of one kind. They are not larger, because the pages of a faulty
/// server may never end, and would fill the memory.
class list_bounds {
public:
    /// Requests. Default 20,000: enough for all of max_items() in pages of a hundred.
    list_bounds& max_pages(std::uint64_t n) { return max_pages_ = n, *this; }
    /// Objects. Default 2 million: Kubernetes is made for 150,000 pods.
    list_bounds& max_items(std::uint64_t n) { return max_items_ = n, *this; }
    /// Bytes of all answers, decompressed. Default 8 GiB: as much as etcd shall hold of all kinds together, by its
    /// documentation's advice.
    list_bounds& max_bytes(std::uint64_t n) { return max_bytes_ = n, *this; }
    /// From the first request to the last answer. Default 1 h.
    list_bounds& max_time(duration d) { return max_time_ = d, *this; }

    std::uint64_t max_pages() const noexcept { return max_pages_; }
    std::uint64_t max_items() const noexcept { return max_items_; }
    std::uint64_t max_bytes() const noexcept { return max_bytes_; }
    duration max_time() const noexcept { return max_time_; }

private:
    std::uint64_t max_pages_ = 20'000;
    std::uint64_t max_items_ = 2'000'000;
    std::uint64_t max_bytes_ = std::uint64_t{8} << 30;
    duration max_time_ = std::chrono::hours(1);
};

}  // namespace kcontrol
