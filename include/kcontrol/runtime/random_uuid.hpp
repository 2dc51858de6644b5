// A random UUID, for what has to be the only one of its name.
#pragma once

#include <kcontrol/runtime/environment.hpp>

#include <cstdint>
#include <string>

namespace kcontrol::inline v0_1 {

/// The version 4 UUID of 128 random bits, of which six say what it is. Source: RFC 9562 §5.4.
KCONTROL_DECL std::string uuid_of_random(std::uint64_t first, std::uint64_t second);

inline std::string random_uuid(environment& env) {
    const std::uint64_t first = env.random();
    return uuid_of_random(first, env.random());
}

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/runtime/impl/random_uuid.ipp>
#endif
