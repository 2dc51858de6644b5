// Where objects live: the paths of collections and objects, with every name checked before it is sent.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/model/object_key.hpp>
#include <kcontrol/model/resource.hpp>

#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::detail {

/// "/api/v1" or "/apis/group/version". Errors: invalid_argument.
KCONTROL_DECL result<std::string> version_path(std::string_view group, std::string_view version);

/// The collection in a namespace, or in all of them if that is empty.
/// Errors: invalid_argument, also for a namespace where the kind has none.
KCONTROL_DECL result<std::string> collection_path(const resource_info& info, std::string_view ns);

/// One object, or a subresource of it. Errors: invalid_argument, also for a missing namespace.
KCONTROL_DECL result<std::string> object_path(const resource_info& info, const namespaced_name& key,
                                              std::string_view subresource = {});

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/client/impl/resource_path.ipp>
#endif
