// The documents by which clients find out what a server serves: /api, /apis and what lies beneath. Pure.
#pragma once

#include "testserver/object_store.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::testing {

/// The answer to a discovery path ("/api", "/apis", "/api/v1", "/apis/G", "/apis/G/V"); nothing where there is none.
/// `accept` may ask for the aggregated form (apidiscovery.k8s.io/v2), known at "/api" and "/apis".
std::optional<json::value> discovery_document(const object_store& store, std::string_view path,
                                              std::string_view accept);

namespace detail {

/// What lies below a kind's objects in a version; a custom one may have a status and a scale.
std::vector<subresource_type> subresources_of(const resource_type& type, const std::string& version);

}  // namespace detail

/// Whether `accept` prefers the aggregated form; the answer's Content-Type must say so.
bool wants_aggregated_discovery(std::string_view accept);

}  // namespace kcontrol::testing
