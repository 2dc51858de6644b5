#pragma once

#include <kcontrol/api/impl/protobuf_tables.ipp>
#include <kcontrol/api/protobuf.hpp>

namespace kcontrol::inline v0_1::api {

KCONTROL_DECL std::span<const protobuf_kind> protobuf_kinds() noexcept { return detail::protobuf_tables::kinds; }

KCONTROL_DECL const protobuf_message* find_protobuf(std::string_view group, std::string_view version,
                                                    std::string_view kind) noexcept {
    for (const auto& each : protobuf_kinds()) {
        if (each.kind == kind && each.group == group && each.version == version) return each.message;
    }
    return nullptr;
}

KCONTROL_DECL const protobuf_message& protobuf_list_metadata() noexcept {
    return detail::protobuf_list_metadata_table();
}
KCONTROL_DECL const protobuf_message& protobuf_partial_object() noexcept {
    return detail::protobuf_partial_object_table();
}
KCONTROL_DECL const protobuf_message& protobuf_status() noexcept { return detail::protobuf_status_table(); }
KCONTROL_DECL const protobuf_message& protobuf_delete_options() noexcept {
    return detail::protobuf_delete_options_table();
}

}  // namespace kcontrol::api
