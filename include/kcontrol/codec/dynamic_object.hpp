// dynamic_object: an object of a kind that is known at run time only. What the server sent is kept, as compact text.
//
// This header reaches Boost.JSON and costs its users about a second; typed kinds do not need it.
#pragma once

#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/values/text.hpp>

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1 {

/// The JSON of an object: text as long as it is only read, a tree from the first edit on.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class dynamic_content {
public:
    using path = std::initializer_list<std::string_view>;  ///< names from the outside in

    dynamic_content() = default;
    KCONTROL_DECL dynamic_content(const dynamic_content& other);
    dynamic_content(dynamic_content&&) noexcept = default;
    KCONTROL_DECL dynamic_content& operator=(const dynamic_content& other);
    dynamic_content& operator=(dynamic_content&&) noexcept = default;
    ~dynamic_content() = default;
    /// Of a tree, as after the first edit().
    explicit dynamic_content(json::object tree) : tree_(std::make_unique<json::object>(std::move(tree))) {}

    /// The value at a path of member names, `get({"spec", "replicas"})`; null if it is not there. An empty path is the
    /// whole. Takes time in proportion to what stands before it.
    KCONTROL_DECL json::value get(path names) const;
    /// The same if it is a string; empty otherwise.
    KCONTROL_DECL std::string get_string(path names) const;
    KCONTROL_DECL bool contains(path names) const;  ///< whether a value is there, be it null

    /// The whole object to be changed. The reference is good until this is assigned to.
    KCONTROL_DECL json::object& edit();
    /// A member to be changed, created if it is not there.
    json::value& operator[](std::string_view name) { return edit()[name]; }

    /// A copy as a tree.
    KCONTROL_DECL json::object tree() const;
    /// Compact; until the first edit numbers and escapes are as they came.
    KCONTROL_DECL std::string to_json() const;

    /// Equal values, whatever the order of members.
    friend bool operator==(const dynamic_content& a, const dynamic_content& b) { return a.same_as(b); }

private:
    friend struct dynamic_access;
    KCONTROL_DECL bool same_as(const dynamic_content& other) const;

    text text_;                           // empty: no member
    std::unique_ptr<json::object> tree_;  // if it is there, text_ means nothing
};

/// An object as JSON, with its metadata read. When it is written, `metadata` wins over `content` where the two differ;
/// what object_meta does not know is kept as it is in `content`. An object from a server is one block of memory.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class dynamic_object {
public:
    dynamic_object() = default;

    object_meta metadata;     ///< as it stands in `content`; to be changed here, for this wins
    dynamic_content content;  ///< the whole object, with apiVersion, kind and metadata if the server sent them

    /// From `apiVersion` and `kind` in content; the elements of a list may lack them.
    KCONTROL_DECL group_version_kind gvk() const;

    friend bool operator==(const dynamic_object& a, const dynamic_object& b) {
        return a.metadata == b.metadata && a.content == b.content;
    }
};

/// What becomes of `metadata.managedFields`, which is often half of an object. A write without it changes nothing: the
/// server keeps its own.
enum class managed_fields { dropped, kept };

/// The resource_info of a kind that no type stands for. Its objects are dynamic_object.
KCONTROL_DECL resource_info dynamic_resource(group_version_kind gvk, std::string plural,
                                             resource_scope scope = resource_scope::namespaced,
                                             managed_fields managed = managed_fields::dropped);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/codec/impl/dynamic_object.ipp>
#endif
