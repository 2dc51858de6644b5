// What a kind is: its names, the concept `resource`, and resource_info, which also knows how its objects are read and
// written. All that is needed to declare a kind; codec/resource_of.hpp has the resource_info of one.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/json/cursor.hpp>
#include <kcontrol/json/reader.hpp>
#include <kcontrol/model/any_object.hpp>
#include <kcontrol/model/describe.hpp>
#include <kcontrol/model/metadata_fields.hpp>

#include <concepts>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1 {

class share_pool;

/// Group, version and kind: the identity of a kind. The core group is "".
class group_version_kind {
public:
    group_version_kind() = default;
    /// Group, version and kind; the group is empty for the core group.
    group_version_kind(std::string g, std::string v, std::string k)
        : group(std::move(g)), version(std::move(v)), kind(std::move(k)) {}

    std::string group;    ///< empty for the core group
    std::string version;  ///< of the API, such as "v1" or "v1beta1"
    std::string kind;     ///< in CamelCase, such as "Pod"

    /// "group/version", or "version" for the core group.
    std::string api_version() const { return group.empty() ? version : group + "/" + version; }

    friend auto operator<=>(const group_version_kind&, const group_version_kind&) = default;
};

enum class resource_scope { cluster, namespaced };

/// A kind at run time: names, scope, and the way from bytes to objects and back. Type-erased code gets all it
/// needs from here.
///
/// Thread-safety: safe; immutable after construction.
class resource_info {
public:
    /// What decode() of parsed JSON calls. The pool may be null.
    using decode_function = result<any_object> (*)(const resource_info&, json::node, share_pool*);
    /// Throws kcontrol::exception if the object is of another C++ type.
    using encode_function = std::string (*)(const any_object&, const resource_info&);
    /// What decode_parsed() calls, with all of a text. The pool may be null.
    using text_decode_function = result<any_object> (*)(const resource_info&, std::string_view, share_pool*);
    /// What decode() at a cursor calls; it gives nothing where it gives up. The pool may be null.
    using cursor_decode_function = any_object (*)(const resource_info&, json::cursor&, share_pool*);

    /// `from_text` may be null: then a text is parsed for `d`. So may `from_cursor`: then nothing is decoded from a
    /// cursor.
    resource_info(group_version_kind k, std::string p, resource_scope s, decode_function d, encode_function e,
                  text_decode_function from_text = nullptr, cursor_decode_function from_cursor = nullptr)
        : gvk(std::move(k)),
          plural(std::move(p)),
          scope(s),
          encode_(e),
          decode_(d),
          text_decode_(from_text),
          cursor_decode_(from_cursor) {}

    group_version_kind gvk;                 ///< identity of the kind
    std::string plural;                     ///< its name in URLs, such as "pods"
    resource_scope scope;                   ///< whether its objects are in namespaces
    const type_descriptor* type = nullptr;  ///< the table of its objects; null if they are dynamic or metadata only
    bool metadata_only = false;             ///< a client asks the server for the metadata alone

    /// The JSON of an object, with apiVersion and kind. Errors: invalid_argument if it is not of the C++ type that this
    /// kind's objects are of.
    result<std::string> encode(const any_object& object) const {
        try {
            return encode_(object, *this);
        } catch (const exception& e) {
            return e.cause().with_context(gvk.kind);
        }
    }
    /// What encode() calls, for the resource_info of a kind that is read in another way.
    encode_function encoder() const noexcept { return encode_; }

    /// From the JSON of one object. `pool` is that of the stream it came with, if any. Errors: decode_failed.
    result<any_object> decode(json::node from, share_pool* pool = nullptr) const { return decode_(*this, from, pool); }

    /// From the front of a text, behind which `from` is afterwards: several times faster. What is passed over is only
    /// searched for its end. Nothing, and `from` is anywhere, if the text is not written as servers write or something
    /// is wrong: decode_parsed() reads it, or says what that is.
    any_object decode(json::cursor& from, share_pool* pool) const {
        return cursor_decode_ != nullptr ? cursor_decode_(*this, from, pool) : any_object();
    }

    /// From the text of one object, however it is written. It is parsed, all of it. Errors: decode_failed.
    result<any_object> decode_parsed(std::string_view text, share_pool* pool = nullptr) const {
        if (text_decode_ != nullptr) return text_decode_(*this, text, pool);
        json::document document;
        const auto parsed = document.parse(text);
        if (!parsed) return parsed.error();
        return decode_(*this, *parsed, pool);
    }

