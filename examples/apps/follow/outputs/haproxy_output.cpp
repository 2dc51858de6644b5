#include "outputs/haproxy_output.hpp"

#include "values/host_port.hpp"

#include <chrono>

namespace follow {

void haproxy_output::tell_names(const std::vector<endpoint>& endpoints) {
    std::string names;
    for (const auto& one : endpoints) {
        if (!is_ip_address(one.address)) names += (names.empty() ? "" : " ") + one.address;
    }
    if (names != told_names_ && !names.empty()) {
        log_.warning("HAProxy takes addresses only; these are left out", {{"names", names}});
    }
    told_names_ = std::move(names);
}

kcontrol::awaitable<kcontrol::result<void>> haproxy_output::put(view now, std::stop_token stop) {
    tell_names(now.endpoints);
    const auto done = co_await backend_.apply(std::move(now.endpoints), stop);
    if (!done) co_return done.error();
    if (done->commands > done->pending) {
        log_.info("HAProxy's servers changed", {{"socket", socket_},
                                                {"commands", std::to_string(done->commands)},
                                                {"pending", std::to_string(done->pending)}});
    }
    co_return kcontrol::result<void>();
}

std::optional<kcontrol::duration> haproxy_output::again() const { return std::chrono::seconds(1); }

}  // namespace follow
