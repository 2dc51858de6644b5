#pragma once

#include <kcontrol/codec/codec.hpp>
#include <kcontrol/codec/dynamic_object.hpp>
#include <kcontrol/codec/impl/compact_check.hpp>
#include <kcontrol/codec/impl/cursor_decoder.hpp>

#include <cstdint>
#include <limits>

namespace kcontrol::inline v0_1 {

struct dynamic_access {
    static constexpr std::size_t text_offset() {
        static_assert(sizeof(dynamic_content) == sizeof(text) + sizeof(void*));
        return 0;
    }
    static const text& text_of(const dynamic_content& content) { return content.text_; }
    static bool edited(const dynamic_content& content) { return content.tree_ != nullptr; }
};

namespace detail {

inline bool is_name(std::string_view content, bool escaped, std::string_view name) {
    if (!escaped) return content == name;
    std::string unescaped;
    return json::cursor::unescape(content, unescaped) && unescaped == name;
}

// The text of the value at a path in compact text, which is known to be well-formed; empty if it is not there. Of a
// name that appears twice the last one counts, as in Go.
inline std::string_view find_compact(std::string_view text, dynamic_content::path names) {
    for (const std::string_view name : names) {
        json::cursor in(text);
        text = {};
        if (!in.take('{')) return {};
        std::string_view content;
        bool escaped = false;
        while (in.take_string(content, escaped) && in.take(':')) {
            const char* const value = in.at();
            if (!in.skip_value(json::any_depth)) return {};
            if (is_name(content, escaped, name)) text = {value, static_cast<std::size_t>(in.at() - value)};
            if (!in.take(',')) break;
        }
    }
    return text;
}

inline const json::value* find_in_tree(const json::object& tree, dynamic_content::path names) {
    const json::object* members = &tree;
    const json::value* at = nullptr;
    for (const std::string_view name : names) {
        at = members != nullptr ? members->if_contains(name) : nullptr;
        if (at == nullptr) return nullptr;
        members = at->if_object();
    }
    return at;
}

// As a tree takes them: of a name that appears twice the last one counts.
inline json::value to_dynamic_value(json::node from) {
    switch (from.kind()) {
    case json::kind::null: return nullptr;
    case json::kind::boolean: return from.as_bool();
    case json::kind::integer: return from.as_int64();
    case json::kind::unsigned_integer: return from.as_uint64();
    case json::kind::number: return from.as_double();
    case json::kind::string: return json::value(from.as_string());
    case json::kind::array: {
        json::array list;
        list.reserve(from.size());
        for (const json::node element : from.elements()) list.push_back(to_dynamic_value(element));
        return list;
    }
    case json::kind::object: break;
    }
    json::object members;
    members.reserve(from.size());
    for (const auto member : from.members()) members[member.name] = to_dynamic_value(member.value);
    return members;
}

inline json::value read_dynamic_text(std::string_view text) {
    json::document document;
    const auto root = document.parse(text);
    return root ? to_dynamic_value(*root) : json::value();
}

// The part of a dynamic_object that is decoded as that of a typed one is.
inline const type_descriptor& dynamic_block_type() {
    static const field_descriptor fields[] = {
        {.name = "metadata", .type = &describe<object_meta>(), .access = [](void* object) -> void* {
             return &static_cast<dynamic_object*>(object)->metadata;
         }}};
    static const type_descriptor type{
        .kind = type_kind::structure, .size = sizeof(dynamic_object), .fields = fields, .field_count = 1};
    return type;
}

// Puts a text of at most `room` bytes behind the metadata, which is in the block already. `fill` says how many it was.
template <class Fill>
any_object finish_dynamic(block_builder& builder, share_pool* pool, std::size_t room, Fill fill) {
    const std::size_t payload = builder.allocate_uninitialised(sizeof(std::uint32_t) + room, 4);
    const std::size_t size = fill(builder.at(payload) + sizeof(std::uint32_t));
    builder.cut(payload + sizeof(std::uint32_t) + size);
    builder.set(payload, static_cast<std::uint32_t>(size));
    const auto* object = static_cast<const dynamic_object*>(static_cast<const void*>(builder.at(0)));
    const auto content = reinterpret_cast<const char*>(&object->content) - builder.at(0);
    builder.set_handle(static_cast<std::size_t>(content) + dynamic_access::text_offset(), payload);
    auto block = builder.finish(pool != nullptr ? pool->pin() : nullptr);
    return any_object(std::static_pointer_cast<const dynamic_object>(std::move(block)));
}

inline any_object decode_dynamic_at(block_builder& builder, json::cursor& from, share_pool* pool,
                                    managed_fields managed) {
    if (from.left() > std::numeric_limits<std::uint32_t>::max()) return {};  // beyond handles
    builder.clear();
    const char* const first = from.at();
    cursor_decoder decoder(builder, pool, from);
    if (!decoder.decode_root(dynamic_block_type())) return {};
    compact_check check(from, managed == managed_fields::dropped);
    if (!check.run()) return {};
    from = check.remaining();
    return finish_dynamic(builder, pool, static_cast<std::size_t>(from.at() - first),
                          [&](char* to) { return check.copy(first, to); });
}

// However the text is written: what is kept is the text without white space, its numbers and escapes as they came. It
// is parsed if it can't be read at a cursor even so.
inline result<any_object> decode_dynamic_parsed(block_builder& builder, std::string_view text, share_pool* pool,
                                                managed_fields managed) {
    std::string& compact = builder.compact_text(text.size());
    if (copy_without_space(text, compact)) {
        json::cursor front(compact);
        if (auto object = decode_dynamic_at(builder, front, pool, managed); object && front.left() == 0) return object;
    }
    const auto root = builder.parse(text);
    if (!root) return root.error();
    if (!root->is_object()) return error(errc::decode_failed, "expected an object");
    builder.clear();
    node_decoder decoder(builder, pool);
    if (!decoder.decode_root(dynamic_block_type(), *root)) return decoder.failure();
    compact_check check(json::cursor(compact), managed == managed_fields::dropped, json::any_depth);
    if (!check.run()) return error(errc::decode_failed, "malformed JSON");  // the parser found nothing
    any_object object =
        finish_dynamic(builder, pool, compact.size(), [&](char* to) { return check.copy(compact.data(), to); });
    return object;
}

template <managed_fields Managed>
result<any_object> decode_dynamic_text(const resource_info&, std::string_view text, share_pool* pool) {
    return with_builder(pool, [&](block_builder& to) { return decode_dynamic_parsed(to, text, pool, Managed); });
}

template <managed_fields Managed>
any_object decode_dynamic_front(const resource_info&, json::cursor& from, share_pool* pool) {
    return with_builder(pool, [&](block_builder& to) { return decode_dynamic_at(to, from, pool, Managed); });
}

inline result<any_object> decode_dynamic(const resource_info& info, json::node from, share_pool* pool) {
    return info.decode_text(from.to_json(), pool);
}

// Writes into the JSON those fields of the metadata in which the two differ.
inline void overlay_metadata(json::object& content, const object_meta& wanted) {
    if (!content.contains("metadata") && wanted == object_meta()) return;
    json::value& place = content["metadata"];
    if (!place.is_object()) place.emplace_object();
    object_meta present;
    // Metadata in `content` that does not read back was put there by hand: then all of it is written anew.
    const auto readable = decode_text(describe<object_meta>(), json::serialize(place), &present);
    if (!readable) present = {};
    const auto& type = describe<object_meta>();
    for (std::size_t i = 0; i < type.field_count; ++i) {
        const auto& field = type.fields[i];
        const void* mine = field.place(static_cast<const void*>(&wanted));
        if (readable && equal(*field.type, field.place(static_cast<const void*>(&present)), mine)) continue;
        if (is_left_out(*field.type, mine)) {
            place.get_object().erase(field.name);
            continue;
        }
        auto value = json::parse(encode_text(*field.type, mine));
        if (value) place.get_object()[field.name] = std::move(*value);
    }
}

// Whether the text says all of it already.
inline bool is_whole_text(const dynamic_object& object) {
    const auto& content = object.content;
    if (dynamic_access::edited(content)) return false;
    const std::string_view text = dynamic_access::text_of(content);
    if (find_compact(text, {"apiVersion"}).empty() || find_compact(text, {"kind"}).empty()) return false;
    object_meta present;
    const auto meta = find_compact(text, {"metadata"});
    return !meta.empty() && decode_text(describe<object_meta>(), meta, &present) && present == object.metadata;
}

inline std::string encode_dynamic(const any_object& object, const resource_info& info) {
    const auto& self = object.get<dynamic_object>();
    if (is_whole_text(self)) return self.content.to_json();
    json::object members = self.content.tree();
    if (!members.contains("apiVersion")) members["apiVersion"] = info.gvk.api_version();
    if (!members.contains("kind")) members["kind"] = info.gvk.kind;
    overlay_metadata(members, self.metadata);
    return json::serialize(members);
}

}  // namespace detail

KCONTROL_DECL dynamic_content::dynamic_content(const dynamic_content& other) : text_(other.text_) {
    if (other.tree_) tree_ = std::make_unique<json::object>(*other.tree_);
}

KCONTROL_DECL dynamic_content& dynamic_content::operator=(const dynamic_content& other) {
    if (this != &other) *this = dynamic_content(other);
    return *this;
}

KCONTROL_DECL json::value dynamic_content::get(path names) const {
    if (names.size() == 0) return tree();
    if (tree_) {
        const json::value* found = detail::find_in_tree(*tree_, names);
        return found != nullptr ? *found : json::value();
    }
    const auto found = detail::find_compact(text_, names);
    return found.empty() ? json::value() : detail::read_dynamic_text(found);
}

KCONTROL_DECL std::string dynamic_content::get_string(path names) const {
    const json::value found = get(names);
    return found.is_string() ? std::string(found.get_string()) : std::string();
}

KCONTROL_DECL bool dynamic_content::contains(path names) const {
    if (names.size() == 0) return true;
    return tree_ ? detail::find_in_tree(*tree_, names) != nullptr : !detail::find_compact(text_, names).empty();
}

KCONTROL_DECL json::object& dynamic_content::edit() {
    if (!tree_) {
        tree_ = std::make_unique<json::object>(tree());
        text_.clear();
    }
    return *tree_;
}

KCONTROL_DECL json::object dynamic_content::tree() const {
    if (tree_) return *tree_;
    if (text_.empty()) return {};
    json::value whole = detail::read_dynamic_text(text_);
    return whole.is_object() ? std::move(whole.get_object()) : json::object();
}

KCONTROL_DECL std::string dynamic_content::to_json() const {
    if (tree_) return json::serialize(*tree_);
    return text_.empty() ? "{}" : std::string(text_);
}

KCONTROL_DECL bool dynamic_content::same_as(const dynamic_content& other) const {
    if (!tree_ && !other.tree_ && text_ == other.text_) return true;
    return json::equal(tree(), other.tree());
}

KCONTROL_DECL group_version_kind dynamic_object::gvk() const {
    std::string version = content.get_string({"apiVersion"});
    std::string group;
    if (const auto slash = version.find('/'); slash != std::string::npos) {
        group = version.substr(0, slash);
        version.erase(0, slash + 1);
    }
    return {std::move(group), std::move(version), content.get_string({"kind"})};
}

KCONTROL_DECL resource_info dynamic_resource(group_version_kind gvk, std::string plural, resource_scope scope,
                                             managed_fields managed) {
    using enum managed_fields;
    return {std::move(gvk),
            std::move(plural),
            scope,
            detail::decode_dynamic,
            detail::encode_dynamic,
            managed == kept ? detail::decode_dynamic_text<kept> : detail::decode_dynamic_text<dropped>,
            managed == kept ? detail::decode_dynamic_front<kept> : detail::decode_dynamic_front<dropped>};
}

}  // namespace kcontrol
