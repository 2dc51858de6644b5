// Endpoints and views in few words, for tables.
#pragma once

#include "values/view.hpp"

#include <string>
#include <utility>
#include <vector>

namespace follow::tests {

inline endpoint ready(std::string address, std::uint16_t port = 80) {
    endpoint out;
    out.address = std::move(address);
    out.port = port;
    out.ready = out.serving = true;
    return out;
}
inline endpoint terminating(std::string address) {
    endpoint out = ready(std::move(address));
    out.ready = false;
    out.terminating = true;
    return out;
}
inline endpoint not_ready(std::string address) {
    endpoint out = ready(std::move(address));
    out.ready = out.serving = false;
    return out;
}

/// A live view.
inline view of(std::vector<endpoint> endpoints, std::uint64_t version = 1) {
    view out;
    out.version = version;
    out.state = freshness::live;
    out.endpoints = std::move(endpoints);
    return out;
}

}  // namespace follow::tests