    /// The same for who does not know how it is written: at a cursor, and only if that does not do it, parsed.
    result<any_object> decode_text(std::string_view text, share_pool* pool = nullptr) const {
        json::cursor front(text);
        if (any_object object = decode(front, pool); object && front.left() == 0) return object;
        return decode_parsed(text, pool);
    }

    /// Whether the two are of the same kind and make the same C++ objects of the same bytes.
    bool decodes_same_as(const resource_info& other) const {
        return gvk == other.gvk && plural == other.plural && scope == other.scope && type == other.type &&
               metadata_only == other.metadata_only && encode_ == other.encode_ && decode_ == other.decode_ &&
               text_decode_ == other.text_decode_ && cursor_decode_ == other.cursor_decode_;
    }

    /// Whether its objects are in namespaces; else they belong to the cluster as a whole.
    bool namespaced() const noexcept { return scope == resource_scope::namespaced; }

private:
    encode_function encode_;
    decode_function decode_;
    text_decode_function text_decode_;
    cursor_decode_function cursor_decode_;
};

/// The constant part of a resource_info, as a type states it.
class resource_name {
public:
    /// Group, version, kind, plural and scope. Texts are string literals, or live as long as the program.
    constexpr resource_name(std::string_view g, std::string_view v, std::string_view k, std::string_view p,
                            resource_scope s = resource_scope::namespaced)
        : group(g), version(v), kind(k), plural(p), scope(s) {}

    std::string_view group;    ///< empty for the core group
    std::string_view version;  ///< of the API, such as "v1" or "v1beta1"
    std::string_view kind;     ///< in CamelCase, such as "Pod"
    std::string_view plural;   ///< its name in URLs, such as "pods"
    resource_scope scope;      ///< whether its objects are in namespaces
};

namespace detail {

template <class T>
concept names_kind = requires {
    { T::kcontrol_resource } -> std::convertible_to<resource_name>;
};

template <class T>
concept has_metadata = requires(const T& object) {
    { object.metadata } -> std::convertible_to<const object_meta&>;
};

}  // namespace detail

/// Whether a type is a resource, asked without consequences: for code that goes on where it is not.
template <class T>
concept is_resource = detail::names_kind<T> && detail::has_metadata<T> && detail::has_fields<T>;

/// Refuses, at compile time and in words, a type that does not name a kind. True, so that the words are all that is
/// said: what follows is given up silently where is_resource does not hold.
template <class T>
constexpr bool assert_resource() {
    // Of a constant a compiler says only that it is false; of a concept, in ten lines, why.
    constexpr bool is_named = detail::names_kind<T>;
    static_assert(is_named,
                  "kcontrol: this type is not registered as a Kubernetes kind. Give the struct `static constexpr "
                  "kcontrol::resource_name kcontrol_resource{\"group\", \"version\", \"Kind\", \"plural\"};`");
    constexpr bool has_metadata = !is_named || detail::has_metadata<T>;
    static_assert(has_metadata, "kcontrol: a resource has a member `kcontrol::object_meta metadata`");
    constexpr bool has_field_list = !is_named || detail::has_fields<T>;
    static_assert(has_field_list,
                  "kcontrol: this resource has no field list. Give the struct `static constexpr auto "
                  "kcontrol_fields() { return kcontrol::fields(kcontrol::field(\"spec\", &T::spec), ...); }`");
    return true;
}

/// A type that names a kind: `static constexpr kcontrol::resource_name kcontrol_resource{…}` beside a
/// `kcontrol::object_meta metadata` and a field list. A type that does not is an error of the compiler that names the
/// remedy, also where another overload would do; is_resource asks.
template <class T>
concept resource = assert_resource<T>();

/// A resource that declares only some fields of its kind says so with `using kcontrol_projection = void;`. It can be
/// read, watched and patched. It can't replace an object, which would lose what it does not declare.
template <class T>
concept is_projection = requires {
    typename T::kcontrol_projection;
};

/// Refuses a projection where the object would be replaced.
template <class T>
constexpr void assert_replaceable() {
    assert_resource<T>();
    static_assert(
        !is_projection<T>,
        "kcontrol: this type is a projection: it declares only some fields of its kind, and replacing the object "
        "would lose the others. Use patch(snapshot, edited), or a type with all fields");
}

}  // namespace kcontrol
