// What a kind is called and how its objects are read and written: resource_info, and the concept `resource`.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/json/lazy.hpp>
#include <kcontrol/json/plain_text.hpp>
#include <kcontrol/model/any_object.hpp>
#include <kcontrol/model/share_pool.hpp>

#include <concepts>
#include <string>
#include <string_view>

namespace kcontrol {

struct type_descriptor;

/// Group, version and kind: the identity of a kind. The core group is "".
class group_version_kind {
public:
    group_version_kind() = default;
    group_version_kind(std::string g, std::string v, std::string k)
        : group(std::move(g)), version(std::move(v)), kind(std::move(k)) {}

    std::string group;
    std::string version;
    std::string kind;

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
    using decode_function = result<any_object> (*)(json::node, share_pool*);
    using encode_function = std::string (*)(const any_object&, const resource_info&);

    using lazy_decode_function = result<any_object> (*)(json::lazy_node, share_pool*);

    using plain_decode_function = any_object (*)(json::plain_text&, share_pool*);

    /// `lazy` may be null: then what is to be decoded from a text is parsed for `d`. So may `plain`: then nothing is
    /// decoded from a plain_text.
    resource_info(group_version_kind k, std::string p, resource_scope s, decode_function d, encode_function e,
                  lazy_decode_function lazy = nullptr, plain_decode_function plain = nullptr)
        : gvk(std::move(k)),
          plural(std::move(p)),
          scope(s),
          encode(e),
          decode_(d),
          lazy_decode_(lazy),
          plain_decode_(plain) {}

    group_version_kind gvk;
    std::string plural;
    resource_scope scope;
    const type_descriptor* type = nullptr;  ///< the table of its objects; null if they are dynamic or metadata only
    bool metadata_only = false;             ///< a client asks the server for the metadata alone
    encode_function encode;                 ///< to the JSON of one object, with apiVersion and kind

    /// From the JSON of one object. `pool` is that of the stream it came with, if any. Errors: decode_failed.
    KCONTROL_DECL result<any_object> decode(json::node from, share_pool* pool = nullptr) const;

    /// From the text of one object, in place: several times faster. The same rules; but the inside of members that the
    /// type does not have is not read, so that nothing is said of what is malformed there (see lazy_document).
    KCONTROL_DECL result<any_object> decode(json::lazy_node from, share_pool* pool = nullptr) const;

    /// From the front of a text, behind which `from` is afterwards: faster still. What is passed over is only searched
    /// for its end. Nothing, and `from` is anywhere, if the text is not written as servers write or something is wrong:
    /// the other ways read it, or say what that is.
    KCONTROL_DECL any_object decode(json::plain_text& from, share_pool* pool) const;

    bool namespaced() const noexcept { return scope == resource_scope::namespaced; }

private:
    decode_function decode_;  // null: into a block, by the table
    lazy_decode_function lazy_decode_;
    plain_decode_function plain_decode_;
};

/// The constant part of a resource_info, as a type states it.
class resource_name {
public:
    constexpr resource_name(std::string_view g, std::string_view v, std::string_view k, std::string_view p,
                            resource_scope s = resource_scope::namespaced)
        : group(g), version(v), kind(k), plural(p), scope(s) {}

    std::string_view group;
    std::string_view version;
    std::string_view kind;
    std::string_view plural;
    resource_scope scope;
};

/// A type that names a kind: `static constexpr kcontrol::resource_name kcontrol_resource{…}` beside a
/// `kcontrol::object_meta metadata` and a field list.
template <class T>
concept resource = requires(const T& object) {
    { T::kcontrol_resource } -> std::convertible_to<resource_name>;
    { object.metadata } -> std::convertible_to<const object_meta&>;
};

/// The resource_info of a type; one static object each. A type that is not a `resource` does not compile.
template <class T>
const resource_info& resource_of();

}  // namespace kcontrol

// resource_of, and the field lists a resource is declared with:
#include <kcontrol/model/resource_of.hpp>
