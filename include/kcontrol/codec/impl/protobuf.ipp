#pragma once

#include <kcontrol/codec/impl/protobuf_coverage.hpp>
#include <kcontrol/codec/impl/protobuf_decoder.hpp>
#include <kcontrol/codec/impl/protobuf_object_writer.hpp>
#include <kcontrol/codec/metadata_object.hpp>
#include <kcontrol/codec/object_block.hpp>
#include <kcontrol/codec/protobuf.hpp>

#include <cassert>
#include <limits>

namespace kcontrol::inline v0_1 {
namespace detail {

inline constexpr std::string_view protobuf_magic{"k8s\0", 4};

/// The fields of an envelope: the type of what is in it (itself a message), and that.
inline bool read_envelope(protobuf_values& values, std::string_view bytes, protobuf_envelope& out) {
    return values.each(bytes, [&](const protobuf_item& item) {
        if (item.number > 4) return true;
        if (!values.expect(item, protobuf_wire::bytes)) return false;
        if (item.number == 2) out.message = item.bytes;
        if (item.number != 1) return true;
        return values.each(item.bytes, [&](const protobuf_item& name) {
            if (name.number > 2) return true;
            (name.number == 1 ? out.api_version : out.kind) = name.bytes;
            return values.expect(name, protobuf_wire::bytes) && values.check_text(name.bytes);
        });
    });
}

/// An envelope around the message that `write` appends; it returns false to give up.
template <class Write>
bool write_envelope(std::string& to, std::string_view api_version, std::string_view kind, Write write) {
    to += protobuf_magic;
    const auto write_type = [&] {
        put_bytes(to, 1, api_version);
        put_bytes(to, 2, kind);
        return true;
    };
    if (!put_message(to, 1, write_type) || !put_message(to, 2, write)) return false;
    put_bytes(to, 3, {});
    put_bytes(to, 4, {});
    return true;
}

inline result<std::shared_ptr<const void>> decode_protobuf_block(block_builder& builder, const protobuf_plan& plan,
                                                                 std::string_view bytes, share_pool* pool) {
    for (const bool in_order : {true, false}) {
        builder.clear();
        protobuf_decoder decoder(builder, pool, in_order);
        if (decoder.decode_root(plan, bytes)) return builder.finish(pool != nullptr ? pool->pin() : nullptr);
        if (!decoder.out_of_order()) return decoder.failure();
    }
    return error(errc::decode_failed, "malformed Protocol Buffers");  // what is put in order is in order
}

}  // namespace detail

KCONTROL_DECL bool is_protobuf(std::string_view bytes) noexcept { return bytes.starts_with(detail::protobuf_magic); }

KCONTROL_DECL result<protobuf_envelope> open_protobuf(std::string_view bytes) {
    if (!is_protobuf(bytes)) {
        return error(errc::decode_failed, "these are not Protocol Buffers of Kubernetes, which begin with \"k8s\"");
    }
    detail::decode_failure failure;
    detail::protobuf_values values(failure);
    protobuf_envelope out;
    if (!detail::read_envelope(values, bytes.substr(detail::protobuf_magic.size()), out)) return failure.failure();
    return out;
}

KCONTROL_DECL std::string close_protobuf(const protobuf_envelope& envelope) {
    std::string out;
    out.reserve(envelope.message.size() + envelope.api_version.size() + envelope.kind.size() + 32);
    detail::write_envelope(out, envelope.api_version, envelope.kind, [&] { return out += envelope.message, true; });
    return out;
}

KCONTROL_DECL result<std::string> protobuf_to_json(const protobuf_message& message, std::string_view bytes,
                                                   std::string_view api_version, std::string_view kind) {
    json::writer to;
    detail::decode_failure failure;
    detail::protobuf_json_writer writer(to, failure);
    to.begin_object();
    if (!api_version.empty()) to.member("apiVersion", api_version);
    if (!kind.empty()) to.member("kind", kind);
    if (!writer.write_members(message, bytes)) return failure.failure();
    to.end_object();
    return to.take();
}

KCONTROL_DECL result<std::string> json_to_protobuf(const protobuf_message& message, json::node from) {
    detail::protobuf_writer writer;
    std::string out;
    if (from.is_null()) return error(errc::decode_failed, "expected an object, found null");
    if (!writer.write_object(message, from, out)) return writer.failure();
    return out;
}

KCONTROL_DECL protobuf_kind_codec::protobuf_kind_codec(const resource_info& info, const protobuf_message& message)
    : info_(info), message_(message) {
    const type_descriptor* type = info.metadata_only ? &describe<metadata_object>() : info.type;
    if (type != nullptr && type->field_count > 0 && type->fields[0].name == "metadata") {
        plan_ = &detail::protobuf_planner::plan_of(*type, message);
    }
}

KCONTROL_DECL bool protobuf_kind_codec::is_whole() const {
    const type_descriptor* type = info_.metadata_only ? &describe<metadata_object>() : info_.type;
    return type != nullptr && detail::protobuf_coverage::is_whole(*type, message_);
}

KCONTROL_DECL result<any_object> protobuf_kind_codec::decode(std::string_view message, share_pool* pool) const {
    if (message.size() > std::numeric_limits<std::uint32_t>::max()) {
        return error(errc::too_large, "an object of more than 4 GiB");
    }
    if (plan_ == nullptr || !*plan_->is_block) {
        const auto text = protobuf_to_json(message_, message, info_.gvk.api_version(), info_.gvk.kind);
        if (!text) return text.error();
        return info_.decode_text(*text, pool);
    }
    auto block = detail::with_builder(pool, [&](detail::block_builder& builder) {
        return detail::decode_protobuf_block(builder, *plan_, message, pool);
    });
    if (!block) return block.error();
    const auto* meta = static_cast<const object_meta*>(plan_->type->fields[0].place(block->get()));
    return any_object(std::move(*block), *meta, *plan_->type);
}

KCONTROL_DECL result<std::string> protobuf_kind_codec::encode(const any_object& object) const {
    if (plan_ != nullptr && object.is(*plan_->type)) return encode(object, object.meta());
    const auto text = info_.encode(object);
    if (!text) return text.error();
    return encode_json(*text);
}

KCONTROL_DECL result<std::string> protobuf_kind_codec::encode_json(std::string_view json) const {
    json::document document;
    const auto root = document.parse(json);
    if (!root) return root.error();
    const auto message = json_to_protobuf(message_, *root);
    if (!message) return message.error();
    const std::string api_version = info_.gvk.api_version();
    protobuf_envelope envelope;
    envelope.api_version = api_version;
    envelope.kind = info_.gvk.kind;
    envelope.message = *message;
    return close_protobuf(envelope);
}

KCONTROL_DECL result<std::string> protobuf_kind_codec::encode(const any_object& object,
                                                              const object_meta& metadata) const {
    if (plan_ == nullptr || !object.is(*plan_->type)) {
        return error(errc::invalid_argument, info_.gvk.kind + ": the object is not of the C++ type of its kind");
    }
    std::string out;
    out.reserve(1024);
    detail::protobuf_object_writer writer(out);
    const auto write = [&] { return writer.write_root(*plan_, object.address(), metadata); };
    try {
        if (!detail::write_envelope(out, info_.gvk.api_version(), info_.gvk.kind, write)) return writer.failure();
    } catch (const exception& e) {  // of a type that writes itself
        return e.cause().with_context(info_.gvk.kind);
    }
    return out;
}

}  // namespace kcontrol
