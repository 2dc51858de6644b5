// A backend of HAProxy as an output.
#pragma once

#include "haproxy/backend.hpp"
#include "outputs/output.hpp"

namespace follow {

/// Looks at HAProxy once a second, too: one that was restarted has lost its servers, and a server with open
/// connections can only be removed later. An endpoint whose address is a name is left out, which is logged once.
class haproxy_output final : public output {
public:
    haproxy_output(haproxy::backend backend, std::string socket, kcontrol::logger log)
        : backend_(std::move(backend)), socket_(std::move(socket)), log_(std::move(log)) {}

    std::string name() const override { return socket_; }
    kcontrol::awaitable<kcontrol::result<void>> put(view now, std::stop_token stop) override;
    std::optional<kcontrol::duration> again() const override;

private:
    void tell_names(const std::vector<endpoint>& endpoints);

    haproxy::backend backend_;
    std::string socket_;
    kcontrol::logger log_;
    std::string told_names_;
};

}  // namespace follow
