// JSON Patch (RFC 6902) and JSON Merge Patch (RFC 7386): applying them, and finding the one between two documents.
#pragma once

#include <kcontrol/documents/value.hpp>

namespace kcontrol::inline v0_1::json {

/// Applies a JSON Patch document (an array of operations) to `target`, all of it or nothing.
/// Removing the whole document is refused, and so are patches of more than 10,000 operations or whose copies would
/// multiply the document without bound. Messages name paths, never values. A `test` for null also holds where an object
/// has no such member, as in API servers: writers that add a list if there is none begin with it.
/// Errors: invalid_argument, naming the operation and its path; a failing `test` says so.
KCONTROL_DECL result<void> apply_patch(value& target, const value& patch);

/// Applies a JSON Merge Patch: null removes a member, objects merge, everything else replaces.
KCONTROL_DECL void apply_merge_patch(value& target, const value& patch);

/// The JSON Patch that leads from `from` to `to`; an empty array if they are equal. Lists are compared element by
/// element at the same index, with additions and removals at the end, so that elements' unknown fields survive.
/// Values that are equal() give no operation. The order of operations depends on the documents only.
KCONTROL_DECL array diff(const value& from, const value& to);

/// The JSON Merge Patch that leads from `from` to `to`; an empty object if they are equal. A merge patch can't say that
/// a member is null: members of `to` that are null come out absent.
KCONTROL_DECL value merge_diff(const value& from, const value& to);

}  // namespace kcontrol::json

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/documents/impl/patch.ipp>
#include <kcontrol/documents/impl/patch_diff.ipp>
#include <kcontrol/documents/impl/patch_merge.ipp>
#endif
