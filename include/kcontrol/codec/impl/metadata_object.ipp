#pragma once

#include <kcontrol/codec/encode.hpp>
#include <kcontrol/codec/metadata_object.hpp>
#include <kcontrol/codec/resource_of.hpp>

namespace kcontrol::inline v0_1 {

namespace detail {

inline std::string encode_metadata(const any_object& object, const resource_info& info) {
    return encode_object(describe<metadata_object>(), info.gvk.api_version(), info.gvk.kind,
                         &object.get<metadata_object>());
}

}  // namespace detail

KCONTROL_DECL resource_info metadata_resource(group_version_kind gvk, std::string plural, resource_scope scope) {
    resource_info made(std::move(gvk), std::move(plural), scope, detail::decode_resource<metadata_object>,
                       detail::encode_metadata, detail::decode_resource<metadata_object>,
                       detail::decode_resource<metadata_object>);
    made.metadata_only = true;
    return made;
}

KCONTROL_DECL resource_info detail::metadata_resource_named(const resource_name& name) {
    group_version_kind gvk{std::string(name.group), std::string(name.version), std::string(name.kind)};
    return metadata_resource(std::move(gvk), std::string(name.plural), name.scope);
}

}  // namespace kcontrol
