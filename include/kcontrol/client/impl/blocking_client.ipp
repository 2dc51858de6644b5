#pragma once

#include <kcontrol/client/blocking_client.hpp>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL result<blocking_client> blocking_client::connect(environment& env, const auth::cluster_config& config,
                                                               const http::transport_factory& make_transport,
                                                               logger log, const client_options& options) {
    blocking_client made;
    made.loop_ = std::make_shared<detail::blocking_loop>();
    auto below = client::connect(env, made.loop_->get_executor(), config, make_transport, std::move(log));
    if (!below) return below.error();
    made.underlying_ = std::make_shared<client>(below->with(options));
    return made;
}

}  // namespace kcontrol
