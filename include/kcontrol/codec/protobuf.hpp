// Protocol Buffers of Kubernetes' objects: reading them into objects, writing them, and their JSON.
//
// A kind's table says which field number is which member (api/protobuf.hpp has those of the built-in kinds). Linked
// only where it is used.
#pragma once

#include <kcontrol/codec/protobuf_schema.hpp>
#include <kcontrol/model/resource.hpp>

#include <string>
#include <string_view>

namespace kcontrol::inline v0_1 {

class share_pool;

/// The media type of an object or a list; that of a watch has `;stream=watch` behind it.
inline constexpr std::string_view protobuf_media_type = "application/vnd.kubernetes.protobuf";

/// What is around a message that stands alone: four bytes that tell it from JSON, and which kind it is.
class protobuf_envelope {
public:
    std::string_view api_version;  ///< "v1" or "apps/v1"; who has opened the envelope keeps its bytes as long as these
    std::string_view kind;         ///< "Pod"; of a list "PodList"
    std::string_view message;      ///< the object's own bytes, without the envelope
};

/// Whether the bytes begin as an envelope does.
KCONTROL_DECL bool is_protobuf(std::string_view bytes) noexcept;
/// Opens an envelope; what comes out points into `bytes`. Errors: decode_failed. Source: runtime.Unknown.
KCONTROL_DECL result<protobuf_envelope> open_protobuf(std::string_view bytes);
/// The bytes of an envelope.
KCONTROL_DECL std::string close_protobuf(const protobuf_envelope& envelope);

/// The JSON of a message, as Go's libraries write that of the same object but for the order of members: what is zero
/// and `omitempty` there is left out. Fields that the table does not know are passed over. With an apiVersion and a
/// kind these come first. Errors: decode_failed, naming the path of the member.
KCONTROL_DECL result<std::string> protobuf_to_json(const protobuf_message& message, std::string_view bytes,
                                                   std::string_view api_version = {}, std::string_view kind = {});
/// The message of an object of JSON, byte for byte as Go's libraries write the same object. Members that the table does
/// not know are left out. Errors: decode_failed, naming the path of the member.
KCONTROL_DECL result<std::string> json_to_protobuf(const protobuf_message& message, json::node from);

namespace detail {
struct protobuf_plan;
}

/// A kind of ours and its message: what turns bytes into objects and back. Projections, metadata and dynamic objects
/// get those members that they have.
///
/// Thread-safety: safe. `info` and `message` must outlive it.
class protobuf_kind_codec {
public:
    /// `message` is the kind's own; of a kind of which only the metadata is wanted it may be one that has no more.
    KCONTROL_DECL protobuf_kind_codec(const resource_info& info, const protobuf_message& message);

    /// Whether the message has a field for each member of the kind's C++ type, at all depths. If not, what the type has
    /// besides would be read as absent, and not be written. Always false of a dynamic kind, which has all that there
    /// is.
    KCONTROL_DECL bool is_whole() const;

    /// The object of a message without its envelope, as it stands in a list. It is what the object's JSON would have
    /// given. `pool` is that of the stream it came with, or null. Errors: decode_failed, naming the path of the member;
    /// too_large if the bytes or the object are beyond bounds (4 GiB; 4 MiB and 32 bytes for each byte).
    KCONTROL_DECL result<any_object> decode(std::string_view message, share_pool* pool = nullptr) const;

    /// The object in its envelope, byte for byte as Go's libraries write it. Errors: those of resource_info::encode();
    /// decode_failed where a member is not what the kind wants, naming its path.
    KCONTROL_DECL result<std::string> encode(const any_object& object) const;
    /// The same with other metadata than the object's, so that a name is filled in without a copy of the object.
    /// Errors, besides: invalid_argument of a dynamic kind, whose metadata is part of its JSON.
    KCONTROL_DECL result<std::string> encode(const any_object& object, const object_meta& metadata) const;
    /// The same from the object's JSON, as dynamic objects are written. Errors: decode_failed.
    KCONTROL_DECL result<std::string> encode_json(std::string_view json) const;

private:
    const resource_info& info_;
    const protobuf_message& message_;
    const detail::protobuf_plan* plan_ = nullptr;  // null: dynamic, through JSON
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/codec/impl/protobuf.ipp>
#endif
