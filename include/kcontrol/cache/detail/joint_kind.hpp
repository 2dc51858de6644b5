// A kind as several informers read it: of the bytes of one object, each gets its own C++ object.
#pragma once

#include <kcontrol/codec/guarded_decode.hpp>
#include <kcontrol/model/resource.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// What became of the bytes of one object: for each reader its object, or why there is none. One at least has one.
class joint_object {
public:
    std::vector<result<any_object>> parts;
};

inline result<any_object> join_parts(std::vector<result<any_object>> parts) {
    const auto good = std::find_if(parts.begin(), parts.end(), [](const auto& one) { return one.has_value(); });
    if (good == parts.end()) return parts.front().error();
    const object_meta& meta = (*good)->meta();
    auto joint = std::make_shared<joint_object>();
    joint->parts = std::move(parts);
    return any_object(std::shared_ptr<const joint_object>(std::move(joint)), meta);
}

/// The kind whose objects are joint_object. It asks for metadata only if all readers do. What a reader's function
/// throws is why that reader has no object.
///
/// Object lifetime: the readers outlive it.
class joint_kind final : public resource_info {
public:
    /// At least one, all of one kind.
    explicit joint_kind(std::vector<const resource_info*> readers)
        : resource_info(readers.front()->gvk, readers.front()->plural, readers.front()->scope, decode_node, encode_none,
                        decode_whole, decode_front),
          readers_(std::move(readers)) {
        metadata_only =
            std::all_of(readers_.begin(), readers_.end(), [](const auto* one) { return one->metadata_only; });
    }

private:
    template <class Decode>
    static result<any_object> decode_each(const resource_info& self, Decode decode) {
        std::vector<result<any_object>> parts;
        for (const auto* reader : static_cast<const joint_kind&>(self).readers_) parts.push_back(decode(*reader));
        return join_parts(std::move(parts));
    }

    static result<any_object> decode_node(const resource_info& self, json::node from, share_pool* pool) {
        return decode_each(self, [&](const resource_info& reader) { return decode_guarded(reader, from, pool); });
    }

    static result<any_object> decode_whole(const resource_info& self, std::string_view text, share_pool* pool) {
        return decode_each(self, [&](const resource_info& reader) -> result<any_object> {
            json::cursor front(text);
            if (any_object one = decode_guarded(reader, front, pool); one && front.left() == 0) return one;
            return decode_guarded(reader, text, pool);
        });
    }

    static any_object decode_front(const resource_info& self, json::cursor& from, share_pool* pool) {
        const char* const first = from.at();
        std::vector<result<any_object>> parts;
        for (const auto* reader : static_cast<const joint_kind&>(self).readers_) {
            from.go_back_to(first);
            any_object one = decode_guarded(*reader, from, pool);
            if (!one) return {};  // decode_whole says which of them can't read it, and why
            parts.emplace_back(std::move(one));
        }
        return std::move(*join_parts(std::move(parts)));
    }

    static std::string encode_none(const any_object&, const resource_info&) {
        throw exception(error(errc::invalid_argument, "what several informers read together is not written"));
    }

    std::vector<const resource_info*> readers_;
};

}  // namespace kcontrol::detail
