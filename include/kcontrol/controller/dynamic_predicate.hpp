// Predicates on objects of kinds known at run time.
//
// This header reaches Boost.JSON, as dynamic_object does; typed kinds do not need it.
#pragma once

#include <kcontrol/codec/dynamic_object.hpp>
#include <kcontrol/controller/predicate.hpp>

#include <string>
#include <vector>

namespace kcontrol::inline v0_1 {

/// Drops updates of dynamic objects that left the value at that path of member names alone, with all that is in it:
/// `content_changed({"spec", "replicas"})`. Whether there is nothing or null is the same. Additions, deletions and
/// generic events pass; so do, because of the exception, updates of objects that are not dynamic.
KCONTROL_DECL predicate content_changed(std::vector<std::string> path);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/controller/impl/dynamic_predicate.ipp>
#endif
