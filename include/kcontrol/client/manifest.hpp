// The objects of a text that people wrote: YAML or JSON, many documents, lists taken apart.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/model/object_key.hpp>
#include <kcontrol/model/resource.hpp>

#include <cstddef>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1 {

/// An object of a manifest. Thread-safety: distinct objects safe; shared objects safe for const access.
class manifest {
public:
    group_version_kind gvk;  ///< from apiVersion and kind; neither version nor kind is empty
    namespaced_name key;     ///< without a namespace where none is written
    json::value object;      ///< all that is written of it
};

/// What a manifest holds, in its order; what is between two "---" and empty is left out. Nothing is asked whether a
/// server knows such objects.
/// Errors: those of json::parse_yaml(); invalid_config for an object without apiVersion or kind, and for no objects.
KCONTROL_DECL result<std::vector<manifest>> parse_manifests(std::string_view text,
                                                            std::size_t max_bytes = std::size_t{64} << 20);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/client/impl/manifest.ipp>
#endif
