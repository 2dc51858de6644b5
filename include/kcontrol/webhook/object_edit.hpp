// What an edit of a typed copy means for the object that it was read from, of which the type may know a part only.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/json/reader.hpp>
#include <kcontrol/model/resource.hpp>

#include <string>
#include <string_view>

namespace kcontrol::inline v0_1 {

/// The JSON Patch (RFC 6902) that does to `original` what leads from `before` to `after`; empty if that is nothing.
/// `before` is the encoding of what was read of `original`, `after` that of its edited copy. What neither shows stays
/// as it is in `original`, also inside of list elements, which match_elements() tells apart. Members that an encoding
/// writes though nobody set them are not brought in.
///
/// Applying the patch to `original` always succeeds.
/// Errors: decode_failed (an encoding is no JSON, `original` has two members of one name);
/// invalid_argument, with the path of a list, if its edited elements can't be told from added and removed ones and
/// members of `original` that `before` does not show could get to another element.
KCONTROL_DECL result<std::string> json_patch_of_edit(const resource_info& kind, json::node original,
                                                     std::string_view before, std::string_view after);

/// The same where the type is not known: whatever `before` does not show is taken for a member that must stay. The kind
/// is that of the original's apiVersion and kind.
KCONTROL_DECL result<std::string> json_patch_of_edit(json::node original, std::string_view before,
                                                     std::string_view after);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/webhook/impl/object_edit.ipp>
#endif
