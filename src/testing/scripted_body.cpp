#include <kcontrol/testing/scripted_body.hpp>

#include <algorithm>
#include <utility>

namespace kcontrol::inline v0_1::testing {

void scripted_body::push(std::string slice) {
    if (slice.empty()) return;  // a read of nothing is the end
    slices_.push_back(std::move(slice));
    changed_.notify_all();
}

void scripted_body::end(stream_end how) {
    end_ = how;
    changed_.notify_all();
}

awaitable<result<std::size_t>> scripted_body::read(std::span<char> into, duration idle, std::stop_token stop) {
    const time_point deadline = env_.now() + idle;
    for (;;) {
        if (stop.stop_requested()) co_return error(errc::stopped);
        if (!slices_.empty()) co_return take(into);
        switch (end_) {
        case stream_end::clean: co_return std::size_t{0};
        case stream_end::truncated: co_return error(errc::truncated, "scripted: truncated");
        case stream_end::lost: co_return error(errc::connection_lost, "scripted: connection lost");
        case stream_end::open: break;
        }
        const wake why = co_await changed_.wait(env_, stop, deadline);
        if (why == wake::timeout) co_return error(errc::timeout, "scripted: idle");
    }
}

std::size_t scripted_body::take(std::span<char> into) {
    std::string& slice = slices_.front();
    const std::size_t n = std::min(into.size(), slice.size());
    std::copy_n(slice.data(), n, into.data());
    slice.erase(0, n);
    if (slice.empty()) slices_.pop_front();
    return n;
}

}  // namespace kcontrol::testing
