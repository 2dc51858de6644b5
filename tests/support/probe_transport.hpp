// How the probes of tests/e2e reach their cluster: in Protocol Buffers if KCONTROL_PROBE_ENCODING says "protobuf".
#pragma once

#include <kcontrol/client/protobuf_encoding.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/transport/client.hpp>

#include <utility>

namespace kcontrol::test {

inline http::transport_factory probe_transport(environment& env) {
    auto plain = http::make_transport_factory(env);
    if (env.variable("KCONTROL_PROBE_ENCODING") != "protobuf") return plain;
    return speaking(protobuf_encoding(), std::move(plain));
}

}  // namespace kcontrol::test
