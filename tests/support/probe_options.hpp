// How the probes of tests/e2e talk to their cluster: in Protocol Buffers if KCONTROL_PROBE_ENCODING says "protobuf".
#pragma once

#include <kcontrol/client/client_options.hpp>
#include <kcontrol/client/protobuf_encoding.hpp>
#include <kcontrol/runtime/environment.hpp>

namespace kcontrol::test {

inline client_options probe_options(const environment& env) {
    const bool protobuf = env.variable("KCONTROL_PROBE_ENCODING") == "protobuf";
    return client_options().encoding(protobuf ? protobuf_encoding() : nullptr);
}

}  // namespace kcontrol::test
