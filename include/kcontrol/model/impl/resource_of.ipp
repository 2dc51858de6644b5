#pragma once

#include <kcontrol/model/resource_of.hpp>

namespace kcontrol {

KCONTROL_DECL resource_info detail::make_resource_info(const resource_name& name, const type_descriptor& type,
                                                       resource_info::decode_function decode,
                                                       resource_info::encode_function encode) {
    group_version_kind gvk{std::string(name.group), std::string(name.version), std::string(name.kind)};
    resource_info made(std::move(gvk), std::string(name.plural), name.scope, decode, encode);
    made.type = &type;
    return made;
}

}  // namespace kcontrol
