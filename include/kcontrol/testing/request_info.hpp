// What a request to an API server is about: verb, group, version, namespace, resource, name, subresource, query.
#pragma once

#include <kcontrol/http/message.hpp>
#include <kcontrol/testing/failure.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::testing {

/// A request's target taken apart. Source: k8s.io/apiserver/pkg/endpoints/request/requestinfo.go
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class request_info {
public:
    std::string path;          ///< as it came, with its escapes; no query
    bool is_resource = false;  ///< false: discovery, version, health…, and `verb` is the method in lower case
    std::string verb;          ///< get list watch create update patch delete deletecollection
    std::string group;         ///< empty: core
    std::string version;       ///< of the API: "v1"
    std::string namespace_;    ///< empty: cluster scope, or all namespaces
    std::string resource;      ///< plural: "jobs"
    std::string name;          ///< empty: of many objects, or a create
    std::string subresource;   ///< "status"; "unknown" if the path goes on behind it
    std::vector<std::pair<std::string, std::string>> query;  ///< decoded, in their order

    group_resource id() const { return {group, resource}; }  ///< group and plural
    /// The first value of a query parameter, or empty.
    std::string_view parameter(std::string_view name) const noexcept;
    bool has_parameter(std::string_view name) const noexcept;  ///< with or without a value
    /// As Kubernetes reads booleans: absent, "0" and "false" are false, everything else is true.
    bool flag(std::string_view name) const noexcept;
};

/// Fails with BadRequest on a broken escape in the path.
outcome<request_info> parse_request(const http::request& request);

}  // namespace kcontrol::testing
