// Small parts that the client's verbs share.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/http/transport.hpp>
#include <kcontrol/model/resource.hpp>
#include <kcontrol/runtime/decided.hpp>

#include <string>

namespace kcontrol::detail {

template <class Options>
http::exchange_options exchange_options_of(const Options& options) {
    http::exchange_options out;
    out.deadline(options.deadline()).max_body(options.max_body()).stop(options.stop());
    return out;
}

// The server sends as little as the kind wants, if it knows how; else it sends all, and the decoder takes what it
// needs. Source: Kubernetes API concepts, "Receiving resources as PartialObjectMetadata".
inline void ask_for_metadata(const resource_info& info, http::request& req, const char* as) {
    if (!info.metadata_only) return;
    req.headers.set("Accept", std::string("application/json;as=") + as + ";g=meta.k8s.io;v=v1,application/json");
}

}  // namespace kcontrol::detail
