#pragma once

#include <kcontrol/model/metadata_fields.hpp>

#ifndef KCONTROL_HEADER_ONLY
namespace kcontrol::inline v0_1 {

template struct detail::optional_type<std::optional<bool>, bool, false>;
template struct detail::optional_type<std::optional<std::int32_t>, std::int32_t, false>;
template struct detail::optional_type<std::optional<std::int64_t>, std::int64_t, false>;
template struct detail::optional_type<std::optional<std::string>, std::string, false>;
template struct detail::list_type<std::vector<std::string>, std::string, false>;
template struct detail::map_type<std::map<std::string, std::string>, std::string, false>;
template struct detail::structure_type<owner_reference>;
template struct detail::structure_type<object_meta>;

}  // namespace kcontrol
#endif
