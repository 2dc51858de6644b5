#pragma once

#include <kcontrol/model/metadata_fields.hpp>

#ifndef KCONTROL_HEADER_ONLY
namespace kcontrol {

template struct detail::descriptor<std::optional<bool>>;
template struct detail::descriptor<std::optional<std::int32_t>>;
template struct detail::descriptor<std::optional<std::int64_t>>;
template struct detail::descriptor<std::optional<std::string>>;
template struct detail::descriptor<std::vector<std::string>>;
template struct detail::descriptor<std::map<std::string, std::string>>;
template struct detail::structure_type<owner_reference>;
template struct detail::structure_type<object_meta>;

}  // namespace kcontrol
#endif
