// patch_between: the usual write, a patch of what differs between a snapshot and its edited copy.
#pragma once

#include <kcontrol/codec/resource_of.hpp>

#include <memory>
#include <string>

namespace kcontrol::inline v0_1 {

/// The body of a PATCH request, and its media type. Empty if nothing is to be changed.
class object_patch {
public:
    object_patch() = default;
    /// A media type and a body; without a body nothing is to be changed.
    object_patch(std::string type, std::string body) : content_type(std::move(type)), text(std::move(body)) {}

    std::string content_type;  ///< "application/merge-patch+json" or "application/json-patch+json"
    std::string text;          ///< the body, JSON; empty: nothing is to be changed

    bool empty() const noexcept { return text.empty(); }
};

/// The patch that makes of the object on the server, of which `snapshot` was read, what `edited` is. Members that the
/// type does not declare are not touched, also those inside of list elements. Elements of lists are told apart by the
/// list keys of their schema, else by their `name`, `type`, `key` or `uid` where all have one, else by the equality of
/// all that the type declares. See list_elements.hpp.
///
/// The patch carries the snapshot's resource version: if somebody wrote in between, the server answers Conflict.
///
/// It is a merge patch where that is exact, because a merge patch also creates the parents of what it sets: the first
/// status of a custom resource needs that. Where list elements change, or a null is to be written, it is a JSON Patch.
///
/// Errors: invalid_argument if the snapshot has no resource version, or the two are not of the same object or not of
/// the kind's C++ type, or if it is ambiguous which element of a list is which (the message names the list);
/// decode_failed if one of them does not encode to JSON.
KCONTROL_DECL result<object_patch> patch_between(const resource_info& info, const any_object& snapshot,
                                                 const any_object& edited);

/// An any_object that does not own: valid while `object` lives.
template <class T>
any_object borrow(const T& object) {
    return any_object(std::shared_ptr<const T>(std::shared_ptr<const T>(), &object));
}

template <class T>
result<object_patch> patch_between(const T& snapshot, const T& edited) {
    return patch_between(resource_of<T>(), borrow(snapshot), borrow(edited));
}

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/codec/impl/patch_between.ipp>
#endif
